/* Which texts mean a name, and which words of theirs a mangled name has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/show/name_match.h"

static const struct {
	const char *name;
	const char *same[12], *other[12]; /* texts that mean the name, and texts that do not */
} cases[] = {
	{"main", {"main"}, {"mai", "ain", "main(", "main()", "::main", " main x", "main main"}},
	{"shop::box::area(int) const",
	 {"area", "box::area", "shop::box::area", "shop::box::area(int)", "area(int)", "area(int) const",
	  "area( int )const"},
	 {"rea", "ox::area", "box", "shop::area", "area(char)", "area(", "area(int) con", "shop::box", "const",
	  "area::"}},
	{"void shop::invoice<shop::order>(shop::order)",
	 {"shop::invoice<shop::order>", "invoice<shop::order>", "invoice", "shop::invoice(shop::order)",
	  "shop::invoice<shop::order>(shop::order)", "void shop::invoice<shop::order>(shop::order)",
	  "shop::invoice <shop::order> (shop::order)"},
	 {"void", "order", "shop::invoice<>", "shop::invoice<shop::order", "invoice<order>", "voidinvoice",
	  "invoice<shop::line>"}},
	{"unsigned long long a::wide<b>(b)",
	 {"wide<b>", "a::wide", "a::wide(b)"},
	 {"long", "long long a::wide", "unsigned"}},
	{"std::vector<a, std::allocator<a> > shop::make<a>(a)",
	 {"shop::make<a>", "make<a>(a)", "make"},
	 {"vector", "std::vector", "vectormake", "make<a, b>", "vector<a, std::allocator<a> > shop::make"}},
	{"std::vector<a, std::allocator<a> >::size() const",
	 {"size", "vector::size", "std::vector<a, std::allocator<a> >::size", "vector<a,std::allocator<a>>::size()"},
	 {"std::vector<a>::size", "allocator", "std::vector"}},
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
	{"auto main::{lambda(auto:1)#1}::operator()<a>(a) const",
	 {"operator()", "main::{lambda(auto:1)#1}::operator()<a>", "{lambda(auto:1)#1}::operator()"},
	 {"main::operator()", "{lambda(auto:2)#1}::operator()"}},
	{"(anonymous namespace)::helper(int)", {"helper", "(anonymous namespace)::helper"}, {"namespace)::helper"}},
	{"f[abi:cxx11](int) [clone .cold]",
	 {"f", "f(int)", "f[abi:cxx11]", "f[abi:cxx11](int) [clone .cold]"},
	 {"[clone .cold]"}},
	{"f(int)::g(char) const", {"g", "f::g", "f(int)::g(char)"}, {"f", "f(int)", "f(char)::g"}},
	{"<a as b>::f", {"f", "<a as b>::f"}, {"<a>::f", "b>::f"}},
	{"f<int", {"f<int"}, {"f", "f<"}},
	{"a::", {"a::"}, {"a"}},
};

static void texts_that_mean_a_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i].name;
		for (const char *const *same = cases[i].same; *same; same++)
			if (!name_matches(*same, name, strlen(name)))
				fail_msg("'%s' does not mean '%s'", *same, name);
		for (const char *const *other = cases[i].other; *other; other++)
			if (name_matches(*other, name, strlen(name)))
				fail_msg("'%s' means '%s'", *other, name);
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
	assert_false(name_matches("f", name, 5 * LEVELS));
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(texts_that_mean_a_name), cmocka_unit_test(many_declarators),
					   cmocka_unit_test(the_word_that_mangled_names_have)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
