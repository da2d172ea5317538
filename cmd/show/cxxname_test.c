/* C++ names printed from libiberty's tree, against libiberty's own printing of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libiberty/demangle.h>

#include "cmd/show/cxxname.h"
#include "cmd/show/demangle.h"

enum { MANGLED_SIZE_MAX = 4096, MUTANT_COUNT = 1000000, CHANGE_COUNT_MAX = 4 };

struct text {
	size_t size;
	jmp_buf full;
	char bytes[DEMANGLED_SIZE_MAX];
};

static struct text expected;
static char printed[DEMANGLED_SIZE_MAX];

/* Printed here, not by libiberty. */
static const char *const fast[] = {
	"_Z1fv",
	"_Z3fooi.isra.0.cold",
	"_ZN3foo3barEPKcRiOx",
	"_ZNK1A1fEv",
	"_ZNKR1A1fEv",
	"_ZNO1A1fEv",
	"_ZN1AC1ERKS_",
	"_ZN1AD0Ev",
	"_ZN1AD2Ev",
	"_ZN1AC1B5cxx11Ev",
	"_ZThn16_N1A1fEv",
	"_ZTv0_n24_N1A1fEv",
	"_ZN12_GLOBAL__N_11fEv",
	"_ZSt4cout",
	"_ZNSsC1ERKSs",
	"_ZNSt6vectorISt4pairIKiS0_IS1_S1_EESaIS3_EE9push_backEOS3_",
	"_ZN9__gnu_cxx17__normal_iteratorIPKcSsEppEv",
	"_ZlsRSoRK1A",
	"_ZltRK1AS1_",
	"_ZltI1AEbRKT_S3_",
	"_ZN1AnwEm",
	"_ZNSt8functionIFviEEC1IPFviEEET_",
	"_Z1fPFviERFvvEOFvvE",
	"_Z1fIRA5_KcEvT_",
	"_Z1fM1Ai",
	"_Z1fKPKPKi",
	"_Z1fIKiEvKT_",
	"_Z1fIRiEvOT_",
	"_Z1fIOiEvRT_S2_",
	"_Z1fIiEvRKT_S1_S2_",
	"_Z1fIJiPcRKdEEvDpOT_",
	"_Z1fIJiPcEEvDpRKSt6vectorIT_SaIS2_EE",
	"_Z1fIJEEvDpT_",
	"_Z1fIiJEEvT_DpT0_",
	"_Z1fI1gIiEJEEvv",
	"_Z1fI1gIiJEEEvv",
	"_Z1fILi5ELin5ELj3ELl4ELm4ELx6ELy7ELb0ELb1EEvv",
	"_Z1fIL1E3ELS0_n3ELPKc0EEvv",
	"_Z1fA5_iRA6_KcPA7_i",
	"_Z1fIXadL_Z1gvEEEvv",
	"_Z1fIXadL_ZN1A1gEvEEEvv",
	"_Z1fIXadL_ZNK1A1gEvEEEvv",
	"_Z1fIXaantLb1ELb0EEEvv",
	"_Z1fIXoontsrSt4is_aIiE5valueLb0EEEvv",
	"_ZZ1fvE1x",
	"_ZZ1fvEN1A1gEv",
	"_ZZNK1A1fEvENKUlvE_clEv",
	"_ZZ1fvENKUlRKiS0_PKcE0_clES0_S0_S2_",
	"_ZZ1fvENKUlT_RKT0_E_clIidEEDaS_S2_",
	"_ZZ1fIiEvT_ENKUlvE_clEv",
	"_ZZ1fvENKUlvE18_clEv",
	"_Z1gIZ1fIiEvT_EUlvE_EvT_",
	"_Z1gIZ1fIiEvT_EUlvE_EvOT_",
	"_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_ESaISt4pairIKS5_iEEEixEOS5_",
};

