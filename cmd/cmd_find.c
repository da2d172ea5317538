/* locus find: where the code of a function is, inlined copies included, or which addresses a line became. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/symbol_version.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/json.h"
#include "cmd/common/memory.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "cmd/show/demangle.h"
#include "cmd/show/function_labels.h"
#include "cmd/show/name_match.h"
#include "cmd/show/path_labels.h"
#include "cmd/store/lookup_file.h"
#include "cmd/subcommand.h"

/* By byte of a file, and for any file: the frames that may be read, and the bytes of names that may be walked. */
enum { FRAMES_PER_BYTE = 64, FRAMES_SPARE = 1 << 22, NAMES_PER_BYTE = 32, NAMES_SPARE = 1 << 24 };

struct find_options {
	const char *file;
	const char *wanted;
	bool is_regex;
	bool json;
	bool no_demangle;
};

struct find {
	const struct find_options *options;
	struct out *out;
	struct json json;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_scratch *frame_scratch; /* for the frames of a range, while the other scratch searches */
	const struct locus_info *info;
	struct function_labels *names;
	struct path_labels paths;
	regex_t regex;
	const char *word; /* a name without this, mangled or not, is not the wanted one */
	size_t word_size;
	uint32_t *ids; /* ids of the functions or files that are searched for, ascending */
	size_t id_count;
	uint32_t next_alternate; /* the first whose start was not reached yet */
	uint64_t part_start;     /* the alternate whose part's end was searched for last */
	uint64_t part_end;       /* the end that was found */
	uint64_t line;
	size_t found_count;
	uint64_t frames_left; /* frames that may still be read */
	uint64_t names_left;  /* bytes of names that may still be walked */
	bool is_too_long;     /* there were more */
	enum locus_status status;
	struct locus_error error;
};

/* Says that the file asks for more than it can need. */
static enum locus_status refuse(struct find *find, const char *what)
{
	error_clear(&find->error);
	snprintf(find->error.text, sizeof(find->error.text), "its %s than a file of %llu bytes can need", what,
		 (unsigned long long)locus_file_size(find->locus));
	return LOCUS_ERR_LIMIT;
}

/* ---- Names ---- */

/*
 * Whether a name that has the wanted word is the wanted one. The bytes are counted: a small file may unfold to names
 * that would take minutes.
 */
static bool walk_matches(struct find *find, const char *text, size_t size)
{
	find->is_too_long |= size > find->names_left;
	if (find->is_too_long)
		return false;
	find->names_left -= size;
	return name_matches(find->options->wanted, text, size);
}

static bool matches_text(struct find *find, const char *text, size_t size)
{
	regmatch_t whole = {.rm_so = 0, .rm_eo = (regoff_t)size};

	if (size == 0)
		return false;
	if (find->options->is_regex)
		return regexec(&find->regex, text, 1, &whole, REG_STARTEND) == 0;
	return memmem(text, size, find->word, find->word_size) && walk_matches(find, text, size);
}

/* A symbol's name counts without its version, too. */
static bool matches_symbol(struct find *find, struct locus_string name)
{
	size_t plain = size_without_version(name.data, name.size);

	return matches_text(find, name.data, name.size) || (plain != name.size && matches_text(find, name.data, plain));
}

static bool matches_function(struct find *find, const struct locus_function_info *function)
{
	static char demangled[DEMANGLED_SIZE_MAX];
	struct locus_string linkage = function->linkage;

	if (matches_symbol(find, function->name) || matches_symbol(find, linkage))
		return true;
	if (!linkage.size || find->options->no_demangle)
		return false;
	if (!find->options->is_regex && !memmem(linkage.data, linkage.size, find->word, find->word_size))
		return false;
	size_t size = demangle(linkage.data, linkage.size, function->language, demangled);
	return size && matches_text(find, demangled, size);
}

