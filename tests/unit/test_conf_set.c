/* SPDX-License-Identifier: BSD-3-Clause */
/* CONFIG GET, CONFIG SET and the reload. */
#include "conf_files.h"

struct pairs {
	char text[8192];
};

static void add_pair(void *arg, const char *name, const char *value)
{
	struct pairs *p = arg;
	size_t n = strlen(p->text);
	snprintf(p->text + n, sizeof p->text - n, "%s=%s;", name, value);
}

static void test_get_takes_a_glob_without_case_and_prints_as_redis_does(void)
{
	struct conf_test t;
	struct pairs p = { "" };
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, "--requirepass", "hush", NULL), 0);
	check_eq_int(conf_get(t.conf, "MAXMEMORY*", add_pair, &p), 2);
	check_eq_str(p.text, "maxmemory=268435456;maxmemory-policy=value;");
	check_eq_int(conf_get(t.conf, "*", add_pair, &p), OPTION_COUNT);
	check_eq_int(conf_get(t.conf, "nonsense", add_pair, &p), 0);
	check_eq_str(conf_test_get(&t, "serve-stale-client-timeout"), "1800");
	check_eq_str(conf_test_get(&t, "serve-stale-for"), "86400");
	check_eq_str(conf_test_get(&t, "requirepass"), "hush");
	check_eq_str(conf_test_get(&t, "databases"), "1");
	check_eq_str(conf_test_get(&t, "save"), "");
	check_eq_str(conf_test_get(&t, "dir"), "./");
	check_eq_str(conf_test_get(&t, "dbfilename"), "dump.pith");
	check_eq_str(conf_test_get(&t, "appendonly"), "no");
	check_eq_str(conf_test_get(&t, "bind"), "127.0.0.1 ::1");
	check_eq_str(conf_test_get(&t, "loglevel"), "notice");
	conf_test_end(&t);
}

struct set_result {
	int rc;
	struct conf *conf;
	char err[512];
};

static struct set_result set2(struct conf_test *t, const char *n1, const char *v1, const char *n2, const char *v2)
{
	struct set_result r = { .rc = 0 };
	r.rc = conf_set(t->conf, n2 ? 2 : 1, (const char *[]){ n1, n2 }, (const char *[]){ v1, v2 }, &r.conf, r.err, sizeof r.err);
	return r;
}

static void test_set_makes_a_new_conf_and_leaves_the_old(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	struct set_result r = set2(&t, "MaxMemory", "64mb", "loglevel", "DEBUG");
	check_eq_int(r.rc, 0);
	check_eq_int(r.conf->maxmemory, 64 << 20);
	check_eq_int(r.conf->loglevel, 0);
	check_eq_int(t.conf->maxmemory, 256 << 20);
	check_eq_int(t.conf->loglevel, 2);
	conf_unref(r.conf);
	conf_test_end(&t);
}

static void test_set_is_all_or_none_and_says_why(void)
{
	static const struct {
		const char *n1, *v1, *n2, *v2;
		int rc;
		const char *err;
	} cases[] = {
		{ "maxmemory", "64mb", "serve-stale", "x", ERR_BAD, "serve-stale: \"x\" is neither yes nor no" },
		{ "serve-stale", "no", "maxmemroy", "1gb", ERR_UNKNOWN, "unknown option \"maxmemroy\"; did you mean \"maxmemory\"?" },
		{ "qqqqqqqq", "1", NULL, NULL, ERR_UNKNOWN, "unknown option \"qqqqqqqq\"" },
		{ "maxmemory", "64mb", "dns-port", "54", ERR_REFUSED,
		  "dns-port: cannot change while the server runs: put it into the file and restart" },
		{ "maxmemory", "64mb", "MAXMEMORY", "65mb", ERR_BAD, "maxmemory: given twice" },
		{ "cache-min-ttl", "10", "cache-max-ttl", "5", ERR_BAD, "cache-min-ttl: 10 is more than cache-max-ttl 5" },
		{ "allow-query", "10.0.0.0/8 x", NULL, NULL, ERR_BAD,
		  "allow-query: \"x\" is no prefix (such as 192.0.2.0/24, 2001:db8::/32; bits behind the length must be 0)" },
		{ "allow-query", "\"open", NULL, NULL, ERR_BAD, "allow-query: a quote is opened and not closed" },
		{ "maxmemory", "", NULL, NULL, ERR_BAD, "maxmemory: \"\" is no size (such as 1048576, 64mb, 1gb)" },
	};
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct set_result r = set2(&t, cases[i].n1, cases[i].v1, cases[i].n2, cases[i].v2);
		check_eq_int(r.rc, cases[i].rc);
		check_eq_str(r.err, cases[i].err);
		check(!r.conf);
	}
	check_eq_int(t.conf->maxmemory, 256 << 20);
	check(t.conf->serve_stale);
	conf_test_end(&t);
}

