/* Which texts mean a name, and which words of theirs a mangled name has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/language.h"
#include "base/toolkit_test.h"
#include "cmd/show/name_match.h"

struct texts {
	const char *name;
	const char *same[16], *other[16]; /* texts that mean the name, and texts that do not; each with a NULL behind */
};

static const struct texts cases[] = {
	{"main",
	 {"main", "::main", ":: main"},
	 {"mai", "ain", "main(", "main()", ":main", "::", " main x", "main main"}},
	{"shop::box::area(int) const",
	 {"area", "box::area", "shop::box::area", "shop::box::area(int)", "area(int)", "area(int) const",
	  "area( int )const", "::shop::box::area"},
	 {"::area", "::box::area", "shop::::box::area", "box.area", "rea", "ox::area", "box", "shop::area",
	  "area(char)", "area(", "area(int) con", "shop::box", "const", "area::"}},
	{"shop::v2::box::area(shop::v2::cm)",
	 {"shop::box::area", "shop::v2::box::area", "::shop::box::area", "box::area(shop::cm)", "v2::box::area",
	  "shop::v2::box::area(shop::v2::cm)"},
	 {"shop::v1::box::area", "::box::area", "shop::area", "box::area(cm)", "shop::v2::area"}},
	{"void shop::invoice<shop::order>(shop::order)",
	 {"shop::invoice<shop::order>", "invoice<shop::order>", "invoice", "shop::invoice(shop::order)",
	  "shop::invoice<shop::order>(shop::order)", "void shop::invoice<shop::order>(shop::order)",
	  "shop::invoice <shop::order> (shop::order)"},
	 {"void", "order", "shop::invoice<>", "shop::invoice<shop::order", "invoice<order>", "voidinvoice",
	  "invoice<shop::line>", "::invoice"}},
	{"unsigned long long a::wide<b>(b)",
	 {"wide<b>", "a::wide", "a::wide(b)"},
	 {"long", "long long a::wide", "unsigned"}},
	{"std::vector<a, std::allocator<a> > shop::make<a>(a)",
	 {"shop::make<a>", "make<a>(a)", "make"},
	 {"vector", "std::vector", "vectormake", "make<a, b>", "vector<a, std::allocator<a> > shop::make"}},
	{"std::vector<a, std::allocator<a> >::size() const",
	 {"size", "vector::size", "std::vector<a, std::allocator<a> >::size", "vector<a,std::allocator<a>>::size()",
	  "std::vector<a>::size"},
	 {"std::vector<b>::size", "allocator", "std::vector"}},
	{"tc<int> shop::tc<char>::conv<long>(long)",
	 {"conv<long>", "tc::conv<long>", "tc<char>::conv", "shop::tc<char>::conv<long>", "tc<char>::conv(long)"},
	 {"tc<int>::conv", "tc<long>::conv", "tc<char>"}},
	{"int (*shop::handler<a>(a))(int, char)",
	 {"handler", "shop::handler<a>", "handler<a>(a)", "int (*shop::handler<a>(a))(int, char)"},
	 {"handler(int, char)", "*shop::handler", "int"}},
	{"int (&shop::table<a>(a)) [3]", {"table<a>", "shop::table"}, {"table[3]"}},
	{"int (b::*shop::method<a>(a))(int)", {"method<a>", "shop::method"}, {"b::method", "b", "b::*shop::method"}},
	{"int (*(*shop::nest<a>(a))(int))(char)", {"nest<a>", "shop::nest(a)"}, {"nest(int)"}},
	{"decltype (({parm#1}.x)+(1)) shop::sum<a>(a)", {"shop::sum<a>", "sum"}, {"decltype"}},
	{"decltype (*(a)) (*shop::sum<a>(a))(char)", {"shop::sum<a>", "sum"}, {"sum(char)"}},
	{"bool a::operator< <b>(b)",
	 {"operator<", "a::operator<", "operator< <b>", "operator<(b)"},
	 {"operator", "operator<<"}},
	{"a& a::operator<< <b>(b)", {"operator<<", "operator<< <b>"}, {"operator<", "operator"}},
	{"int a::operator()<b>(b)", {"operator()", "operator()<b>", "a::operator()(b)"}, {"operator", "operator()()"}},
	{"a::operator b::c<d>() const", {"operator b::c", "a::operator b::c<d>"}, {"c", "b::c", "operator"}},
	{"a::operator unsigned long() const",
	 {"operator unsigned long"},
	 {"long", "operator unsignedlong", "unsigned long"}},
	{"operator new(unsigned long)", {"operator new", "operator new(unsigned long)"}, {"new", "operatornew"}},
	{"operator new[](unsigned long)",
	 {"operator new[]", "operator new[](unsigned long)"},
	 {"operator new", "new[]"}},
	{"auto main::{lambda(auto:1)#1}::operator()<a>(a) const",
	 {"operator()", "main::{lambda(auto:1)#1}::operator()<a>", "{lambda(auto:1)#1}::operator()"},
	 {"main::operator()", "{lambda(auto:2)#1}::operator()"}},
	{"(anonymous namespace)::helper(int)", {"helper", "(anonymous namespace)::helper"}, {"namespace)::helper"}},
	{"a::(anonymous namespace)::b::f()",
	 {"f", "b::f", "a::b::f", "::a::b::f", "(anonymous namespace)::b::f", "{anonymous}::b::f"},
	 {"a::f", "a::(anonymous namespace)::f", "a::(anonymous namespace)"}},
	{"std::vector<int, std::allocator<int> >::size() const",
	 {"size", "std::vector::size", "std::vector<int>::size", "vector<int>::size"},
	 {"std::vector<char>::size", "vector<int, int>::size"}},
	{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const",
	 {"std::string::size", "std::basic_string::size", "std::__cxx11::basic_string::size",
	  "basic_string<char>::size"},
	 {"std::wstring::size", "string::size", "std::size"}},
	{"a::f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
	 {"f(std::string const&)", "a::f(const std::string &)", "a::f"},
	 {"f(std::string)", "f(const std::wstring &)"}},
	{"a::operator char const*() const",
	 {"operator const char*", "a::operator const char *", "operator char const*"},
	 {"operator char*", "const char*"}},
	{"main::{lambda(int)#2}::operator()(int) const",
	 {"operator()", "main::{lambda(int)#2}::operator()", "main::{lambda(int)}::operator()",
	  "main::<lambda(int)>::operator()"},
	 {"main::{lambda(int)#1}::operator()", "main::{lambda(char)}::operator()", "main::{lambda(int)::operator()"}},
	{"f[abi:cxx11](int) [clone .cold]",
	 {"f", "f(int)", "f[abi:cxx11]", "f[abi:cxx11](int) [clone .cold]"},
	 {"[clone .cold]"}},
	{"f(int)::g(char) const", {"g", "f::g", "f(int)::g(char)"}, {"f", "f(int)", "f(char)::g"}},
	{"<a as b>::f", {"f", "<a as b>::f", "<a>::f", "a::f", "b::f"}, {"b>::f", "<b>::f", "<b as a>::f", "as b::f"}},
	{"<r::geo::Sq<i32> as r::geo::Shape>::area::{closure#0}",
	 {"{closure#0}", "{closure}", "{{closure}}", "area::{closure#0}", "Sq::area::{closure#0}",
	  "geo::Sq<i32>::area::{{closure}}", "Shape::area::{closure}", "<Sq as Shape>::area::{closure#0}",
	  "<Sq<i32> as geo::Shape>::area::{closure}"},
	 {"area", "Sq::area", "{closure#1}", "<Sq<i64> as Shape>::area::{closure}", "q::area::{closure#0}"}},
	{"<r::geo::Sq<i32>>::get",
	 {"get", "Sq::get", "<Sq>::get", "Sq::<i32>::get", "r::geo::Sq<i32>::get"},
	 {"<Sq as Sq>::get", "Sq<i64>::get", "geo::get"}},
	{"r::<impl r::Shape for i32>::area",
	 {"area", "<i32 as Shape>::area", "Shape::area", "i32::area"},
	 {"<Shape as i32>::area"}},
	{"r::apply::<r::main::{closure#0}>", {"apply", "r::apply"}, {"main", "r::main::{closure#0}"}},
	{"r::gr$uf6$$udf$e::$ufc$ber", {"über", "größe::über", "r::größe::über"}, {"ber", "größe"}},
	{"f<int", {"f<int"}, {"f", "f<"}},
	{"a::", {"a::"}, {"a"}},
};

