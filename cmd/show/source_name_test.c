/* Names of debug information, and what people call them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/language.h"
#include "base/toolkit_test.h"
#include "cmd/show/source_name.h"

struct name_case {
	const char *name, *written;
};

static const struct name_case of_ada[] = {
	{"pkg__proc", "pkg.proc"},
	{"pkg__inner__twice", "pkg.inner.twice"},
	{"pkg__proc__2", "pkg.proc"},
	{"pkg__proc__12", "pkg.proc"},
	{"p__2", "p"},
	{"pkg__proc_2", "pkg.proc_2"},
	{"pkg__proc2", "pkg.proc2"},
	{"_ada_prog", "prog"},
	{"_ada_", "_ada_"},
	{"pkg__Oadd", "pkg.oadd"},
	{"pkg__Oadd__2", "pkg.oadd"},
	{"proc__B_1__nested", "proc.nested"},
	{"proc__B_12__B_1__nested", "proc.nested"},
	{"proc__B_1", "proc.b_1"},
	{"proc__B___nested", "proc.b._nested"},
	{"pkg__inner__showX", "pkg.inner.show"},
	{"pkg__inner__showXb", "pkg.inner.show"},
	{"pkg__inner__showXn__2", "pkg.inner.show"},
	{"X", "x"},
	{"my_pkg__do_it", "my_pkg.do_it"},
	{"pkg__workerTKB", "pkg.worker"},
	{"pkg__workerTB", "pkg.worker"},
	{"pkg__counter__valueN", "pkg.counter.value"},
	{"pkg__counter__value2P", "pkg.counter.value2"},
	{"pkg__counter__wait_for_E30s", "pkg.counter.wait_for"},
	{"pkg__counter__wait_for_B31s", "pkg.counter.wait_for"},
	{"p_E1s", "p"},
	{"pkg__e30s", "pkg.e30s"},
	{"pkg__value_N", "pkg.value_n"},
	{"pkg__counterTN", "pkg.countertn"},
	{"_E3s", "_e3s"},
	{"pkg__counterTVDF", "pkg.countertvdf"},
	{"main", "main"},
	{"__main", "__main"},
	{"a__", "a__"},
	{"__2", "__2"},
	{"N", "n"},
	{"_", "_"},
	{"12", "12"},
	{"", ""},
};

static const struct name_case of_fortran[] = {
	{"area", "area"},
	{"__geometry_MOD_area", "geometry::area"},
	{"__geometry_MOD___copy_geometry_Square", "geometry::__copy_geometry_square"},
	{"__MOD_area", "__mod_area"},
	{"__", "__"},
	{"_QMgeometryParea", "geometry::area"},
	{"_QMgeometrySplanePinner_area", "geometry::plane::inner_area"},
	{"_QFPhelper", "helper"},
	{"_QParea", "area"},
	{"_QQmain", "_qqmain"},
	{"_Q", "_q"},
	{"MAIN__", "main__"},
	{"", ""},
};

static const struct name_case of_pascal[] = {
	{"Create", "create"},
	{"FAIL", "fail"},
	{"P$SQ_$$_OUTER", "sq.outer"},
	{"P$SQ$_$OUTER_$$_NESTED", "sq.outer.nested"},
	{"P$SQ$_$TSQUARE_$__$$_CREATE$LONGINT$$TSQUARE", "sq.tsquare.create"},
	{"P$SQ$_$TSQUARE_$_AREA$LONGINT_$$_NESTED$LONGINT", "sq.tsquare.area.nested"},
	{"U$_$TBOX$1$CRC9F312717_$__$$_PUT$LONGINT", "u.tbox.put"},
	{"SYSTEM_$$_SQR$INT64$$INT64", "system.sqr"},
	{"P$SQ_$$_$plus$TREC$TREC$$LONGINT", "sq.$plus"},
	{"_$$_", ""},
	{"", ""},
};

static const struct name_case of_objc[] = {
	{"-[Shape area]", "-[Shape area"},
	{"+[Shape make:with:]", "+[Shape make:with:"},
	{"-[Shape(Round) grow:]", "-[Shape grow:"},
	{"-[Shape(Round", "-[Shape(Round"},
};

static const struct name_case of_haskell[] = {
	{"Main_fib_info", "Main.fib"},
	{"Main_foozq_info", "Main.foo'"},
	{"Main_zlzpzg_info", "Main.<+>"},
	{"Main_zazbzczdzezgzhzizlzmznzpzqzrzsztzuzvzz_info", "Main.&|^$=>#.<-!+'\\/*_%z"},
	{"Main_ZCZLZMZNZRZZ_info", "Main.:([])Z"},
	{"Main_Sq_con_info", "Main.Sq"},
	{"base_GHCziBase_zpzp_info", "GHC.Base.++"},
	{"containerszm0zi6_DataziMap_lazzzzyzuZZ_info", "Data.Map.lazzy_Z"},
	{"Main_zy_info", ""},
	{"Main_z_info", ""},
	{"s1No_info", ""},
	{"Main__info", ""},
	{"Main_info", ""},
	{"main", ""},
	{"_info", ""},
};

static const struct name_case of_ocaml[] = {
	{"camlGeo__area_81", "Geo.area"},
	{"camlGeo__loop$27_84", "Geo.loop'"},
	{"camlStdlib__List__map_5", "Stdlib.List.map"},
	{"camlGeo.area_81", "Geo.area"},
	{"camlGeo__$2b$21_87", "Geo.+!"},
	{"camlGeo__entry", "Geo.entry"},
	{"camlGeo__$2", "Geo.$2"},
};

static const struct name_case of_crystal[] = {
	{"*Geo::Square#area:Int32", "Geo::Square#area"},
	{"*Geo::Square::make<Int32>:Int32", "Geo::Square::make"},
	{"*Geo::Square#big?:Bool", "Geo::Square#big?"},
	{"*Geo::Square#+<Geo::Square>:Int32", "Geo::Square#+"},
	{"*Array(Int32)@Array(T)#<<<Int32>:Array(Int32)", "Array#<<"},
	{"*Geo::Box(Int32)@Geo::Box(T)#initialize<Int32>:Int32", "Geo::Box#initialize"},
	{"*Geo::Box(T)::new<String>:Geo::Box(String)", "Geo::Box::new"},
	{"*Iterator::Stop@Reference::new:Iterator::Stop", "Iterator::Stop::new"},
	{"*top<Int32>:Int32", "top"},
	{"*", ""},
	{"*(", "("},
	{"*@", ""},
};

static const struct name_case of_nim[] = {
	{"area__geo_12", "geo.area"},
	{"area__geo_u12", "geo.area"},
	{"area__geo_12.constprop.0", "geo.area"},
	{"hash__pureZhashes_279", "pure.hashes.hash"},
	{"dollar___system_3", "system.dollar_"},
	{"my__area__my_geo_3", "my_geo.my__area"},
	{"a__u_1", "u.a"},
	{"__geo_12", ""},
	{"area__geo", ""},
	{"area__geo12", ""},
	{"area__geou12", ""},
	{"area__12", ""},
	{"area__u12", ""},
	{"area__3d_12", ""},
	{"area_geo_12", ""},
	{"a__12.0", ""},
	{"_12", ""},
	{"u12", ""},
	{"12", ""},
	{".", ""},
	{"", ""},
};

static const struct name_case written_ada[] = {
	{"Pkg.Proc", "pkg.proc"},
	{"Pkg.\"**\"", "pkg.oexpon"},
	{"Pkg.\"Mod\"", "pkg.omod"},
	{"\"no operator\"", "\"no operator\""},
	{"\"\"", "\"\""},
	{"\"", "\""},
	{"", ""},
};

/* As GNAT calls the operators that a package may define. */
static const struct name_case operators_of_gnat[] = {
	{"\"abs\"", "oabs"},    {"\"and\"", "oand"},  {"\"mod\"", "omod"},    {"\"not\"", "onot"},
	{"\"or\"", "oor"},      {"\"rem\"", "orem"},  {"\"xor\"", "oxor"},    {"\"=\"", "oeq"},
	{"\"/=\"", "one"},      {"\"<\"", "olt"},     {"\"<=\"", "ole"},      {"\">\"", "ogt"},
	{"\">=\"", "oge"},      {"\"+\"", "oadd"},    {"\"-\"", "osubtract"}, {"\"&\"", "oconcat"},
	{"\"*\"", "omultiply"}, {"\"/\"", "odivide"}, {"\"**\"", "oexpon"},
};