static void test_set_replaces_a_list_and_takes_blanks_or_newlines(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	struct set_result r = set2(&t, "allow-query", "10.0.0.0/8\n::1  192.0.2.1", NULL, NULL);
	check_eq_int(r.rc, 0);
	check_eq_int(r.conf->allow_query.n, 3);
	check_eq_str(r.conf->allow_query.items[1], "::1");
	conf_unref(r.conf);
	r = set2(&t, "allow-query", "", NULL, NULL);
	check_eq_int(r.rc, 0);
	check_eq_int(r.conf->allow_query.n, 0);
	conf_unref(r.conf);
	conf_test_end(&t);
}

static void test_a_string_is_set_byte_for_byte(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	struct set_result r = set2(&t, "requirepass", "a \"b\" # c", "server-identity", " x");
	check_eq_int(r.rc, 0);
	check_eq_str(r.conf->requirepass, "a \"b\" # c");
	check_eq_str(r.conf->server_identity, " x");
	conf_unref(r.conf);
	conf_test_end(&t);
}

static void test_what_get_shows_set_takes(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		if (!options[i].live)
			continue;
		struct set_result r = set2(&t, options[i].name, conf_test_get(&t, options[i].name), NULL, NULL);
		check_eq_str(r.err, "");
		check_eq_int(r.rc, 0);
		check(field_equal(r.conf, t.conf, &options[i]));
		conf_unref(r.conf);
	}
	conf_test_end(&t);
}

static void test_set_and_get_without_memory_change_and_leak_nothing(void)
{
	struct conf_test t;
	struct pairs p;
	struct set_result r = { .rc = ERR_NOMEM };
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	for (long n = 1; r.rc == ERR_NOMEM; n++) {
		alloc_fail_after(n);
		r = set2(&t, "allow-query", "10.0.0.0/8 ::1", "server-identity", "x");
		alloc_fail_after(0);
	}
	check_eq_int(r.rc, 0);
	conf_unref(r.conf);
	alloc_fail_after(1);
	int rc = conf_get(t.conf, "port", add_pair, &p);
	alloc_fail_after(0);
	check_eq_int(rc, ERR_NOMEM);
	conf_test_end(&t);
}

/* ---- the reload ---- */

static void test_a_reload_takes_over_what_is_live_and_names_what_needs_a_restart(void)
{
	struct conf_test t;
	struct conf *n = NULL;
	conf_test_begin(&t);
	conf_test_write(&t, "maxmemory 64mb\nport 1111\n");
	check_eq_int(conf_test_load(&t, "--prefetch", "20", NULL), 0);
	conf_test_write(&t, "maxmemory 65mb\nport 2222\nprefetch 30\ndns-threads 2\n");
	check_eq_int(conf_reload(t.conf, &n, t.err, sizeof t.err), 0);
	check_eq_str(t.err, "changed in the file, and needs a restart: dns-threads, port");
	check_eq_int(n->maxmemory, 65 << 20);
	check_eq_int(n->port, 1111);
	check_eq_int(n->dns_threads, 0);
	check_eq_int(n->prefetch, 20); /* the command line still rules */
	check_eq_str(n->path, t.path);
	conf_unref(n);
	conf_test_write(&t, "maxmemory 66mb\nport 1111\n");
	check_eq_int(conf_reload(t.conf, &n, t.err, sizeof t.err), 0);
	check_eq_str(t.err, "");
	conf_unref(n);
	conf_test_end(&t);
}

static void test_a_reload_of_a_file_that_became_wrong_changes_nothing(void)
{
	struct conf_test t;
	struct conf *n = NULL;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "maxmemory 64mb\n"), "");
	conf_test_write(&t, "maxmemory 65mb\nprefetch often\n");
	check_eq_int(conf_reload(t.conf, &n, t.err, sizeof t.err), ERR_BAD);
	conf_test_cut_folder(&t);
	check_eq_str(t.err, "x.conf:2: prefetch: \"often\" is no whole number");
	check(!n);
	conf_test_end(&t);
}

static void test_without_a_file_there_is_nothing_to_reload_or_rewrite(void)
{
	struct conf_test t;
	struct conf *n = NULL;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	check_eq_int(conf_reload(t.conf, &n, t.err, sizeof t.err), ERR_BAD);
	check_eq_str(t.err, "the server runs without a configuration file");
	check_eq_int(conf_rewrite(t.conf, t.err, sizeof t.err), ERR_UNKNOWN);
	check_eq_str(t.err, "the server runs without a configuration file");
	conf_test_end(&t);
}

static void test_a_reload_without_memory_says_so_and_leaks_nothing(void)
{
	struct conf_test t;
	struct conf *n = NULL;
	int rc = ERR_NOMEM;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "port 1111\n"), "");
	conf_test_write(&t, "port 2222\nbind ::1\npidfile x\n");
	for (long i = 1; rc == ERR_NOMEM; i++) {
		alloc_fail_after(i);
		rc = conf_reload(t.conf, &n, t.err, sizeof t.err);
		alloc_fail_after(0);
		if (rc == ERR_NOMEM)
			check(strstr(t.err, "no memory"));
	}
	check_eq_int(rc, 0);
	check_eq_str(t.err, "changed in the file, and needs a restart: bind, port, pidfile");
	conf_unref(n);
	conf_test_end(&t);
}
