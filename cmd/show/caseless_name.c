/*
 * Of Ada, what GNAT's exp_dbug.ads says of names, as far as subprograms have it; of Fortran, how gfortran and LLVM's
 * flang put the module before a procedure's name.
 */
#include "cmd/show/caseless_name.h"

#include <string.h>

#include "cmd/common/language.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static size_t lower(const char *text, size_t size, char *ret)
{
	for (size_t i = 0; i < size; i++)
		ret[i] = is_capital(text[i]) ? (char)(text[i] - 'A' + 'a') : text[i];
	return size;
}

static bool ends_with(const char *name, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size > length && memcmp(name + size - length, end, length) == 0;
}

/* ---- Ada ---- */

static const struct {
	const char *sign, *name;
} ada_operators[] = {
	{"abs", "oabs"},  {"and", "oand"},    {"mod", "omod"},  {"not", "onot"},  {"or", "oor"},
	{"rem", "orem"},  {"xor", "oxor"},    {"=", "oeq"},     {"/=", "one"},    {"<", "olt"},
	{"<=", "ole"},    {">", "ogt"},       {">=", "oge"},    {"+", "oadd"},    {"-", "osubtract"},
	{"&", "oconcat"}, {"*", "omultiply"}, {"/", "odivide"}, {"**", "oexpon"},
};

/* The size without the number of an overloaded subprogram, as the __2 of pkg__proc__2 is. */
static size_t size_without_number(const char *name, size_t size)
{
	size_t digits = 0;

	while (digits < size && is_digit(name[size - 1 - digits]))
		digits++;
	size_t start = size - digits;
	bool is_number = digits && start > 2 && name[start - 1] == '_' && name[start - 2] == '_';
	return is_number ? start - 2 : size;
}

/* The size without what says which part of an entry of a protected object it is: _E12s, _B13s. */
static size_t size_without_entry(const char *name, size_t size)
{
	size_t at = size - 1;

	if (size < 5 || name[at] != 's' || !is_digit(name[at - 1]))
		return size;
	while (at > 2 && is_digit(name[at - 1]))
		at--;
	bool is_entry = (name[at - 1] == 'E' || name[at - 1] == 'B') && name[at - 2] == '_';
	return is_entry ? at - 2 : size;
}

/* The size without what the compiler puts behind the name, in which all letters are small. */
static size_t size_without_kind(const char *name, size_t size)
{
	/* The first two are of bodies of tasks, the others of subprograms of protected objects. */
	static const char *const kinds[] = {"TKB", "TB", "N", "P"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i]);
		if (ends_with(name, size, kinds[i]) && name[size - length - 1] != '_' &&
		    !is_capital(name[size - length - 1]))
			return size - length;
	}
	return size_without_entry(name, size);
}

static size_t ada_name(const char *name, size_t size, char *ret)
{
	static const char of_main[] = "_ada_";
	const size_t skipped = strlen(of_main);
	size_t length = 0;

	if (size > skipped && memcmp(name, of_main, skipped) == 0) {
		name += skipped;
		size -= skipped;
	}
	size = size_without_number(name, size);
	if (size)
		size = size_without_kind(name, size);
	for (size_t i = 0; i < size; i++) {
		bool is_separator = i && i + 2 < size && name[i] == '_' && name[i + 1] == '_';
		ret[length++] = is_separator ? '.' : name[i];
		i += is_separator;
	}
	return lower(ret, length, ret);
}

static size_t ada_text(const char *text, size_t size, char *ret)
{
	size_t length = lower(text, size, ret);
	const char *end = length > 2 && ret[length - 1] == '"' ? ret + length - 1 : NULL;
	const char *quote = end ? memrchr(ret, '"', length - 1) : NULL;

	for (size_t i = 0; quote && i < sizeof(ada_operators) / sizeof(ada_operators[0]); i++) {
		const char *sign = ada_operators[i].sign, *name = ada_operators[i].name;
		if (strlen(sign) != (size_t)(end - quote - 1) || memcmp(quote + 1, sign, strlen(sign)) != 0)
			continue;
		length = (size_t)(quote - ret) + strlen(name);
		memcpy(ret + (quote - ret), name, strlen(name));
		break;
	}
	return length;
}

/* ---- Fortran ---- */

/* geometry::area for gfortran's __geometry_MOD_area and flang's _QMgeometryParea; other names stay as they are. */
static size_t fortran_name(const char *name, size_t size, char *ret)
{
	static const char of_module[] = "_MOD_";
	const char *found =
		size > 2 && memcmp(name, "__", 2) == 0 ? memmem(name, size, of_module, strlen(of_module)) : NULL;
	size_t length = 0;

	if (found && found > name + 2) {
		length = lower(name + 2, (size_t)(found - name) - 2, ret);
		memcpy(ret + length, "::", 2);
		found += strlen(of_module);
		return length + 2 + lower(found, (size_t)(name + size - found), ret + length + 2);
	}
	/* flang puts a capital before each component: M, S and F for modules, submodules and hosts, P for procedures.
	 */
	if (size < 4 || memcmp(name, "_Q", 2) != 0 || !memchr("MSFP", name[2], 4))
		return lower(name, size, ret);
	for (size_t i = 3; i < size; i++) {
		if (!is_capital(name[i])) {
			ret[length++] = name[i];
		} else if (length) {
			memcpy(ret + length, "::", 2);
			length += 2;
		}
	}
	return length;
}

/* ---- All ---- */

bool language_is_caseless(uint32_t language)
{
	return language_is_ada(language) || language_is_fortran(language) || language == LANG_PASCAL83;
}

size_t caseless_name(const char *name, size_t size, uint32_t language, char *ret)
{
	if (language_is_ada(language))
		return ada_name(name, size, ret);
	return language_is_fortran(language) ? fortran_name(name, size, ret) : lower(name, size, ret);
}

size_t caseless_text(const char *text, size_t size, uint32_t language, char *ret)
{
	return language_is_ada(language) ? ada_text(text, size, ret) : lower(text, size, ret);
}
