/* SPDX-License-Identifier: BSD-3-Clause */
/* CONFIG REWRITE: only what differs changes, and what was written is read back. */
#include "conf_files.h"

/* The file after text was loaded, name was set to value, and all was written back. */
static const char *rewritten(struct conf_test *t, const char *text, const char *name, const char *value)
{
	struct conf *n = NULL;
	check_eq_str(conf_test_fault(t, text), "");
	if (name) {
		check_eq_int(conf_set(t->conf, 1, &name, &value, &n, t->err, sizeof t->err), 0);
		conf_unref(t->conf);
		t->conf = n;
	}
	check_eq_int(conf_rewrite(t->conf, t->err, sizeof t->err), 0);
	return conf_test_read(t);
}

static void test_a_changed_value_takes_its_lines_place_and_comments_stay(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(rewritten(&t, "# my cache\nmaxmemory   64mb\n\n  # the rest\nport 1111", "maxmemory", "1gb"),
		     "# my cache\nmaxmemory 1gb\n\n  # the rest\nport 1111");
	conf_test_end(&t);
}

static void test_nothing_changed_leaves_every_byte_and_the_very_file(void)
{
	struct conf_test t;
	struct stat before, after;
	static const char text[] = "\xef\xbb\xbfPORT 1111\r\n\tmaxmemory  65536KB \r\nallow-query ::1\nmaxmemory 64mb";
	conf_test_begin(&t);
	conf_test_write(&t, text);
	check_eq_int(stat(t.path, &before), 0);
	check_eq_str(rewritten(&t, text, "maxmemory", "67108864"), text);
	check_eq_int(stat(t.path, &after), 0);
	check_eq_int(before.st_ino, after.st_ino);
	conf_test_end(&t);
}

static void test_a_new_value_goes_behind_its_commented_default_or_to_the_end(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(rewritten(&t, "# prefetch: how early\n#prefetch 10\n\nport 1111\n", "prefetch", "20"),
		     "# prefetch: how early\n#prefetch 10\nprefetch 20\n\nport 1111\n");
	check_eq_str(rewritten(&t, "port 1111", "prefetch", "20"), "port 1111\n\n# Written by CONFIG REWRITE\nprefetch 20\n");
	check_eq_str(rewritten(&t, "", "prefetch", "20"), "# Written by CONFIG REWRITE\nprefetch 20\n");
	check_eq_str(rewritten(&t, "#prefetch 10", "prefetch", "20"), "#prefetch 10\nprefetch 20\n");
	conf_test_end(&t);
}

static void test_of_several_lines_the_last_one_changes(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(rewritten(&t, "prefetch 1\nprefetch 2\n", "prefetch", "3"), "prefetch 1\nprefetch 3\n");
	conf_test_end(&t);
}

static void test_a_list_is_written_where_it_first_stood(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(rewritten(&t, "allow-query ::1 10.0.0.0/8\n# between\nallow-query 192.0.2.0/24\nport 1\n", "allow-query", "::1 10.0.0.1"),
		     "allow-query ::1\nallow-query 10.0.0.1\n# between\nport 1\n");
	check_eq_str(rewritten(&t, "allow-query ::1\n", "allow-query", ""), "allow-query \"\"\n");
	conf_test_end(&t);
}

static void test_line_ends_are_the_files_own(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(rewritten(&t, "prefetch 1\r\n#timeout 0\r\n", "prefetch", "2"), "prefetch 2\r\n#timeout 0\r\n");
	check_eq_str(rewritten(&t, "prefetch 1\r\n#timeout 0\r\n", "timeout", "2"), "prefetch 1\r\n#timeout 0\r\ntimeout 2s\r\n");
	conf_test_end(&t);
}

static void test_values_are_written_for_people_and_quoted_where_needed(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(rewritten(&t, "maxmemory 64mb\n", "maxmemory", "67108865"), "maxmemory 67108865\n");
	check_eq_str(rewritten(&t, "resolve-timeout 1s\n", "resolve-timeout", "2500"), "resolve-timeout 2500ms\n");
	check_eq_str(rewritten(&t, "requirepass x\n", "requirepass", "a \"b\"\\\n"), "requirepass \"a \\\"b\\\"\\\\\\x0a\"\n");
	check_eq_str(rewritten(&t, "requirepass x\n", "requirepass", ""), "requirepass \"\"\n");
	conf_test_end(&t);
}

static void test_the_command_lines_values_are_written_too(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	conf_test_write(&t, "port 1111\n");
	check_eq_int(conf_test_load(&t, "--port", "2222", "--dns-bind", "127.0.0.1 127.0.0.2", NULL), 0);
	check_eq_int(conf_rewrite(t.conf, t.err, sizeof t.err), 0);
	check_eq_str(conf_test_read(&t), "port 2222\n\n# Written by CONFIG REWRITE\ndns-bind 127.0.0.1 127.0.0.2\n");
	conf_test_end(&t);
}

