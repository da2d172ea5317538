/*
 * Prints C++ names from the tree that libiberty parses them into, byte for byte as libiberty prints them (but for
 * inherited constructors, which it takes for others), and faster: in whole pieces, and repeated parts are copied from
 * where they were printed before. Names with rare parts are left to libiberty, and so is every name for which the two
 * might differ: a put_... that returns false says so.
 *
 * It pays: 100,000 lookups in ceph-osd take about a fifth less CPU time with it. scripts/bench-names measures that
 * again.
 */
#include "cmd/show/cxxname.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

enum { OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT };

/*
 * libiberty prints no names 1024 components deep, and a level here is up to three components. A tree may print nothing.
 */
enum { DEPTH_MAX = 256, STEP_COUNT_MAX = 1 << 16 };

enum { SCOPE_COUNT_MAX = 16, QUALIFIER_COUNT_MAX = 3, NUMBER_SIZE_MAX = 24, WORD_COUNT = 512, WORD_SIZE_MAX = 48 };

/*
 * The parts printed around a type: a pointer to a function goes inside of the function, and one of two consts is left
 * out. Unsure: libiberty may take one from an enclosing type, though it is not for this one.
 */
enum { AROUND = 1, AROUND_CONST = 2, AROUND_UNSURE = 4 };

typedef struct demangle_component component;

/* A template and the scope around it; 0: none. No two are equal, so their numbers can be compared. */
struct scope {
	const component *template;
	unsigned outer;
};

struct printer {
	char *text;
	size_t size;
	size_t dropped_at; /* the size after a comma was removed: there libiberty takes a space for the last byte */
	bool is_too_long;
	unsigned depth;
	unsigned deepest;
	unsigned step_count;
	unsigned around;
	bool in_lambda;     /* its own template parameters are printed as auto */
	bool has_inherited; /* some constructor may be inherited */
	int pack_index;     /* -1: not in an expansion */
	unsigned parameter_count;
	unsigned scope;
	unsigned scope_count;
	struct scope scopes[SCOPE_COUNT_MAX]; /* from 1 on */
};

static bool put(struct printer *p, component *c);

static component *left(const component *c)
{
	return c->u.s_binary.left;
}

static component *right(const component *c)
{
	return c->u.s_binary.right;
}

static bool add(struct printer *p, const char *data, size_t size)
{
	if (size > DEMANGLED_SIZE_MAX - p->size) {
		p->is_too_long = true;
		return false;
	}
	memcpy(p->text + p->size, data, size);
	p->size += size;
	return true;
}

#define ADD(p, literal) add(p, literal, sizeof(literal) - 1)

static char last_byte(const struct printer *p)
{
	if (p->size == p->dropped_at)
		return ' ';
	return p->size ? p->text[p->size - 1] : '\0';
}

static bool put_number(struct printer *p, long number)
{
	char digits[NUMBER_SIZE_MAX], *end = digits + sizeof(digits), *at = end;

	if (number < 0)
		return false;
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	return add(p, at, (size_t)(end - at));
}

/* For a builtin type or operator, the tree has only a pointer for libiberty's use, so libiberty prints it once. */
struct word {
	const void *of;
	size_t size;
	char text[WORD_SIZE_MAX];
};

static void learn(const char *data, size_t size, void *opaque)
{
	struct word *word = opaque;

	if (size > WORD_SIZE_MAX - word->size)
		word->of = NULL;
	if (!word->of)
		return;
	memcpy(word->text + word->size, data, size);
	word->size += size;
}

static const struct word *word_of(component *c)
{
	static struct word words[WORD_COUNT];
	bool is_operator = c->type == DEMANGLE_COMPONENT_OPERATOR;
	const void *of = is_operator ? (const void *)c->u.s_operator.op : c->u.s_builtin.type;
	struct word *word = &words[(uintptr_t)of / sizeof(void *) % WORD_COUNT];

	if (word->of == of)
		return word;
	*word = (struct word){.of = of};
	if (!cplus_demangle_print_callback(OPTIONS, c, learn, word))
		word->of = NULL;
	return word->of ? word : NULL;
}

static bool put_word(struct printer *p, component *c)
{
	const struct word *word = word_of(c);

	return word && add(p, word->text, word->size);
}