static const struct name_case written_fortran[] = {{"Geometry::Area", "geometry::area"}};
static const struct name_case written_pascal[] = {{"TShape.Create", "tshape.create"}};
static const struct name_case written_objc[] = {
	{"-[Shape grow:by:]", "-[Shape grow:by:"},
	{"-[Shape(Round) grow:]", "-[Shape(Round)grow:"},
};
static const struct name_case written_haskell[] = {
	{"Data.Map.insert", "Data.Map.insert"},
	{"Main.(<+>)", "Main.<+>"},
	{"(<+>)", "<+>"},
};
static const struct name_case written_ocaml[] = {
	{"List.map", "List.map"},
	{"Geo.( +! )", "Geo.+!"},
	{"( +! )", "+!"},
};
static const struct name_case written_crystal[] = {
	{"Shape#area", "Shape#area"},
	{"Shape.new", "Shape::new"},
	{"Geo::Box.new", "Geo::Box::new"},
};

/* As Nim calls the characters of operators that C's names have not. */
static const struct name_case signs_of_nim[] = {
	{"$", "dollar_"},     {"%", "percent_"}, {"&", "amp_"},  {"^", "roof_"},   {"!", "emark_"},
	{"?", "qmark_"},      {"*", "star_"},    {"+", "plus_"}, {"-", "minus_"},  {"/", "slash_"},
	{"=", "eq_"},         {"<", "lt_"},      {">", "gt_"},   {"~", "tilde_"},  {":", "colon_"},
	{"\\", "backslash_"}, {"@", "at_"},      {"|", "bar_"},  {"..", "dotdot_"}};