static void test_the_files_mode_stays_and_no_other_file_is_left(void)
{
	struct conf_test t;
	struct stat st;
	int files = 0;
	conf_test_begin(&t);
	conf_test_write(&t, "");
	check_eq_int(chmod(t.path, 0640), 0);
	rewritten(&t, "port 1\n", "prefetch", "1");
	check_eq_int(stat(t.path, &st), 0);
	check_eq_int(st.st_mode & 07777, 0640);
	DIR *d = opendir(t.folder);
	for (struct dirent *e; (e = readdir(d));)
		files += e->d_name[0] != '.';
	closedir(d);
	check_eq_int(files, 1);
	conf_test_end(&t);
}

static void test_a_file_that_became_wrong_or_went_away_is_left_alone(void)
{
	struct conf_test t;
	conf_test_begin(&t);
	check_eq_str(conf_test_fault(&t, "port 1\n"), "");
	conf_test_write(&t, "port 1\nnonsense\n");
	check_eq_int(conf_rewrite(t.conf, t.err, sizeof t.err), ERR_BAD);
	conf_test_cut_folder(&t);
	check_eq_str(t.err, "x.conf:2: unknown directive \"nonsense\"");
	check_eq_str(conf_test_read(&t), "port 1\nnonsense\n");
	unlink(t.path);
	check_eq_int(conf_rewrite(t.conf, t.err, sizeof t.err), ERR_SYS);
	conf_test_end(&t);
}

static void test_a_link_is_followed(void)
{
	struct conf_test t;
	char real[128];
	struct stat st;
	conf_test_begin(&t);
	conf_test_write_bytes(&t, "real.conf", "port 1\n", 7);
	snprintf(real, sizeof real, "%s/real.conf", t.folder);
	check_eq_int(symlink("real.conf", t.path), 0);
	check_eq_int(conf_test_load(&t, "--port", "2", NULL), 0);
	check_eq_int(conf_rewrite(t.conf, t.err, sizeof t.err), 0);
	check_eq_int(lstat(t.path, &st), 0);
	check(S_ISLNK(st.st_mode));
	check_eq_str(conf_test_read(&t), "port 2\n");
	conf_test_end(&t);
}

static void test_a_rewrite_without_memory_leaves_the_file_and_leaks_nothing(void)
{
	struct conf_test t;
	int rc = ERR_NOMEM;
	conf_test_begin(&t);
	conf_test_write(&t, "port 1\n# c\nallow-query ::1\n");
	check_eq_int(conf_test_load(&t, "--port", "2", "--allow-query", "::2", NULL), 0);
	for (long n = 1; rc == ERR_NOMEM; n++) {
		check_eq_str(conf_test_read(&t), "port 1\n# c\nallow-query ::1\n");
		alloc_fail_after(n);
		rc = conf_rewrite(t.conf, t.err, sizeof t.err);
		alloc_fail_after(0);
	}
	check_eq_int(rc, 0);
	check_eq_str(conf_test_read(&t), "port 2\n# c\nallow-query ::2\n");
	conf_test_end(&t);
}

static void test_random_changes_survive_a_rewrite_and_a_load(void)
{
	static const char *const lines[] = { "port 7\n", "#prefetch 10\n", "prefetch 3\n", "# words\n", "\n", "allow-query ::1 10.0.0.0/8\n",
					     "allow-query 192.0.2.0/24\r\n", "serve-stale no\n", "requirepass \"a b\"\n", "\tmaxmemory 5mb\n" };
	static const char *const sets[][2] = { { "prefetch", "7" }, { "allow-query", "::2 ::3" }, { "requirepass", "\"'\\ #" },
					       { "maxmemory", "9mb" }, { "serve-stale-ttl", "7" }, { "allow-query", "" }, { "loglevel", "debug" } };
	struct conf_test t;
	conf_test_begin(&t);
	for (int i = 0; i < 300; i++) {
		char text[1024] = "";
		size_t pick = unit_below(sizeof sets / sizeof *sets);
		for (uint64_t n = unit_below(10); n > 0; n--)
			strcat(text, lines[unit_below(sizeof lines / sizeof *lines)]);
		rewritten(&t, text, sets[pick][0], sets[pick][1]);
		struct conf *want = t.conf;
		t.conf = NULL;
		check_eq_int(conf_test_load(&t, NULL), 0);
		for (unsigned o = 0; o < OPTION_COUNT; o++)
			check(field_equal(t.conf, want, &options[o]));
		conf_unref(want);
	}
	conf_test_end(&t);
}
