/*
 * Knows what GNAT's exp_dbug.ads says of the names of Ada's subprograms, how gfortran and LLVM's flang put the module
 * before the name of a procedure of Fortran, and what Free Pascal, GHC, ocamlopt, Crystal and Nim make of names for the
 * linker.
 */
#include "cmd/show/source_name.h"

#include <stdio.h>
#include <string.h>

#include "base/language.h"
#include "cmd/common/hex_digit.h"
#include "cmd/show/name_ends.h"
#include "cmd/show/name_walk.h"

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

/* `ret` may be `text`. */
static size_t without_idle_spaces(const char *text, size_t size, char *ret)
{
	size_t length = 0;

	for (size_t i = 0; i < size; i++) {
		if (!name_is_idle_space(text, text + i, text + size))
			ret[length++] = text[i];
	}
	return length;
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

/* The size without what says that it is in the body of a package: X, and an n or b for each block or body around it. */
static size_t size_without_body(const char *name, size_t size)
{
	size_t at = size;

	while (at && (name[at - 1] == 'n' || name[at - 1] == 'b'))
		at--;
	return at > 1 && name[at - 1] == 'X' ? at - 1 : size;
}

/* The size without what the compiler puts behind the name, in which all letters are small. */
static size_t size_without_kind(const char *name, size_t size)
{
	/* The first two are of bodies of tasks, the others of subprograms of protected objects. */
	static const char *const kinds[] = {"TKB", "TB", "N", "P"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i]);
		if (name_ends_with(name, size, kinds[i]) && name[size - length - 1] != '_' &&
		    !is_capital(name[size - length - 1]))
			return size - length;
	}
	return size_without_entry(name, size_without_body(name, size));
}

/* The size of blocks without a name, as the B_1__ of proc__B_1__nested is one. */
static size_t size_of_blocks(const char *name, size_t size)
{
	size_t behind = 0;

	for (size_t at = 0; size - at > 4 && name[at] == 'B' && name[at + 1] == '_' && is_digit(name[at + 2]);) {
		at += 2;
		while (at < size && is_digit(name[at]))
			at++;
		if (size - at < 3 || name[at] != '_' || name[at + 1] != '_')
			break;
		at += 2;
		behind = at;
	}
	return behind;
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
		if (is_separator)
			i += 1 + size_of_blocks(name + i + 2, size - i - 2);
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
	/* Flang puts a capital before each component: M, S or F before what holds it, P before the procedure's. */
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

/* ---- Pascal ---- */

/*
 * unit.tclass.method for Free Pascal's UNIT$_$TCLASS_$__$$_METHOD$PARAMETER$$RESULT, in which P$ stands before the name
 * of a program. Other names stay as they are.
 */
static size_t pascal_name(const char *name, size_t size, char *ret)
{
	static const char own[] = "_$$_";
	const char *at = name, *end = name + size, *found = memmem(name, size, own, strlen(own));
	size_t length = 0;
	bool is_skipped = false; /* parameters of a procedure around it */

	if (!found)
		return lower(name, size, ret);
	if (size > 2 && memcmp(name, "P$", 2) == 0)
		at += 2;
	while (at < found) {
		bool is_end = found - at > 2 && (memcmp(at, "$_$", 3) == 0 || memcmp(at, "_$_", 3) == 0);
		if (is_end || *at == '$') {
			is_skipped = !is_end;
			if (is_end && length && ret[length - 1] != '.')
				ret[length++] = '.';
			at += is_end ? 3 : 1;
			continue;
		}
		if (!is_skipped)
			ret[length++] = *at;
		at++;
	}

	/* Before the own name of a method two ends meet, as in TCLASS_$__$$_. */
	if (length && ret[length - 1] != '.')
		ret[length++] = '.';
	for (at = found + strlen(own); at < end && (*at != '$' || at == found + strlen(own)); at++)
		ret[length++] = *at;
	return lower(ret, length, ret);
}

/* ---- Objective-C ---- */

/* -[Class selector for -[Class(Category) selector], whose category people leave out, and which ends by itself. */
static size_t objc_name(const char *name, size_t size, bool with_brackets, char *ret)
{
	const char *category = with_brackets ? NULL : memchr(name, '(', size);
	const char *behind = category ? memchr(category, ')', (size_t)(name + size - category)) : NULL;
	size_t length = 0;

	for (const char *at = name; at < name + size; at++) {
		if (behind && at == category)
			at = behind + 1;
		if (at < name + size && (*at != ']' || at + 1 < name + size))
			ret[length++] = *at;
	}
	return without_idle_spaces(ret, length, ret);
}

/* ---- Haskell ---- */

/* The characters that GHC writes as z or Z and a letter. */
static char decoded_z(char sign, char letter)
{
	static const struct {
		char code[3], is;
	} codes[] = {
		{"za", '&'}, {"zb", '|'}, {"zc", '^'}, {"zd", '$'}, {"ze", '='}, {"zg", '>'},  {"zh", '#'},
		{"zi", '.'}, {"zl", '<'}, {"zm", '-'}, {"zn", '!'}, {"zp", '+'}, {"zq", '\''}, {"zr", '\\'},
		{"zs", '/'}, {"zt", '*'}, {"zu", '_'}, {"zv", '%'}, {"zz", 'z'}, {"ZC", ':'},  {"ZL", '('},
		{"ZM", '['}, {"ZN", ']'}, {"ZR", ')'}, {"ZZ", 'Z'},
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i].code[0] == sign && codes[i].code[1] == letter)
			return codes[i].is;
	}
	return 0;
}

