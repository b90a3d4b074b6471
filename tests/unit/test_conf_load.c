/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading: each fault has its message with its place; lists replace and add; nothing leaks when memory ends. */
#include <ctype.h>

#include "base/log.h"
#include "conf_files.h"

static void test_defaults_stand_without_a_file(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	check_eq_int(t.conf->dns_port, 53);
	check_eq_int(t.conf->maxmemory, 256 << 20);
	check_eq_int(t.conf->tcp_idle_timeout, 10000);
	check_eq_int(t.conf->serve_stale_client_timeout, 1800);
	check_eq_int(t.conf->cache_max_ttl, 86400);
	check_eq_int(t.conf->allow_query.n, 9);
	check_eq_str(t.conf->allow_query.items[8], "fe80::/10");
	check_eq_int(t.conf->dns_bind.n, 2);
	check_eq_int(t.conf->forward_addr.n, 0);
	check_eq_str(t.conf->requirepass, "");
	check_eq_int(t.conf->resolver, CONF_RESOLVER_RECURSE);
	check_eq_int(t.conf->answer_rd0, CONF_RD0_CACHE);
	check_eq_int(t.conf->loglevel, LOG_NOTICE);
	check(!t.conf->path);
	conf_test_end(&t);
}

static void test_enumerations_have_the_numbers_their_readers_expect(void)
{
	check_eq_int(enum_parse(options[OPTION_resolver].values, "recurse"), CONF_RESOLVER_RECURSE);
	check_eq_int(enum_parse(options[OPTION_resolver].values, "forward"), CONF_RESOLVER_FORWARD);
	check_eq_int(enum_parse(options[OPTION_answer_rd0].values, "refuse"), CONF_RD0_REFUSE);
	for (int i = 0; i <= LOG_NOTHING; i++) {
		struct text t = { 0 };
		enum_put(&t, options[OPTION_loglevel].values, i);
		check_eq_int(log_level_from_text(t.p), i);
		text_free(&t);
	}
}