static bool is_word(component *c, const char *text)
{
	const struct word *word = word_of(c);

	return word && word->size == strlen(text) && memcmp(word->text, text, word->size) == 0;
}

/* Prints a component one level further down. */
static bool descend(struct printer *p)
{
	if (++p->depth > p->deepest)
		p->deepest = p->depth;
	return p->depth <= DEPTH_MAX;
}

static bool put_within(struct printer *p, component *c, unsigned around)
{
	unsigned before = p->around;
	bool ok;

	p->around = around;
	ok = put(p, c);
	p->around = before;
	return ok;
}

/* Makes `template` the one that template parameters refer to. */
static bool enter_scope(struct printer *p, const component *template)
{
	unsigned i = 1;

	while (i <= p->scope_count && (p->scopes[i].template != template || p->scopes[i].outer != p->scope))
		i++;
	if (i == SCOPE_COUNT_MAX)
		return false;
	p->scopes[i] = (struct scope){template, p->scope};
	if (i > p->scope_count)
		p->scope_count = i;
	p->scope = i;
	return true;
}

static component *list_member(struct printer *p, const component *list, long index)
{
	for (; list && list->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST; list = right(list), index--) {
		if (index == 0)
			return left(list);
		p->step_count++;
	}
	return NULL;
}

/* The argument of a template parameter, perhaps a pack; NULL: none. */
static component *argument_or_pack(struct printer *p, const component *parameter)
{
	p->parameter_count++;
	return p->scope ? list_member(p, right(p->scopes[p->scope].template), parameter->u.s_number.number) : NULL;
}

static component *argument(struct printer *p, const component *parameter)
{
	component *argument = argument_or_pack(p, parameter);

	if (argument && argument->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST)
		return p->pack_index < 0 ? NULL : list_member(p, argument, p->pack_index);
	return argument;
}

/* Parameters within an argument refer to the scope around the template that has the argument. */
static bool put_parameter(struct printer *p, const component *c)
{
	unsigned scope = p->scope;
	component *means;
	bool ok;

	if (p->in_lambda) {
		p->parameter_count++;
		return ADD(p, "auto:") && put_number(p, c->u.s_number.number + 1);
	}
	means = argument(p, c);
	if (!means)
		return false;
	p->scope = p->scopes[scope].outer;
	ok = put(p, means);
	p->scope = scope;
	return ok;
}

/* Finds the first pack in the pattern of an expansion. False: libiberty may find another. */
static bool find_pack(struct printer *p, const component *c, component **ret)
{
	if (!c)
		return true;
	if (++p->step_count > STEP_COUNT_MAX || !descend(p))
		return false;

	switch (c->type) {
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		*ret = argument_or_pack(p, c);
		if (*ret && (*ret)->type != DEMANGLE_COMPONENT_TEMPLATE_ARGLIST)
			*ret = NULL;
		break;
	case DEMANGLE_COMPONENT_QUAL_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE:
	case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
	case DEMANGLE_COMPONENT_CONST:
	case DEMANGLE_COMPONENT_POINTER:
	case DEMANGLE_COMPONENT_REFERENCE:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
		if (!find_pack(p, left(c), ret) || (!*ret && !find_pack(p, right(c), ret)))
			return false;
		break;
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
		break;
	default:
		return false;
	}
	p->depth--;
	return true;
}

/* After an expansion inside of another, libiberty goes on with the index at which it ended. */
static bool put_expansion(struct printer *p, const component *c)
{
	component *pack = NULL;

	if (p->in_lambda || p->pack_index >= 0 || !find_pack(p, left(c), &pack) || !pack)
		return false;
	for (; pack && left(pack); pack = right(pack)) {
		p->pack_index++;
		if ((p->pack_index > 0 && !ADD(p, ", ")) || !put(p, left(c)))
			return false;
	}
	p->pack_index = -1;
	return true;
}

/* If a list ends in an empty pack, libiberty removes the comma; of two commas not always both. */
static bool put_list(struct printer *p, const component *c)
{
	enum demangle_component_type type = c->type;
	size_t comma_at = 0, start = p->size;
	unsigned depth = p->depth;
	bool is_first = true;

	for (; c; c = right(c), is_first = false) {
		if (c->type != type || !descend(p) || (comma_at && p->size == start))
			return false;
		if (!is_first) {
			comma_at = p->size;
			if (comma_at > DEMANGLED_SIZE_MAX - 2 || !ADD(p, ", "))
				return false;
			start = p->size;
		}
		if (left(c) && !put(p, left(c)))
			return false;
	}
	if (comma_at && p->size == start) {
		if (p->dropped_at == start)
			return false;
		p->size = p->dropped_at = comma_at;
	}
	p->depth = depth;
	return true;
}