/* The size without what says which code of a function it is; 0: nothing says so. */
static size_t size_of_haskell(const char *name, size_t size)
{
	static const char *const ends[] = {"_con_info", "_info", "_slow", "_fast", "_entry"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (name_ends_with(name, size, ends[i]))
			return size - strlen(ends[i]);
	}
	return 0;
}

/* Where the module begins in package_Module_function, or Module_function; NULL: it is no such name. */
static const char *module_in(const char *name, size_t size)
{
	const char *end = name + size, *own = size ? memrchr(name, '_', size) : NULL;
	const char *before = own && own > name ? memrchr(name, '_', (size_t)(own - name)) : NULL;
	const char *module = before ? before + 1 : name;

	return own && own + 1 < end && is_capital(*module) ? module : NULL;
}

/* Module.function for package_Module_function_info. 0: it is no such name. */
static size_t haskell_name(const char *name, size_t size, char *ret)
{
	const char *at, *end;
	size_t length = 0;

	size = size_of_haskell(name, size);
	at = module_in(name, size);
	end = name + size;
	for (; at && at < end; at++) {
		if (*at == '_') {
			ret[length++] = '.';
		} else if (*at == 'z' || *at == 'Z') {
			char sign = at + 1 < end ? decoded_z(*at, at[1]) : 0;
			if (!sign)
				return 0;
			ret[length++] = sign;
			at++;
		} else {
			ret[length++] = *at;
		}
	}
	return length;
}

/* ---- OCaml ---- */

/* Module.function for camlModule__function_123, in which $27 is a character by its code. */
static size_t ocaml_name(const char *name, size_t size, char *ret)
{
	size_t length = 0, end = size;

	while (end && is_digit(name[end - 1]))
		end--;
	end = end < size && end && name[end - 1] == '_' ? end - 1 : size;
	for (size_t i = strlen("caml"); i < end; i++) {
		bool is_separator = length && i + 2 < end && name[i] == '_' && name[i + 1] == '_';
		bool is_code =
			i + 2 < end && name[i] == '$' && hex_digit(name[i + 1]) >= 0 && hex_digit(name[i + 2]) >= 0;
		if (is_separator)
			ret[length++] = '.';
		else if (is_code)
			ret[length++] = (char)(hex_digit(name[i + 1]) << 4 | hex_digit(name[i + 2]));
		else
			ret[length++] = name[i];
		i += is_separator ? 1 : is_code ? 2 : 0;
	}
	return length;
}

/* OCaml's own stacks call a module in a library by its name for the linker: Stdlib__List.map is Stdlib.List.map. */
static size_t ocaml_text(const char *text, size_t size, char *ret)
{
	size_t length = 0;

	for (size_t i = 0; i < size; i++) {
		bool is_separator = length && i + 2 < size && text[i] == '_' && text[i + 1] == '_';
		ret[length++] = is_separator ? '.' : text[i];
		i += is_separator;
	}
	return length;
}