/* Left to libiberty, each for a reason of its own; the last are no names. */
static const char *const slow[] = {
	"_Z1fA5_iRA6_KcPA7_A8_i",
	"_Z1fIFvvEEvPT_",
	"_ZTV1A",
	"_Z1gIZ1fIiEvT_EUlvE_EvS1_",
	"_ZN1AcvbEv",
	"_ZNVK1A1fEv",
	"_Z1fCd",
	"_Zli2_sPKcm",
	"_Z1fILc65EEvv",
	"_Z1fILf3f800000EEvv",
	"_Z1fIiEDTcl1gfp_EET_",
	"_Z1fIXplLi1ELi2EEEvv",
	"_Z1fIXntsr1CIiE5valueEEvv",
	"_Z1fIXsr4absl1AE5valueEEvv",
	"_Z1fPKPFvvE",
	"_Z1fIPFvvEEvRKT_",
	"_Z1fIiEPFvT_Ev",
	"_Z1fIiEvPKFvvE",
	"_Z1fIA5_cEvRKT_",
	"_Z1fM1AFvvE",
	"_Z1fPZ1gvEUlPFvvEE_",
	"_Z1fKZ1gvEUlKiE_",
	"_Z1fI1gIiEJEJEEvv",
	"_Z1fIiJEJEcEvv",
	"_Z1fIiEvDpT_",
	"_Z1fIJiiEEvT_DpS0_",
	"_Z1fIJiiEEvDpDpT_",
	"_ZZ1fvENKUlDpT_E_clIJiiEEEDaS1_",
	"_ZZ1fvENUt_1gEv",
	"_Z1fDO",
	"_Z1fIOiL_ZS0_1fvEEvRT_S2_",
	"_Z1fPDoFvvE",
	"_GLOBAL__sub_I_a.cc",
	"_Z1fIT_EvS0_",
	"_Z",
	"_Z1f_",
	"main",
	"",
};

/* Bits of names to put into others. */
static const char *const bits[] = {
	"S_",          "S0_",
	"S1_",         "S3_",
	"T_",          "T0_",
	"I",           "E",
	"J",           "JE",
	"JJEE",        "Dp",
	"DpOT_",       "P",
	"R",           "O",
	"K",           "V",
	"F",           "FvvE",
	"PFvvE",       "RFvvE",
	"i",           "v",
	"Li0E",        "Lb1E",
	"N",           "Z",
	"UlvE_",       "UlT_E_",
	"UlPT_E_",     "Ut_",
	"IT_E",        "St",
	"Ss",          "C1",
	"D1",          "cv",
	"A3_",         "M1A",
	"sr",          "B3abi",
	"NK",          "NKR",
	"DT",          "Z1fvE",
	"Z1fIiEvT_E",  "_",
	"s",           "1(",
	"1<",          "1>",
	"1*",          "RT_",
	"RKT_",        "XntLb1EE",
	"XadL_Z1fvEE", "XaaLb1ELb0EE",
	"A5_Kc",       "UlPFvvEE_",
	"N1A1BE",      "L_Z1fvE",
	"L_ZS_vE",     "L_ZS0_1fvE",
	"ZS1_vE",      "Z1fIiEvT_E1B",
	"OT_",
};

static void take(const char *data, size_t size, void *opaque)
{
	struct text *text = opaque;

	if (size > sizeof(text->bytes) - text->size)
		longjmp(text->full, 1);
	memcpy(text->bytes + text->size, data, size);
	text->size += size;
}

/* Into `expected`; the size is 0 where there is no name, or one that is too long. */
static void ask_library(const char *mangled)
{
	expected.size = 0;
	if (setjmp(expected.full) != 0 ||
	    !cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, take, &expected))
		expected.size = 0;
}

/* Whether it was printed here, and then as libiberty does. */
static bool agrees(const char *mangled)
{
	size_t size;

	if (!cxx_name(mangled, printed, &size))
		return false;
	if (strstr(mangled, "CI1") || strstr(mangled, "CI2"))
		return true; /* an inherited constructor is meant to be printed otherwise */
	ask_library(mangled);
	if (size != expected.size || memcmp(printed, expected.bytes, size) != 0)
		fail_msg("%s: got '%.*s', not '%.*s'", mangled, (int)size, printed, (int)expected.size, expected.bytes);
	return true;
}

static void fast_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(fast) / sizeof(fast[0]); i++)
		if (!agrees(fast[i]))
			fail_msg("%s is left to libiberty", fast[i]);
}

