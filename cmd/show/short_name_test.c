/* What is left of demangled names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/show/short_name.h"

static const struct {
	const char *name, *folded;
} cases[] = {
	{"main", "main"},
	{"std::vector<int, std::allocator<int> >::size() const", "std::vector::size"},
	{"int shop::report<shop::Order>(std::vector<shop::Order, std::allocator<shop::Order> > const&, int)",
	 "shop::report"},
	{"void std::sort<int*, bool (*)(int, int)>(int*, int*, bool (*)(int, int))", "std::sort"},
	{"(anonymous namespace)::helper(int)", "(anonymous namespace)::helper"},
	{"a::(anonymous namespace)::f(int) [clone .cold]", "a::(anonymous namespace)::f"},
	{"std::ostream& operator<< <char>(std::ostream&, char const*)", "operator<<"},
	{"std::basic_ostream<char>::operator<<(int)", "std::basic_ostream::operator<<"},
	{"foo::operator()(int) const", "foo::operator()"},
	{"std::__shared_ptr_access<int>::operator->() const", "std::__shared_ptr_access::operator->"},
	{"operator new(unsigned long)", "operator new"},
	{"operator new[](unsigned long)", "operator new[]"},
	{"a::operator delete[](void*)", "a::operator delete[]"},
	{"foo::operator bool() const", "foo::operator bool"},
	{"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"},
	{"f(int)::{lambda()#2}::operator()() const", "f::{lambda()#2}::operator()"},
	{"run(int)::counter", "run::counter"},
	{"core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place"},
	{"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop"},
	{"decltype (a->b) call<int>(int)", "call"},
	{"bool operator<(a const&, b const&)", "operator<"},
	{"int f(int)", "f"},
	{"unsigned long long a::b::c<int>(char)", "a::b::c"},
	{"a::operator<=>(a const&) const", "a::operator<=>"},
	{"a::operator->*(int)", "a::operator->*"},
	{"a& a::operator<<=(int)", "a::operator<<="},
	{"void a::operator>>=<int>(int)", "a::operator>>="},
	{"a::operator[](int)", "a::operator[]"},
	{"myoperator<int>(int)", "myoperator"},
	{"f(int (*)[3], a<(b)1>)::g", "f::g"},
	{"f<(a->b), -1, c-d>::g", "f::g"},
	{"f<{a}, [b]>::g", "f::g"},
	{"f<a->b", "f<a->b"},
	{"f<a->", "f<a->"},
	{"core::<T as U>::f(int)", "core::<T as U>::f"},
	{"a:<T>f", "a:<T>f"},
	{":<T>f", ":f"},
	{"a<T>f", "af"},
	{"f(int) const::g", "f::g"},
	{"f(int) const [clone .a] [clone .b]", "f"},
	{"a b<c d>::e(f g)", "b::e"},
	{"(a)b", "b"},
	{"int (anonymous)", "int (anonymous)"},
	{"x operator y(int)", "operator y"},
	{"perator y(int)", "y"},
	{"foo::operator unsigned long() const", "foo::operator unsigned long"},
	{"foo::operator a::b<c> const*() const", "foo::operator a::b const*"},
	{"foo::operator void (*)(int)() const", "foo::operator void"},
	{"foo::operator a b<c>() const::d", "foo::operator a b::d"},
	{"operator\"\" _km(long double)", "operator\"\" _km"},
	{"int operators::f<int>(int)", "operators::f"},
	{"int (*shop::handler<a<b> >(a<b>))(int, char)", "shop::handler"},
	{"int (&shop::table<int>(int)) [3]", "shop::table"},
	{"int (&table())[3]", "table"},
	{"int (a<b*>::*shop::method<a*>(int) const)(int)", "shop::method"},
	{"int (*(*shop::twice<int>(int))(int))(char)", "shop::twice"},
	{"decltype (*(a)) (*shop::f<int>(int*))(char)", "shop::f"},
	{"decltype (*a) shop::f<int>(int*)", "shop::f"},
	{"non-virtual thunk to a<int>::f(int)", "non-virtual thunk to a::f"},
	{"virtual thunk to a::~a()", "virtual thunk to a::~a"},
	{"covariant return thunk to a::f() const", "covariant return thunk to a::f"},
	{"non-virtual thunk to (anonymous namespace)::a::f() [clone .cold]",
	 "non-virtual thunk to (anonymous namespace)::a::f"},
	{"transaction clone for void f<int>(int)", "transaction clone for f"},
	{"non-transaction clone for void f<int>(int)", "non-transaction clone for f"},
	{"hidden alias for void f<int>(int)", "hidden alias for f"},
	{"TLS wrapper function for a<int>::b", "TLS wrapper function for a::b"},
	{"TLS init function for b", "TLS init function for b"},
	{"guard variable for int f<int>(int)::x", "guard variable for f::x"},
	{"vtable for a<int>", "vtable for a"},
	{"VTT for a<int>", "VTT for a"},
	{"typeinfo for a<int>", "typeinfo for a"},
	{"typeinfo name for a<int>", "typeinfo name for a"},
	{"template parameter object for a<int>", "template parameter object for a"},
	{"construction vtable for a<int>-in-b<int>", "construction vtable for a-in-b"},
	{"vtable for ", "vtable for "},
	{"vtable for (", "vtable for ("},
	{"virtual thunk to (a)", "virtual thunk to (a)"},
	{"(a)(b)", "(a)(b)"},
	{"(a<)(b)", "(a<)(b)"},
	{"(*a)", "(*a)"},
	{"(*)(b)", "(*)(b)"},
	{"f(", "f("},
	{"f<int", "f<int"},
	{"a)b", "a)b"},
	{"()", "()"},
	{"", ""},
	{" ", " "},
};

static void check_with(enum name_separator separator, const char *name, const char *folded)
{
	char ret[256], untouched[sizeof(ret)];
	size_t whole = strlen(name);

	for (size_t i = 0; i < sizeof(ret); i++)
		ret[i] = untouched[i] = (char)i;
	size_t size = short_name(name, whole, separator, ret);
	assert_memory_equal(ret + whole, untouched + whole,
			    sizeof(ret) - whole); /* it needs no more room than the name */
	ret[size] = '\0';
	assert_string_equal(ret, folded);
}