/* Names of languages that have dots between their components. */
static const struct texts with_dots[] = {
	{"main.(*S).Len",
	 {"Len", "S.Len", "(*S).Len", "main.S.Len", "main.(*S).Len", "::main.(*S).Len"},
	 {"len", "main.Len", "(S).Len", "*S.Len", "(*S)", "S", "main", "Len()", ".Len", "::Len", "S::Len"}},
	{"main.S.Val", {"Val", "S.Val", "main.S.Val"}, {"(*S).Val", "main.(S).Val", "main.(*S).Val"}},
	{"main.(*L[go.shape.int_0]).Push",
	 {"Push", "L.Push", "(*L).Push", "main.(*L).Push", "main.(*L[...]).Push", "main.(*L[go.shape.int_0]).Push"},
	 {"shape", "int_0", "L[int].Push", "L[..].Push", "[...]"}},
	{"main.Map[go.shape.int_0]", {"Map", "main.Map", "Map[...]", "main.Map[go.shape.int_0]"}, {"Map[int]"}},
	{"main.main.func1", {"func1", "main.func1", "main.main.func1"}, {"main", "main.main"}},
	{"internal/fmtsort.(*SortedMap).Len",
	 {"Len", "fmtsort.(*SortedMap).Len", "fmtsort.SortedMap.Len", "internal/fmtsort.SortedMap.Len"},
	 {"sort.SortedMap.Len", "internal.fmtsort.SortedMap.Len", "Map.Len"}},
	{"main.Über", {"Über", "main.Über"}, {"ber"}},
	{"main.(*S).Len-fm", {"Len-fm"}, {"Len", "fm"}},
	{"main.(*", {"main.(*"}, {"main"}},
	{"app.C.twice(int)", {"twice", "C.twice", "app.C.twice", "twice(int)", "C.twice(int)"}, {"C", "app", "int"}},
	{"pure nothrow @nogc @safe int app.foo!(int).foo(int)",
	 {"foo", "foo!(int).foo", "app.foo!(int).foo(int)", "foo(int)", "app.foo", "foo!(int)", "foo!int",
	  "app.foo!int(int)"},
	 {"foo!(char).foo", "int app.foo!(int).foo", "foo!char", "foo!", "foo.foo.foo", "!int"}},
	{"app.Vec!(int).Vec.push(int)",
	 {"push", "Vec!(int).push", "Vec!int.push", "Vec.push", "app.Vec.push", "app.Vec!(int).Vec.push(int)"},
	 {"Vec!(char).push", "Vec", "Vec!int", "app.push", "int.push"}},
	{"app.Vec!(int).Vector.f()", {"f", "Vector.f", "Vec!int.Vector.f"}, {"Vec!(int).f", "Vec!int.f"}},
	{"app.f(int) const.g(char)",
	 {"g", "f.g", "app.f(int).g", "g(char)", "f(int) const.g"},
	 {"f", "const", "f(char).g"}},
};

