/* SPDX-License-Identifier: BSD-3-Clause */
/* SUBSCRIBE and its family, PUBLISH, PUBSUB. Replies of the first are messages of their own kind, one for each channel. */
#include "admin/internal.h"

static void reply_change(struct resp_call *r, const char *kind, const char *name, size_t len)
{
	resp_push(r->out, 3);
	resp_str(r->out, kind);
	if (name)
		resp_bulk(r->out, name, len);
	else
		resp_null(r->out);
	resp_int(r->out, resp_subscriptions(r->client));
}

static enum step subscribe(struct resp_call *r, enum resp_topic kind)
{
	for (unsigned i = 1; i < r->argc; i++) {
		const struct resp_arg *a = &r->argv[i];

		switch (resp_subscribe(r->client, kind, a->p, a->len)) {
		case 0:
			reply_change(r, kind == RESP_CHANNEL ? "subscribe" : "psubscribe", a->p, a->len);
			break;
		case ERR_RANGE:
			resp_error(r->out, "ERR more subscriptions than pubsub-max-subscriptions allows");
			return STEP_DONE;
		default:
			resp_error(r->out, "ERR no memory");
			return STEP_DONE;
		}
	}
	watch_update(admin_of(r));
	return STEP_DONE;
}

static enum step unsubscribe(struct resp_call *r, enum resp_topic kind)
{
	const char *word = kind == RESP_CHANNEL ? "unsubscribe" : "punsubscribe", *name;
	size_t len;

	for (unsigned i = 1; i < r->argc; i++) {
		resp_unsubscribe(r->client, kind, r->argv[i].p, r->argv[i].len);
		reply_change(r, word, r->argv[i].p, r->argv[i].len);
	}
	if (r->argc == 1 && !resp_subscribed_to(r->client, kind, &len))
		reply_change(r, word, NULL, 0);
	while (r->argc == 1 && (name = resp_subscribed_to(r->client, kind, &len))) {
		struct resp_out *t = &admin_of(r)->text; /* the name ends with the subscription */

		text_reset(t);
		resp_raw(t, name, len);
		resp_unsubscribe(r->client, kind, name, len);
		reply_change(r, word, t->data, t->len);
	}
	watch_update(admin_of(r));
	return STEP_DONE;
}

enum step cmd_subscribe(struct resp_call *r)
{
	return subscribe(r, RESP_CHANNEL);
}

enum step cmd_psubscribe(struct resp_call *r)
{
	return subscribe(r, RESP_PATTERN);
}

enum step cmd_unsubscribe(struct resp_call *r)
{
	return unsubscribe(r, RESP_CHANNEL);
}

enum step cmd_punsubscribe(struct resp_call *r)
{
	return unsubscribe(r, RESP_PATTERN);
}

enum step cmd_publish(struct resp_call *r)
{
	const struct resp_arg *channel = &r->argv[1], *msg = &r->argv[2];

	resp_int(r->out, resp_publish(admin_of(r)->server, channel->p, channel->len, msg->p, msg->len));
	return STEP_DONE;
}

/* ---- PUBSUB ---- */

struct names {
	const struct resp_arg *glob; /* NULL: all */
	struct resp_out *out;        /* NULL: only counts */
	size_t n;
};

static void add_name(void *arg, const char *name, size_t len)
{
	struct names *to = arg;

	if (to->glob && !glob_match(to->glob->p, to->glob->len, name, len, false))
		return;
	to->n++;
	if (to->out)
		resp_bulk(to->out, name, len);
}

enum step cmd_pubsub_channels(struct resp_call *r)
{
	struct names names = { .glob = r->argc > 2 ? &r->argv[2] : NULL };
	const struct resp_server *s = admin_of(r)->server;

	if (r->argc > 3) {
		resp_error(r->out, "ERR wrong number of arguments for 'pubsub|channels' command");
		return STEP_DONE;
	}
	resp_topics_each(s, RESP_CHANNEL, add_name, &names);
	resp_array(r->out, names.n);
	names.out = r->out;
	resp_topics_each(s, RESP_CHANNEL, add_name, &names);
	return STEP_DONE;
}

enum step cmd_pubsub_numpat(struct resp_call *r)
{
	resp_int(r->out, resp_topics(admin_of(r)->server, RESP_PATTERN));
	return STEP_DONE;
}

enum step cmd_pubsub_numsub(struct resp_call *r)
{
	resp_map(r->out, r->argc - 2);
	for (unsigned i = 2; i < r->argc; i++) {
		const struct resp_arg *a = &r->argv[i];

		resp_bulk(r->out, a->p, a->len);
		resp_int(r->out, resp_subscribers(admin_of(r)->server, RESP_CHANNEL, a->p, a->len));
	}
	return STEP_DONE;
}