static void check(const struct name_case *cases, size_t count, enum name_encoding encoding)
{
	for (size_t i = 0; i < count; i++) {
		char ret[SOURCE_NAME_ROOM];
		size_t size = source_name(encoding, cases[i].name, strlen(cases[i].name), false, ret);
		if (size != strlen(cases[i].written) || memcmp(ret, cases[i].written, size) != 0)
			fail_msg("'%s' is '%.*s'", cases[i].name, (int)size, ret);
	}
}

static void names_as_people_write_them(void **state)
{
	(void)state;
	check(of_ada, COUNT_OF(of_ada), ENCODING_ADA);
	check(of_fortran, COUNT_OF(of_fortran), ENCODING_FORTRAN);
	check(of_pascal, COUNT_OF(of_pascal), ENCODING_PASCAL);
	check(of_objc, COUNT_OF(of_objc), ENCODING_OBJC);
	check(of_haskell, COUNT_OF(of_haskell), ENCODING_HASKELL);
	check(of_ocaml, COUNT_OF(of_ocaml), ENCODING_OCAML);
	check(of_crystal, COUNT_OF(of_crystal), ENCODING_CRYSTAL);
	check(of_nim, COUNT_OF(of_nim), ENCODING_NIM);
}

static void check_texts(const struct name_case *cases, size_t count, enum name_encoding encoding)
{
	for (size_t i = 0; i < count; i++) {
		char ret[SOURCE_NAME_ROOM];
		size_t size = source_text(encoding, cases[i].name, strlen(cases[i].name), ret);
		if (size != strlen(cases[i].written) || memcmp(ret, cases[i].written, size) != 0)
			fail_msg("'%s' is '%.*s'", cases[i].name, (int)size, ret);
	}
}