/* Names of GNAT's debug information. */
static const struct texts of_ada[] = {
	{"pkg__proc",
	 {"proc", "pkg.proc", "pkg__proc", "::pkg.proc", "Pkg.Proc"},
	 {"pkg", "roc", "::proc", "pkg_proc"}},
	{"pkg__Oadd", {"\"+\"", "Pkg.\"+\"", "pkg.Oadd", "pkg__Oadd"}, {"+", "\"-\"", "add"}},
	{"pkg__Olt", {"\"<\"", "Pkg.\"<\""}, {"<"}},
	{"pkg__counter__incrementN", {"Increment", "Pkg.Counter.Increment"}, {"incrementP"}},
	{"pkg__proc__2", {"proc", "pkg.proc", "pkg__proc__2"}, {"2", "proc.2"}},
	{"_ada_prog", {"prog", "_ada_prog"}, {"ada_prog", "_prog"}},
};

/* Names of symbols, whose language nothing tells. */
static const struct texts of_symbols[] = {
	{"-[Shape(Round) grow:by:]",
	 {"-[Shape(Round) grow:by:]", "-[Shape grow:by:]", "[Shape grow:by:]", "-[Shape (Round) grow:by:]", "grow:by:"},
	 {"+[Shape grow:by:]", "-[Shape(Flat) grow:by:]", "by:", "grow:", "Shape", "Round", "-[Shape grow:]"}},
	{"base_GHCziBase_map_info",
	 {"GHC.Base.map", "Base.map", "base_GHCziBase_map_info"},
	 {"map", "GHC.Base", "Base.ma"}},
	{"base_DataziBits_zizazi_info", {"Data.Bits..&.", ".&.", "Data.Bits.(.&.)", "Bits.(.&.)"}, {"&", "Bits.&"}},
	{"camlGeo__$2b$21_87",
	 {"Geo.+!", "Geo.(+!)", "Geo.( +! )", "+!", "(+!)", "camlGeo__$2b$21_87"},
	 {"!", "Geo", "87"}},
	{"camlStdlib__List__map_5",
	 {"List.map", "Stdlib.List.map", "map", "Stdlib__List.map"},
	 {"ist.map", "Stdlib.map", "List.Inner.map"}},
	{"P$SQ$_$TSQUARE_$__$$_CREATE$LONGINT$$TSQUARE",
	 {"TSquare.Create", "tsquare.create", "Sq.TSquare.Create", "Create"},
	 {"Square.Create", "TSquare", "LongInt"}},
	{"*Geo::Box(Int32)@Geo::Box(T)#get:Int32",
	 {"Geo::Box#get", "Box#get", "get", "Geo::Box(Int32)#get", "Geo::Box( Int32 )#get"},
	 {"Geo::Box(String)#get", "Box::get", "Box.get", "Int32", "Geo::Box"}},
	{"area__geo_12",
	 {"geo.area", "area__geo_12", "::area__geo_12"},
	 {"area", "eo.area", "geo", "area.geo", "geo.are", "12", "geo.12"}},
	{"twice__shapesZgeo_u7.part.0", {"geo.twice", "shapes.geo.twice", "geo.`twice`"}, {"twice", "shapes.twice"}},
	{"pluspercent___geo_3", {"geo.+%", "geo.`+%`"}, {"geo.+", "+%", "geo.pluspercent"}},
	{"dotdotlt___system_3", {"system...<", "..<"}, {"system..<", "system.<"}},
	{"X5BX5Deq___geo_296", {"geo.[]=", "geo.`[]=`"}, {"geo.[]", "geo.="}},
	{"setXeq___geo_9", {"geo.setX="}, {"geo.setX"}},
	{"dollar___geo_5", {"geo.$", "geo.`$`"}, {"geo.dollars"}},
	{"part1__my_mod_9", {"my_mod.part_1", "my_mod.part1"}, {"mod.part1"}},
	{"*Geo::Square::make<Int32>:Int32", {"Geo::Square.make", "Square::make", "make"}, {"Square#make", "Square"}},
};

