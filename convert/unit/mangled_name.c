/*
 * Names mangled by the Itanium C++ ABI are parsed by libiberty: the text of an identifier may contain anything, and the
 * letters of operators are everywhere, so only the full grammar can tell them apart. Names of Rust's own kind and of D
 * are not parsed: their compilers mostly give linkage names, and if one is missing it is enough to find an identifier
 * behind its length.
 */
#include "convert/unit/mangled_name.h"

#include <ctype.h>
#include <errno.h>
#include <libiberty/demangle.h> /* its parser gives the parts of a name, as abi::__cxa_demangle does not */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/budget.h"

enum {
	PARSED_MAX = 16384, /* bytes: the parser nests up to one level for each byte, which takes some 2 MiB of stack */
	DOUBLINGS_MAX = 8,
};

static const struct name_word operator_word = {"operator", sizeof("operator") - 1}, no_word = {NULL, 0};
static const struct name_word brace = {"{", 1};

/* Whether the rest of a name, behind its identifier or operator, is empty or template arguments. */
static bool is_arguments(const char *rest)
{
	while (*rest == ' ')
		rest++;
	return !*rest || (*rest == '<' && rest[strlen(rest) - 1] == '>');
}

static bool is_identifier(const char *identifier, size_t size, const char *name)
{
	return strncmp(name, identifier, size) == 0 && is_arguments(name + size);
}

/* The rest of `name` behind `start`, ignoring spaces; NULL: it starts in another way. */
static const char *skip_start(const char *name, const char *start)
{
	for (;; start++) {
		while (*start == ' ')
			start++;
		if (!*start)
			return name;
		while (*name == ' ')
			name++;
		if (*name++ != *start)
			return NULL;
	}
}

static bool is_operator(struct demangle_component *part, const char *name)
{
	size_t size;
	if (strncmp(name, "<lambda", 7) == 0) /* the name that older compilers give a lambda's operator() */
		name = "operator()";
	errno = 0;
	char *text = cplus_demangle_print(DMGL_NO_OPTS, part, 32, &size);
	if (!text && errno == ENOMEM)
		budget_memory_out();
	const char *rest = text ? skip_start(name, text) : NULL;
	free(text);
	return rest && is_arguments(rest);
}

/*
 * Finds the part of a function's encoding that names it within its scopes, and the innermost of these. NULL: it is not
 * a function's, or has none.
 */
static struct demangle_component *part_in_scope(struct demangle_component *part, struct demangle_component **ret_scope)
{
	*ret_scope = NULL;
	while (part) {
		switch (part->type) {
		case DEMANGLE_COMPONENT_QUAL_NAME:
		case DEMANGLE_COMPONENT_LOCAL_NAME:
			*ret_scope = part->u.s_binary.left;
			part = part->u.s_binary.right;
			break;
		case DEMANGLE_COMPONENT_TYPED_NAME:
		case DEMANGLE_COMPONENT_TEMPLATE:
		case DEMANGLE_COMPONENT_TAGGED_NAME:
		case DEMANGLE_COMPONENT_CLONE:
		case DEMANGLE_COMPONENT_RESTRICT_THIS:
		case DEMANGLE_COMPONENT_VOLATILE_THIS:
		case DEMANGLE_COMPONENT_CONST_THIS:
		case DEMANGLE_COMPONENT_REFERENCE_THIS:
		case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
			part = part->u.s_binary.left;
			break;
		default:
			return part;
		}
	}
	return NULL;
}

static struct demangle_component *own_part(struct demangle_component *part)
{
	struct demangle_component *scope;
	return part_in_scope(part, &scope);
}

/*
 * The class of a constructor. One that is inherited is named after the class that it is in (CI1), where libiberty has
 * the class that it is inherited from.
 */
static struct demangle_component *class_of(struct demangle_component *constructor, struct demangle_component *scope)
{
	struct demangle_component *class = own_part(scope);
	return class && class->type == DEMANGLE_COMPONENT_NAME ? class : constructor->u.s_ctor.name;
}

/*
 * Whether the class of a constructor or destructor is `name`. Classes without a name count as equal: DWARF calls a
 * lambda's <lambda…>.
 */
static bool is_class(struct demangle_component *part, const char *name)
{
	part = own_part(part);
	if (name[0] == '<' || !part)
		return name[0] == '<';
	if (part->type == DEMANGLE_COMPONENT_NAME)
		return is_identifier(part->u.s_name.s, (size_t)part->u.s_name.len, name);
	return part->type == DEMANGLE_COMPONENT_SUB_STD && /* std::allocator, say */
	       is_identifier(part->u.s_string.string, (size_t)part->u.s_string.len, name);
}