/* The size of the modules before a function's own name, each with its dot. */
static size_t size_of_modules(const char *name, size_t size)
{
	const char *at = name, *end = name + size, *dot;

	while (at < end && is_capital(*at) && (dot = memchr(at, '.', (size_t)(end - at))))
		at = dot + 1;
	return (size_t)(at - name);
}

/* Whether the text has one more module at least behind those of the name, or its last ones. */
static bool is_in_inner_module(const char *text, size_t text_size, const char *name, size_t size)
{
	size_t wanted_modules = size_of_modules(text, text_size), modules = size_of_modules(name, size);

	if (text_size - wanted_modules != size - modules ||
	    memcmp(text + wanted_modules, name + modules, size - modules) != 0)
		return false;
	for (size_t i = 1; i < wanted_modules && i <= modules; i++) {
		const char *same = name + modules - i;
		if (text[i - 1] == '.' && memcmp(text, same, i) == 0 && (same == name || same[-1] == '.'))
			return true;
	}
	return false;
}

/* ---- Crystal ---- */

/* Where the bracket that opens at `at` is over; `end`: it is never closed. */
static const char *behind_bracket(const char *at, const char *end)
{
	size_t depth = 0;

	for (; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (!depth)
			return at + 1;
	}
	return end;
}

/* Where the method begins in a name from `at` on: behind the last # or :: outside of brackets. */
static const char *method_in(const char *at, const char *end)
{
	const char *method = at;

	while (at < end && *at != '<') {
		if (*at == '#')
			return at + 1;
		if (at + 1 < end && at[0] == ':' && at[1] != ':')
			break;
		if (at + 1 < end && at[0] == ':') {
			at += 2;
			method = at;
			continue;
		}
		at = *at == '(' ? behind_bracket(at, end) : at + 1;
	}
	return method;
}

static bool begins_type(const char *at, const char *end)
{
	return at < end && (is_capital(*at) || *at == '(' || *at == '{' || (*at >= 'a' && *at <= 'z'));
}

/*
 * Type#method or Type::method for *Type@Owner#method<Argument>:Result, where the owner is what the type inherits it
 * from.
 */
static size_t crystal_name(const char *name, size_t size, bool with_brackets, char *ret)
{
	const char *start = name + 1, *end = name + size, *at = memchr(start, '@', size - 1);
	const char *method = method_in(at ? at + 1 : start, end);
	size_t length = 0;

	if (!at)
		at = method - (method > start && method[-1] == '#') - 2 * (method > start && method[-1] == ':');
	for (const char *from = start; from < at;) {
		const char *behind = *from == '(' ? behind_bracket(from, at) : from + 1;
		if (*from != '(' || with_brackets) {
			memcpy(ret + length, from, (size_t)(behind - from));
			length += (size_t)(behind - from);
		}
		from = behind;
	}
	if (length && method > start) {
		size_t separator = method[-1] == '#' ? 1 : 2;
		memcpy(ret + length, method - separator, separator);
		length += separator;
	}
	for (; method < end && *method != ':' && (*method != '<' || !begins_type(method + 1, end)); method++)
		ret[length++] = *method;
	return length;
}

/* Type::method for what people write as Type.method. */
static size_t crystal_text(const char *text, size_t size, char *ret)
{
	size_t length = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '.') {
			memcpy(ret + length, "::", 2);
			length += 2;
		} else {
			ret[length++] = text[i];
		}
	}
	return length;
}

/* ---- Nim ---- */

/* A name in NAME__MODULE_12, or from Nim 2 on NAME__MODULE_u12, behind which a C compiler may have put a suffix. */
struct nim_parts {
	size_t own_size; /* 0: it is no such name */
	size_t module, module_end;
};

static struct nim_parts nim_parts_of(const char *name, size_t size)
{
	static const struct nim_parts none = {0};
	const char *suffix = memchr(name, '.', size);
	size_t end = suffix ? (size_t)(suffix - name) : size, number = end;

	while (number && is_digit(name[number - 1]))
		number--;
	if (number == end || number < 2)
		return none;
	number -= name[number - 1] == 'u';
	if (name[number - 1] != '_')
		return none;
	for (size_t at = number - 1; at > 2; at--) {
		bool is_separator = name[at - 2] == '_' && name[at - 1] == '_' && name[at] != '_';
		if (is_separator && at < number - 1 && !is_digit(name[at]))
			return (struct nim_parts){at - 2, at, number - 1};
	}
	return none;
}

