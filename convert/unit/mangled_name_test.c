/* Whether a mangled name is of a function with a given name: C++'s of every kind, Rust's and D's. RULES D2. */
#include "convert/unit/mangled_name.h"

#include "base/toolkit_test.h"

struct name_case {
	const char *mangled, *name;
	bool is;
};

static const struct name_case cases[] = {
	{"_Z1fv", "f", true},
	{"_Z1fv", "g", false},
	{"_Z2fov", "f", false},
	{"_Z2fov", "foo", false},
	{"_Z1fv!", "f", false},
	{"_Z1fB5cxx11v", "f", true},
	{"_Z1fv.part.0", "f", true},
	{"_Z1fIiEvv", "f", true},
	{"_Z1fIiEvv", "f<int>", true},
	{"_Z1fIiEvv", "f  <int>", true},
	{"_Z1fIiEvv", "f<int", false},
	{"_Z1fIiEvv", "f>", false},
	{"_ZN1a1bEv", "b", true},
	{"_ZN1a1bEv", "a", false},
	{"_ZNK1a1bEv", "b", true},
	{"_ZNV1a1bEv", "b", true},
	{"_ZNR1a1bEv", "b", true},
	{"_ZNO1a1bEv", "b", true},
	{"_ZNr1a1bEv", "b", true},
	{"_ZZ1fvEN1a1bEv", "b", true},
	{"_ZZ1fvEN1a1bEv", "f", false},
	{"_ZTV1a", "a", false},
	{"_Zxx", "x", false},
	{"_Z", "", false},

	{"_ZN1a1bIiEENSt9enable_ifIXsr1cIT_EE1dEvE4typeES2_", "b", true},
	{"_ZN1a1bIiEENSt9enable_ifIXsr1cIT_EE1dEvE4typeES2_", "type", false},

	{"_ZN5crash3geo5twice17hc52d087930ab777bE", "twice", true},
	{"_ZN5crash3geo5twice17hc52d087930ab777bE.llvm.123", "twice", true},
	{"_ZN5crash3geo5twice17hc52d087930ab777bE", "twice<i32>", true},
	{"_ZN50_$LT$crash..Square$u20$as$u20$crash..geo..Area$GT$4area17h2b8a4c1d0e9f3a57E", "area", true},
	{"_ZN5crash3geo5twice17hc52d087930ab777bE", "geo", false},
	{"_ZN5crash3geo5twice17hc52d087930ab777bE", "hc52d087930ab777b", false},
	{"_ZN5crash3geo5twice17hc52d087930ab777xE", "twice", false}, /* no hash */
	{"_ZN5crash3geo5twice16hc52d087930ab777E", "twice", false},
	{"_ZN5crash3geo5twice17hc52d087930ab777bEv", "twice", false},
	{"_Z5twice17hc52d087930ab777bE", "twice", false},
	{"17hc52d087930ab777bE", "twice", false},

	{"_ZN1aC1Ev", "a", true},
	{"_ZN1aC1Ev", "b", false},
	{"_ZN1aC1Ev", "~a", false},
	{"_ZN1aD2Ev", "~a", true},
	{"_ZN1aD2Ev", "a", false},
	{"_ZN1aD2Ev", "~b", false},
	{"_ZN1aIiEC1Ev", "a", true},
	{"_ZN1aIiEC1Ev", "a<int>", true},
	{"_ZN1a1bC1Ev", "b", true},
	{"_ZN1dCI1N1n1bEEi", "d", true}, /* inherited from n::b */
	{"_ZN1dCI1N1n1bEEi", "b", false},
	{"_ZN1dIiECI2N1n1bIiEEEi", "d<int>", true},
	{"_ZZ1fvEN1dCI1N1n1bEEi", "d", true},
	{"_ZNSaIcEC1Ev", "allocator", true},
	{"_ZNSaIcEC1Ev", "allocato", false},
	{"_ZZ1fvENUt_C1Ev", "<unnamed struct>", true},
	{"_ZZ1fvENUt_C1Ev", "unnamed", false},

	{"_ZN1aplERKS_", "operator+", true},
	{"_ZN1aplERKS_", "operator +", true},
	{"_ZN1aplERKS_", "operator++", false},
	{"_ZN1aplERKS_", "operator-", false},
	{"_ZN1aplERKS_", "operator", false},
	{"_ZN1anwEm", "operator new", true},
	{"_ZN1anwEm", "operatornew", true},
	{"_ZN1anwEm", "operator new[]", false},
	{"_ZN1alsIiEEvT_", "operator<< <int>", true},
	{"_ZN1aclEv", "operator()", true},
	{"_ZN1aclEv", "operator[]", false},
	{"_ZZ1fvENKUlvE_clEv", "<lambda()>", true},
	{"_ZZ1fvENKUlvE_clEv", "<lambd", false},
	{"_ZN1aplERKS_", "<lambda()>", false},
	{"_Zli2_sy", "operator\"\"_s", true},
	{"_Zli2_sy", "operator\"\" _s", true},
	{"_Zli2_sy", "operator\"\"_t", false},
	{"_ZN1acviEv", "operator int", true},
	{"_ZN1acviEv", "operator long", true},
	{"_ZN1acviEv", "operatorint", false},

	{"_RNvC7mycrate4main", "main", true},
	{"_RNvC7mycrate4main", "mycrate", true},
	{"_RNvC7mycrate4main", "mai", false},
	{"_RNvC7mycrate4main", "maim", false},
	{"_RINvC7mycrate4mainhE", "main<u8>", true},
	{"_RNvC7mycrate4main", "<u8>", false},
	{"_RNvC7mycrate4main", "", false},
	{"_RNvC1a3_1ab", "1ab", true},
	{"_RNvC1a3-1ab", "1ab", false},
	{"_RNvC1a13abcdefghijklm", "abc", false},
	{"_RNvC1a13abcdefghijklm3abc", "abc", true},
	{"_RNvC1a3abd3abc", "abc", true},
	{"_D3foo3barFZv", "bar", true},
	{"_D3foo3barFZv", "baz", false},
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (mangled_name_is(cases[i].mangled, cases[i].name) != cases[i].is)
			fail_msg("%s and %s", cases[i].mangled, cases[i].name);
}