/*
 * The identifier in a name of Rust's older kind: what stands behind it is escaped, as in drop_in_place$LT$u8$GT$. That
 * of a closure, which is {closure#0} in DWARF, and of what else has no name, is {, which starts either.
 */
static struct name_word rust_identifier(const char *identifier, size_t size)
{
	static const char braces[] = "_$u7b$$u7b$";
	const size_t braces_size = sizeof(braces) - 1;
	if (size >= braces_size && memcmp(identifier, braces, braces_size) == 0)
		return brace;
	const char *escape = memchr(identifier, '$', size);
	return (struct name_word){identifier, escape ? (size_t)(escape - identifier) : size};
}

static bool is_rust_identifier(const char *identifier, size_t size, const char *name)
{
	struct name_word word = rust_identifier(identifier, size);
	return word.text == brace.text ? name[0] == '{' : is_identifier(word.text, word.size, name);
}

static bool part_is(struct demangle_component *part, struct demangle_component *scope, const char *name)
{
	switch (part->type) {
	case DEMANGLE_COMPONENT_NAME:
		return is_identifier(part->u.s_name.s, (size_t)part->u.s_name.len, name);
	case DEMANGLE_COMPONENT_CTOR:
		return is_class(class_of(part, scope), name);
	case DEMANGLE_COMPONENT_DTOR:
		return name[0] == '~' && is_class(part->u.s_dtor.name, name + 1);
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_UNARY: /* operator"" and its suffix */
		return is_operator(part, name);
	case DEMANGLE_COMPONENT_CONVERSION: /* its type can be written in many ways */
		return strncmp(name, "operator ", 9) == 0;
	default:
		return false;
	}
}

/*
 * Rust's older names are mangled as those of C++, but have a hash for their last identifier: 17h0123456789abcdefE,
 * which a suffix may follow. The size of what is before it; 0: it is no such name.
 */
static size_t size_before_hash(const char *mangled)
{
	enum { DIGITS = 16 };
	static const char start[] = "17h", digits[] = "0123456789abcdef";
	if (strncmp(mangled, "_ZN", 3) != 0)
		return 0;
	for (const char *hash = strstr(mangled, start); hash; hash = strstr(hash + 1, start)) {
		const char *text = hash + sizeof(start) - 1;
		if (strspn(text, digits) == DIGITS && text[DIGITS] == 'E' &&
		    (!text[DIGITS + 1] || text[DIGITS + 1] == '.'))
			return (size_t)(hash - mangled);
	}
	return 0;
}

/*
 * How often the parser may start a part again: behind a conversion operator, `cv`, it reads the arguments of a template
 * parameter, `T_I`, and if they were the operator's own, it goes back and reads them and everything in them again.
 */
static unsigned doubling_count(const char *mangled)
{
	unsigned count = 0;
	const char *start = strstr(mangled, "cv");
	for (const char *at = start; at && (at = strstr(at, "_I")); at += 2) {
		const char *digits = at;
		while (digits > start && (isdigit((unsigned char)digits[-1]) || isupper((unsigned char)digits[-1])) &&
		       digits[-1] != 'T')
			digits--;
		count += digits[-1] == 'T';
	}
	return count;
}

/*
 * What newer compilers write that an older libiberty cannot parse: declarations of template parameters (Tn, Ty, Tt, Tk
 * and Tp), constrained placeholders (Dk and DK), explicit object parameters (NH) and requires-clauses (Q). This may be
 * part of an identifier too.
 */
static size_t newer_size(const char *at)
{
	if (at[0] == 'Q')
		return 1;
	bool is_newer = (at[0] == 'T' && at[1] && strchr("nytkp", at[1])) ||
			(at[0] == 'D' && (at[1] == 'k' || at[1] == 'K')) || (at[0] == 'N' && at[1] == 'H');
	return is_newer ? 2 : 0;
}

static bool has_newer(const char *mangled)
{
	while (*mangled && !newer_size(mangled))
		mangled++;
	return *mangled != 0;
}

/* Whether a name that cannot be parsed is parsed once more, in another way. */
static bool is_parsed_twice(const char *mangled)
{
	return strstr(mangled, "sr") || has_newer(mangled);
}

/*
 * The size of an identifier with its length in front of it; 0: none is there. Digits are also those of S1_, of T1_ and
 * of literals as Li1E; where others are taken for a length, what is made of the name will most often not be parsed.
 */
