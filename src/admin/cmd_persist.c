/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands about the snapshot: SAVE BGSAVE LASTSAVE SHUTDOWN, and INFO's section on it.
 *
 * SAVE waits for the same thread that BGSAVE starts: its client alone is held, nobody else. While the snapshot of the start is still
 * being loaded, what removes entries is refused as Redis refuses commands then: what was removed could be loaded after it. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/log.h"
#include "persist/persist.h"

typedef unsigned long long ull;

struct wait {
	struct persist *persist;
	struct resp_client *client;
	struct admin *admin;
	bool end;             /* SHUTDOWN waits, not SAVE */
	enum persist_end how; /* and then how the server ends */
	bool over;
};

static void drop(void *state)
{
	struct wait *w = state;

	persist_forget(w->persist, w);
	if (w->end && !w->over) { /* its client went: what it asked for stands */
		persist_set_end(w->persist, w->how);
		w->admin->ctx.hooks.stop(w->admin->ctx.hooks.arg);
	}
	mem_free(w);
}

static void end_server(struct admin *a, struct resp_client *c)
{
	resp_client_set_reply(c, RESP_REPLY_OFF); /* as in Redis: the closed connection is the answer */
	resp_client_close_after_reply(c);
	a->ctx.hooks.stop(a->ctx.hooks.arg);
}

static void saved(void *arg, int rc, const char *why)
{
	struct wait *w = arg;
	struct resp_client *c = w->client;

	w->over = true;
	if (rc < 0) {
		if (w->end)
			resp_error(resp_client_out(c), "ERR Errors trying to SHUTDOWN. Check logs.");
		else
			resp_errorf(resp_client_out(c), "ERR %.300s", why);
	} else {
		resp_ok(resp_client_out(c));
		if (w->end) {
			persist_set_end(w->persist, PERSIST_END_PLAIN); /* it is saved */
			end_server(w->admin, c);
		}
	}
	resp_unpark(c); /* drops w */
}

/* Starts a save and holds the client until it ended; the error is written when it cannot. */
static enum step save_and_wait(struct resp_call *r, bool end, enum persist_end how)
{
	struct admin *a = admin_of(r);
	struct wait *w = mem_alloc(sizeof *w);
	int rc = ERR_NOMEM;

	if (w) {
		*w = (struct wait){ .persist = a->ctx.persist, .client = r->client, .admin = a, .end = end, .how = how };
		rc = persist_save(a->ctx.persist, saved, w);
		if (rc == 0)
			return resp_park(r, w, drop);
		mem_free(w);
	}
	if (rc == ERR_BUSY)
		resp_error(r->out, "ERR Background save already in progress");
	else if (rc == ERR_REFUSED)
		resp_error(r->out, "LOADING Pith is loading the snapshot: saving now would replace it by a part");
	else
		resp_errorf(r->out, "ERR %s", rc == ERR_NOMEM ? "no memory" : "no thread to save with");
	return STEP_DONE;
}

enum step cmd_save(struct resp_call *r)
{
	return save_and_wait(r, false, PERSIST_END_BY_CONF);
}

enum step cmd_bgsave(struct resp_call *r)
{
	if (r->argc == 2 && !resp_arg_is(&r->argv[1], "schedule")) {
		resp_error(r->out, "ERR syntax error");
		return STEP_DONE;
	}
	switch (persist_save(admin_of(r)->ctx.persist, NULL, NULL)) {
	case 0:
		resp_simple(r->out, "Background saving started");
		break;
	case ERR_BUSY:
		resp_error(r->out, "ERR Background save already in progress");
		break;
	case ERR_REFUSED:
		resp_error(r->out, "LOADING Pith is loading the snapshot: saving now would replace it by a part");
		break;
	default:
		resp_error(r->out, "ERR no thread to save with");
	}
	return STEP_DONE;
}

enum step cmd_lastsave(struct resp_call *r)
{
	struct persist_status s;

	persist_status(admin_of(r)->ctx.persist, &s);
	resp_int(r->out, (int64_t)s.last_save_wall_s);
	return STEP_DONE;
}