static void add_id(struct find *find, uint32_t id)
{
	if (!(find->id_count & (find->id_count - 1)))
		find->ids = memory_checked(
			realloc(find->ids, (find->id_count ? 2 * find->id_count : 1) * sizeof(*find->ids)));
	find->ids[find->id_count++] = id;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_chosen(const struct find *find, uint32_t id)
{
	return bsearch(&id, find->ids, find->id_count, sizeof(*find->ids), compare_ids);
}

static enum locus_status choose_functions(struct find *find)
{
	struct locus *locus = find->locus;
	enum locus_status status = LOCUS_OK;

	find->word = name_match_word(find->options->wanted, &find->word_size);
	for (uint32_t id = 1; id <= locus_function_count(locus) && status == LOCUS_OK; id++) {
		struct locus_function_info function;
		status = locus_function_at(locus, find->scratch, id, &function, &find->error);
		if (status == LOCUS_OK && matches_function(find, &function))
			add_id(find, id);
		if (status == LOCUS_OK && find->is_too_long)
			status = refuse(find, "names are longer");
	}
	return status;
}

/* ---- Lines ---- */

/* Moves over each ./ that the text begins with: paths in files have none (RULES F3). */
static const char *without_dot(const char *text)
{
	while (text[0] == '.' && text[1] == '/') {
		text++;
		text += strspn(text, "/");
	}
	return text;
}

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

static enum locus_status choose_files(struct find *find, size_t size)
{
	const char *wanted = without_dot(find->options->wanted);
	struct locus *locus = find->locus;

	size -= (size_t)(wanted - find->options->wanted);
	enum locus_status status = LOCUS_OK;

	for (uint32_t id = 1; id <= locus_file_count(locus) && status == LOCUS_OK; id++) {
		struct locus_file_info file;
		status = locus_file_at(locus, find->scratch, id, &file, &find->error);
		if (status == LOCUS_OK && matches_file(&file, wanted, size))
			add_id(find, id);
	}
	return status;
}

static bool is_wanted_line(const struct find *find, const struct locus_frame *frame)
{
	return frame->line == find->line && is_chosen(find, frame->file_id);
}

/* ---- What is found ---- */

/*
 * The offset in the ELF file of an address, as uprobes need it. False: it has none, or the file does not record
 * segments.
 */
static bool file_offset(const struct locus_info *info, uint64_t address, uint64_t *ret)
{
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *segment = &info->segments[i];
		if (address >= segment->address && address - segment->address < segment->file_size) {
			*ret = segment->offset + (address - segment->address);
			return true;
		}
	}
	return false;
}

static const char *kind_of(const struct locus_frame *frame)
{
	static const char *const parts[] = {
		[LOCUS_PART_ENTRY] = "entry", [LOCUS_PART_OTHER] = "part", [LOCUS_PART_SYMBOL] = "symbol"};

	return frame->inlined ? "inlined" : parts[frame->part];
}

static struct name name_of(struct find *find, const struct locus_frame *frame)
{
	return function_labels_get(find->names, frame->function_id, frame->function, frame->linkage, frame->language);
}

static void put_name(struct find *find, struct name name)
{
	if (name.size)
		out_escaped(find->out, name.data, name.size);
	else
		out_text(find->out, "(no name)");
}

static void json_name(struct find *find, const char *key, struct name name)
{
	json_key_bytes(&find->json, key, name.data, name.size);
}

static void json_source(struct find *find, const char *file_key, const char *line_key, const struct locus_frame *frame)
{
	struct json *json = &find->json;

	if (frame->file.size) {
		json_key(json, file_key);
		json_begin_string(json);
		path_labels_put(&find->paths, frame);
		json_end_string(json);
	}
	if (frame->has_line)
		json_key_u64(json, line_key, frame->line);
}

/* Begins a range's object. */
static void json_range(struct find *find, uint64_t start, uint64_t end, const char *kind)
{
	struct json *json = &find->json;
	uint64_t offset;

	json_open(json, '{');
	json_key(json, "start");
	json_hex(json, start);
	json_key(json, "end");
	json_hex(json, end);
	if (file_offset(find->info, start, &offset)) {
		json_key(json, "file_offset");
		json_hex(json, offset);
	}
	json_key_text(json, "kind", kind);
}

/* Shows a range. `caller` is the frame that `frame` was inlined into; NULL: it was not inlined. */
static void show_json(struct find *find, uint64_t start, uint64_t end, const struct locus_frame *frame,
		      const struct locus_frame *caller)
{
	struct json *json = &find->json;

	json_range(find, start, end, kind_of(frame));
	json_name(find, "function", name_of(find, frame));
	if (find->line)
		json_source(find, "file", "line", frame);
	if (caller) {
		json_name(find, "caller", name_of(find, caller));
		json_source(find, "call_file", "call_line", caller);
	}
	json_close(json, '}');
	json_end_line(json);
}