/* D's string is what it stands for, in what is typed and in the name. */
static const struct texts of_d[] = {
	{"app.Vec!(immutable(char)[]).push",
	 {"app.Vec!(string).push", "app.Vec!string.push", "Vec!string.push", "Vec!(immutable(char)[]).push", "push"},
	 {"app.Vec!(dstring).push", "app.Vec!(str).push"}},
	{"app.Vec!(string).push", {"app.Vec!(immutable(char)[]).push", "Vec!string.push"}, {"Vec!wstring.push"}},
};

static const struct texts of_haskell[] = {
	{"Main_zlzpzg_info", {"<+>", "(<+>)", "Main.<+>", "Main.(<+>)"}, {"+", "Main", "+>"}},
	{"Main_fib_info", {"fib", "Main.fib"}, {"Main", "ib", "Main_fib"}},
};

static const struct texts of_fortran[] = {
	{"__geometry_MOD_area",
	 {"area", "Area", "geometry::area", "GEOMETRY::AREA", "__geometry_MOD_area"},
	 {"geometry", "geometry.area", "__geometry_MOD"}},
	{"main_prog", {"Main_Prog"}, {"prog"}},
};

static const struct texts of_pascal[] = {{"Create", {"Create", "create", "CREATE"}, {"Crea"}}};

