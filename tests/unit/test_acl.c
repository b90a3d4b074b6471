/* SPDX-License-Identifier: BSD-3-Clause */
/* allow-query: lists of prefixes, against a naive twin that tries every prefix in turn. */
#include "unit.h"

#include <arpa/inet.h>

#include "base/alloc.h"
#include "policy/policy.h"

static struct acl *acl_of(const char *words)
{
	char err[100] = "", copy[4096];
	snprintf(copy, sizeof copy, "%s", words);
	char *items[] = { copy };
	struct acl *a = acl_new(&(struct conf_list){ 1, items }, err, sizeof err);
	check_eq_str(err, "");
	return a;
}

static bool allows(const struct acl *a, const char *addr)
{
	uint8_t bytes[16];
	int family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	check(inet_pton(family, addr, bytes) == 1);
	return acl_allows(a, family == AF_INET ? 4 : 6, bytes);
}

static void test_an_empty_list_allows_nobody(void)
{
	char err[100];
	struct acl *a = acl_new(&(struct conf_list){ 0, NULL }, err, sizeof err);
	check(a != NULL);
	check(!allows(a, "127.0.0.1"));
	check(!allows(a, "::1"));
	acl_free(a);
}

static void test_a_prefix_holds_its_first_and_last_address_and_none_beside(void)
{
	struct acl *a = acl_of("192.0.2.64/26 2001:db8:0:10::/60");
	check(allows(a, "192.0.2.64"));
	check(allows(a, "192.0.2.127"));
	check(!allows(a, "192.0.2.63"));
	check(!allows(a, "192.0.2.128"));
	check(allows(a, "2001:db8:0:10::"));
	check(allows(a, "2001:db8:0:1f:ffff:ffff:ffff:ffff"));
	check(!allows(a, "2001:db8:0:f:ffff:ffff:ffff:ffff"));
	check(!allows(a, "2001:db8:0:20::"));
	acl_free(a);
}

static void test_the_whole_address_space_can_be_allowed(void)
{
	struct acl *a = acl_of("0.0.0.0/0 ::/0 10.0.0.0/8");
	check(allows(a, "0.0.0.0"));
	check(allows(a, "255.255.255.255"));
	check(allows(a, "::"));
	check(allows(a, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
	acl_free(a);
}

static void test_families_do_not_mix(void)
{
	struct acl *a = acl_of("0.0.0.0/0");
	check(!allows(a, "::1"));
	check(!allows(a, "::ffff:1.2.3.4")); /* as an IPv6 address; policy_verdict sees to mapped ones */
	acl_free(a);
}

static void test_a_malformed_prefix_is_named(void)
{
	char err[100], *items[] = { (char[]){ "10.0.0.0/8" }, (char[]){ "10.0.0.0/33" } };
	check(acl_new(&(struct conf_list){ 2, items }, err, sizeof err) == NULL);
	check_eq_str(err, "10.0.0.0/33 is not an address prefix");
}

static void test_no_memory_is_said_and_leaks_nothing(void)
{
	char err[100], *items[] = { (char[]){ "10.0.0.0/8 ::1 192.0.2.0/24" } };
	for (long nth = 1;; nth++) {
		alloc_fail_after(nth);
		struct acl *a = acl_new(&(struct conf_list){ 1, items }, err, sizeof err);
		alloc_fail_after(0);
		acl_free(a);
		if (a)
			return;
		check_eq_str(err, "no memory");
	}
}

static void test_random_lists_agree_with_trying_every_prefix(void)
{
	for (unsigned round = 0; round < 200; round++) {
		struct conf_prefix twin[24];
		char words[2048] = "";
		unsigned n = 1 + (unsigned)unit_below(24);
		for (unsigned i = 0; i < n; i++) {
			/* Few distinct addresses, so that prefixes nest, touch and overlap. */
			unsigned bits = 20 + (unsigned)unit_below(13);
			uint32_t addr = (0x0a000000u | (uint32_t)unit_below(1 << 12)) & (bits ? ~0u << (32 - bits) : 0);
			twin[i] = (struct conf_prefix){ .family = 4, .bits = (uint8_t)bits };
			snprintf(words + strlen(words), sizeof words - strlen(words), "%s%u.%u.%u.%u/%u", i ? " " : "", addr >> 24,
				 addr >> 16 & 255, addr >> 8 & 255, addr & 255, bits);
			addr = htonl(addr);
			memcpy(twin[i].bytes, &addr, 4);
		}
		struct acl *a = acl_of(words);
		for (unsigned i = 0; i < 200; i++) {
			uint32_t addr = 0x0a000000u - 64 + (uint32_t)unit_below((1 << 12) + 128), net = htonl(addr);
			bool want = false;
			for (unsigned k = 0; k < n; k++) {
				uint32_t first;
				memcpy(&first, twin[k].bytes, 4);
				want |= (addr ^ ntohl(first)) >> (32 - twin[k].bits) == 0;
			}
			check_eq_int(acl_allows(a, 4, (uint8_t *)&net), want);
		}
		acl_free(a);
	}
}

static void test_a_mapped_address_counts_as_ipv4(void)
{
	char err[200] = "", *words[] = { (char[]){ "--allow-query" }, (char[]){ "192.0.2.0/24" } };
	struct conf *c;
	check_eq_int(conf_load(NULL, 2, words, &c, err, sizeof err), 0);
	struct policy *p = policy_new(c, err, sizeof err);
	check(p != NULL);
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	inet_pton(AF_INET6, "::ffff:192.0.2.7", &in6.sin6_addr);
	check_eq_int(policy_verdict(p, (struct sockaddr *)&in6), VERDICT_PASS);
	inet_pton(AF_INET6, "::ffff:192.0.3.7", &in6.sin6_addr);
	check_eq_int(policy_verdict(p, (struct sockaddr *)&in6), VERDICT_REFUSE);
	struct sockaddr other = { .sa_family = AF_UNIX };
	check_eq_int(policy_verdict(p, &other), VERDICT_REFUSE);
	policy_free(p);
	conf_unref(c);
}