/* What would take libiberty a deep stack, or very long, is not parsed: then it is not known to be the name. */
static void bounds_of_parsing(void **state)
{
	enum { PARSED_MAX = 16384 };
	static char mangled[2 * PARSED_MAX], name[PARSED_MAX];
	(void)state;
	for (int longer = 0; longer < 2; longer++) {
		int size = PARSED_MAX - 8 + longer; /* "_Z", five digits and "v" stand around it */
		memset(name, 'f', (size_t)size);
		name[size] = 0;
		snprintf(mangled, sizeof(mangled), "_Z%d%sv", size, name);
		assert_int_equal(strlen(mangled), PARSED_MAX + longer);
		assert_int_equal(mangled_name_is(mangled, name), !longer);
		assert_int_equal(mangled_name_steps(mangled), PARSED_MAX + longer);
	}
}

/* Each template parameter with arguments behind a conversion operator may double the work; sr may be parsed twice. */
static void doubled_work(void **state)
{
	static const struct {
		const char *mangled;
		unsigned doublings;
	} counted[] = {
		{"_Z1fv", 0},         {"_ZcvT_Iv", 1}, {"_ZcvT0_Iv", 1}, {"_ZcvT1A_Iv", 1}, {"_ZcvT_v", 0},
		{"_ZT_Iv", 0},        {"_ZT_Icv", 0},  {"_Zcv1_Iv", 0},  {"_Zcva_Iv", 0},   {"_ZcvT_IT_I", 2},
		{"_ZcvT_IS_IT_I", 2}, {"_RcvT_Iv", 0}, {"_Z2sr", 1},     {"_Rsr", 0},
	};
	char mangled[64];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(counted); i++)
		if (mangled_name_steps(counted[i].mangled) != strlen(counted[i].mangled) << counted[i].doublings)
			fail_msg("%s: %llu", counted[i].mangled,
				 (unsigned long long)mangled_name_steps(counted[i].mangled));

	/* Of more than eight the name is not parsed, and costs no more. */
	for (unsigned count = 7; count <= 9; count++) {
		size_t at = (size_t)sprintf(mangled, "_ZN1acviE");
		for (unsigned i = 0; i < count; i++)
			at += (size_t)sprintf(mangled + at, "T_I");
		assert_int_equal(mangled_name_steps(mangled), strlen(mangled) << (count < 8 ? count : 8));
	}
}

/* Leaves its bytes where the next function that is called has its variables. */
__attribute__((noinline)) static void leave_on_stack(int byte)
{
	volatile char left[4096];
	for (size_t i = 0; i < sizeof(left); i++)
		left[i] = (char)byte;
}

/* What ran before, and in which thread, is no reason to know a function by its symbol or not. */
static void same_whatever_ran_before(void **state)
{
	(void)state;
	for (int byte = 0; byte < 2; byte++) {
		leave_on_stack(byte);
		assert_true(mangled_name_is("_Z1fIXsr1cIiEE1dEEvv", "f"));
		leave_on_stack(byte);
		assert_false(mangled_name_is("_Z1fIXsr1cIiEE1dEEvv", "d"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(bounds_of_parsing),
		cmocka_unit_test(doubled_work),
		cmocka_unit_test(same_whatever_ran_before),
	};
	return cmocka_run_group_tests_name("mangled_name", tests, NULL, NULL);
}
