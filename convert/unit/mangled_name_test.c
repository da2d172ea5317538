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

	/* What clang 18 and later write: types of template parameters, requires-clauses, explicit object parameters. */
	{"_Z3autITkSt8integraliEiT_", "aut", true},
	{"_Z3conITkN2my5SmallEiEiT_", "con", true},
	{"_Z3fooIdTnNSt9enable_ifIXntsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_", "foo", true},
	{"_Z3fooIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_", "foo", true},
	{"_Z3lamIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_", "lam", true},
	{"_Z3reqIiQaaaasr2myE5SmallIT_Esr3stdE8integralIS0_Ent3BigIS0_EEiS0_", "req", true},
	{"_Z4con2ITkSt8integraliEiT_", "con2", true},
	{"_Z4con3ITkSt14convertible_toIlEiEiT_", "con3", true},
	{"_Z4nttpITnDkSt8integralLi4EEii", "nttp", true},
	{"_Z4packImTpTnT_JLm0ELm1ELm2EEEiSt16integer_sequenceIS0_JXspT0_EEE", "pack", true},
	{"_Z4req1IiQoosr2myE5SmallIT_Esr3stdE8integralIS0_EEiS0_", "req1", true},
	{"_Z4req3IiQrQT__XplfL0p_fL0p_XmlfL0p_fL0p_RSt8integralEEiS0_", "req3", true},
	{"_Z5nttpaITnDaLi5EEii", "nttpa", true},
	{"_Z5trailIiEiT_Qsr3stdE8integralIS0_E", "trail", true},
	{"_ZN3BoxIiE6memreqEiQsr2myE5SmallIT_E", "memreq", true},
	{"_ZN3BoxIiE8memreq_2EiQaasr2myE5SmallIT_Esr3stdE8integralIS1_E", "memreq_2", true},
	{"_ZN3BoxIiEC2IiTnNSt9enable_ifIXsr3std7is_sameIT_iEE5valueEbE4typeELb1EEES3_", "Box", true},
	{"_ZNH1S2exES_i", "ex", true},
	{"_ZNH1S3getIRS_EEiOT_i", "get", true},
	{"_ZNK3BoxIiE3limIlQ3BigITL0__EEEiT_", "lim", true},
	{"_ZNK3BoxIiEcvT_IiTnNSt9enable_ifIXsr3std7is_sameIS1_iEE5valueEbE4typeELb1EEEv", "operator int", true},
	{"_ZNK3BoxIiEplIiTnNSt9enable_ifIXsr3std7is_sameIT_iEE5valueEbE4typeELb1EEEiS3_", "operator+", true},
	{"_ZZ3lamIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_ENKUlS1_E_clIiEEDaS1_", "operator()",
	 true},
	{"_ZZ3lamIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_ENKUlTyS1_E_clIiEEDaS1_", "operator()",
	 true},
	{"_Z3fooIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_", "enable_if", false},
	{"_Z3fooIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_", "type", false},
	{"_ZZ3lamIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEiS1_ENKUlTyS1_E_clIiEEDaS1_", "lam", false},
	{"_Z1fITtTyTpTnmE5ArrayiEvv", "f", true},
	{"_Z7getTypeITnDTtlT_EELi12EEvv", "getType", true}, /* neither a Ty nor a Tt */
	{"_ZN7TnTkTpQ9IsTypeQTyITnmLm1EEEvv", "IsTypeQTy", true},
	{"_Z1fITnmLm99ETnmLm1EEvv", "f", true}, /* 99 is a value, not an identifier's length */
	{"_Z1fITnlLln9ETnlLl1EEvv", "f", true},
	{"_Z1fITnSt", "f", false},
	{"_Z1Q", "Q", true},
	{"_Z1QQ", "Q", true},
	{"_Z1cTnvT_I", "c", false}, /* not to be parsed for longer than it says */

	{"_ZN5crash3geo5twice17hc52d087930ab777bE", "twice", true},
	{"_ZN5crash3geo5twice17hc52d087930ab777bE.llvm.123", "twice", true},
	{"_ZN5crash3geo5twice17hc52d087930ab777bE", "twice<i32>", true},
	{"_ZN50_$LT$crash..Square$u20$as$u20$crash..geo..Area$GT$4area17h2b8a4c1d0e9f3a57E", "area", true},
	{"_ZN5crash3geo5twice17hc52d087930ab777bE", "geo", false},
	{"_ZN4core3ptr29drop_in_place$LT$crash..A$GT$17h5010b6f90e273249E", "drop_in_place<crash::A>", true},
	{"_ZN4core3ptr29drop_in_place$LT$crash..A$GT$17h5010b6f90e273249E", "drop_in_plac", false},
	{"_ZN4core3ptr29drop_in_place$LT$crash..A$GT$17h5010b6f90e273249E", "{closure#0}", false},
	{"_ZN1x4main28_$u7b$$u7b$closure$u7d$$u7d$17h5d2e5a8cf9de813dE", "{closure#1}", true},
	{"_ZN1x4main28_$u7b$$u7b$closure$u7d$$u7d$17h5d2e5a8cf9de813dE", "{closure#0}<()>", true},
	{"_ZN1x4main28_$u7b$$u7b$closure$u7d$$u7d$17h5d2e5a8cf9de813dE", "closure", false},
	{"_ZN1x4main28_$u7b$$u7b$closure$u7d$$u7d$17h5d2e5a8cf9de813dE", "_", false},
	{"_ZZ1fvENK3$_0clEv", "{closure#0}", false},
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
	{"_D3foo__T3putTAyaZQjFQjZv", "put!string", true},
	{"_D3foo__T3putTAyaZQjFQjZv", "output!string", false},
	{"_D3foo__T3putTAyaZQjFQjZv", "pu!string", false},
	{"_D3foo3Dog6__ctorMFZCQvQt", "this", true},
	{"_D3foo3Dog6__dtorMFZv", "this", false},
	{"_D3foo3Dog6__dtorMFZv", "~this", true},
	{"_D3foo3Dog6__ctorMFZCQvQt", "~this", false},
	{"_D3foo3Dog10__postblitMFZv", "this(this)", true},
	{"_ZN3foo6__ctorEv", "this", false},
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
		{"_ZcvT_IS_IT_I", 2}, {"_RcvT_Iv", 0}, {"_Z2sr", 1},     {"_Rsr", 0},       {"_Z1fITnvT_EvT_", 1},
		{"_Z1fQ", 1},         {"_RNHC", 0},
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
