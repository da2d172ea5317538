/* Names are compared by name_match, paths by their last components. */
#include "cmd/find/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/language.h"
#include "base/order.h"
#include "base/symbol_version.h"
#include "cmd/common/memory.h"
#include "cmd/find/regex_limits.h"
#include "cmd/show/demangle.h"
#include "cmd/show/source_name.h"

/* The size of the path in PATH:LINE; 0: the text has another form, such as std::get. */
static size_t path_size(const char *text, uint64_t *ret_line)
{
	const char *colon = strrchr(text, ':');
	char *end;

	if (!colon || colon == text || colon[-1] == ':' || colon[1] < '0' || colon[1] > '9')
		return 0;
	*ret_line = strtoull(colon + 1, &end, 10);
	return *end ? 0 : (size_t)(colon - text);
}

static bool compile(struct choice *choice)
{
	struct regex_limits before;

	regex_limits_begin(&before, 0);
	int fault = regcomp(&choice->regex, choice->wanted, REG_EXTENDED);
	regex_limits_end(&before);
	choice->problem = !fault                ? NULL
			  : fault == REG_ESPACE ? "takes too much memory"
						: "is not an extended regular expression";
	return !fault;
}

static void want_name(struct choice *choice, const char *name)
{
	choice->word = name_match_word(name, &choice->word_size);
	choice->shown_word = name_match_shown_word(name, &choice->shown_word_size);
	name_wanted_init(&choice->name, name);
}

bool choice_init(struct choice *choice, const char *wanted, bool is_regex, bool demangles)
{
	*choice = (struct choice){.wanted = wanted, .is_regex = is_regex, .demangles = demangles};
	if (is_regex)
		return compile(choice);
	choice->path_size = path_size(wanted, &choice->line);
	want_name(choice, wanted);
	return true;
}

void choice_done(struct choice *choice)
{
	free(choice->ids);
	free(choice->without_receiver);
	if (choice->is_regex)
		regfree(&choice->regex);
}

bool choice_is_line_0(const struct choice *choice)
{
	return choice->path_size && !choice->line;
}

static void add_id(struct choice *choice, uint32_t id)
{
	memory_reserve(&choice->ids, &choice->id_room, choice->id_count + 1, sizeof(*choice->ids));
	choice->ids[choice->id_count++] = id;
}

static int compare_ids(const void *a, const void *b)
{
	return order_of(*(const uint32_t *)a, *(const uint32_t *)b);
}

bool choice_has(const struct choice *choice, uint32_t id)
{
	return choice->id_count && bsearch(&id, choice->ids, choice->id_count, sizeof(*choice->ids), compare_ids);
}

/* ---- Functions ---- */

/* A function whose names are compared, one by one, until one is the wanted one or the bounds are reached. */
struct comparison {
	const struct choice *choice;
	struct search_bounds *bounds;
	enum locus_status status; /* of the bounds, and of an expression */
	struct locus_error *error;
};

/* Names are walked only if they have the wanted word. Bytes that are walked, or read by an expression, are counted. */
static bool matches_text(struct comparison *comparison, const char *text, size_t size, uint32_t language)
{
	const struct choice *choice = comparison->choice;
	regmatch_t whole = {.rm_so = 0, .rm_eo = (regoff_t)size};

	if (size == 0 || comparison->status != LOCUS_OK)
		return false;
	if (!choice->is_regex && name_encoding_of(text, size, language) == ENCODING_NONE &&
	    !memmem(text, size, choice->shown_word, choice->shown_word_size))
		return false;
	comparison->status = search_bounds_name(comparison->bounds, size, comparison->error);
	if (comparison->status != LOCUS_OK)
		return false;
	if (!choice->is_regex)
		return name_matches(&choice->name, text, size, language);
	int fault = regexec(&choice->regex, text, 1, &whole, REG_STARTEND);
	if (fault == REG_ESPACE)
		comparison->status = LOCUS_ERR_MEMORY;
	return !fault;
}

/* A symbol's name counts without its version, too. */
static bool matches_symbol(struct comparison *comparison, struct locus_string name, uint32_t language)
{
	size_t plain = size_without_version(name.data, name.size);

	return matches_text(comparison, name.data, name.size, language) ||
	       (plain != name.size && matches_text(comparison, name.data, plain, language));
}

static bool matches_function(struct comparison *comparison, const struct locus_function_info *function)
{
	static char demangled[DEMANGLED_SIZE_MAX];
	const struct choice *choice = comparison->choice;
	struct locus_string linkage = function->linkage;
	uint32_t language = function->language;

	if (matches_symbol(comparison, function->name, language) || matches_symbol(comparison, linkage, language))
		return true;
	if (!linkage.size || !choice->demangles)
		return false;
	if (!choice->is_regex && !memmem(linkage.data, linkage.size, choice->word, choice->word_size))
		return false;
	/* f@plt is not f, whatever stands between them when it is demangled. */
	if (!choice->is_regex && ends_in_plt(linkage.data, linkage.size) &&
	    !ends_in_plt(choice->wanted, strlen(choice->wanted)))
		return false;
	size_t size = demangle(linkage.data, linkage.size, language, demangled);
	bool is_d = is_mangled_d(linkage.data, linkage.size, language);
	return size && matches_text(comparison, demangled, size, is_d ? LANG_D : language);
}

