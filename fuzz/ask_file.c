/* Tables are asked by id, from the first on; addresses and names are those that the answers bring. */
#include "fuzz/ask_file.h"

#include "fuzz/fuzz.h"
#include "spec/format.h"

enum { ASKED_MAX = 2000 }; /* of intervals, functions, files and alternates each */

#define HEX(value) ((unsigned long long)(value))

/* Whether a call succeeded, which it must where the file is whole. */
static bool succeeds(enum locus_status status, const struct locus_error *error, bool whole)
{
	if (status == LOCUS_OK)
		return true;
	observe("%s: %s\n", locus_status_text(status), error->text);
	HOLD(!whole);
	return false;
}

/* Reads each byte, so that a sanitizer sees one that is not there. */
static void take(const char *before, struct locus_string string)
{
	static volatile char byte;
	for (size_t i = 0; i < string.size; i++)
		byte = string.data[i];
	(void)byte;
	if (!string.size)
		return;
	observe("%s", before);
	observe_bytes(string.data, string.size);
}

static void take_frame(const struct locus_frame *frame)
{
	observe(frame->inlined ? "inlined" : "part %d at 0x%llx+%llu", frame->part, HEX(frame->part_start),
		HEX(frame->offset));
	take(" ", frame->function);
	take(" linkage ", frame->linkage);
	take(" in ", frame->directory);
	take(" / ", frame->file);
	observe(":%u:%u%s language %u ids %u %u", frame->line, frame->column, frame->has_line ? "" : " (no line)",
		frame->language, frame->function_id, frame->file_id);
}

static void take_result(const struct locus_result *result)
{
	const struct locus_interval *interval = &result->interval;
	HOLD((result->frame_count == 0) == (interval->answer == LOCUS_ANSWER_NONE));
	observe("0x%llx to 0x%llx %s", HEX(interval->start), HEX(interval->end), locus_answer_name(interval->answer));
	for (size_t i = 0; i < result->frame_count; i++) {
		HOLD(result->frames[i].inlined == (i + 1 < result->frame_count));
		observe(i ? " < " : ": ");
		take_frame(&result->frames[i]);
	}
	observe("\n");
}

/* After a prefetch the lookup of an address has the same answer as without it. */
static void lookup_ahead(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
			 const struct locus_result *plain, bool whole)
{
	uint32_t innermost = plain->frame_count ? plain->frames[0].function_id : 0;
	struct locus_result result;
	struct locus_error error;
	locus_prefetch(locus, scratch, &address, 1);
	if (!succeeds(locus_lookup(locus, scratch, address, &result, &error), &error, whole))
		return;
	HOLD(result.interval.start == plain->interval.start && result.interval.locid == plain->interval.locid &&
	     result.frame_count == plain->frame_count);
	HOLD(!result.frame_count || result.frames[0].function_id == innermost);
}

void ask_interval(struct locus *locus, struct locus_scratch *scratch, uint32_t locid, bool whole)
{
	const struct locus_alternate_info *alternates;
	struct locus_result result;
	struct locus_error error;
	size_t count = 0;
	if (!succeeds(locus_frames(locus, scratch, locid, &result, &error), &error, whole))
		return;
	take_result(&result);
	HOLD(result.interval.locid == locid);

	uint64_t start = result.interval.start;
	if (succeeds(locus_lookup(locus, scratch, start, &result, &error), &error, whole)) {
		HOLD(!whole ||
		     (result.interval.locid == locid && (start < result.interval.end || start == UINT64_MAX)));
		lookup_ahead(locus, scratch, start, &result, whole);
	}
	if (succeeds(locus_alternates(locus, scratch, start, &alternates, &count, &error), &error, whole) && count)
		observe("  %zu alternates, the first is function %u\n", count, alternates->function_id);
}

static bool take_range(void *context, const struct locus_function_range *range)
{
	(void)context;
	observe(" %s0x%llx to 0x%llx", range->inlined ? "inlined " : "", HEX(range->start), HEX(range->end));
	return true;
}

static void ask_function(struct locus *locus, struct locus_scratch *scratch, uint32_t id, bool whole)
{
	struct locus_function_info function;
	struct locus_function_place place;
	struct locus_error error;
	if (!succeeds(locus_function_at(locus, scratch, id, &function, &error), &error, whole))
		return;
	observe("function %u declared at %u:%u, language %u", id, function.decl_file_id, function.decl_line,
		function.language);
	take(" ", function.name);
	take(" linkage ", function.linkage);
	observe("\n");
	if (!function.name.size)
		return;

	/* The strings are the scratch's, and asking for places uses it. */
	char *name = malloc(function.name.size);
	HOLD(name);
	for (size_t i = 0; i < function.name.size; i++)
		name[i] = function.name.data[i];
	const struct locus_string wanted = {name, function.name.size};
	if (succeeds(locus_function_places(locus, scratch, &wanted, 1, &place, &error), &error, whole))
		observe("  %u begin there, the lowest at 0x%llx; ranges:", place.count,
			HEX(place.count ? place.start : 0));
	free(name);
	succeeds(locus_function_ranges(locus, scratch, &id, 1, take_range, NULL, &error), &error, whole);
	observe("\n");
}

