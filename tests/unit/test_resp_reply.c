/* SPDX-License-Identifier: BSD-3-Clause */
/* The reply builder: each meaning in both versions of the protocol, and its limits. */
#include "resp/reply.h"
#include "unit.h"

#include "base/alloc.h"

#include <math.h>

static struct resp_out out;

static void begin(uint8_t proto)
{
	resp_out_init(&out, proto, 1 << 20);
}

static void wrote(const char *text)
{
	check(!out.failed);
	check_eq_mem(out.data, out.len, text, strlen(text));
	resp_out_free(&out);
}

static void test_what_both_versions_write_alike(void)
{
	for (uint8_t proto = 2; proto <= 3; proto++) {
		begin(proto);
		resp_ok(&out);
		resp_simple(&out, "PONG");
		resp_int(&out, 0);
		resp_int(&out, INT64_MIN);
		resp_int(&out, INT64_MAX);
		resp_bulk(&out, "a\0b", 3);
		resp_bulk(&out, "", 0);
		resp_array(&out, 1048576);
		check_mem(out.data + out.len - 10, "*1048576\r\n", 10);
		out.len -= 10;
		check_eq_mem(out.data, out.len, "+OK\r\n+PONG\r\n:0\r\n:-9223372036854775808\r\n:9223372036854775807\r\n$3\r\na\0b\r\n$0\r\n\r\n",
			     5 + 7 + 4 + 23 + 22 + 9 + 6);
		resp_out_free(&out);
	}
}

static void test_maps_and_sets_are_arrays_in_version_2(void)
{
	begin(2);
	resp_map(&out, 2);
	resp_set(&out, 3);
	wrote("*4\r\n*3\r\n");
	begin(3);
	resp_map(&out, 2);
	resp_set(&out, 3);
	wrote("%2\r\n~3\r\n");
}

static void test_nothing_has_its_own_type_in_version_3(void)
{
	begin(2);
	resp_null(&out);
	resp_null_array(&out);
	wrote("$-1\r\n*-1\r\n");
	begin(3);
	resp_null(&out);
	resp_null_array(&out);
	wrote("_\r\n_\r\n");
}

static void test_booleans_doubles_and_verbatim_strings(void)
{
	begin(2);
	resp_bool(&out, true);
	resp_double(&out, 1.5);
	resp_double(&out, INFINITY);
	resp_verbatim(&out, "txt", "hi", 2);
	wrote(":1\r\n$3\r\n1.5\r\n$3\r\ninf\r\n$2\r\nhi\r\n");
	begin(3);
	resp_bool(&out, true);
	resp_bool(&out, false);
	resp_double(&out, 1.5);
	resp_double(&out, -INFINITY);
	resp_double(&out, NAN);
	resp_verbatim(&out, "txt", "hi", 2);
	wrote("#t\r\n#f\r\n,1.5\r\n,-inf\r\n,nan\r\n=6\r\ntxt:hi\r\n");
}

static void test_an_error_is_one_line_whatever_it_quotes(void)
{
	begin(2);
	resp_ok(&out);
	resp_errorf(&out, "ERR unknown command '%s'", "a\r\n+OK");
	check_eq_int(out.errors, 1);
	check_eq_int(out.error_at, 5);
	wrote("+OK\r\n-ERR unknown command 'a  +OK'\r\n");
}

static void test_the_limit_is_kept_and_failure_sticks(void)
{
	char big[100] = { 0 };

	resp_out_init(&out, 2, 150);
	resp_bulk(&out, big, 100);
	check(!out.failed);
	size_t len = out.len;
	resp_bulk(&out, big, 100);
	check(out.failed);
	check_eq_int(out.len, len);
	resp_raw(&out, "x", 1);
	check_eq_int(out.len, len);
	check(out.len <= 150);
	resp_out_free(&out);
}

static void test_no_memory_is_a_failure_and_no_crash(void)
{
	char big[5000] = { 0 };

	begin(2);
	resp_ok(&out);
	alloc_fail_after(1);
	resp_bulk(&out, big, sizeof big);
	alloc_fail_after(0);
	check(out.failed);
	check_eq_int(out.len, 5);
	resp_out_free(&out);
}