/* The same where texts may have modules that the compiler does not know. */
static const struct texts with_inner_modules[] = {
	{"camlStdlib__List__map_5",
	 {"List.Inner.map", "Stdlib.List.Inner.map", "Stdlib__List.Inner.map", "List.Inner.Deep.map"},
	 {"Inner.map", "Stdlib.Inner.map", "Inner.List.map", "ist.Inner.map", "List.Inner.mapi", "List.Inner",
	  "List.Inner.", "List.map.map", "::List.Inner.map", "List..map"}},
	{"camlGeo__$2b$21_87", {"Geo.Inner.+!", "Geo.Inner.( +! )"}, {"Inner.+!", "Geo.Inner.!"}},
	{"main", {"main"}, {"List.main"}},
};

static bool means(const char *text, const char *name, size_t size, uint32_t language)
{
	struct name_wanted wanted;

	name_wanted_init(&wanted, text);
	return name_matches(&wanted, name, size, language);
}

static bool means_in_inner_module(const char *text, const char *name, size_t size, uint32_t language)
{
	struct name_wanted wanted;

	name_wanted_init(&wanted, text);
	wanted.may_have_inner_modules = true;
	return name_matches(&wanted, name, size, language);
}

typedef bool means_function(const char *text, const char *name, size_t size, uint32_t language);

static void check_by(means_function *is_meant, const struct texts *texts, size_t count, uint32_t language)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = texts[i].name;
		for (const char *const *same = texts[i].same; *same; same++)
			if (!is_meant(*same, name, strlen(name), language))
				fail_msg("'%s' does not mean '%s'", *same, name);
		for (const char *const *other = texts[i].other; *other; other++)
			if (is_meant(*other, name, strlen(name), language))
				fail_msg("'%s' means '%s'", *other, name);
	}
}

static void check(const struct texts *texts, size_t count, uint32_t language)
{
	check_by(means, texts, count, language);
}

static void texts_that_mean_a_name(void **state)
{
	(void)state;
	check(cases, COUNT_OF(cases), 0);
}

static void texts_that_mean_a_name_with_dots(void **state)
{
	(void)state;
	check(with_dots, COUNT_OF(with_dots), LANG_GO);
	check(with_dots, COUNT_OF(with_dots), LANG_D);
	check(of_d, COUNT_OF(of_d), LANG_D);
	check(of_ada, COUNT_OF(of_ada), LANG_ADA83);
	check(of_ada, COUNT_OF(of_ada), LANG_ADA95);
	check(of_ada, COUNT_OF(of_ada), LANG_ADA2005);
	check(of_ada, COUNT_OF(of_ada), LANG_ADA2012);
}

static void texts_that_mean_an_encoded_name(void **state)
{
	(void)state;
	check(of_symbols, COUNT_OF(of_symbols), 0);
	check(of_haskell, COUNT_OF(of_haskell), LANG_HASKELL);
	check_by(means_in_inner_module, with_inner_modules, COUNT_OF(with_inner_modules), 0);
}

static void texts_that_mean_a_name_in_any_case(void **state)
{
	(void)state;
	check(of_fortran, COUNT_OF(of_fortran), LANG_FORTRAN77);
	check(of_fortran, COUNT_OF(of_fortran), LANG_FORTRAN90);
	check(of_fortran, COUNT_OF(of_fortran), LANG_FORTRAN95);
	check(of_fortran, COUNT_OF(of_fortran), LANG_FORTRAN03);
	check(of_fortran, COUNT_OF(of_fortran), LANG_FORTRAN08);
	check(of_fortran, COUNT_OF(of_fortran), LANG_FORTRAN18);
	check(of_fortran, COUNT_OF(of_fortran), LANG_FORTRAN23);
	check(of_pascal, COUNT_OF(of_pascal), LANG_PASCAL83);
}