/* module.name; a module in a folder is folderZmodule in names. */
static size_t nim_name(const char *name, size_t size, char *ret)
{
	const struct nim_parts parts = nim_parts_of(name, size);
	size_t length = 0;

	if (!parts.own_size)
		return 0;
	for (size_t i = parts.module; i < parts.module_end; i++)
		ret[length++] = name[i] == 'Z' ? '.' : name[i];
	ret[length++] = '.';
	memcpy(ret + length, name, parts.own_size);
	return length + parts.own_size;
}

/* Where the own name begins behind modules, which may be that of an operator: .. in a..., setX= in a.setX=. */
static const char *nim_own_name(const char *text, const char *end)
{
	const char *own = text;

	for (const char *at = text; at < end && (name_is_word(*at) || *at == '.'); at++) {
		bool is_separator = *at == '.' && at > text && name_is_word(at[-1]) && at + 1 < end;
		if (*at == '.' && !is_separator)
			break;
		own = is_separator ? at + 1 : own;
	}
	return own;
}

/* The signs of operators in words, and _ behind them; 0: too many. */
static size_t nim_text(const char *text, size_t size, char *ret)
{
	static const char signs[] = "$%&^!?*+-/\\=<>~:.@|";
	static const char *const words[] = {"dollar", "percent", "amp",   "roof",      "emark", "qmark", "star",
					    "plus",   "minus",   "slash", "backslash", "eq",    "lt",    "gt",
					    "tilde",  "colon",   "dot",   "at",        "bar"};
	const char *end = text + size, *own = nim_own_name(text, end);
	size_t length = (size_t)(own - text);
	bool has_sign = false;

	memcpy(ret, text, length);
	for (const char *at = own; at < end; at++) {
		const char *sign = strchr(signs, *at);
		if (length + 16 > SOURCE_NAME_ROOM)
			return 0;
		if (*at == '_' && at > own && at + 1 < end && is_digit(at[1]))
			continue; /* names of that form are the compiler's */
		if (name_is_word(*at) && *at != '$') {
			ret[length++] = *at;
		} else if (sign) {
			length = (size_t)(stpcpy(ret + length, words[sign - signs]) - ret);
			has_sign = true;
		} else if (*at != '`') {
			length += (size_t)sprintf(ret + length, "X%02X", (unsigned char)*at);
			has_sign = true;
		}
	}
	if (has_sign)
		ret[length++] = '_';
	return length;
}

/* ---- All ---- */

/* An operator without the brackets or, of the name of a module's, behind them: Main.(+++) is Main.+++. */
static size_t unbracketed(char *text, size_t size)
{
	char *open = size > 2 && text[size - 1] == ')' ? memrchr(text, '(', size) : NULL;

	if (!open || name_is_word(open[1]) || (open > text && open[-1] != '.'))
		return size;
	size_t inner = (size_t)(text + size - 1 - (open + 1));
	memmove(open, open + 1, inner);
	return (size_t)(open - text) + inner;
}

enum name_encoding name_encoding_of(const char *name, size_t size, uint32_t language)
{
	if (language_is_ada(language))
		return ENCODING_ADA;
	if (language_is_fortran(language))
		return ENCODING_FORTRAN;
	if (language == LANG_PASCAL83)
		return ENCODING_PASCAL;
	if (name_starts_with(name, size, "-[") || name_starts_with(name, size, "+["))
		return ENCODING_OBJC;
	if (language == LANG_HASKELL)
		return size_of_haskell(name, size) ? ENCODING_HASKELL : ENCODING_NONE;
	if (language_is_c(language))
		return nim_parts_of(name, size).own_size ? ENCODING_NIM : ENCODING_NONE;
	if (language && language != LANG_ASSEMBLER)
		return ENCODING_NONE;

	/* Of symbols that have no debug information, or an assembler's. */
	if (name_starts_with(name, size, "*"))
		return ENCODING_CRYSTAL;
	if (name_starts_with(name, size, "caml") && is_capital(name[4]))
		return ENCODING_OCAML;
	if (memmem(name, size, "_$$_", 4))
		return ENCODING_PASCAL;
	if (size_of_haskell(name, size))
		return ENCODING_HASKELL;
	return nim_parts_of(name, size).own_size ? ENCODING_NIM : ENCODING_NONE;
}