static size_t identifier_size(const char *start, const char *at)
{
	if (!isdigit((unsigned char)at[0]) || isdigit((unsigned char)at[-1]) || strchr("ST", at[-1]))
		return 0;
	const char *type = at[-1] == 'n' && at - start > 2 && at[-2] != 'L' ? at - 2 : at - 1; /* n: a minus */
	if (islower((unsigned char)*type) && type[-1] == 'L')
		return 0;
	char *text;
	unsigned long size = strtoul(at, &text, 10);
	bool is_identifier = !isdigit((unsigned char)*text) && size <= strnlen(text, size);
	return is_identifier ? (size_t)(text - at) + size : 0;
}

/*
 * A mangled name as an older compiler would have written it, as far as its own identifier goes: the type of a template
 * parameter becomes one more argument, and a requires-clause, which is the last of a function's arguments or behind its
 * parameters, ends the name. NULL: out of memory.
 */
static char *without_newer(const char *mangled)
{
	char *older = malloc(strlen(mangled) + sizeof("EE")), *end = older;
	if (!older) {
		budget_memory_out();
		return NULL;
	}
	const char *at = mangled;
	for (size_t size; *at && *at != 'Q'; at += size) {
		size_t identifier = at > mangled + 1 ? identifier_size(mangled, at) : 0;
		bool is_newer = !identifier && newer_size(at) && !(at[0] == 'T' && at[-1] == 'D'); /* DT: decltype */
		size = identifier ? identifier : is_newer ? newer_size(at) : 1;
		if (!is_newer)
			end = mempcpy(end, at, size);
		else if (at[0] == 'N') /* of NH */
			*end++ = 'N';
		else if (at[1] == 't') /* the parameters in Tt…E become a pack of arguments */
			*end++ = 'J';
	}
	memcpy(end, *at ? "EE" : "", *at ? sizeof("EE") : sizeof("")); /* of the arguments, and of the nested name */
	if (doubling_count(older) > doubling_count(mangled)) /* no compiler's, and more than mangled_name_steps says */
		*older = 0;
	return older;
}

/* A name's parse. */
struct parsed {
	bool is_rust;                     /* of Rust's older kind */
	char *plain;                      /* what was parsed, if that is not the name itself; NULL: it is */
	void *memory;                     /* of the parts */
	struct demangle_component *part;  /* the one that names the function; NULL: it is not a function's */
	struct demangle_component *scope; /* the innermost that it is in; NULL: none */
};

/* A copy of the first `size` bytes of a name of Rust, which stand before its hash. NULL: out of memory. */
static char *without_hash(const char *mangled, size_t size)
{
	char *plain = malloc(size + sizeof("E"));
	if (!plain) {
		budget_memory_out();
		return NULL;
	}
	memcpy(plain, mangled, size);
	memcpy(plain + size, "E", sizeof("E"));
	return plain;
}

/*
 * Where a name follows sr, "the scope of", cplus_demangle_v3_components of the libiberty of 2023 decides by a variable
 * on its stack that it never sets whether the name is written as today, or as before 2010. So that what ran earlier
 * does not decide it, the stack below is filled with what stands for today's way. A sanitizer would put gaps into that.
 */
__attribute__((noinline, no_sanitize("address"))) static void fill_stack(void)
{
	volatile uint64_t below[64];
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		below[i] = UINT64_MAX;
}

static struct demangle_component *parse_as(const char *mangled, int options, void **ret_memory)
{
	fill_stack();
	return cplus_demangle_v3_components(mangled, options, ret_memory);
}

/* Parses a name of C++ or of Rust's older kind. To be freed by parsed_done. */
static struct parsed parse(const char *mangled)
{
	struct parsed parsed = {0};
	if (strlen(mangled) > PARSED_MAX || doubling_count(mangled) > DOUBLINGS_MAX)
		return parsed;
	size_t size = size_before_hash(mangled);
	parsed.is_rust = size != 0;
	if (size && !(mangled = parsed.plain = without_hash(mangled, size)))
		return parsed;

	errno = 0;
	struct demangle_component *whole = parse_as(mangled, DMGL_PARAMS, &parsed.memory);
	if (!whole && errno != ENOMEM && is_parsed_twice(mangled)) {
		if (!parsed.is_rust && has_newer(mangled) && !(mangled = parsed.plain = without_newer(mangled)))
			return parsed;
		/* Old compilers' sr may be in return types and parameters, which are left out then. */
		whole = parse_as(mangled, DMGL_NO_OPTS, &parsed.memory);
	}
	if (!whole && errno == ENOMEM)
		budget_memory_out();
	if (!whole)
		parsed.memory = NULL;
	parsed.part = part_in_scope(whole, &parsed.scope);
	return parsed;
}

