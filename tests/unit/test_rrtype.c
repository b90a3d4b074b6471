/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"
#include "wire/rrtype.h"
#include "wire/wire.h"

static const struct {
	const char *name;
	int num;
	const char *shape;
} table[] = {
#define RRTYPE(name, num, shape) {#name, num, shape},
#include "wire/rrtype.def"
#undef RRTYPE
};
enum { N = sizeof table / sizeof *table };

static const char *text(uint16_t type)
{
	static char buf[16];

	return rrtype_text(type, buf, sizeof buf);
}

static int parse(const char *s)
{
	return rrtype_from_text(s, strlen(s));
}

static void test_every_type_survives_text_and_back(void)
{
	for (int type = 0; type <= UINT16_MAX; type++)
		check_eq_int(parse(text((uint16_t)type)), type);
}

static void test_mnemonics_are_known_in_any_case(void)
{
	check_eq_int(parse("a"), RRTYPE_A);
	check_eq_int(parse("aAaA"), RRTYPE_AAAA);
	check_eq_int(parse("https"), RRTYPE_HTTPS);
	check_eq_int(parse("NSAP-PTR"), RRTYPE_NSAP_PTR);
	check_eq_str(text(RRTYPE_NSAP_PTR), "NSAP-PTR");
	check_eq_int(parse("NULL"), 10);
}

static void test_unknown_types_are_numbers_as_rfc_3597_says(void)
{
	check_eq_str(text(65280), "TYPE65280");
	check_eq_int(parse("type65280"), 65280);
	check_eq_int(parse("TYPE1"), RRTYPE_A);
	check_eq_int(parse("TYPE65536"), ERR_UNKNOWN);
	check_eq_int(parse("TYPE"), ERR_UNKNOWN);
	check_eq_int(parse("TYPE-1"), ERR_UNKNOWN);
	check_eq_int(parse("TYPE1x"), ERR_UNKNOWN);
	check_eq_int(parse("TYPE000001"), ERR_UNKNOWN);
	check_eq_int(parse(""), ERR_UNKNOWN);
	check_eq_int(parse("AX"), ERR_UNKNOWN);
	check_eq_int(rrtype_from_text("AAAAA", 3), ERR_UNKNOWN);
}

static void test_the_table_stands_in_order_and_its_shapes_are_sound(void)
{
	for (int i = 0; i < N; i++) {
		check(i == 0 || table[i - 1].num < table[i].num);
		check(table[i].shape[0] != '\0');
		check_eq_int(strspn(table[i].shape, "12468nNUsS*+"), strlen(table[i].shape));
		/* what takes the rest stands last */
		const char *rest = strpbrk(table[i].shape, "S*+");
		check(rest == NULL || rest[1] == '\0');
		check(strlen(table[i].name) < 11);
	}
}

static void test_only_types_of_rfc_1035_are_compressed_on_the_way_out(void)
{
	for (int type = 0; type <= UINT16_MAX; type++)
		check_eq_int(rrtype_compresses((uint16_t)type), strchr(rrtype_shape((uint16_t)type), 'n') != NULL);
}

static void test_fixed_lengths_are_those_of_shapes_of_digits_alone(void)
{
	check_eq_int(rrtype_fixed_len(RRTYPE_A), 4);
	check_eq_int(rrtype_fixed_len(RRTYPE_AAAA), 16);
	check_eq_int(rrtype_fixed_len(RRTYPE_EUI48), 6);
	check_eq_int(rrtype_fixed_len(RRTYPE_L64), 10);
	check_eq_int(rrtype_fixed_len(RRTYPE_TXT), 0);
	check_eq_int(rrtype_fixed_len(RRTYPE_MX), 0);
	check_eq_int(rrtype_fixed_len(RRTYPE_DS), 0);
	check_eq_int(rrtype_fixed_len(65280), 0);
	/* the inlined two agree with the table */
	check_eq_int(rrtype_fixed_len_rare(RRTYPE_A), 4);
	check_eq_int(rrtype_fixed_len_rare(RRTYPE_AAAA), 16);
}

static void test_dnssec_meta_types_are_those_that_do_0_hides(void)
{
	check(rrtype_is_dnssec_meta(RRTYPE_RRSIG) && rrtype_is_dnssec_meta(RRTYPE_NSEC) && rrtype_is_dnssec_meta(RRTYPE_NSEC3));
	check(!rrtype_is_dnssec_meta(RRTYPE_DNSKEY) && !rrtype_is_dnssec_meta(RRTYPE_DS) && !rrtype_is_dnssec_meta(RRTYPE_A));
}

static void test_meta_types_are_never_cached(void)
{
	int n = 0;

	for (int type = 0; type <= UINT16_MAX; type++)
		n += rrtype_is_meta((uint16_t)type);
	check_eq_int(n, 8);
	check(rrtype_is_meta(RRTYPE_OPT) && rrtype_is_meta(RRTYPE_TKEY) && rrtype_is_meta(RRTYPE_TSIG) && rrtype_is_meta(RRTYPE_IXFR));
	check(rrtype_is_meta(RRTYPE_AXFR) && rrtype_is_meta(RRTYPE_MAILA) && rrtype_is_meta(RRTYPE_MAILB) && rrtype_is_meta(RRTYPE_ANY));
}

static void test_classes_and_rcodes_have_names_or_numbers(void)
{
	char buf[16];

	check_eq_str(rrclass_text(CLASS_IN, buf, sizeof buf), "IN");
	check_eq_str(rrclass_text(7, buf, sizeof buf), "CLASS7");
	check_eq_int(rrclass_from_text("ch", 2), CLASS_CH);
	check_eq_int(rrclass_from_text("CLASS7", 6), 7);
	check_eq_int(rrclass_from_text("CLASS", 5), ERR_UNKNOWN);
	check_eq_int(rrclass_from_text("INX", 3), ERR_UNKNOWN);
	for (int c = 0; c <= UINT16_MAX; c++) {
		const char *s = rrclass_text((uint16_t)c, buf, sizeof buf);

		check_eq_int(rrclass_from_text(s, strlen(s)), c);
	}
	check_eq_str(rcode_text(RCODE_NXDOMAIN, buf, sizeof buf), "NXDOMAIN");
	check_eq_str(rcode_text(RCODE_BADVERS, buf, sizeof buf), "BADVERS");
	check_eq_str(rcode_text(17 + 4000, buf, sizeof buf), "RCODE4017");
	check_eq_str(rcode_text(12, buf, sizeof buf), "RCODE12");
}

static void test_extended_errors_read_as_rfc_8914_registers_them(void)
{
	check_eq_str(ede_text(EDE_STALE_ANSWER), "Stale Answer");
	check_eq_str(ede_text(EDE_NETWORK_ERROR), "Network Error");
	check_eq_str(ede_text(EDE_NONE), "Other");
	check_eq_str(ede_text(49152), "Other");
	for (int code = 0; code < 64; code++)
		check(ede_text(code) != NULL && ede_text(code)[0] != '\0');
}
