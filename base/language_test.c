/* The codes of languages, beside those of the system's dwarf.h, and what each of them is. */
#include "base/language.h"

#include <dwarf.h>

#include "base/toolkit_test.h"

enum { OTHER = 0, C = 1, CPP = 2, QUALIFIES = 4, ADA = 8, FORTRAN = 16 };

static const struct {
	uint32_t code, known; /* ours; dwarf.h's or, where it has none yet, the number that DWARF has given since */
	unsigned kinds;
} languages[] = {
	{LANG_C89, DW_LANG_C89, C},
	{LANG_C, DW_LANG_C, C},
	{LANG_ADA83, DW_LANG_Ada83, ADA},
	{LANG_CPP, DW_LANG_C_plus_plus, CPP | QUALIFIES},
	{LANG_COBOL74, DW_LANG_Cobol74, OTHER},
	{LANG_COBOL85, DW_LANG_Cobol85, OTHER},
	{LANG_FORTRAN77, DW_LANG_Fortran77, FORTRAN},
	{LANG_FORTRAN90, DW_LANG_Fortran90, FORTRAN},
	{LANG_PASCAL83, DW_LANG_Pascal83, OTHER},
	{LANG_C99, DW_LANG_C99, C},
	{LANG_ADA95, DW_LANG_Ada95, ADA},
	{LANG_FORTRAN95, DW_LANG_Fortran95, FORTRAN},
	{LANG_PLI, DW_LANG_PLI, OTHER},
	{LANG_OBJC_CPP, DW_LANG_ObjC_plus_plus, QUALIFIES},
	{LANG_UPC, DW_LANG_UPC, OTHER},
	{LANG_D, DW_LANG_D, QUALIFIES},
	{LANG_GO, DW_LANG_Go, OTHER},
	{LANG_HASKELL, DW_LANG_Haskell, OTHER},
	{LANG_CPP03, DW_LANG_C_plus_plus_03, CPP | QUALIFIES},
	{LANG_CPP11, DW_LANG_C_plus_plus_11, CPP | QUALIFIES},
	{LANG_RUST, DW_LANG_Rust, QUALIFIES},
	{LANG_C11, DW_LANG_C11, C},
	{LANG_CPP14, DW_LANG_C_plus_plus_14, CPP | QUALIFIES},
	{LANG_FORTRAN03, DW_LANG_Fortran03, FORTRAN},
	{LANG_FORTRAN08, DW_LANG_Fortran08, FORTRAN},
	{LANG_CPP17, 0x2a, CPP | QUALIFIES},
	{LANG_CPP20, 0x2b, CPP | QUALIFIES},
	{LANG_C17, 0x2c, C},
	{LANG_FORTRAN18, 0x2d, FORTRAN},
	{LANG_ADA2005, 0x2e, ADA},
	{LANG_ADA2012, 0x2f, ADA},
	{LANG_CPP23, 0x3a, CPP | QUALIFIES},
	{LANG_C23, 0x3e, C},
	{LANG_FORTRAN23, 0x3f, FORTRAN},
	{LANG_ASSEMBLER, DW_LANG_Mips_Assembler, OTHER},
};

static void each_language(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(languages); i++) {
		const uint32_t code = languages[i].code;
		assert_int_equal(code, languages[i].known);
		const unsigned kinds = (language_is_c(code) ? C : 0) | (language_is_cpp(code) ? CPP : 0) |
				       (language_qualifies(code) ? QUALIFIES : 0) | (language_is_ada(code) ? ADA : 0) |
				       (language_is_fortran(code) ? FORTRAN : 0);
		if (kinds != languages[i].kinds)
			fail_msg("language 0x%x", code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_language),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
