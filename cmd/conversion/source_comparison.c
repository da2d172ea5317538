/* The cross-check compares both sides, because it knows where several answers are right. */
#include "cmd/conversion/source_comparison.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix64.h"
#include "base/order.h"
#include "cmd/common/memory.h"
#include "cmd/common/unique_addresses.h"
#include "cmd/conversion/converter.h"
#include "reader/locus.h"

/* ---- The addresses to ask for ---- */

struct addresses {
	uint64_t *list;
	size_t count, room;
};

static void add_address(struct addresses *addresses, uint64_t address)
{
	memory_reserve(&addresses->list, &addresses->room, addresses->count + 1, sizeof(*addresses->list));
	addresses->list[addresses->count++] = address;
}

/* The two sides: the .locus file, and the cross-check. */
struct sides {
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_cross_check *check;
	bool has_columns;
};

/* An interval that was drawn, which is asked for where it begins, or `inside` bytes behind that, modulo its size. */
struct draw {
	uint32_t locid;
	bool is_inside;
	uint64_t inside;
};

static int compare_draws(const void *a, const void *b)
{
	const struct draw *x = a, *y = b;

	return order_of(x->locid, y->locid);
}

static enum locus_status add_draws(const struct sides *sides, const struct draw *draws, size_t count,
				   struct addresses *ret, struct locus_error *error)
{
	struct locus_interval interval;

	for (size_t i = 0; i < count; i++) {
		enum locus_status status =
			locus_interval_at(sides->locus, sides->scratch, draws[i].locid, &interval, error);
		if (status != LOCUS_OK)
			return status;
		uint64_t size = draws[i].is_inside ? interval.end - interval.start : 1;
		add_address(ret, interval.start + draws[i].inside % size);
	}
	return LOCUS_OK;
}

/*
 * Draws intervals, of which there are two at least: any but the last, which is a gap without an end. They are read in
 * their order, so that each block of the file is decoded once, however many of its intervals were drawn.
 */
static enum locus_status sample(const struct sides *sides, uint64_t count, struct addresses *ret,
				struct locus_error *error)
{
	uint32_t interval_count = locus_interval_count(sides->locus);
	uint64_t state = 0;

	struct draw *draws = memory_checked(calloc(count, sizeof(*draws)));
	for (uint64_t i = 0; i < count; i++) {
		draws[i].locid = (uint32_t)(random_next(&state) % (interval_count - 1));
		draws[i].is_inside = i % 2;
		draws[i].inside = random_next(&state);
	}
	qsort(draws, count, sizeof(*draws), compare_draws);
	enum locus_status status = add_draws(sides, draws, count, ret, error);
	free(draws);
	return status;
}

/* Collects every address at which the answer of either side may change. */
static enum locus_status take_all(const struct sides *sides, struct addresses *ret, struct locus_error *error)
{
	struct locus_interval interval;
	enum locus_status status = converter()->cross_check_change_points(sides->check, &ret->list, &ret->count, error);

	ret->room = ret->count;
	for (uint32_t i = 0; status == LOCUS_OK && i < locus_interval_count(sides->locus); i++) {
		status = locus_interval_at(sides->locus, sides->scratch, i, &interval, error);
		if (status == LOCUS_OK)
			add_address(ret, interval.start);
	}
	return status;
}

/* ---- What the file says ---- */

enum { FRAMES_MAX = 1024 }; /* FORMAT.md 6.3.2 */

/* An answer with strings that end in NUL. */
struct claim_buffer {
	struct locus_claim claim;
	struct locus_claimed_frame frames[FRAMES_MAX];
	char *strings; /* strings of all frames, one behind the other */
	size_t size, room;
};

/* Adds a string. Returns its offset in `strings`; SIZE_MAX: it is absent. */
static size_t put_string(struct claim_buffer *buffer, struct locus_string a, const char *between, struct locus_string b)
{
	size_t begin = buffer->size, size = a.size + strlen(between) + b.size + 1;

	if (!a.size && !b.size)
		return SIZE_MAX;
	memory_reserve(&buffer->strings, &buffer->room, begin + size, 1);
	char *end = buffer->strings + begin;
	if (a.size)
		memcpy(end, a.data, a.size);
	end = stpcpy(end + a.size, between);
	if (b.size)
		memcpy(end, b.data, b.size);
	end[b.size] = '\0';
	buffer->size += size;
	return begin;
}