static void texts_as_people_write_them(void **state)
{
	(void)state;
	check_texts(written_ada, COUNT_OF(written_ada), ENCODING_ADA);
	check_texts(operators_of_gnat, COUNT_OF(operators_of_gnat), ENCODING_ADA);
	check_texts(signs_of_nim, COUNT_OF(signs_of_nim), ENCODING_NIM);
	check_texts(written_fortran, COUNT_OF(written_fortran), ENCODING_FORTRAN);
	check_texts(written_pascal, COUNT_OF(written_pascal), ENCODING_PASCAL);
	check_texts(written_objc, COUNT_OF(written_objc), ENCODING_OBJC);
	check_texts(written_haskell, COUNT_OF(written_haskell), ENCODING_HASKELL);
	check_texts(written_ocaml, COUNT_OF(written_ocaml), ENCODING_OCAML);
	check_texts(written_crystal, COUNT_OF(written_crystal), ENCODING_CRYSTAL);
}

/* What somebody wants, a name, and whether that is meant. */
struct match_case {
	enum name_encoding encoding;
	uint32_t language;
	const char *wanted, *name;
	bool matches;
};

static const struct match_case matches[] = {
	{ENCODING_FORTRAN, LANG_FORTRAN90, "geometry::area", "__geometry_MOD_area", true},
	{ENCODING_FORTRAN, LANG_FORTRAN90, "::geometry::area", "__geometry_MOD_area", true},
	{ENCODING_FORTRAN, LANG_FORTRAN90, "area", "__geometry_MOD_area", true},
	{ENCODING_FORTRAN, LANG_FORTRAN90, "::area", "__geometry_MOD_area", false},
	{ENCODING_FORTRAN, LANG_FORTRAN90, "ea", "__geometry_MOD_area", false},
	{ENCODING_FORTRAN, LANG_FORTRAN90, "xgeometry::area", "__geometry_MOD_area", false},
	{ENCODING_FORTRAN, LANG_FORTRAN90, "", "__geometry_MOD_area", false},
	{ENCODING_ADA, LANG_ADA95, "Proc", "pkg__proc__2", true},
	{ENCODING_ADA, LANG_ADA95, "Pkg.\"+\"", "pkg__Oadd", true},
	{ENCODING_ADA, LANG_ADA95, "kg.Proc", "pkg__proc", false},
	{ENCODING_CRYSTAL, 0, "Shape#area", "*Shape@Shape#area:Int32", true},
	{ENCODING_CRYSTAL, 0, "area", "*Shape@Shape#area:Int32", true},
	{ENCODING_NIM, 0, "geo.area", "area__geo_12", true},
	{ENCODING_NIM, 0, "area", "area__geo_12", false},
	{ENCODING_NIM, 0, "system.$", "dollar___system_3", true},
	{ENCODING_NIM, 0, "pure.hashes.+", "plus___pureZhashes_279", true},
	{ENCODING_NIM, 0, "geo...", "dotdot___geo_12", true},
	{ENCODING_HASKELL, 0, "Map.insert", "containers_Map_insert_info", true},
	{ENCODING_HASKELL, 0, "insert", "containers_Map_insert_info", false},
	{ENCODING_HASKELL, LANG_HASKELL, "insert", "containers_Map_insert_info", true},
};

static void what_is_wanted_is_the_name_or_its_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(matches); i++) {
		const struct match_case *match = &matches[i];
		if (source_name_matches(match->encoding, match->wanted, match->name, strlen(match->name),
					match->language) != match->matches)
			fail_msg("'%s' %s '%s'", match->wanted, match->matches ? "is not" : "is", match->name);
	}
}