static void parsed_done(struct parsed *parsed)
{
	free(parsed->memory);
	free(parsed->plain);
}

/* The identifier that a function of D has in its mangled name, where that is not the name in the source. */
static const char *d_identifier(const char *name)
{
	static const struct {
		const char *name, *identifier;
	} special[] = {{"this", "__ctor"}, {"~this", "__dtor"}, {"this(this)", "__postblit"}};
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (strcmp(name, special[i].name) == 0)
			return special[i].identifier;
	return name;
}

/* Template arguments, which in D stand behind a `!`, are not compared. */
static bool has_identifier(const char *mangled, const char *name)
{
	char length[24];
	size_t size = strcspn(name, "<!"), digits = (size_t)snprintf(length, sizeof(length), "%zu", size);
	for (const char *at = strstr(mangled, length); at && size; at = strstr(at + 1, length)) {
		const char *text = at + digits;
		if (isdigit((unsigned char)at[-1]))
			continue;
		/* Rust puts a `_` between where the name begins with a digit or `_`; D does not. */
		if (strncmp(text, name, size) == 0 || (*text == '_' && strncmp(text + 1, name, size) == 0))
			return true;
	}
	return false;
}

uint64_t mangled_name_steps(const char *mangled)
{
	bool is_cxx = mangled[1] == 'Z';
	unsigned doublings = is_cxx ? doubling_count(mangled) : 0;
	unsigned times = is_cxx && is_parsed_twice(mangled) ? 2 : 1; /* that it is parsed */
	return times * (uint64_t)strlen(mangled) << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

/* The word of an identifier, which ends where a name that is it may go on. */
static struct name_word word_of(const char *identifier, size_t size)
{
	size_t end = 0;
	while (end < size && !strchr(" <", identifier[end]))
		end++;
	return (struct name_word){identifier, end};
}

struct name_word name_word(const char *name)
{
	const char *identifier = name[0] == '~' ? name + 1 : name;
	const char behind = strncmp(name, operator_word.text, operator_word.size) ? '_' : name[operator_word.size];
	if (behind != '_' && !isalnum((unsigned char)behind))
		return operator_word;
	if (identifier[0] == '{') /* Rust's {closure#0} */
		return brace;
	return identifier[0] == '<' ? no_word : word_of(identifier, strlen(identifier));
}

static struct name_word word_of_class(struct demangle_component *part)
{
	part = own_part(part);
	if (part && part->type == DEMANGLE_COMPONENT_NAME)
		return word_of(part->u.s_name.s, (size_t)part->u.s_name.len);
	if (part && part->type == DEMANGLE_COMPONENT_SUB_STD)
		return word_of(part->u.s_string.string, (size_t)part->u.s_string.len);
	return no_word;
}

static struct name_word word_of_part(struct demangle_component *part, struct demangle_component *scope)
{
	switch (part->type) {
	case DEMANGLE_COMPONENT_NAME:
		return word_of(part->u.s_name.s, (size_t)part->u.s_name.len);
	case DEMANGLE_COMPONENT_CTOR:
		return word_of_class(class_of(part, scope));
	case DEMANGLE_COMPONENT_DTOR:
		return word_of_class(part->u.s_dtor.name);
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_UNARY:
	case DEMANGLE_COMPONENT_CONVERSION:
		return operator_word;
	default:
		return no_word;
	}
}

bool mangled_name_word(const char *mangled, uint64_t seed, uint64_t *ret)
{
	struct parsed parsed = parse(mangled);
	struct name_word word = parsed.part ? word_of_part(parsed.part, parsed.scope) : no_word;
	if (parsed.is_rust && word.size)
		word = rust_identifier(word.text, word.size);
	if (word.size)
		*ret = XXH3_64bits_withSeed(word.text, word.size, seed);
	parsed_done(&parsed);
	return word.size != 0;
}

bool mangled_name_is(const char *mangled, const char *name)
{
	if (mangled[1] != 'Z')
		return has_identifier(mangled, mangled[1] == 'D' ? d_identifier(name) : name);
	struct parsed parsed = parse(mangled);
	struct demangle_component *part = parsed.part;
	bool is = false;
	if (part && parsed.is_rust && part->type == DEMANGLE_COMPONENT_NAME)
		is = is_rust_identifier(part->u.s_name.s, (size_t)part->u.s_name.len, name);
	else if (part)
		is = part_is(part, parsed.scope, name);
	parsed_done(&parsed);
	return is;
}