static bool put_template(struct printer *p, const component *c)
{
	return put_within(p, left(c), 0) && (last_byte(p) != '<' || ADD(p, " ")) && ADD(p, "<") &&
	       put_within(p, right(c), 0) && (last_byte(p) != '>' || ADD(p, " ")) && ADD(p, ">");
}

/* The identifier of a class, without its scopes and arguments. NULL: it has none. */
static component *class_identifier(component *c)
{
	for (unsigned depth = 0; c && depth < DEPTH_MAX; depth++) {
		if (c->type == DEMANGLE_COMPONENT_NAME)
			return c;
		if (c->type == DEMANGLE_COMPONENT_QUAL_NAME || c->type == DEMANGLE_COMPONENT_LOCAL_NAME)
			c = right(c);
		else if (c->type == DEMANGLE_COMPONENT_TEMPLATE)
			c = left(c);
		else
			return NULL;
	}
	return NULL;
}

/*
 * Prints a name inside of a class, namespace or function. A constructor that is inherited is named after its own class;
 * libiberty of 2023 gives it the name of the class that it is inherited from.
 */
static bool put_path(struct printer *p, const component *c)
{
	component *name = right(c);

	if (p->has_inherited && name && name->type == DEMANGLE_COMPONENT_CTOR && class_identifier(left(c)))
		name = class_identifier(left(c));
	return put_within(p, left(c), AROUND | AROUND_UNSURE) && ADD(p, "::") &&
	       put_within(p, name, AROUND | AROUND_UNSURE);
}

static bool put_mark(struct printer *p, const component *c)
{
	switch (c->type) {
	case DEMANGLE_COMPONENT_POINTER:
		return ADD(p, "*");
	case DEMANGLE_COMPONENT_REFERENCE:
		return ADD(p, "&");
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
		return ADD(p, "&&");
	case DEMANGLE_COMPONENT_CONST:
	case DEMANGLE_COMPONENT_CONST_THIS:
		return ADD(p, " const");
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
		return ADD(p, " &");
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
		return ADD(p, " &&");
	default:
		return false;
	}
}

static bool put_const(struct printer *p, const component *c)
{
	if (p->around & AROUND_UNSURE)
		return false;
	if (p->around & AROUND_CONST)
		return put(p, left(c));
	return put_within(p, left(c), AROUND | AROUND_CONST) && put_mark(p, c);
}

static bool put_parameters(struct printer *p, const component *function)
{
	return ADD(p, "(") && (!right(function) || put_within(p, right(function), 0)) && ADD(p, ")");
}

/* Prints a function type: void (int); with a pointer to it, void (*)(int). */
static bool put_function(struct printer *p, const component *c, const component *pointer)
{
	return !p->around && left(c) && put_within(p, left(c), AROUND) && ADD(p, " ") &&
	       (!pointer || (ADD(p, "(") && put_mark(p, pointer) && ADD(p, ")"))) && put_parameters(p, c);
}

/* Prints an array type: char [5]; with a pointer to it, char (*) [5]. */
static bool put_array(struct printer *p, const component *c, const component *pointer)
{
	return !p->around && put_within(p, right(c), AROUND) && ADD(p, " ") &&
	       (!pointer || (ADD(p, "(") && put_mark(p, pointer) && ADD(p, ") "))) && ADD(p, "[") &&
	       (!left(c) || put(p, left(c))) && ADD(p, "]");
}