size_t source_name(enum name_encoding encoding, const char *name, size_t size, bool with_brackets, char *ret)
{
	switch (encoding) {
	case ENCODING_ADA:
		return ada_name(name, size, ret);
	case ENCODING_FORTRAN:
		return fortran_name(name, size, ret);
	case ENCODING_PASCAL:
		return pascal_name(name, size, ret);
	case ENCODING_OBJC:
		return objc_name(name, size, with_brackets, ret);
	case ENCODING_HASKELL:
		return haskell_name(name, size, ret);
	case ENCODING_OCAML:
		return ocaml_name(name, size, ret);
	case ENCODING_CRYSTAL:
		return crystal_name(name, size, with_brackets, ret);
	case ENCODING_NIM:
		return nim_name(name, size, ret);
	default:
		return 0;
	}
}

size_t source_text(enum name_encoding encoding, const char *text, size_t size, char *ret)
{
	char dense[SOURCE_NAME_SIZE_MAX];

	size = without_idle_spaces(text, size, dense);
	switch (encoding) {
	case ENCODING_ADA:
		return ada_text(dense, size, ret);
	case ENCODING_FORTRAN:
	case ENCODING_PASCAL:
		return lower(dense, size, ret);
	case ENCODING_OBJC:
		return objc_name(dense, size, true, ret);
	case ENCODING_CRYSTAL:
		return crystal_text(dense, size, ret);
	case ENCODING_NIM:
		return nim_text(dense, size, ret);
	case ENCODING_OCAML:
		return unbracketed(ret, ocaml_text(dense, size, ret));
	default:
		memcpy(ret, dense, size);
		return unbracketed(ret, size);
	}
}

/* What stands between the components of a name. */
static const char *separators_of(enum name_encoding encoding)
{
	switch (encoding) {
	case ENCODING_FORTRAN:
		return ":";
	case ENCODING_OBJC:
		return " -+[";
	case ENCODING_CRYSTAL:
		return ":#";
	default:
		return ".";
	}
}

static bool is_end_of(const char *text, size_t text_size, const char *name, size_t size, const char *separators)
{
	bool is_whole = text_size > 2 && memcmp(text, "::", 2) == 0;

	if (is_whole) {
		text += 2;
		text_size -= 2;
	}
	if (!text_size || text_size > size || memcmp(name + size - text_size, text, text_size) != 0)
		return false;
	return text_size == size || (!is_whole && text[0] != ':' && strchr(separators, name[size - text_size - 1]));
}

bool source_name_matches(enum name_encoding encoding, const char *wanted, const char *name, size_t size,
			 uint32_t language)
{
	char written[SOURCE_NAME_ROOM], text[SOURCE_NAME_ROOM];
	size_t wanted_size = strlen(wanted);

	/* Names that are longer than any programmer's count as they are. */
	if (size > SOURCE_NAME_SIZE_MAX || wanted_size > SOURCE_NAME_SIZE_MAX)
		return false;
	/*
	 * A name in C may look like one of GHC's, where nothing tells the language, or of Nim's: so the module has to
	 * be meant.
	 */
	bool is_uncertain = encoding == ENCODING_NIM || (encoding == ENCODING_HASKELL && language != LANG_HASKELL);
	if (is_uncertain && !strchr(wanted, '.'))
		return false;
	size = source_name(encoding, name, size, strchr(wanted, '('), written);
	wanted_size = source_text(encoding, wanted, wanted_size, text);
	return is_end_of(text, wanted_size, written, size, separators_of(encoding));
}

bool source_name_in_inner_module(const char *wanted, const char *name, size_t size)
{
	char written[SOURCE_NAME_ROOM], text[SOURCE_NAME_ROOM];
	size_t wanted_size = strlen(wanted);

	if (size > SOURCE_NAME_SIZE_MAX || wanted_size > SOURCE_NAME_SIZE_MAX)
		return false;
	size = source_name(ENCODING_OCAML, name, size, false, written);
	wanted_size = source_text(ENCODING_OCAML, wanted, wanted_size, text);
	return is_in_inner_module(text, wanted_size, written, size);
}