/* Begins a range's line. */
static void text_range(struct find *find, uint64_t start, uint64_t end, struct name name)
{
	out_hex(find->out, start);
	out_char(find->out, '-');
	out_hex(find->out, end);
	out_char(find->out, ' ');
	put_name(find, name);
}

static void show_text(struct find *find, uint64_t start, uint64_t end, const struct locus_frame *frame,
		      const struct locus_frame *caller)
{
	struct out *out = find->out;

	text_range(find, start, end, name_of(find, frame));
	if (!caller) {
		out_format(out, " (%s)\n", kind_of(frame));
		return;
	}
	out_text(out, " inlined into ");
	put_name(find, name_of(find, caller));
	if (caller->file.size) {
		out_text(out, " at ");
		path_labels_put(&find->paths, caller);
		if (caller->has_line)
			out_format(out, ":%u", caller->line);
	}
	out_char(out, '\n');
}

static void show(struct find *find, uint64_t start, uint64_t end, const struct locus_result *result, size_t frame)
{
	const struct locus_frame *caller = frame + 1 < result->frame_count ? &result->frames[frame + 1] : NULL;

	if (find->options->json)
		show_json(find, start, end, &result->frames[frame], caller);
	else
		show_text(find, start, end, &result->frames[frame], caller);
	find->found_count++;
}

/*
 * Counts the frames of an answer. Files of real programs have at most four frames for each byte; a file whose stacks
 * are all a thousand deep would be searched for minutes, and is refused.
 */
static enum locus_status count_frames(struct find *find, const struct locus_result *result)
{
	if (find->frames_left >= result->frame_count) {
		find->frames_left -= result->frame_count;
		return LOCUS_OK;
	}
	return refuse(find, "stacks are deeper");
}

/* ---- Other names of code ---- */

/*
 * Finds the end of the part that answers at `start`: there an alias ends that is known by its start alone. It is
 * `start` where nothing answers. Aliases come by their starts, so the last one's part may be this one's, too.
 */
static enum locus_status find_part_end(struct find *find, uint64_t start)
{
	struct locus_result result;
	uint32_t function = 0;
	uint64_t part_start = 0;

	if (start >= find->part_start && start < find->part_end)
		return LOCUS_OK;
	find->part_start = find->part_end = start;
	enum locus_status status = locus_lookup(find->locus, find->frame_scratch, start, &result, &find->error);
	while (status == LOCUS_OK && result.frame_count) {
		const struct locus_frame *outermost = &result.frames[result.frame_count - 1];
		if (function && (outermost->function_id != function || outermost->part_start != part_start))
			break;
		function = outermost->function_id;
		part_start = outermost->part_start;
		find->part_end = result.interval.end;

		uint32_t next = result.interval.locid + 1;
		status = count_frames(find, &result);
		if (status != LOCUS_OK || next == locus_interval_count(find->locus))
			break;
		status = locus_frames(find->locus, find->frame_scratch, next, &result, &find->error);
	}
	return status;
}

/* The function that answers where an alternate begins. */
struct primary {
	uint32_t function_id; /* 0: none does */
	struct name name;     /* a copy */
};

/* Finds the function that answers at `start`; the copy of its name is to be freed. */
static enum locus_status find_primary(struct find *find, uint64_t start, struct primary *ret)
{
	struct locus_result result;
	enum locus_status status = locus_lookup(find->locus, find->frame_scratch, start, &result, &find->error);

	*ret = (struct primary){0};
	if (status == LOCUS_OK)
		status = count_frames(find, &result);
	if (status != LOCUS_OK || !result.frame_count)
		return status;
	const struct locus_frame *outermost = &result.frames[result.frame_count - 1];
	struct name name = name_of(find, outermost);
	char *copy = memory_checked(malloc(name.size + 1));
	if (name.size)
		memcpy(copy, name.data, name.size);
	name.data = copy;
	*ret = (struct primary){outermost->function_id, name};
	return LOCUS_OK;
}

static void show_alternate(struct find *find, const struct locus_alternate_info *alternate, uint64_t end,
			   struct name name, struct name primary)
{
	const char *kind = alternate_kind_name(alternate->kind);

	if (find->options->json) {
		json_range(find, alternate->start, end, kind);
		json_name(find, "function", name);
		if (primary.size)
			json_name(find, "primary", primary);
		json_close(&find->json, '}');
		json_end_line(&find->json);
	} else {
		text_range(find, alternate->start, end, name);
		out_format(find->out, " (%s", kind);
		if (primary.size) {
			out_text(find->out, alternate->kind == LOCUS_ALTERNATE_ALIAS ? " of " : " with ");
			put_name(find, primary);
		}
		out_text(find->out, ")\n");
	}
	find->found_count++;
}