static bool put_pointer(struct printer *p, component *to, const component *pointer)
{
	if (to && to->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
		return put_function(p, to, pointer);
	if (to && to->type == DEMANGLE_COMPONENT_ARRAY_TYPE)
		return put_array(p, to, pointer);
	return put_within(p, to, AROUND) && put_mark(p, pointer);
}

static bool put_member_pointer(struct printer *p, const component *c)
{
	return put_within(p, right(c), AROUND) && (last_byte(p) == '(' || ADD(p, " ")) &&
	       put_within(p, left(c), AROUND | AROUND_UNSURE) && ADD(p, "::*");
}

/*
 * Prints a reference: & of && is &. Below a reference, libiberty prints a parameter as it was when it was first there,
 * so its scope must be the same here.
 */
static bool put_reference(struct printer *p, const component *c)
{
	component *to = left(c), *means = to;

	if (to && to->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM && !p->in_lambda) {
		if (to->d_counting && (unsigned)to->d_counting != p->scope)
			return false;
		to->d_counting = (int)p->scope;
		means = argument(p, to);
	}
	if (!means)
		return false;
	if (means->type == DEMANGLE_COMPONENT_REFERENCE || means->type == c->type)
		return put_pointer(p, left(means), means);
	if (means->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE)
		to = left(means);
	return put_pointer(p, to, c);
}

/* Whether a component prints the same everywhere, if no template parameter is in it. */
static bool is_name(const component *c)
{
	return c->type == DEMANGLE_COMPONENT_TEMPLATE || c->type == DEMANGLE_COMPONENT_QUAL_NAME ||
	       c->type == DEMANGLE_COMPONENT_LOCAL_NAME;
}

/*
 * Whether it can be the name of a function. libiberty treats functions named by other types, as hostile names have, in
 * another way.
 */
static bool is_function_name(const component *c)
{
	return is_name(c) || c->type == DEMANGLE_COMPONENT_NAME || c->type == DEMANGLE_COMPONENT_OPERATOR ||
	       c->type == DEMANGLE_COMPONENT_TAGGED_NAME;
}

/* The component below the qualifiers of a function, which are counted up to one more than there may be. */
static component *strip_qualifiers(component *c, const component **qualifiers, size_t *count)
{
	for (; c && c->type >= DEMANGLE_COMPONENT_CONST_THIS && c->type <= DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS &&
	       *count <= QUALIFIER_COUNT_MAX;
	     c = left(c))
		qualifiers[(*count)++] = c;
	return c;
}

/* Prints a function. Its type refers to the template that the function is; its name does not. */
static bool put_typed_name(struct printer *p, const component *c)
{
	const component *type = right(c), *qualifiers[QUALIFIER_COUNT_MAX + 1];
	size_t count = 0;
	component *name = strip_qualifiers(left(c), qualifiers, &count), *member = name;
	unsigned outer = p->scope, inner;
	bool ok;

	if (name && name->type == DEMANGLE_COMPONENT_LOCAL_NAME)
		member = strip_qualifiers(right(name), qualifiers, &count);
	if (!member || !is_function_name(name) || !type || type->type != DEMANGLE_COMPONENT_FUNCTION_TYPE ||
	    count > QUALIFIER_COUNT_MAX || (member->type == DEMANGLE_COMPONENT_TEMPLATE && !enter_scope(p, member)))
		return false;
	inner = p->scope;
	if (left(type) && !(put_within(p, left(type), AROUND) && ADD(p, " ")))
		return false;
	p->scope = outer;
	if (member != name && !(put_within(p, left(name), 0) && ADD(p, "::")))
		return false;
	ok = put_within(p, member, 0);
	p->scope = inner;
	ok = ok && put_parameters(p, type);
	p->scope = outer;
	while (ok && count > 0)
		ok = put_mark(p, qualifiers[--count]);
	return ok;
}

static bool put_lambda(struct printer *p, const component *c)
{
	bool in_lambda = p->in_lambda, ok;

	p->in_lambda = true;
	ok = ADD(p, "{lambda(") && put_within(p, c->u.s_unary_num.sub, AROUND | AROUND_UNSURE) && ADD(p, ")#") &&
	     put_number(p, c->u.s_unary_num.num + 1L) && ADD(p, "}");
	p->in_lambda = in_lambda;
	return ok;
}

/* Prints a literal: 5, 5u, true, but (char)65. */
static bool put_literal(struct printer *p, const component *c)
{
	static const char suffixes[][2][20] = {
		{"int", ""},           {"long", "l"},           {"long long", "ll"},
		{"unsigned int", "u"}, {"unsigned long", "ul"}, {"unsigned long long", "ull"}};
	bool is_negative = c->type == DEMANGLE_COMPONENT_LITERAL_NEG;
	component *type = left(c), *value = right(c);

	if (!type || !value || value->type != DEMANGLE_COMPONENT_NAME)
		return false;
	if (type->type != DEMANGLE_COMPONENT_BUILTIN_TYPE)
		return ADD(p, "(") && put(p, type) && ADD(p, ")") && (!is_negative || ADD(p, "-")) && put(p, value);
	if (is_word(type, "bool") && value->u.s_name.len == 1 && !is_negative)
		return *value->u.s_name.s == '0' ? ADD(p, "false") : *value->u.s_name.s == '1' && ADD(p, "true");
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (is_word(type, suffixes[i][0]))
			return (!is_negative || ADD(p, "-")) && put(p, value) &&
			       add(p, suffixes[i][1], strlen(suffixes[i][1]));
	return false;
}

/* Prints an operand of an expression. */
static bool put_operand(struct printer *p, component *c)
{
	if (c && (c->type == DEMANGLE_COMPONENT_NAME || c->type == DEMANGLE_COMPONENT_QUAL_NAME))
		return put(p, c);
	return ADD(p, "(") && put(p, c) && ADD(p, ")");
}

/* Prints a unary expression: !(a) and &(a), in which a function is just its name. */
static bool put_unary(struct printer *p, const component *c)
{
	component *sign = left(c), *operand = right(c);

	if (!sign || sign->type != DEMANGLE_COMPONENT_OPERATOR || !operand)
		return false;
	if (is_word(sign, "operator!"))
		return ADD(p, "!") && put_operand(p, operand);
	if (operand->type == DEMANGLE_COMPONENT_TYPED_NAME && left(operand) && right(operand) &&
	    left(operand)->type == DEMANGLE_COMPONENT_QUAL_NAME &&
	    right(operand)->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
		operand = left(operand);
	return is_word(sign, "operator&") && ADD(p, "&") && put_operand(p, operand);
}

static bool put_binary(struct printer *p, const component *c)
{
	component *sign = left(c), *operands = right(c);
	bool is_and = sign && sign->type == DEMANGLE_COMPONENT_OPERATOR && is_word(sign, "operator&&");
	bool is_or = sign && sign->type == DEMANGLE_COMPONENT_OPERATOR && is_word(sign, "operator||");

	return (is_and || is_or) && operands && operands->type == DEMANGLE_COMPONENT_BINARY_ARGS &&
	       put_operand(p, left(operands)) && add(p, is_and ? "&&" : "||", 2) && put_operand(p, right(operands));
}

static bool put_by_type(struct printer *p, component *c)
{
	switch (c->type) {
	case DEMANGLE_COMPONENT_QUAL_NAME:
	case DEMANGLE_COMPONENT_LOCAL_NAME:
		return put_path(p, c);
	case DEMANGLE_COMPONENT_TYPED_NAME:
		return put_typed_name(p, c);
	case DEMANGLE_COMPONENT_TEMPLATE:
		return put_template(p, c);
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		return put_parameter(p, c);
	case DEMANGLE_COMPONENT_CTOR:
		return put(p, c->u.s_ctor.name);
	case DEMANGLE_COMPONENT_DTOR:
		return ADD(p, "~") && put(p, c->u.s_dtor.name);
	case DEMANGLE_COMPONENT_CONST:
		return put_const(p, c);
	case DEMANGLE_COMPONENT_POINTER:
		return put_pointer(p, left(c), c);
	case DEMANGLE_COMPONENT_REFERENCE:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
		return put_reference(p, c);
	case DEMANGLE_COMPONENT_PTRMEM_TYPE:
		return put_member_pointer(p, c);
	case DEMANGLE_COMPONENT_FUNCTION_TYPE:
		return put_function(p, c, NULL);
	case DEMANGLE_COMPONENT_ARRAY_TYPE:
		return put_array(p, c, NULL);
	case DEMANGLE_COMPONENT_ARGLIST:
	case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
		return put_list(p, c);
	case DEMANGLE_COMPONENT_PACK_EXPANSION:
		return put_expansion(p, c);
	case DEMANGLE_COMPONENT_LITERAL:
	case DEMANGLE_COMPONENT_LITERAL_NEG:
		return put_literal(p, c);
	case DEMANGLE_COMPONENT_UNARY:
		return put_unary(p, c);
	case DEMANGLE_COMPONENT_BINARY:
		return put_binary(p, c);
	case DEMANGLE_COMPONENT_LAMBDA:
		return put_lambda(p, c);
	case DEMANGLE_COMPONENT_TAGGED_NAME:
		return put(p, left(c)) && ADD(p, "[abi:") && put(p, right(c)) && ADD(p, "]");
	case DEMANGLE_COMPONENT_CLONE:
		return put(p, left(c)) && ADD(p, " [clone ") && put(p, right(c)) && ADD(p, "]");
	case DEMANGLE_COMPONENT_THUNK:
		return ADD(p, "non-virtual thunk to ") && put(p, left(c));
	case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
		return ADD(p, "virtual thunk to ") && put(p, left(c));
	default:
		return false;
	}
}

/*
 * d_printing and d_counting of a component are 0 at first, and when anyone prints it. Here d_printing is -1 meanwhile,
 * because parameters can lead back to it. Afterwards, for a name, d_counting is the size of its text, and d_printing
 * the place plus DEMANGLED_SIZE_MAX times how many components deep it is, which libiberty would descend again.
 */
static bool put_new(struct printer *p, component *c)
{
	unsigned parameter_count = p->parameter_count, deepest = p->deepest;
	size_t start = p->size;
	bool ok;

	if (c->d_printing < 0)
		return false;
	c->d_printing = -1;
	p->deepest = p->depth;
	ok = descend(p) && put_by_type(p, c);
	p->depth--;
	c->d_printing = 0;
	if (ok && is_name(c) && p->parameter_count == parameter_count) {
		c->d_printing = (int)((p->deepest - p->depth) * DEMANGLED_SIZE_MAX + start);
		c->d_counting = (int)(p->size - start);
	}
	if (p->deepest < deepest)
		p->deepest = deepest;
	return ok;
}

static bool put_again(struct printer *p, const component *c)
{
	unsigned deepest = p->depth + (unsigned)(c->d_printing / DEMANGLED_SIZE_MAX);

	if (p->deepest < deepest)
		p->deepest = deepest;
	return deepest <= DEPTH_MAX && add(p, p->text + c->d_printing % DEMANGLED_SIZE_MAX, (size_t)c->d_counting);
}

static bool put(struct printer *p, component *c)
{
	if (!c || ++p->step_count > STEP_COUNT_MAX)
		return false;
	switch (c->type) {
	case DEMANGLE_COMPONENT_NAME:
		return add(p, c->u.s_name.s, (size_t)c->u.s_name.len);
	case DEMANGLE_COMPONENT_SUB_STD:
		return add(p, c->u.s_string.string, (size_t)c->u.s_string.len);
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
		return put_word(p, c);
	default:
		return is_name(c) && c->d_counting ? put_again(p, c) : put_new(p, c);
	}
}

/* Whether it is of a suffix, foo.isra.0. An expression would have an E after it, or a cast, which is left, before. */
static bool is_isra(const char *mangled, const char *sr)
{
	return sr - mangled >= 2 && memcmp(sr - 2, ".isra", 5) == 0 && !strchr(sr, 'E');
}

/*
 * If a name follows sr, "the scope of", in an expression, cplus_demangle_v3_components of the libiberty of 2023 uses a
 * flag that it never sets.
 */
static bool may_be_misread(const char *mangled)
{
	for (const char *sr = strstr(mangled, "sr"); sr; sr = strstr(sr + 2, "sr"))
		if ((strchr("0123456789CLU", sr[2]) || (sr[2] >= 'a' && sr[2] <= 'z')) && !is_isra(mangled, sr))
			return true;
	return false;
}

bool cxx_name(const char *mangled, char *ret, size_t *ret_size)
{
	struct printer p = {.text = ret, .dropped_at = SIZE_MAX, .pack_index = -1};
	component *tree;
	void *memory = NULL;
	bool ok;

	*ret_size = 0;
	if (may_be_misread(mangled))
		return false;
	p.has_inherited = strstr(mangled, "CI1") || strstr(mangled, "CI2");
	tree = cplus_demangle_v3_components(mangled, OPTIONS, &memory);
	ok = tree && put(&p, tree);
	free(memory);
	if (ok)
		*ret_size = p.size;
	return ok || p.is_too_long;
}