static const char *string_at(const struct claim_buffer *buffer, size_t at)
{
	return at == SIZE_MAX ? NULL : buffer->strings + at;
}

static void fill_claim(struct claim_buffer *buffer, const struct sides *sides, const struct locus_result *result,
		       uint64_t address)
{
	static size_t places[FRAMES_MAX][3];
	const struct locus_string none = {0};
	size_t count = result->frame_count < FRAMES_MAX ? result->frame_count : FRAMES_MAX;

	buffer->size = 0;
	for (size_t i = 0; i < count; i++) {
		const struct locus_frame *frame = &result->frames[i];
		bool has_slash = !frame->directory.size || frame->directory.data[frame->directory.size - 1] == '/';
		places[i][0] = put_string(buffer, frame->function, "", none);
		places[i][1] = put_string(buffer, frame->linkage, "", none);
		places[i][2] = put_string(buffer, frame->directory, has_slash ? "" : "/", frame->file);
	}

	/* The strings may have moved while others were added, so they are only pointed to now. */
	for (size_t i = 0; i < count; i++)
		buffer->frames[i] = (struct locus_claimed_frame){
			.function = string_at(buffer, places[i][0]),
			.linkage = string_at(buffer, places[i][1]),
			.path = string_at(buffer, places[i][2]),
			.line = result->frames[i].has_line ? result->frames[i].line : 0,
			.column = result->frames[i].column,
		};
	buffer->claim = (struct locus_claim){
		.address = address,
		.frames = buffer->frames,
		.frame_count = count,
		.is_symbol = result->interval.answer == LOCUS_ANSWER_SYMBOL,
		.has_columns = sides->has_columns,
		.part_start = count ? result->frames[count - 1].part_start : 0,
	};
}

/* A text that is written bit by bit; what has no room is cut off. */
struct line {
	char *text;
	size_t size, used;
};

static void put(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct line *line, const char *format, ...)
{
	va_list arguments;

	if (line->used >= line->size)
		return;
	va_start(arguments, format);
	int size = vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
	va_end(arguments);
	line->used += size > 0 ? (size_t)size : 0;
}

/* Writes the claim as one line of text, in the form in which the cross-check says what it knows. */
static void put_text(const struct locus_claim *claim, char *text, size_t size)
{
	struct line line = {text, size, 0};

	put(&line, "%s", claim->frame_count ? "" : "nothing");
	for (size_t i = 0; i < claim->frame_count; i++) {
		const struct locus_claimed_frame *frame = &claim->frames[i];
		const char *name = frame->linkage ? frame->linkage : frame->function;
		put(&line, "%s%s", i ? ", inlined into " : "", name ? name : "(no name)");
		if (frame->linkage && frame->function && strcmp(frame->linkage, frame->function) != 0)
			put(&line, " (%s)", frame->function);
		put(&line, " at %s:%u", frame->path ? frame->path : "??", (unsigned)frame->line);
		if (frame->column)
			put(&line, ":%u", (unsigned)frame->column);
	}
	if (claim->frame_count)
		put(&line, ", which starts at 0x%llx", (unsigned long long)claim->part_start);
}

/* ---- Comparing ---- */

static enum locus_status compare_at(const struct sides *sides, uint64_t address, struct claim_buffer *buffer,
				    struct comparison *ret, struct locus_error *error)
{
	static char says[COMPARISON_TEXT_SIZE];
	struct locus_result result;
	bool agrees;
	enum locus_status status = locus_lookup(sides->locus, sides->scratch, address, &result, error);

	if (status != LOCUS_OK)
		return status;
	fill_claim(buffer, sides, &result, address);
	status = converter()->cross_check_judge(sides->check, &buffer->claim, &agrees, says, sizeof(says), error);
	if (status != LOCUS_OK)
		return status;
	ret->asked++;
	ret->differing += !agrees;
	if (agrees || ret->shown == COMPARISON_SHOWN)
		return LOCUS_OK;

	struct comparison_difference *difference = &ret->differences[ret->shown++];
	difference->address = address;
	put_text(&buffer->claim, difference->file_says, sizeof(difference->file_says));
	snprintf(difference->source_says, sizeof(difference->source_says), "%s", says);
	return LOCUS_OK;
}