/* Shows an alternate, unless the function that answers there is searched for too and has the same name. */
static enum locus_status take_alternate(struct find *find, const struct locus_alternate_info *alternate)
{
	struct locus_function_info function;
	struct primary primary = {0};
	enum locus_status status = alternate->size ? LOCUS_OK : find_part_end(find, alternate->start);

	if (status == LOCUS_OK)
		status = find_primary(find, alternate->start, &primary);
	if (status == LOCUS_OK)
		status = locus_function_at(find->locus, find->frame_scratch, alternate->function_id, &function,
					   &find->error);
	if (status == LOCUS_OK) {
		uint64_t end = alternate->size ? alternate->start + alternate->size : find->part_end;
		struct name name = function_labels_get(find->names, alternate->function_id, function.name,
						       function.linkage, function.language);
		bool same = name.size == primary.name.size &&
			    (!name.size || memcmp(name.data, primary.name.data, name.size) == 0);
		if (!same || !is_chosen(find, primary.function_id))
			show_alternate(find, alternate, end, name, primary.name);
	}
	free((char *)primary.name.data);
	return status;
}

/* Shows the alternates that begin before an address and were not shown yet: they are in the order of their starts. */
static enum locus_status show_alternates(struct find *find, uint64_t before)
{
	uint32_t count = locus_alternate_count(find->locus);
	enum locus_status status = LOCUS_OK;

	while (status == LOCUS_OK && find->next_alternate < count && !find->out->error) {
		struct locus_alternate_info alternate;
		status = locus_alternate_at(find->locus, find->frame_scratch, find->next_alternate, &alternate,
					    &find->error);
		if (status != LOCUS_OK || alternate.start >= before)
			break;
		find->next_alternate++;
		if (is_chosen(find, alternate.function_id))
			status = take_alternate(find, &alternate);
	}
	return status;
}

/* ---- Functions and lines ---- */

static bool take_range(void *context, const struct locus_function_range *range)
{
	struct find *find = context;
	struct locus_result result = {0};

	find->status = show_alternates(find, range->start);
	if (find->status == LOCUS_OK)
		find->status = locus_lookup(find->locus, find->frame_scratch, range->start, &result, &find->error);
	if (find->status == LOCUS_OK)
		find->status = count_frames(find, &result);
	for (size_t i = result.frame_count; find->status == LOCUS_OK && i-- > 0;) {
		if (result.frames[i].function_id != range->function_id)
			continue;
		show(find, range->start, range->end, &result, i);
		break;
	}
	return find->status == LOCUS_OK && !find->out->error;
}

static enum locus_status show_functions(struct find *find)
{
	enum locus_status status = locus_function_ranges(find->locus, find->scratch, find->ids, find->id_count,
							 take_range, find, &find->error);

	if (status == LOCUS_OK)
		status = find->status;
	return status == LOCUS_OK ? show_alternates(find, UINT64_MAX) : status;
}

/* Intervals of the line that follow each other in one function are shown as one range. */
static enum locus_status show_lines(struct find *find)
{
	struct locus *locus = find->locus;
	uint32_t count = locus_interval_count(locus), function = 0;
	uint64_t start = 0, end = 0;
	struct locus_result result;
	enum locus_status status = LOCUS_OK;

	for (uint32_t i = 0; i < count && status == LOCUS_OK && !find->out->error; i++) {
		status = locus_frames(locus, find->scratch, i, &result, &find->error);
		if (status == LOCUS_OK)
			status = count_frames(find, &result);
		bool is_found = status == LOCUS_OK && result.frame_count && is_wanted_line(find, &result.frames[0]);
		bool goes_on = is_found && end == result.interval.start && function == result.frames[0].function_id;

		/* The range so far ends here: show it with the frames at its start. */
		if (end > start && !goes_on) {
			struct locus_result first;
			status = locus_lookup(locus, find->frame_scratch, start, &first, &find->error);
			if (status == LOCUS_OK)
				show(find, start, end, &first, 0);
			end = start;
		}

		if (!is_found)
			continue;
		start = goes_on ? start : result.interval.start;
		end = result.interval.end;
		function = result.frames[0].function_id;
	}
	return status;
}