static void test_each_fault_is_told_with_its_file_and_line(void)
{
	static const struct {
		const char *text, *want;
	} faults[] = {
		{ "# one\n\nmaxmemroy 1gb\n", "x.conf:3: unknown directive \"maxmemroy\"; did you mean \"maxmemory\"?" },
		{ "dns_port 53\n", "x.conf:1: unknown directive \"dns_port\"; did you mean \"dns-port\"?" },
		{ "xyzzy yes\n", "x.conf:1: unknown directive \"xyzzy\"" },
		{ "port\n", "x.conf:1: port: a value is missing" },
		{ "port 1 2\n", "x.conf:1: port: one value is wanted, not 2 (one with blanks goes in quotes)" },
		{ "port 1 # RESP\n", "x.conf:1: port: one value is wanted; a comment needs a line of its own" },
		{ "port 70000\n", "x.conf:1: port: \"70000\" is not between 0 and 65535" },
		{ "dns-port 0", "x.conf:1: dns-port: \"0\" is not between 1 and 65535" },
		{ "port 6379x\n", "x.conf:1: port: \"6379x\" is no whole number" },
		{ "slowlog-log-slower-than -2\n", "x.conf:1: slowlog-log-slower-than: \"-2\" is not between -1 and 1000000000" },
		{ "maxmemory 64mbb\n", "x.conf:1: maxmemory: \"64mbb\" is no size (such as 1048576, 64mb, 1gb)" },
		{ "maxmemory 1kb\n", "x.conf:1: maxmemory: \"1kb\" is not between 4mb and 1024gb" },
		{ "serve-stale-ttl soon\n", "x.conf:1: serve-stale-ttl: \"soon\" is no duration (such as 1500ms, 30s, 5m, 1h, 2d)" },
		{ "serve-stale-ttl 2h\n", "x.conf:1: serve-stale-ttl: \"2h\" is not between 1s and 3600s" },
		{ "serve-stale-ttl 1500ms\n", "x.conf:1: serve-stale-ttl: \"1500ms\" is not a whole number of seconds" },
		{ "resolve-timeout 5\n", "x.conf:1: resolve-timeout: \"5\" is not between 100ms and 60000ms" },
		{ "serve-stale maybe\n", "x.conf:1: serve-stale: \"maybe\" is neither yes nor no" },
		{ "resolver both\n", "x.conf:1: resolver: \"both\" is none of: recurse forward" },
		{ "dns-bind localhost\n", "x.conf:1: dns-bind: \"localhost\" is no address (such as 127.0.0.1, ::1, 0.0.0.0)" },
		{ "bind 127.0.0.1@53\n", "x.conf:1: bind: \"127.0.0.1@53\" is no address (such as 127.0.0.1, ::1, 0.0.0.0)" },
		{ "dns-bind \"\"\n", "x.conf:1: dns-bind: at least one address is wanted" },
		{ "bind \"\"\n", "x.conf:1: bind: at least one address is wanted (port 0 turns RESP off)" },
		{ "allow-query 10.0.0.1/8\n", "x.conf:1: allow-query: \"10.0.0.1/8\" is no prefix (such as 192.0.2.0/24, 2001:db8::/32; bits "
					      "behind the length must be 0)" },
		{ "forward-addr 9.9.9.9:53\n", "x.conf:1: forward-addr: \"9.9.9.9:53\" is no address (such as 9.9.9.9, 9.9.9.9@5353, "
					       "2620:fe::fe@53)" },
		{ "forward-zone a..b 10.0.0.1\n", "x.conf:1: forward-zone: \"a..b\" is no domain name" },
		{ "stub-zone corp.example.\n", "x.conf:1: stub-zone: at least one address is wanted behind the zone" },
		{ "forward-zone corp.example. ns1\n", "x.conf:1: forward-zone: \"ns1\" is no address (such as 9.9.9.9, 9.9.9.9@5353, "
						      "2620:fe::fe@53)" },
		{ "auth-zone example.test.\n", "x.conf:1: auth-zone: a zone and its file are wanted, and nothing else" },
		{ "auth-zone example.test. a b\n", "x.conf:1: auth-zone: a zone and its file are wanted, and nothing else" },
		{ "\nauth-zone example.test. none.zone\n", "x.conf:2: auth-zone: cannot read none.zone: No such file or directory" },
		{ "root-hints /\n", "x.conf:1: root-hints: cannot read /: it is a folder" },
		{ "trust-anchor-file none\n", "x.conf:1: trust-anchor-file: cannot read none: No such file or directory" },
		{ "local-root none\n", "x.conf:1: local-root: cannot read none: No such file or directory" },
		{ "ecs-forward a..b\n", "x.conf:1: ecs-forward: \"a..b\" is no domain name" },
		{ "resolver forward\n", "x.conf:1: resolver: forward has nowhere to forward to: give a forward-addr, a forward-zone or an "
					"auth-zone" },
		{ "cache-max-ttl 10\ncache-min-ttl 20\n", "x.conf:2: cache-min-ttl: 20 is more than cache-max-ttl 10" },
		{ "save \"300 1\"\n", "x.conf:1: save: \"300 1\" is neither \"\" nor a time of whole seconds from 1s to 7d" },
		{ "save 0\n", "x.conf:1: save: \"0\" is neither \"\" nor a time of whole seconds from 1s to 7d" },
		{ "save 1500ms\n", "x.conf:1: save: \"1500ms\" is neither \"\" nor a time of whole seconds from 1s to 7d" },
		{ "save 8d\n", "x.conf:1: save: \"8d\" is neither \"\" nor a time of whole seconds from 1s to 7d" },
		{ "dir \"\"\n", "x.conf:1: dir: a folder is wanted (such as . or /var/lib/pith)" },
		{ "dbfilename a/b\n", "x.conf:1: dbfilename: \"a/b\" is no plain file name" },
		{ "dbfilename ..\n", "x.conf:1: dbfilename: \"..\" is no plain file name" },
		{ "appendonly yes\n", "x.conf:1: appendonly: only no is possible: always no: a cache needs no journal" },
		{ "databases 16\n", "x.conf:1: databases: \"16\" is not between 1 and 1" },
		{ "logfile \"a\n", "x.conf:1: a quote is opened and not closed" },
		{ "logfile 'a'b\n", "x.conf:1: a blank is missing behind a closing quote" },
		{ "logfile \"a\\x00b\"\n", "x.conf:1: a NUL byte cannot be part of a value" },
		{ "port \"\x01\xff\"\n", "x.conf:1: port: \"??\" is no whole number" },
	};
	struct conf_test t;
	conf_test_begin(&t);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		check_eq_str(conf_test_fault(&t, faults[i].text), faults[i].want);
	conf_test_end(&t);
}