static void check(const char *name, const char *folded)
{
	check_with(NAME_COLONS, name, folded);
}

/* Names of Go, and of D. */
static void names_with_dots(void **state)
{
	(void)state;
	check_with(NAME_DOTS, "main.(*S).Len", "main.(*S).Len");
	check_with(NAME_DOTS, "main.(*L[go.shape.int_0]).Push", "main.(*L).Push");
	check_with(NAME_DOTS, "main.Map[go.shape.int_0]", "main.Map");
	check_with(NAME_DOTS, "github.com/a/b.(*T).f.func1", "github.com/a/b.(*T).f.func1");
	check_with(NAME_DOTS, "int app.foo!(int).foo(int)", "app.foo");
	check_with(NAME_DOTS, "app.f(int) const.g(char) const", "app.f.g");
	check_with(NAME_DOTS, "a.(", "a.(");
	check_with(NAME_DOTS, ").", ").");
}

static void folds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(cases[i].name, cases[i].folded);
}

/* Signs of operators are no brackets: as a name's end, and in the arguments of a template. */
static void signs_of_operators_stay(void **state)
{
	static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>",
					    "<=", ">=", "->",  "<",   ">",   "==",  "+",  "new"};
	char name[64], folded[64];

	(void)state;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		snprintf(name, sizeof(name), "x::operator%s(int) const", signs[i]);
		snprintf(folded, sizeof(folded), "x::operator%s", signs[i]);
		check(name, folded);
		snprintf(name, sizeof(name), "f<&x::operator%s, 1>::g", signs[i]);
		check(name, "f::g");
	}
}

/* A word that ends in "operator" is none. */
static void an_operator_is_a_word(void **state)
{
	static const char in_words[] = "azAZ09_$", others[] = "`@/:~.,";
	char name[64], folded[64];

	(void)state;
	for (size_t i = 0; in_words[i]; i++) {
		snprintf(name, sizeof(name), "x::%coperator<int>(int)", in_words[i]);
		snprintf(folded, sizeof(folded), "x::%coperator", in_words[i]);
		check(name, folded);
	}
	for (size_t i = 0; others[i]; i++) {
		snprintf(name, sizeof(name), "x::%coperator<(int)", others[i]);
		snprintf(folded, sizeof(folded), "x::%coperator<", others[i]);
		check(name, folded);
	}
}

/* A NUL byte in a name is no bracket. */
static void a_byte_of_zero_stays(void **state)
{
	char ret[8];

	(void)state;
	assert_int_equal(short_name("a\0b(c)", 6, NAME_COLONS, ret), 3);
	assert_memory_equal(ret, "a\0b", 3);
}

static const struct {
	const char *name, *own;
} own[] = {
	{"main", "main"},
	{"f(int)", "f"},
	{"int outer<counter>(counter&, int*)", "outer<counter>"},
	{"a::S<b::T>::go<int>(long, int) const", "go<int>"},
	{"S<b::T>::~S()", "~S"},
	{"main::{lambda(int)#1}::operator()(int) const", "operator()"},
	{"std::ostream& a::operator<< <char>(std::ostream&, a::S<char>)", "operator<< <char>"},
	{"S::operator unsigned long() const", "operator unsigned long"},
	{"(anonymous namespace)::f(int)", "f"},
	{"void (*h(int))(long)", "h"},
	{"a::f[abi:cxx11](int)", "f"},
	{"g<int>(int) [clone .cold]", "g<int>"},
	{"<T as foo::Bar>::baz", "baz"},
	{"core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "drop_in_place<alloc::vec::Vec<u8>>"},
	{"a::b<c(", "a::b<c("},
	{"a::", "a::"},
	{"", ""},
};

static void a_name_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		size_t size;
		const char *found = own_name(own[i].name, strlen(own[i].name), NAME_COLONS, &size);
		if (size != strlen(own[i].own) || memcmp(found, own[i].own, size) != 0)
			fail_msg("'%s': '%.*s'", own[i].name, (int)size, found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(folds),
					   cmocka_unit_test(names_with_dots),
					   cmocka_unit_test(signs_of_operators_stay),
					   cmocka_unit_test(an_operator_is_a_word),
					   cmocka_unit_test(a_byte_of_zero_stays),
					   cmocka_unit_test(a_name_of_its_own)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