static void slow_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (agrees(slow[i]))
			fail_msg("%s is not left to libiberty", slow[i]);
}

static void assert_name(const char *mangled, const char *name)
{
	size_t size;

	if (!cxx_name(mangled, printed, &size) || size != strlen(name) || memcmp(printed, name, size) != 0)
		fail_msg("%s: got '%.*s', not '%s'", mangled, (int)size, printed, name);
}

static void literal_names(void **state)
{
	(void)state;
	assert_name("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)");
	assert_name("_Z1fIRiEvOT_", "void f<int&>(int&)");
	assert_name("_ZltI1AEbRKT_S3_", "bool operator< <A>(A const&, A const&)");
	assert_name("_Z1fIJiPcRKdEEvDpOT_", "void f<int, char*, double const&>(int&&, char*&&, double const&)");
	assert_name("_ZZNK1A1fEvENKUlvE_clEv", "A::f() const::{lambda()#1}::operator()() const");
	assert_name("_Z1fI1gIiEJEEvv", "void f<g<int>>()");
	assert_name("_ZN1DCI1N1n1BEEi", "D::D(int)");
	assert_name("_ZN1n1DIiECI2NS_1BIiEEES0_", "n::D<int>::D(n::D)");
}

static void repeat(char *name, const char *piece, size_t count)
{
	for (name += strlen(name); count > 0; count--, name += strlen(piece))
		strcpy(name, piece);
}

/* Appends an identifier of as many bytes. */
static void append_identifier(char *name, size_t size)
{
	sprintf(name + strlen(name), "%zu", size);
	repeat(name, "a", size);
}

/* Templates that each hold the one before, below as many pointers. */
static void nest(char *name, size_t count, size_t pointer_count)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strcpy(name, "_Z1f1AIiE");
	for (size_t i = 0; i < count; i++) {
		size_t before = i * (pointer_count + 1);
		strcat(name, "S_I");
		repeat(name, "P", pointer_count);
		if (before < 36)
			sprintf(name + strlen(name), "S%c_E", digits[before]);
		else
			sprintf(name + strlen(name), "S%c%c_E", digits[before / 36], digits[before % 36]);
	}
}

/* libiberty prints nothing that is too deep, counted without regard to what is there twice. */
static void deep_names(void **state)
{
	static char name[1 << 16];

	(void)state;
	for (size_t pointer_count = 1; pointer_count < 60; pointer_count++) {
		nest(name, 1200 / (pointer_count + 1), pointer_count);
		assert_false(agrees(name));
		nest(name, 100 / (pointer_count + 1), pointer_count);
		assert_true(agrees(name));
	}
	for (size_t count = 1; count < 1300; count += count / 8 + 1) {
		strcpy(name, "_Z1f");
		repeat(name, "P", count);
		strcat(name, "i");
		assert_true(agrees(name) || count >= 200);
		strcpy(name, "_Z1f");
		repeat(name, "i", count);
		assert_true(agrees(name) || count >= 200);
		strcpy(name, "_Z1f");
		repeat(name, "1AI", count);
		strcat(name, "i");
		repeat(name, "E", count);
		agrees(name);
	}
}

/* Of just the size that may be, and one byte more. */
static void long_names(void **state)
{
	static char name[1 << 12];
	size_t count = 0;

	(void)state;
	for (size_t size = 250; size < 260; size++) {
		strcpy(name, "_Z");
		append_identifier(name, size);
		append_identifier(name, 250);
		repeat(name, "S_", 63);
		assert_true(agrees(name));
		count += expected.size > 0;
	}
	assert_in_range(count, 1, 9);
}

/* libiberty takes a comma back or not depending on where its buffer of 256 bytes is full. */
static void empty_packs(void **state)
{
	static const char *const tails[] = {"JEEvv", "JEJEEvv", "JJEEEvv", "JJEJEEEvv", "iJJEJEEEvv", "1gIiJEEJEEvv"};
	char name[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		for (size_t size = 1; size < 600; size++) {
			strcpy(name, "_Z1fI");
			append_identifier(name, size);
			strcat(name, tails[i]);
			agrees(name);
		}
	}
}