static enum locus_status find_functions(struct choice *choice, struct locus *locus, struct locus_scratch *scratch,
					struct search_bounds *bounds, struct locus_error *error)
{
	struct comparison comparison = {.choice = choice, .bounds = bounds, .error = error};

	for (uint32_t id = 1; id <= locus_function_count(locus); id++) {
		struct locus_function_info function;
		enum locus_status status = locus_function_at(locus, scratch, id, &function, error);
		if (status != LOCUS_OK)
			return status;
		if (matches_function(&comparison, &function))
			add_id(choice, id);
		if (comparison.status != LOCUS_OK)
			return comparison.status;
	}
	return LOCUS_OK;
}

/* Go's main.T.f for main.(*T).f, to be freed; NULL: the text has no receiver in brackets. */
static char *without_receiver(const char *text)
{
	const char *open = strstr(text, "(*"), *close = open ? strstr(open, ").") : NULL;

	if (!close || (open > text && open[-1] != '.'))
		return NULL;
	char *copy = memory_checked(strdup(text)), *end = copy + (open - text);
	size_t size = (size_t)(close - (open + 2));
	memcpy(end, open + 2, size);
	strcpy(end + size, close + 1);
	return copy;
}

/*
 * Compilers that leave out something of what programmers and stacks write: gccgo the brackets of a receiver that is a
 * pointer, OCaml's the modules in that of a file. A name without it counts where no function has all.
 */
static enum locus_status find_by_name(struct choice *choice, struct locus *locus, struct locus_scratch *scratch,
				      struct search_bounds *bounds, struct locus_error *error)
{
	enum locus_status status = find_functions(choice, locus, scratch, bounds, error);

	if (status != LOCUS_OK || choice->id_count || choice->is_regex || !strchr(choice->wanted, '.'))
		return status;
	choice->without_receiver = without_receiver(choice->wanted);
	if (choice->without_receiver)
		want_name(choice, choice->without_receiver);
	choice->name.may_have_inner_modules = true;
	return find_functions(choice, locus, scratch, bounds, error);
}

/* ---- Files ---- */

/* Moves over each ./ that the text begins with: paths in files have none (RULES F3). */
static const char *without_dot(const char *text)
{
	while (text[0] == '.' && text[1] == '/') {
		text++;
		text += strspn(text, "/");
	}
	return text;
}

/* Whether a file is the wanted one: its path ends with these components. */
static bool matches_file(const struct locus_file_info *file, const char *wanted, size_t size)
{
	enum { PATH_SIZE_MAX = 8192 }; /* no file system has paths as long */
	char path[PATH_SIZE_MAX];
	const char *slash = file->directory.size && file->directory.data[file->directory.size - 1] != '/' ? "/" : "";
	size_t whole = file->directory.size + strlen(slash) + file->name.size;

	if (whole > sizeof(path) || size > whole)
		return false;
	memcpy(path, file->directory.data ? file->directory.data : "", file->directory.size);
	memcpy(path + file->directory.size, slash, strlen(slash));
	memcpy(path + whole - file->name.size, file->name.data, file->name.size);
	return memcmp(path + whole - size, wanted, size) == 0 &&
	       (whole == size || wanted[0] == '/' || path[whole - size - 1] == '/');
}

static enum locus_status find_files(struct choice *choice, struct locus *locus, struct locus_scratch *scratch,
				    struct locus_error *error)
{
	const char *path = without_dot(choice->wanted);
	size_t size = choice->path_size - (size_t)(path - choice->wanted);

	for (uint32_t id = 1; id <= locus_file_count(locus); id++) {
		struct locus_file_info file;
		enum locus_status status = locus_file_at(locus, scratch, id, &file, error);
		if (status != LOCUS_OK)
			return status;
		if (matches_file(&file, path, size))
			add_id(choice, id);
	}
	return LOCUS_OK;
}

enum locus_status choice_find(struct choice *choice, struct locus *locus, struct locus_scratch *scratch,
			      struct search_bounds *bounds, struct locus_error *error)
{
	struct regex_limits before;

	if (choice->path_size)
		return find_files(choice, locus, scratch, error);
	if (choice->is_regex)
		regex_limits_begin(&before, locus_file_size(locus));
	enum locus_status status = find_by_name(choice, locus, scratch, bounds, error);
	if (choice->is_regex)
		regex_limits_end(&before);
	return status;
}