/* ---- The command ---- */

static enum locus_status search(struct find *find)
{
	size_t size = find->options->is_regex ? 0 : path_size(find->options->wanted, &find->line);
	enum locus_status status = size ? choose_files(find, size) : choose_functions(find);

	if (status == LOCUS_OK && find->id_count)
		status = size ? show_lines(find) : show_functions(find);
	free(find->ids);
	return status;
}

/* Searches an open handle. */
static enum locus_status search_handle(struct find *find, struct locus *locus)
{
	enum locus_status status = locus_info(locus, &find->info, &find->error);

	find->locus = locus;
	find->frames_left = FRAMES_SPARE + FRAMES_PER_BYTE * locus_file_size(locus);
	find->names_left = NAMES_SPARE + NAMES_PER_BYTE * locus_file_size(locus);
	if (status == LOCUS_OK)
		status = locus_scratch_new(locus, &find->scratch, &find->error);
	if (status == LOCUS_OK)
		status = locus_scratch_new(locus, &find->frame_scratch, &find->error);
	if (status == LOCUS_OK) {
		find->names = function_labels_new(!find->options->no_demangle, locus_function_count(locus));
		path_labels_init(&find->paths, find->out, find->options->json, locus_file_count(locus));
		status = search(find);
		path_labels_done(&find->paths);
		function_labels_free(find->names);
	}
	locus_scratch_free(find->scratch);
	locus_scratch_free(find->frame_scratch);
	return status;
}

static int find_in_file(const struct find_options *options)
{
	static struct out out;
	static struct find find;
	const struct locus_convert_options conversion = lookup_file_options();
	struct lookup_file file;
	int code = EXIT_OK;

	find = (struct find){.options = options, .out = &out};
	error_clear(&find.error);
	out_init(&out, STDOUT_FILENO);
	json_init(&find.json, &out);
	if (options->is_regex && regcomp(&find.regex, options->wanted, REG_EXTENDED) != 0) {
		report(NULL, "'%s' is not an extended regular expression", options->wanted);
		return EXIT_USAGE;
	}

	/* An ELF file is converted as a whole: a name may be anywhere in it. */
	enum locus_status status = lookup_file_open(&file, options->file, &conversion, &find.error);
	if (status == LOCUS_OK)
		status = lookup_file_prepare(&file, NULL, 0, &find.error);
	if (status == LOCUS_OK)
		status = search_handle(&find, file.locus);
	if (status != LOCUS_OK) {
		report_error(options->file, status, &find.error);
		code = exit_of(status);
	} else if (!find.found_count) {
		report(options->file, "no function or line in it is '%s'", options->wanted);
		code = EXIT_FAILED;
	}
	lookup_file_close(&file);
	if (options->is_regex)
		regfree(&find.regex);
	return report_finish(&out, code);
}

enum { OPTION_JSON = 0x100, OPTION_REGEX, OPTION_NO_DEMANGLE };

static const struct argp_option argument_table[] = {
	{"regex", OPTION_REGEX, NULL, 0, "NAME is an extended regular expression, found anywhere in a name", 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Look for, and show, linkage names as they are", 0},
	{"json", OPTION_JSON, NULL, 0, "Print one JSON object a range", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct find_options *options = state->input;
	uint64_t line;

	switch (key) {
	case OPTION_JSON:
		options->json = true;
		return 0;
	case OPTION_REGEX:
		options->is_regex = true;
		return 0;
	case OPTION_NO_DEMANGLE:
		options->no_demangle = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			usage_error(state, "one file and one name or FILE:LINE");
		*(state->arg_num ? &options->wanted : &options->file) = text;
		return 0;
	case ARGP_KEY_END:
		if (!options->wanted || !options->wanted[0])
			usage_error(state, "name a file, and a function or FILE:LINE");
		if (!options->is_regex && path_size(options->wanted, &line) && !line)
			usage_error(state, "'%s': lines begin at 1", options->wanted);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.args_doc = "FILE NAME|FILE:LINE",
		.doc = "Say where the code of a function is, each copy that was inlined included, or which addresses a "
		       "line of the source became.",
	};
	struct find_options options = {0};

	parse_arguments(&argp, argc, argv, &options);
	return find_in_file(&options);
}

const struct subcommand subcommand_find = {"find", run, "say where functions and lines are, inlined copies included"};