static void test_every_fault_is_told_one_a_line(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "port x\nport 5\nserve-stale 1\nnonsense\n"),
		     "x.conf:1: port: \"x\" is no whole number\nx.conf:3: serve-stale: \"1\" is neither yes nor no\n"
		     "x.conf:4: unknown directive \"nonsense\"");
	conf_test_end(&t);
}

static void test_a_short_buffer_gets_whole_lines_or_at_least_a_piece_of_the_first(void)
{
	struct conf_test t;
	struct conf *c;
	char err[60];
	char *argv[] = { "--port", "x", "--dns-port", "y", "--serve-stale", "z" };
	conf_test_begin(&t);
	check_eq_int(conf_load(NULL, 6, argv, &c, err, sizeof err), ERR_BAD);
	check_eq_str(err, "--port: \"x\" is no whole number");
	check_eq_int(conf_load(NULL, 6, argv, &c, err, 10), ERR_BAD);
	check_eq_str(err, "--port: \"");
	check_eq_int(conf_load(NULL, 6, argv, &c, NULL, 0), ERR_BAD);
	conf_test_end(&t);
}

static void test_the_command_lines_faults_name_the_option(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, "--maxmemroy", "1gb", NULL), ERR_BAD);
	check_eq_str(t.err, "unknown directive \"--maxmemroy\"; did you mean \"--maxmemory\"?");
	check_eq_int(conf_test_load(&t, "--port", NULL), ERR_BAD);
	check_eq_str(t.err, "--port: a value is missing");
	check_eq_int(conf_test_load(&t, "--port", "--serve-stale", "no", NULL), ERR_BAD);
	check_eq_str(t.err, "--port: a value is missing");
	check_eq_int(conf_test_load(&t, "port", "1", NULL), ERR_BAD);
	check_eq_str(t.err, "\"port\": an option begins with -- and its name\n\"1\": an option begins with -- and its name");
	check_eq_int(conf_test_load(&t, "--", NULL), ERR_BAD);
	check_eq_str(t.err, "\"--\": an option begins with -- and its name");
	check_eq_int(conf_test_load(&t, "--resolver", "forward", NULL), ERR_BAD);
	check_eq_str(t.err, "--resolver: forward has nowhere to forward to: give a forward-addr, a forward-zone or an auth-zone");
	check_eq_int(conf_test_load(&t, "--forward-zone", "\"open", NULL), ERR_BAD);
	check_eq_str(t.err, "--forward-zone: a quote is opened and not closed");
	conf_test_end(&t);
}

static void test_a_secret_never_shows_in_a_message(void)
{
	struct conf_test t;
	char line[600] = "requirepass ";
	conf_test_begin(&t);
	memset(line + 12, 'S', 513);
	check_eq_str(conf_test_fault(&t, line), "x.conf:1: requirepass: longer than 512 bytes");
	check(!strstr(conf_test_fault(&t, "requirepass hush money\n"), "hush"));
	conf_test_end(&t);
}

static void test_a_file_that_is_not_there_is_told(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_load(t.path, 0, NULL, &t.conf, t.err, sizeof t.err), ERR_BAD);
	conf_test_cut_folder(&t);
	check_eq_str(t.err, "x.conf: cannot be read: No such file or directory");
	check_eq_int(conf_load(t.folder, 0, NULL, &t.conf, t.err, sizeof t.err), ERR_BAD);
	check(strstr(t.err, "cannot be read: Is a directory"));
	conf_test_end(&t);
}

