/* Spellings of names, and the usual one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/language.h"
#include "base/toolkit_test.h"
#include "cmd/show/usual_name.h"

struct spelling {
	const char *name, *usual;
};

static const struct spelling cases[] = {
	{"main", "main"},
	{"a::f(int) const", "a::f(int) const"},
	{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const",
	 "std::basic_string<char>::size() const"},
	{"std::string::size", "std::basic_string<char>::size"},
	{"std::wostream", "std::basic_ostream<wchar_t>"},
	{"std::string_view", "std::basic_string_view<char>"},
	{"std::u8string", "std::basic_string<char8_t>"},
	{"std::u16string", "std::basic_string<char16_t>"},
	{"std::u32string", "std::basic_string<char32_t>"},
	{"std::istream", "std::basic_istream<char>"},
	{"std::iostream", "std::basic_iostream<char>"},
	{"std::ostringstream", "std::basic_ostringstream<char>"},
	{"std::istringstream", "std::basic_istringstream<char>"},
	{"std::stringstream", "std::basic_stringstream<char>"},
	{"std::ofstream", "std::basic_ofstream<char>"},
	{"std::ifstream", "std::basic_ifstream<char>"},
	{"std::fstream", "std::basic_fstream<char>"},
	{"std::streambuf", "std::basic_streambuf<char>"},
	{"std::strings", "std::strings"},
	{"shop::string", "shop::string"},
	{"shop::__1::f", "shop::__1::f"},
	{"std::__1::vector<int, std::__1::allocator<int> >::size", "std::vector<int>::size"},
	{"std::__2::f", "std::f"},
	{"std::__8::f", "std::f"},
	{"std::__ndk1::f", "std::f"},
	{"std::_V2::f", "std::f"},
	{"std::__debug::f", "std::f"},
	{"std::__cxx1998::f", "std::f"},
	{"std::unique_ptr<a, std::default_delete<a> >", "std::unique_ptr<a>"},
	{"std::unordered_map<a, b, std::hash<a>, std::equal_to<a>, std::allocator<b> >", "std::unordered_map<a, b>"},
	{"std::map<a, b, std::less<a>, std::allocator<std::pair<a const, b> > >", "std::map<a, b>"},
	{"f<int, std::allocator<int>, char>", "f<int, std::allocator<int>, char>"},
	{"f<std::allocator<int> >", "f<std::allocator<int>>"},
	{"f(int, std::allocator<int>)", "f(int, std::allocator<int>)"},
	{"f(const char *, const std::vector<int> &, const int)", "f(char const*, std::vector<int> const&, int const)"},
	{"f(char const*)", "f(char const*)"},
	{"a::operator const char*", "a::operator char const*"},
	{"a::operator<< <b>(b)", "a::operator<< <b>(b)"},
	{"a::operator()(const b &)", "a::operator()(b const&)"},
	{"a::operator->() const", "a::operator->() const"},
	{"f<decltype((a)->b)>", "f<decltype((a)->b)>"},
	{"f[abi:cxx11](g[abi:v9])", "f(g)"},
	{"r::apply::<i32>", "r::apply<i32>"},
	{"r::<impl a::T for i32>::f", "r::<impl a::T for i32>::f"},
	{"r::main::{{closure}}", "r::main::{closure}"},
	{"{anonymous}::f", "(anonymous namespace)::f"},
	{"r::gr$uf6$$udf$e::$u20ac$::$u1f600$", "r::größe::€::😀"},
	{"a$u41$b$u$c$ufff", "a$u41$b$u$c$ufff"},
	{"a>>)b", "a>>)b"},
	{"const", "const"},
	{"", ""},
};

static const struct spelling of_d[] = {
	{"app.Vec!(string).push", "app.Vec!(immutable(char)[]).push"},
	{"Vec!wstring", "Vec!immutable(wchar)[]"},
	{"Vec!dstring", "Vec!immutable(dchar)[]"},
	{"stringy(const char)", "stringy(const char)"},
};

static const struct spelling without_versions[] = {
	{"lib::v2::f", "lib::f"},
	{"lib::v10_0::f(lib::v10_0::t)", "lib::f(lib::t)"},
	{"lib::_V2::__1::f", "lib::f"},
	{"lib::lts_20230125::f<lib::abi_v3_11_2::t>", "lib::f<lib::t>"},
	{"v2::f", "v2::f"},     /* no namespace has it inside */
	{"lib::v2", "lib::v2"}, /* a function */
	{"lib::v2<a>::f", "lib::v2<a>::f"},
	{"lib::Vec2::f", "lib::Vec2::f"},
	{"lib::dev2::f", "lib::dev2::f"},
	{"lib::v::f", "lib::v::f"},
	{"lib::__::f", "lib::__::f"},
	{"std::__cxx11::f", "std::f"},
};

static void check(const struct spelling *spellings, size_t count, uint32_t language, bool leaves_out)
{
	for (size_t i = 0; i < count; i++) {
		char ret[USUAL_NAME_ROOM];
		const struct spelling *one = &spellings[i];
		size_t size = usual_name(one->name, strlen(one->name), language, leaves_out, ret);
		if (size != strlen(one->usual) || memcmp(ret, one->usual, size) != 0)
			fail_msg("'%s' is '%.*s'", one->name, (int)size, ret);
	}
}

static void usual_spellings(void **state)
{
	char ret[USUAL_NAME_ROOM];

	(void)state;
	check(cases, COUNT_OF(cases), 0, false);
	check(without_versions, COUNT_OF(without_versions), 0, true);
	check(of_d, COUNT_OF(of_d), LANG_D, true);
	assert_int_equal(usual_name("main.f", 6, LANG_GO, false, ret), 0);
}

/* What grows most, as often as it fits; and more brackets than are kept. */
static void the_longest_names(void **state)
{
	static const char *const parts[] = {"std::string ", "$u", "std::u32ifstream,", "{anonymous}", "(",
					    "<const a,",    ">,"};
	static char name[USUAL_NAME_SIZE_MAX + 1], ret[USUAL_NAME_ROOM];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		size_t part = strlen(parts[i]), size = 0;
		for (; size + part <= USUAL_NAME_SIZE_MAX; size += part)
			memcpy(name + size, parts[i], part);
		assert_true(usual_name(name, size, 0, false, ret) <= sizeof(ret));
		assert_true(usual_name(name, size, LANG_D, false, ret) <= sizeof(ret));
	}
	assert_int_equal(usual_name(name, sizeof(name), 0, false, ret), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_spellings),
		cmocka_unit_test(the_longest_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