/* A name of Ada that is too long to be written as people do counts as it is. */
static void a_long_name_of_ada(void **state)
{
	enum { MOST = 4096 };
	char name[MOST + 1];

	(void)state;
	memset(name, 'f', sizeof(name));
	memcpy(name, "a__b__", 6);
	for (size_t size = MOST; size <= sizeof(name); size++) {
		char wanted[MOST + 2] = "";
		memcpy(wanted, name + 6, size - 6);
		assert_int_equal(means(wanted, name, size, LANG_ADA95), size == MOST);
		memcpy(wanted, name, size);
		assert_true(means(wanted, name, size, LANG_ADA95));
	}
}

/* Names that are made to cost time: brackets in brackets are gone into a few times. */
static void many_declarators(void **state)
{
	enum { SIZE = 1 << 14, LEVELS = SIZE / 8 };
	static char name[SIZE];

	(void)state;
	for (size_t i = 0; i < LEVELS; i++) {
		memcpy(name + 2 * i, "(*", 2);
		memcpy(name + 2 * LEVELS + 3 * i, ")()", 3);
	}
	assert_false(means("f", name, 5 * LEVELS, 0));
}

/* The same: operators whose signs look like brackets that are never closed, in what looks like a block of Rust's. */
static void many_operators(void **state)
{
	enum { SIZE = 4096, NAMES = 2000 };
	static char name[SIZE];
	static const char sign[] = "operator<";

	(void)state;
	size_t size = strlen(strcpy(name, "<impl "));
	for (; size + sizeof(sign) + 4 < SIZE; size += strlen(sign))
		memcpy(name + size, sign, strlen(sign));
	memcpy(name + size, ">::f", 4);
	for (int i = 0; i < NAMES; i++)
		assert_false(means("operator+", name, size + 4, 0));
}

static const struct {
	const char *wanted, *word;
} words[] = {
	{"main", "main"},
	{"foo::bar<int>(char)", "bar"},
	{"shop::invoice<shop::order>", "invoice"},
	{"void shop::invoice<shop::order>(shop::order)", "invoice"},
	{"int (*shop::handler<a>(a))(int, char)", "handler"},
	{"shop::~box", "box"},
	{"f(int)::g", "g"},
	{"foo.bar(int)", "foo"},
	{"main.(*S).Len", "main"},
	{"(*S).Len", "Len"},
	{"S.Len", "S"},
	{"::main", "main"},
	{"vector<a>::size() const", "size"},
	{"a::operator<", ""},
	{"a::operator()(int)", ""},
	{"a::operator bool", ""},
	{"operator new", ""},
	{"operator==", ""},
	{"main::{lambda(int)#1}", ""},
	{"std::allocator<char>::allocator", ""},
	{"std::string::basic_string", ""},
	{"std::ostream", ""},
	{"::", ""},
	{"", ""},
};

static void the_word_that_mangled_names_have(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t size;
		const char *word = name_match_word(words[i].wanted, &size);
		if (size != strlen(words[i].word) || memcmp(word, words[i].word, size) != 0)
			fail_msg("of '%s' it is '%.*s'", words[i].wanted, (int)size, word);
	}
}

static void the_word_that_other_names_have(void **state)
{
	static const struct {
		const char *wanted, *word;
	} shown[] = {
		{"main", "main"},
		{"a::operator<", "operator"},
		{"operator new", "operator"},
		{"a::operator()(int)::{lambda()#1}", "operator"},
		{"{lambda()#1}", ""},
		{"f(operator_traits)", "f"},
		{"std::ostream", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(shown); i++) {
		size_t size;
		const char *word = name_match_shown_word(shown[i].wanted, &size);
		if (size != strlen(shown[i].word) || memcmp(word, shown[i].word, size) != 0)
			fail_msg("of '%s' it is '%.*s'", shown[i].wanted, (int)size, word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_that_mean_a_name),
		cmocka_unit_test(texts_that_mean_a_name_with_dots),
		cmocka_unit_test(texts_that_mean_an_encoded_name),
		cmocka_unit_test(texts_that_mean_a_name_in_any_case),
		cmocka_unit_test(a_long_name_of_ada),
		cmocka_unit_test(many_declarators),
		cmocka_unit_test(many_operators),
		cmocka_unit_test(the_word_that_mangled_names_have),
		cmocka_unit_test(the_word_that_other_names_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