static void test_nul_bytes_and_endless_lines_are_faults_of_their_line(void)
{
	struct conf_test t;
	static char text[CONF_LINE_MAX + 100];
	conf_test_begin(&t);
	conf_test_write_bytes(&t, "x.conf", "port 1\nport \0 2\n", 16);
	check_eq_int(conf_test_load(&t, NULL), ERR_BAD);
	check_eq_str(t.err, "x.conf:2: a NUL byte cannot be part of a value");
	memset(text, 'x', sizeof text);
	memcpy(text, "\nlogfile ", 9);
	conf_test_write_bytes(&t, "x.conf", text, sizeof text);
	check_eq_int(conf_test_load(&t, NULL), ERR_BAD);
	check_eq_str(t.err, "x.conf:2: the line is longer than 65536 bytes");
	conf_test_end(&t);
}

static void test_comments_case_crlf_byte_order_mark_and_a_missing_last_newline_are_all_fine(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "\xef\xbb\xbfport 7000\r\n  # a comment\r\n\t\r\n \tDNS-Port\t \"5353\"  \r\nserve-stale NO"), "");
	check_eq_int(t.conf->port, 7000);
	check_eq_int(t.conf->dns_port, 5353);
	check(!t.conf->serve_stale);
	check_eq_str(conf_test_fault(&t, ""), "");
	conf_test_end(&t);
}

static void test_of_a_plain_directive_the_last_line_counts_and_the_command_line_over_it(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "port 1\nport 2\n"), "");
	check_eq_int(t.conf->port, 2);
	check_eq_int(conf_test_load(&t, "--port", "3", "--maxmemory=64mb", NULL), 0);
	check_eq_int(t.conf->port, 3);
	check_eq_int(t.conf->maxmemory, 64 << 20);
	conf_test_end(&t);
}

static void test_the_first_line_of_a_list_replaces_the_default_and_further_ones_add(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "allow-query 10.0.0.0/8 ::1\nport 1\nallow-query 192.0.2.0/24\n"), "");
	check_eq_str(conf_test_get(&t, "allow-query"), "10.0.0.0/8 ::1 192.0.2.0/24");
	check_eq_int(t.conf->allow_query.n, 3);
	/* So does the command line with the file's. */
	check_eq_int(conf_test_load(&t, "--allow-query", "198.51.100.0/24", "--allow-query", "203.0.113.1 ::1", NULL), 0);
	check_eq_str(conf_test_get(&t, "allow-query"), "198.51.100.0/24 203.0.113.1 ::1");
	check_eq_int(conf_test_load(&t, "--allow-query", "", NULL), 0);
	check_eq_int(t.conf->allow_query.n, 0);
	conf_test_end(&t);
}

static void test_a_zone_line_stays_one_item(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "resolver forward\nforward-zone \"corp.example.\"   10.0.0.1@53\t10.0.0.2\nforward-zone . 9.9.9.9\n"), "");
	check_eq_int(t.conf->forward_zone.n, 2);
	check_eq_str(t.conf->forward_zone.items[0], "corp.example. 10.0.0.1@53 10.0.0.2");
	check_eq_str(conf_test_get(&t, "forward-zone"), "corp.example. 10.0.0.1@53 10.0.0.2\n. 9.9.9.9");
	check_eq_int(conf_test_load(&t, "--forward-zone", "a.test.", "10.0.0.3", "--forward-zone", "\"b.test.\" 10.0.0.4@54", NULL), 0);
	check_eq_str(conf_test_get(&t, "forward-zone"), "a.test. 10.0.0.3\nb.test. 10.0.0.4@54");
	conf_test_end(&t);
}

