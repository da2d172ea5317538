/* Names as people know them, and names made to exhaust a demangler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/show/demangle.h"

static char text[DEMANGLED_SIZE_MAX];

static const struct {
	const char *mangled;
	uint32_t language;
	const char *expected; /* NULL: shown as it is */
} cases[] = {
	{"_ZN3foo3barEi", 0x1a, "foo::bar(int)"},
	{"_ZNSt6vectorIiSaIiEE9push_backEOi", 0x21, "std::vector<int, std::allocator<int> >::push_back(int&&)"},
	{"_Z3fooi.isra.0", 0x1a, "foo(int) [clone .isra.0]"},
	{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", 0x1c, "core::fmt::Write::write_fmt"},
	{"_RNvC6_123foo3bar", 0x1c, "123foo::bar"},
	{"_D3foo3barFiZv", 0x13, "foo.bar(int)"},
	{"_D3foo3barFiZv", 0x1d, NULL},
	{"_ZNSt5ctypeIcEC1Ev@plt", 0, "std::ctype<char>::ctype()@plt"},
	{"_Znwm@@GLIBCXX_3.4", 0x1a, "operator new(unsigned long)@@GLIBCXX_3.4"},
	{"_D3foo3barFiZv@plt", 0, "foo.bar(int)@plt"},
	{"_Z@plt", 0, NULL},
	{"main", 0x1d, NULL},
	{"main@plt", 0, NULL},
	{"", 0, NULL},
	{"_Z", 0, NULL},
	{"_ZZZZ", 0, NULL},
	{"_R", 0x1c, NULL},
	{"_D", 0x13, NULL},
};

static void known_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size = demangle(cases[i].mangled, strlen(cases[i].mangled), cases[i].language, text);
		const char *expected = cases[i].expected ? cases[i].expected : "";
		if (size != strlen(expected) || memcmp(text, expected, size) != 0)
			fail_msg("%s: got '%.*s', not '%s'", cases[i].mangled, (int)size, text, expected);
	}
}

/*
 * Demangles a name that may be damaged: nothing behind it decides, nothing is written beyond the result, and what can
 * be demangled is told from what cannot in the same way each time.
 */
static void check_damaged(const char *data, size_t size, uint32_t language)
{
	static const char behind[] = {0, 'E', '.'};
	static char first[DEMANGLED_SIZE_MAX];
	size_t first_size = 0;
	char *name = malloc(size + 1);

	assert_non_null(name);
	memcpy(name, data, size);
	for (size_t i = 0; i < sizeof(behind); i++) {
		memset(text, 0x5a, sizeof(text));
		name[size] = behind[i];
		size_t result = demangle(name, size, language, text);
		assert_in_range(result, 0, DEMANGLED_SIZE_MAX);
		if (!i) {
			first_size = result;
			memcpy(first, text, result);
		}
		if (result != first_size || memcmp(text, first, result) != 0)
			fail_msg("%.*s: '%.*s' and then '%.*s'", (int)size, data, (int)first_size, first, (int)result,
				 text);
		for (size_t k = result; k < sizeof(text) && k < result + 64; k++)
			assert_int_equal(text[k], result ? 0x5a : text[k]);
	}
	free(name);
}

/* Every prefix and every changed byte of a name. */
static void damaged_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[128];
		size_t size = strlen(cases[i].mangled);
		for (size_t length = 0; length < size; length++)
			check_damaged(cases[i].mangled, length, cases[i].language);
		for (size_t at = 0; at < size; at++) {
			for (int byte = 0; byte < 256; byte++) {
				memcpy(name, cases[i].mangled, size);
				name[at] = (char)byte;
				check_damaged(name, size, cases[i].language);
			}
		}
	}
}

static void repeated(const char *head, const char *piece, size_t count, const char *tail, uint32_t language)
{
	size_t piece_size = strlen(piece), size = strlen(head);
	char *name = malloc(size + count * piece_size + strlen(tail) + 1);

	assert_non_null(name);
	memcpy(name, head, size);
	for (size_t i = 0; i < count; i++, size += piece_size)
		memcpy(name + size, piece, piece_size);
	memcpy(name + size, tail, strlen(tail));
	assert_in_range(demangle(name, size + strlen(tail), language, text), 0, DEMANGLED_SIZE_MAX);
	free(name);
}

/* Deep nesting, doubling by substitution, and references that go back to themselves. */
static void hostile_names(void **state)
{
	static const size_t counts[] = {10, 100, 1000, 2000, 100000};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		repeated("_Z1f", "P", counts[i], "i", 0x1a);
		repeated("_Z1f", "1AI", counts[i], "i", 0x1a);
		repeated("_Z1fI", "FvPFvvE", counts[i], "E", 0x1a);
		repeated("_Z1f", "L", counts[i], "i", 0x1a);
		repeated("_Z1fDT", "cv", counts[i], "i", 0x1a);
		repeated("_RIC1aT", "T", counts[i], "E", 0x1c);
		repeated("_RNvC1a", "B_", counts[i], "", 0x1c);
		repeated("_RNvC1aINtB_", "1bIB3_", counts[i], "E", 0x1c);
		repeated("_D", "3foo", counts[i], "FiZv", 0x13);
		repeated("_D1aFA", "QaA", counts[i], "Zv", 0x13);
		repeated("_D1a", "__T1b", counts[i], "Z", 0x13);
	}
	/* Each argument is a pair of the one before: 2 to the 30th names in 200 bytes. */
	char bomb[256] = "_Z1f";
	size_t size = strlen(bomb);
	const char *step = "St4pairIS_S_E";
	for (int j = 0; j < 15; j++, size += strlen(step))
		memcpy(bomb + size, step, strlen(step));
	demangle(bomb, size, 0x1a, text);
	const char *doubling = "_Z1fSt4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_E"
			       "S_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_E"
			       "S_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_E"
			       "S_ISN_SN_ES_ISO_SO_ES_ISP_SP_ES_ISQ_SQ_ES_ISR_SR_ES_ISS_SS_ES_IST_ST_ES_ISU_SU_E";
	assert_int_equal(demangle(doubling, strlen(doubling), 0x1a, text), 0);
}

