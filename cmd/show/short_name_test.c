/* What is left of demangled names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
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
	{"f(", "f("},
	{"f<int", "f<int"},
	{"a)b", "a)b"},
	{"()", "()"},
	{"", ""},
	{" ", " "},
};

static void folds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char ret[256], untouched[sizeof(ret)];
		size_t whole = strlen(cases[i].name);
		memset(ret, '#', sizeof(ret));
		memset(untouched, '#', sizeof(untouched));
		size_t size = short_name(cases[i].name, whole, ret);
		assert_memory_equal(ret + whole, untouched,
				    sizeof(ret) - whole); /* it needs no more room than the name */
		ret[size] = '\0';
		assert_string_equal(ret, cases[i].folded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(folds)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