/* A limit of depth is none of how many stand beside each other. */
static void many_packs(void **state)
{
	static const char *const packs[] = {"DpT_", "DpRT_", "DpRKSt6vectorIT_E"};
	char name[MANGLED_SIZE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++) {
		strcpy(name, "_Z1fIJicEEv");
		repeat(name, packs[i], 150);
		if (!agrees(name))
			fail_msg("150 of %s are left to libiberty", packs[i]);
	}
}

/* Functions within functions, each a template of its own: so many scopes are printed here, and more are left. */
static void many_scopes(void **state)
{
	enum { SCOPES_MOST = 15 };
	char name[1024];

	(void)state;
	for (size_t count = 1; count <= 2 * SCOPES_MOST; count++) {
		strcpy(name, "_Z");
		for (size_t i = 1; i < count; i++)
			strcat(name, "Z");
		strcat(name, "1fIiEvT_");
		for (size_t i = 1; i < count; i++)
			strcat(name, "E1gIiEvT_");
		if (agrees(name) != (count <= SCOPES_MOST))
			fail_msg("%zu scopes are %s libiberty", count,
				 count <= SCOPES_MOST ? "left to" : "not left to");
	}
}

/* A few bytes for a tree that has as good as no end and prints nothing. */
static void bombs(void **state)
{
	static char name[1 << 12];

	(void)state;
	strcpy(name, "_Z1fI");
	repeat(name, "JJE", 600);
	repeat(name, "E", 601);
	strcat(name, "EvDpT_");
	assert_false(agrees(name));
	strcpy(name, "_Z1fI1AJJEE");
	repeat(name, "NS_IT0_T0_EE", 100);
	strcat(name, "EvDpT0_");
	agrees(name);
	strcpy(name, "_Z1fIJiiiiiiiiiiiiiiiiEEv");
	for (size_t i = 0; i < 36; i++)
		sprintf(name + strlen(name), "Dp1A%cISt4pairIT_T_EE", 'a' + (int)(i % 26));
	agrees(name);
}

static uint64_t random_below(uint64_t count)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % count;
}

/* Puts the piece in at `at`, over `over` bytes of what is there. */
static void put_in(char *name, size_t at, size_t over, const char *piece, size_t size)
{
	size_t length = strlen(name);

	if (over > length - at)
		over = length - at;
	memmove(name + at + size, name + at + over, length - at - over + 1);
	memcpy(name + at, piece, size);
}

static void mutate(char *name)
{
	const char *bit = bits[random_below(sizeof(bits) / sizeof(bits[0]))];
	const char *other = fast[random_below(sizeof(fast) / sizeof(fast[0]))];
	size_t at = 2 + random_below(strlen(name) - 1), from = random_below(strlen(other));
	size_t size = random_below(strlen(other) - from) + 1;

	if (at > strlen(name))
		return;
	switch (random_below(4)) {
	case 0:
		put_in(name, at, random_below(4), "", 0);
		break;
	case 1:
		put_in(name, at, size, other + from, size);
		break;
	case 2:
		put_in(name, at, 0, other + from, size);
		break;
	default:
		put_in(name, at, random_below(2) * strlen(bit), bit, strlen(bit));
	}
}

static void mutated_names(void **state)
{
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < MUTANT_COUNT; i++) {
		char name[2048];
		strcpy(name, fast[i % (sizeof(fast) / sizeof(fast[0]))]);
		for (size_t changes = 1 + random_below(CHANGE_COUNT_MAX); changes > 0 && strlen(name) > 2; changes--)
			mutate(name);
		count += agrees(name);
	}
	assert_in_range(count, MUTANT_COUNT / 100, MUTANT_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_names),  cmocka_unit_test(slow_names), cmocka_unit_test(literal_names),
		cmocka_unit_test(deep_names),  cmocka_unit_test(long_names), cmocka_unit_test(empty_packs),
		cmocka_unit_test(many_packs),  cmocka_unit_test(bombs),      cmocka_unit_test(mutated_names),
		cmocka_unit_test(many_scopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