/* The n-th substitution of a C++ name: S_, S0_ ... SZ_, S10_ ... */
static size_t put_substitution(char *ret, unsigned n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (n == 0)
		return (size_t)sprintf(ret, "S_");
	if (n <= 36)
		return (size_t)sprintf(ret, "S%c_", digits[n - 1]);
	return (size_t)sprintf(ret, "S%c%c_", digits[(n - 1) / 36], digits[(n - 1) % 36]);
}

/*
 * An expansion of an empty pack, to be found behind a pair of a pair of a pair ... whose halves are the same: libiberty
 * walks through all of 2 to the `levels` pairs, and prints nothing meanwhile.
 */
static size_t put_silent_doubling(char *ret, unsigned levels)
{
	char *p = ret + sprintf(ret, "_Z1fIJEEvDpSt4pairI");

	for (unsigned i = 0; i < levels; i++)
		p += sprintf(p, "S0_I");
	p += sprintf(p, "iiE");
	for (unsigned i = 0; i + 1 < levels; i++) {
		p += put_substitution(p, 2 + i);
		*p++ = 'E';
	}
	return (size_t)(p + sprintf(p, "T_E") - ret);
}

/* An associative array of the one before by the one before, which a D name refers back to: the text doubles. */
static size_t put_doubling_d(char *ret, unsigned levels)
{
	char *p = ret + sprintf(ret, "_D1fFAaHQdQf");

	for (unsigned i = 0; i < levels; i++)
		p += sprintf(p, "HQgQi");
	return (size_t)(p + sprintf(p, "Zv") - ret);
}

/* Without a bound the first of each takes days. */
static void endless_names(void **state)
{
	static const unsigned levels[] = {60, 50, 40, 30};
	char name[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		assert_int_equal(demangle(name, put_silent_doubling(name, levels[i]), 0x1a, text), 0);
		assert_int_equal(demangle(name, put_doubling_d(name, levels[i]), 0x13, text), 0);
	}
	/* The same where they are short are names like any other. */
	assert_int_equal(demangle(name, put_silent_doubling(name, 4), 0x1a, text), strlen("void f<>()"));
	assert_in_range(demangle(name, put_doubling_d(name, 4), 0x13, text), 400, 600);
}

/*
 * A function whose parameters are one struct, of a name of 127 characters, 127 times: with a name of one character it
 * is DEMANGLED_SIZE_MAX characters long.
 */
static size_t put_repeated_d(char *ret, const char *function)
{
	char *p = ret + sprintf(ret, "_D%zu%sF", strlen(function), function);
	const char *type = p;

	p += sprintf(p, "S127");
	for (int i = 0; i < 127; i++)
		*p++ = 'a';
	for (int i = 0; i < 126; i++) { /* how far back the type stands, in base 26, the last digit in lower case */
		size_t back = (size_t)(p - type);
		*p++ = 'Q';
		if (back >= 26 * 26)
			*p++ = (char)('A' + back / (26 * 26));
		*p++ = (char)('A' + back / 26 % 26);
		*p++ = (char)('a' + back % 26);
	}
	return (size_t)(p + sprintf(p, "Zv") - ret);
}

static void the_longest_d_name(void **state)
{
	char name[1024];

	(void)state;
	assert_int_equal(demangle(name, put_repeated_d(name, "f"), 0x13, text), DEMANGLED_SIZE_MAX);
	assert_memory_equal(text + DEMANGLED_SIZE_MAX - 4, "aaa)", 4);
	assert_int_equal(demangle(name, put_repeated_d(name, "ff"), 0x13, text), 0);
}

/*
 * A file full of names costs a second at most, also where each alone is done in time: then they are shown as they are.
 */
static void names_of_a_hostile_file(void **state)
{
	static const char plain[] = "_ZN3foo3barEi";
	char name[1024];
	size_t size = put_silent_doubling(name, 23); /* some milliseconds */

	(void)state;
	assert_int_equal(demangle(plain, strlen(plain), 0x1a, text), strlen("foo::bar(int)"));
	for (int i = 0; i < 1000; i++)
		assert_int_equal(demangle(name, size, 0x1a, text), 0);
	assert_int_equal(demangle(plain, strlen(plain), 0x1a, text), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_names),
		cmocka_unit_test(damaged_names),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(endless_names),
		cmocka_unit_test(the_longest_d_name),
		cmocka_unit_test(names_of_a_hostile_file), /* the last: nothing is demangled after it */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