static void modules_in_that_of_a_file_may_be_named(void **state)
{
	static const struct {
		const char *wanted, *name;
		bool matches;
	} cases[] = {
		{"Geo.Inner.area", "camlGeo__area_12", true},
		{"Geo.Inner.Deep.area", "camlGeo__area_12", true},
		{"Geo.area", "camlGeo__area_12", false},
		{"Other.Inner.area", "camlGeo__area_12", false},
		{"Geo.Inner.area", "camlGeo__volume_12", false},
		{"List.Inner.map", "camlStdlib__List__map_12", true},
		{"B.Inner.f", "camlAB__f_12", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (source_name_in_inner_module(cases[i].wanted, cases[i].name, strlen(cases[i].name)) !=
		    cases[i].matches)
			fail_msg("'%s' %s '%s'", cases[i].wanted, cases[i].matches ? "is not" : "is", cases[i].name);
}

static const struct {
	const char *name;
	uint32_t language;
	enum name_encoding encoding;
} encodings[] = {
	{"pkg__proc", LANG_ADA95, ENCODING_ADA},
	{"area", LANG_FORTRAN90, ENCODING_FORTRAN},
	{"Create", LANG_PASCAL83, ENCODING_PASCAL},
	{"SYSTEM_$$_SQR", 0, ENCODING_PASCAL},
	{"SYSTEM_$$_SQR", LANG_C, ENCODING_NONE},
	{"-[Shape area]", LANG_C, ENCODING_OBJC},
	{"+[Shape make]", 0, ENCODING_OBJC},
	{"Main_fib_info", LANG_HASKELL, ENCODING_HASKELL},
	{"Main_fib_info", 0, ENCODING_HASKELL},
	{"Main_fib_info", LANG_C99, ENCODING_NONE},
	{"fib", LANG_HASKELL, ENCODING_NONE},
	{"camlGeo__area_81", LANG_ASSEMBLER, ENCODING_OCAML},
	{"caml_alloc", 0, ENCODING_NONE},
	{"*top", 0, ENCODING_CRYSTAL},
	{"*", 0, ENCODING_NONE},
	{"main", 0, ENCODING_NONE},
	{"area__geo_12", LANG_C11, ENCODING_NIM},
	{"area__geo_12", LANG_C89, ENCODING_NIM},
	{"area__geo_12", 0, ENCODING_NIM},
	{"area__geo_12", LANG_D, ENCODING_NONE},
	{"area__geo", LANG_C11, ENCODING_NONE},
	{"camlGeo__area_81", LANG_C11, ENCODING_NIM},
};

static void how_names_are_encoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(encodings); i++)
		if (name_encoding_of(encodings[i].name, strlen(encodings[i].name), encodings[i].language) !=
		    encodings[i].encoding)
			fail_msg("'%s' in language 0x%x", encodings[i].name, encodings[i].language);
}

/* Each letter of a name may become two. */
static void the_longest_name(void **state)
{
	static char name[SOURCE_NAME_SIZE_MAX], ret[SOURCE_NAME_ROOM];

	(void)state;
	memset(name, 'P', sizeof(name));
	memcpy(name, "_QMa", 4);
	assert_int_equal(source_name(ENCODING_FORTRAN, name, sizeof(name), false, ret), 1 + 2 * (sizeof(name) - 4));
	memset(name, '.', sizeof(name));
	assert_int_equal(source_text(ENCODING_CRYSTAL, name, sizeof(name), ret), 2 * sizeof(name));
	assert_int_equal(source_text(ENCODING_NIM, name, sizeof(name), ret), 0); /* each is dot */
	assert_int_equal(source_text(ENCODING_NIM, name, 1000, ret), 1000 * strlen("dot") + strlen("_"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_people_write_them),
		cmocka_unit_test(texts_as_people_write_them),
		cmocka_unit_test(what_is_wanted_is_the_name_or_its_end),
		cmocka_unit_test(modules_in_that_of_a_file_may_be_named),
		cmocka_unit_test(how_names_are_encoded),
		cmocka_unit_test(the_longest_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