static void ask_tables(struct locus *locus, struct locus_scratch *scratch, bool whole)
{
	struct locus_file_info file;
	struct locus_alternate_info alternate;
	struct locus_error error;
	for (uint32_t i = 0; i < locus_function_count(locus) && i < ASKED_MAX; i++)
		ask_function(locus, scratch, i + 1, whole);
	for (uint32_t i = 0; i < locus_file_count(locus) && i < ASKED_MAX; i++)
		if (succeeds(locus_file_at(locus, scratch, i + 1, &file, &error), &error, whole)) {
			observe("file %u", i + 1);
			take(" in ", file.directory);
			take(" ", file.name);
			observe("\n");
		}
	for (uint32_t i = 0; i < locus_alternate_count(locus) && i < ASKED_MAX; i++)
		if (succeeds(locus_alternate_at(locus, scratch, i, &alternate, &error), &error, whole))
			observe("alternate at 0x%llx size %llu: function %u, kind %d\n", HEX(alternate.start),
				HEX(alternate.size), alternate.function_id, alternate.kind);
}

static void take_counters(const char *what, const struct locus_counter_info *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].value)
			observe("%s %u: %llu\n", what, list[i].id, HEX(list[i].value));
}

static void ask_info(struct locus *locus, bool whole)
{
	const struct locus_info *info;
	struct locus_error error;
	if (!succeeds(locus_info(locus, &info, &error), &error, whole))
		return;
	observe("machine %u, type %u, class %u, byte order %u", info->elf_machine, info->elf_type, info->elf_class,
		info->elf_data);
	take(", build-id ", info->build_id);
	take(", options ", info->options);
	observe("\n");
	take_counters("coverage", info->coverage, info->coverage_count);
	take_counters("dropped", info->dropped, info->dropped_count);
	for (size_t i = 0; i < info->base_count; i++) {
		take("base", (struct locus_string){" ", 1});
		take("", info->bases[i].name);
		observe(" 0x%llx size %llu\n", HEX(info->bases[i].base), HEX(info->bases[i].size));
	}
	for (size_t i = 0; i < info->input_count; i++) {
		const struct locus_input_info *input = &info->inputs[i];
		observe("input role %u size %llu digest kind %u", input->role, HEX(input->size), input->digest_kind);
		take(" name ", input->name);
		take(" build-id ", input->build_id);
		take(" digest ", input->digest);
		observe("\n");
	}
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *segment = &info->segments[i];
		uint64_t address = 0;
		enum locus_status status = locus_address_of_offset(locus, segment->offset, &address, NULL);
		observe("segment 0x%llx offset %llu sizes %llu %llu flags %u; its first byte: %s 0x%llx\n",
			HEX(segment->address), HEX(segment->offset), HEX(segment->file_size), HEX(segment->memory_size),
			segment->flags, locus_status_text(status), HEX(address));
	}
}

/* Of what a writer decides, sizes before compression: not of the meta data, which name the tool's version. */
static void ask_sections(struct locus *locus)
{
	struct locus_section_info section;
	for (uint32_t i = 0; i < locus_section_count(locus); i++) {
		HOLD(locus_section_at(locus, i, &section, NULL) == LOCUS_OK);
		if (section.name && section.id != LOCUS_SECTION_META)
			observe("section %s: %u blocks, %llu entries, %llu bytes\n", section.name, section.block_count,
				HEX(section.entry_count), HEX(section.raw_size));
	}
}

void ask_file(struct locus *locus, bool whole)
{
	struct locus_scratch *scratch;
	HOLD(locus_scratch_new(locus, &scratch, NULL) == LOCUS_OK);
	observe("%u intervals, %u functions, %u files, %u alternates\n", locus_interval_count(locus),
		locus_function_count(locus), locus_file_count(locus), locus_alternate_count(locus));
	for (uint32_t i = 0; i < locus_interval_count(locus) && i < ASKED_MAX; i++)
		ask_interval(locus, scratch, i, whole);
	ask_tables(locus, scratch, whole);
	ask_info(locus, whole);
	ask_sections(locus);
	locus_scratch_free(scratch);
}