enum step cmd_shutdown(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct persist *p = a->ctx.persist;
	enum persist_end how = PERSIST_END_BY_CONF;
	bool force = false;

	for (unsigned i = 1; i < r->argc; i++) {
		const struct resp_arg *w = &r->argv[i];
		bool save = resp_arg_is(w, "save"), nosave = resp_arg_is(w, "nosave");

		if (resp_arg_is(w, "abort")) {
			resp_error(r->out, "ERR No shutdown in progress.");
			return STEP_DONE;
		}
		if ((save && how == PERSIST_END_PLAIN) || (nosave && how == PERSIST_END_SAVES) ||
		    (!save && !nosave && !resp_arg_is(w, "now") && !resp_arg_is(w, "force"))) {
			resp_error(r->out, "ERR syntax error");
			return STEP_DONE;
		}
		how = save ? PERSIST_END_SAVES : nosave ? PERSIST_END_PLAIN : how;
		force |= resp_arg_is(w, "force");
	}
	log_notice("SHUTDOWN asked for");
	persist_set_end(p, how);
	struct persist_status s;
	persist_status(p, &s);
	/* Saved while all are still served, and a failure keeps the server. With a save or load under way, or FORCE, the end sees to it. */
	if (persist_end_saves(p) && !force && !s.saving && !s.loading) {
		persist_set_end(p, PERSIST_END_BY_CONF); /* in case this comes to nothing */
		return save_and_wait(r, true, how);
	}
	end_server(a, r->client);
	return STEP_DONE;
}

bool snapshot_refuses(struct resp_call *r)
{
	if (!persist_is_loading(admin_of(r)->ctx.persist))
		return false;
	resp_error(r->out, "LOADING Pith is loading the snapshot: what is removed now could come back with it");
	return true;
}

void snapshot_info(const struct admin *a, struct resp_out *t)
{
	struct persist_status s;

	persist_status(a->ctx.persist, &s);
	text_addf(t, "loading:%d\r\nasync_loading:0\r\n", s.loading);
	if (s.loading) {
		uint64_t left = s.load_total_bytes - s.load_done_bytes;
		uint64_t eta = s.load_done_bytes ? s.load_ms * left / s.load_done_bytes / 1000 : 1;

		text_addf(t, "loading_start_time:%llu\r\nloading_total_bytes:%llu\r\nloading_loaded_bytes:%llu\r\nloading_loaded_perc:%.2f\r\n"
			     "loading_eta_seconds:%llu\r\n", (ull)s.load_started_wall_s, (ull)s.load_total_bytes, (ull)s.load_done_bytes,
			  s.load_total_bytes ? 100.0 * (double)s.load_done_bytes / (double)s.load_total_bytes : 0.0, (ull)eta);
	}
	text_addf(t, "rdb_changes_since_last_save:0\r\nrdb_bgsave_in_progress:%d\r\nrdb_last_save_time:%llu\r\nrdb_last_bgsave_status:%s\r\n"
		     "rdb_last_bgsave_time_sec:%lld\r\nrdb_current_bgsave_time_sec:%lld\r\nrdb_saves:%llu\r\nrdb_last_cow_size:0\r\n"
		     "rdb_last_load_keys_expired:%llu\r\nrdb_last_load_keys_loaded:%llu\r\n", s.saving, (ull)s.last_save_wall_s,
		  s.last_ok ? "ok" : "err", s.last_ms < 0 ? -1LL : (long long)(s.last_ms / 1000), s.saving ? (long long)(s.saving_ms / 1000) : -1LL,
		  (ull)s.saves, (ull)s.load_expired, (ull)s.loaded);
	text_addf(t, "snapshot_last_entries:%llu\r\nsnapshot_last_bytes:%llu\r\nsnapshot_last_msec:%lld\r\nsnapshot_current_entries:%llu\r\n"
		     "snapshot_load_status:%s\r\nsnapshot_load_msec:%llu\r\nsnapshot_load_superseded:%llu\r\nsnapshot_load_malformed:%llu\r\n"
		     "snapshot_load_damaged_blocks:%llu\r\nsnapshot_load_lost:%llu\r\n", (ull)s.last_entries, (ull)s.last_bytes,
		  (long long)s.last_ms, (ull)s.saving_entries, s.load_state, (ull)s.load_ms, (ull)s.load_there, (ull)s.load_bad,
		  (ull)s.load_damaged_blocks, (ull)s.load_lost);
	text_add(t, "aof_enabled:0\r\naof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0\r\naof_last_bgrewrite_status:ok\r\n"
		    "aof_last_write_status:ok\r\nmodule_fork_in_progress:0\r\n");
}