static void test_relative_paths_start_at_the_files_folder(void)
{
	struct conf_test t;
	char want[256];
	char *words[2], buf[256];
	conf_test_begin(&t);
	conf_test_write_bytes(&t, "my zone", "x", 1);
	check_eq_str(conf_test_fault(&t, "auth-zone \"example.test.\" \"my zone\"\nroot-hints \"my zone\"\n"), "");
	snprintf(want, sizeof want, "%s/my zone", t.folder);
	check_eq_str(t.conf->root_hints, want);
	check_eq_int(conf_item_words(t.conf->auth_zone.items[0], buf, sizeof buf, words, 2), 2);
	check_eq_str(words[0], "example.test.");
	check_eq_str(words[1], want);
	check_eq_str(t.conf->path, t.path);
	conf_test_end(&t);
}

static void test_the_resolvers_files_need_not_be_there_for_a_forwarder(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "resolver forward\nforward-addr 9.9.9.9\nroot-hints none\ntrust-anchor-file none\nlocal-root none\n"), "");
	check_eq_str(conf_test_fault(&t, "dnssec-validation no\ntrust-anchor-file none\n"), "");
	check_eq_str(conf_test_fault(&t, "root-hints \"\"\ntrust-anchor-file \"\"\n"), "");
	conf_test_end(&t);
}

static void test_the_last_reference_frees(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_int(conf_test_load(&t, NULL), 0);
	check(conf_ref(t.conf) == t.conf);
	conf_unref(t.conf);
	check_eq_int(t.conf->dns_port, 53);
	conf_unref(NULL);
	conf_test_end(&t);
}

static void test_no_memory_anywhere_is_told_and_leaks_nothing(void)
{
	struct conf_test t;
	char *argv[] = { "--port", "1", "--allow-query", "::1 10.0.0.0/8", "--maxmemory=1gb" };
	int rc = ERR_NOMEM;
	long n = 0;
	conf_test_begin(&t);
	conf_test_write_bytes(&t, "z", "x", 1);
	conf_test_write(&t, "forward-zone a.test. 10.0.0.1\nauth-zone b.test. z\nrequirepass \"a b\"\nbind ::1\nserve-stale-ttl 20s\n");
	while (rc == ERR_NOMEM) {
		alloc_fail_after(++n);
		rc = conf_load(t.path, 5, argv, &t.conf, t.err, sizeof t.err);
		alloc_fail_after(0);
		if (rc == ERR_NOMEM)
			check(strstr(t.err, "no memory"));
		check(n < 10000);
	}
	check_eq_int(rc, 0);
	check(n > 100);
	conf_test_end(&t);
}

/* ---- the files that come with it ---- */

static void test_the_files_that_come_with_it_load(void)
{
	static const char *const paths[] = { "conf/pith.conf", "conf/local.conf", "conf/minimal.conf" };
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct conf *c = NULL;
		char err[1024];
		int rc = conf_load(paths[i], 0, NULL, &c, err, sizeof err);
		check_eq_str(rc == 0 ? "" : err, "");
		conf_unref(c);
	}
}

static void test_each_option_stands_in_pith_conf_with_its_true_default(void)
{
	struct conf_test t;
	struct text text;
	struct origin origins[OPTION_COUNT] = { { 0 } };
	struct faults f;
	struct conf *c = conf_new(), *defaults = conf_new();
	conf_test_begin(&t);
	check_eq_int(file_read("conf/pith.conf", &text), 0);
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.p[i] == '#' && (i == 0 || text.p[i - 1] == '\n') && islower((unsigned char)text.p[i + 1]))
			text.p[i] = ' ';
	faults_init(&f, t.err, sizeof t.err);
	f.file = "conf/pith.conf";
	check_eq_int(load_text(c, text.p, text.len, NULL, origins, &f), 0);
	check_eq_str(t.err, "");
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		if (origins[i].line == 0 || !field_equal(c, defaults, &options[i]))
			printf("%s is missing, or has another default than its row\n", options[i].name);
		check(origins[i].line > 0 && field_equal(c, defaults, &options[i]));
	}
	text_free(&text);
	conf_unref(c);
	conf_unref(defaults);
	conf_test_end(&t);
}
