/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands about the server as a whole: DBSIZE TIME FLUSHALL ROLE MODULE CLUSTER DEBUG. */
#include <math.h>
#include <stdlib.h>

#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "persist/persist.h"

enum step cmd_dbsize(struct resp_call *r)
{
	resp_int(r->out, (int64_t)cache_count(admin_of(r)->ctx.cache));
	return STEP_DONE;
}

enum step cmd_time(struct resp_call *r)
{
	uint64_t us = clock_wall_us();

	resp_array(r->out, 2);
	resp_strf(r->out, "%llu", (unsigned long long)(us / 1000000));
	resp_strf(r->out, "%llu", (unsigned long long)(us % 1000000));
	return STEP_DONE;
}

enum step cmd_role(struct resp_call *r)
{
	resp_array(r->out, 3);
	resp_str(r->out, "master");
	resp_int(r->out, 0);
	resp_array(r->out, 0);
	return STEP_DONE;
}

enum step cmd_module_list(struct resp_call *r)
{
	resp_array(r->out, 0);
	return STEP_DONE;
}

enum step cmd_no_cluster(struct resp_call *r)
{
	resp_error(r->out, "ERR This instance has cluster support disabled");
	return STEP_DONE;
}

/* The slot that a cluster would keep the key in: CRC16 (XMODEM) of it, or of what stands in its first {}. */
enum step cmd_cluster_keyslot(struct resp_call *r)
{
	const struct resp_arg *key = &r->argv[2];
	const char *p = key->p, *open = memchr(p, '{', key->len), *close;
	size_t len = key->len;
	unsigned crc = 0;

	if (open && (close = memchr(open + 1, '}', (size_t)(p + len - open - 1))) && close > open + 1) {
		p = open + 1;
		len = (size_t)(close - p);
	}
	for (size_t i = 0; i < len; i++) {
		crc ^= (unsigned)(uint8_t)p[i] << 8;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
	}
	resp_int(r->out, crc % 16384);
	return STEP_DONE;
}

/* ---- what Redis has, and a cache without replicas or free names does not ---- */

enum step cmd_wait(struct resp_call *r)
{
	int64_t replicas, ms;

	if (!resp_arg_int(&r->argv[1], &replicas) || !resp_arg_int(&r->argv[2], &ms))
		resp_error(r->out, "ERR value is not an integer or out of range");
	else if (ms < 0)
		resp_error(r->out, "ERR timeout is negative");
	else
		resp_int(r->out, 0); /* there are no replicas, and never will be any in time */
	return STEP_DONE;
}

enum step cmd_copy(struct resp_call *r)
{
	resp_errorf(r->out, "ERR %s is not possible: an answer belongs to the name and type that were asked for; see DNS.SET, DUMP and RESTORE",
		    r->command->fn == cmd_copy && r->command->name[0] == 'c' ? "COPY" : "RENAME");
	return STEP_DONE;
}

/* ---- FLUSHALL ---- */

struct flush {
	struct cache *cache;
	uint64_t cursor;
};

static enum step flush_slice(struct resp_client *c, void *state)
{
	struct flush *f = state;

	f->cursor = cache_flush_step(f->cache, f->cursor);
	if (f->cursor)
		return STEP_PENDING;
	resp_ok(resp_client_out(c));
	return STEP_DONE;
}

enum step cmd_flushall(struct resp_call *r)
{
	struct flush *f;

	if (r->argc > 2 || (r->argc == 2 && !resp_arg_is(&r->argv[1], "async") && !resp_arg_is(&r->argv[1], "sync"))) {
		resp_error(r->out, "ERR syntax error");
		return STEP_DONE;
	}
	if (!(f = mem_calloc(1, sizeof *f))) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	persist_load_stop(admin_of(r)->ctx.persist); /* what is still to come is to be gone, too */
	f->cache = admin_of(r)->ctx.cache;
	admin_forget(admin_of(r));
	log_notice("cache flushed by %.*s", (int)r->argv[0].len, r->argv[0].p);
	return resp_continue(r, flush_slice, f, mem_free);
}

/* ---- DEBUG: tests move the clock with it ---- */

static bool seconds_of(const struct resp_arg *a, double max, double *out)
{
	char text[40], *end;

	if (a->len == 0 || a->len >= sizeof text)
		return false;
	memcpy(text, a->p, a->len);
	text[a->len] = '\0';
	*out = strtod(text, &end);
	return *end == '\0' && isfinite(*out) && *out >= 0 && *out <= max;
}

struct nap {
	struct timer timer;
	struct resp_client *client;
};

static void nap_over(void *arg)
{
	struct nap *n = arg;
	struct resp_client *c = n->client;

	resp_ok(resp_client_out(c));
	resp_unpark(c); /* drops n */
}

static void nap_drop(void *state)
{
	struct nap *n = state;

	timer_cancel(&n->timer);
	mem_free(n);
}

/* Only the client that asks sleeps; Redis lets everybody wait, which is of no use to a test. */
static enum step debug_sleep(struct resp_call *r, double seconds)
{
	struct nap *n = mem_calloc(1, sizeof *n);

	if (!n) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	n->client = r->client;
	timer_init(admin_of(r)->ctx.loop, &n->timer, nap_over, n);
	timer_set(&n->timer, (uint64_t)(seconds * 1000));
	return resp_park(r, n, nap_drop);
}

enum step cmd_debug(struct resp_call *r)
{
	double seconds;

	if (!admin_of(r)->conf->enable_debug_command) {
		resp_error(r->out, "ERR DEBUG command not allowed. Set enable-debug-command to yes in the configuration file, and restart the "
				   "server.");
		return STEP_DONE;
	}
	bool jump = resp_arg_is(&r->argv[1], "time");
	if (r->argc != 3 || (!jump && !resp_arg_is(&r->argv[1], "sleep"))) {
		resp_errorf(r->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try DEBUG TIME <seconds> or DEBUG SLEEP <seconds>.",
			    (int)(r->argv[1].len < 128 ? r->argv[1].len : 128), r->argv[1].p);
		return STEP_DONE;
	}
	if (!seconds_of(&r->argv[2], 1e9, &seconds)) {
		resp_error(r->out, "ERR seconds must be a number, 0 or more");
		return STEP_DONE;
	}
	if (!jump)
		return debug_sleep(r, seconds);
	clock_jump((uint64_t)(seconds * 1000));
	resp_ok(r->out);
	return STEP_DONE;
}