/* The prefix maps that the file was made with: lines of its recorded options. Freed with their text, *ret_text. */
static const char **recorded_maps(const struct locus_info *info, char **ret_text, size_t *ret_count)
{
	static const char key[] = "prefix-map=";
	char *text = *ret_text =
		memory_checked(strndup(info->options.size ? info->options.data : "", info->options.size));
	const char **maps = memory_checked(calloc(info->options.size + 1, sizeof(*maps)));

	*ret_count = 0;
	for (char *line; (line = strsep(&text, "\n")) != NULL;)
		if (strncmp(line, key, strlen(key)) == 0 && strchr(line + strlen(key), '='))
			maps[(*ret_count)++] = line + strlen(key);
	return maps;
}

static bool has_columns(const struct locus *locus)
{
	struct locus_section_info section;
	bool has = false;

	for (uint32_t i = 0; i < locus_section_count(locus); i++)
		has |= locus_section_at(locus, i, &section, NULL) == LOCUS_OK && section.name &&
		       strcmp(section.name, "columns") == 0;
	return has;
}

/* Whether some of the file's answers are from debug information, without which its source could not give them. */
static bool has_debug_answers(const struct locus_info *info)
{
	for (size_t i = 0; i < info->coverage_count; i++) {
		uint32_t id = info->coverage[i].id;
		if (info->coverage[i].value && id != LOCUS_COVERAGE_SYMBOL && id != LOCUS_COVERAGE_NONE)
			return true;
	}
	return false;
}

static enum locus_status compare_all(const struct comparison_question *question, const struct sides *sides,
				     struct comparison *ret, struct locus_error *error)
{
	struct claim_buffer *buffer = memory_checked(calloc(1, sizeof(*buffer)));
	struct addresses addresses = {0};
	/* Of a file without code nothing can be drawn, but its source may have some. */
	bool is_sampled = question->samples && locus_interval_count(sides->locus) > 1;
	enum locus_status status =
		is_sampled ? sample(sides, question->samples, &addresses, error) : take_all(sides, &addresses, error);

	addresses.count = unique_addresses(addresses.list, addresses.count);
	for (size_t i = 0; i < addresses.count && status == LOCUS_OK; i++)
		status = compare_at(sides, addresses.list[i], buffer, ret, error);
	free(addresses.list);
	free(buffer->strings);
	free(buffer);
	return status;
}

/* Whether both have a build-id, and not the same. */
static bool is_other_build(const struct locus_info *info, const char *elf)
{
	uint8_t id[UINT8_MAX];
	size_t size = sizeof(id);

	return info->build_id.size && converter_build_id(elf, id, &size, NULL) == LOCUS_OK && size &&
	       (size != info->build_id.size || memcmp(id, info->build_id.data, size) != 0);
}

enum locus_status comparison_make(const struct comparison_question *question, struct comparison *ret,
				  struct locus_error *error)
{
	struct locus_convert_options options = *question->options;
	struct sides sides = {0};
	const struct locus_info *info;
	const char **maps = NULL;
	char *text = NULL;
	enum locus_status status = locus_open(question->file, NULL, &sides.locus, error);

	/* The cross-check reads the source with the options that the file records. */
	*ret = (struct comparison){0};
	if (status == LOCUS_OK)
		status = locus_info(sides.locus, &info, error);
	if (status == LOCUS_OK)
		status = locus_scratch_new(sides.locus, &sides.scratch, error);
	if (status == LOCUS_OK) {
		options.prefix_maps = maps = recorded_maps(info, &text, &options.prefix_map_count);
		options.symbols_only = !has_debug_answers(info);
		sides.has_columns = has_columns(sides.locus);
		status = converter()->cross_check_open(question->elf, &options, &sides.check, error);
	}
	if (status == LOCUS_OK)
		status = compare_all(question, &sides, ret, error);
	if (status == LOCUS_OK && ret->differing)
		ret->is_other_build = is_other_build(info, question->elf);

	if (sides.check)
		converter()->cross_check_free(sides.check);
	free(maps);
	free(text);
	locus_scratch_free(sides.scratch);
	locus_close(sides.locus);
	return status;
}

bool comparison_is_sound(const struct comparison *comparison)
{
	bool is_sound = comparison->shown <= COMPARISON_SHOWN && comparison->is_other_build <= 1;

	for (size_t i = 0; is_sound && i < comparison->shown; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];
		is_sound = memchr(difference->file_says, '\0', sizeof(difference->file_says)) &&
			   memchr(difference->source_says, '\0', sizeof(difference->source_says));
	}
	return is_sound;
}
