/*
 * locus dump: everything in a file, as canonical text. It depends on the content alone, not on block size, compression
 * or the order of sections: two files are equal in content exactly if their dumps are.
 */

#include "cmd/common/options.h"
#include "cmd/common/out.h"
#include "cmd/common/search_bounds.h"
#include "cmd/common/shown_file.h"
#include "cmd/show/function_labels.h"
#include "cmd/subcommand.h"
#include "reader/locus.h"

struct dump {
	struct locus *locus;
	struct locus_scratch *scratch;
	struct out *out;
	struct locus_error *error;
};

static const char *const part_names[] = {
	[LOCUS_PART_ENTRY] = "entry",
	[LOCUS_PART_OTHER] = "other",
	[LOCUS_PART_SYMBOL] = "symbol",
};

/* ` key=123` */
static void field_u64(struct out *out, const char *key, uint64_t value)
{
	out_char(out, ' ');
	out_text(out, key);
	out_char(out, '=');
	out_u64(out, value);
}

static void field_string(struct out *out, const char *key, struct locus_string value)
{
	if (!value.size)
		return;
	out_char(out, ' ');
	out_text(out, key);
	out_char(out, '=');
	out_quoted(out, value.data, value.size);
}

static void dump_counters(struct out *out, const char *kind, const struct locus_counter_info *counters, size_t count,
			  const char *(*name_of)(uint32_t id))
{
	for (size_t i = 0; i < count; i++) {
		const char *name = name_of(counters[i].id);
		out_format(out, "%s %u %s %llu\n", kind, counters[i].id, name ? name : "?",
			   (unsigned long long)counters[i].value);
	}
}

static void dump_inputs(struct out *out, const struct locus_input_info *inputs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		out_format(out, "input role=%u size=%llu digest=%u:", inputs[i].role,
			   (unsigned long long)inputs[i].size, inputs[i].digest_kind);
		out_hex_bytes(out, inputs[i].digest.data, inputs[i].digest.size);
		out_text(out, " build-id=");
		out_hex_bytes(out, inputs[i].build_id.data, inputs[i].build_id.size);
		field_string(out, "name", inputs[i].name);
		out_char(out, '\n');
	}
}

static void dump_segments(struct out *out, const struct locus_segment_info *segments, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out_format(out, "segment %#llx offset=%#llx size=%#llx memory=%#llx flags=%u\n",
			   (unsigned long long)segments[i].address, (unsigned long long)segments[i].offset,
			   (unsigned long long)segments[i].file_size, (unsigned long long)segments[i].memory_size,
			   segments[i].flags);
}

static enum locus_status dump_info(struct dump *dump)
{
	struct out *out = dump->out;
	const struct locus_info *info;
	enum locus_status status = locus_info(dump->locus, &info, dump->error);

	if (status != LOCUS_OK)
		return status;
	out_format(out, "locus format=%u\n", locus_format_version(dump->locus));
	out_text(out, "build-id ");
	out_hex_bytes(out, info->build_id.data, info->build_id.size);
	out_format(out, "\nelf machine=%u type=%u class=%u data=%u\n", info->elf_machine, info->elf_type,
		   info->elf_class, info->elf_data);
	out_format(out, "converter rules-epoch=%u", info->rules_epoch);
	field_string(out, "tool", info->tool);
	field_string(out, "options", info->options);
	out_char(out, '\n');
	for (size_t i = 0; i < info->base_count; i++) {
		out_format(out, "base %#llx %#llx ", (unsigned long long)info->bases[i].base,
			   (unsigned long long)info->bases[i].size);
		out_quoted(out, info->bases[i].name.data, info->bases[i].name.size);
		out_char(out, '\n');
	}
	dump_inputs(out, info->inputs, info->input_count);
	dump_segments(out, info->segments, info->segment_count);
	dump_counters(out, "coverage", info->coverage, info->coverage_count, locus_coverage_name);
	dump_counters(out, "dropped", info->dropped, info->dropped_count, locus_dropped_name);
	return LOCUS_OK;
}

static enum locus_status dump_files(struct dump *dump)
{
	struct locus_file_info file;

	for (uint32_t id = 1; id <= locus_file_count(dump->locus) && !dump->out->error; id++) {
		enum locus_status status = locus_file_at(dump->locus, dump->scratch, id, &file, dump->error);
		if (status != LOCUS_OK)
			return status;
		out_text(dump->out, "file ");
		out_u64(dump->out, id);
		field_string(dump->out, "directory", file.directory);
		field_string(dump->out, "name", file.name);
		out_char(dump->out, '\n');
	}
	return LOCUS_OK;
}

static enum locus_status dump_functions(struct dump *dump)
{
	struct locus_function_info function;

	for (uint32_t id = 1; id <= locus_function_count(dump->locus) && !dump->out->error; id++) {
		enum locus_status status = locus_function_at(dump->locus, dump->scratch, id, &function, dump->error);
		if (status != LOCUS_OK)
			return status;
		out_text(dump->out, "function ");
		out_u64(dump->out, id);
		field_string(dump->out, "name", function.name);
		field_string(dump->out, "linkage", function.linkage);
		field_u64(dump->out, "file", function.decl_file_id);
		field_u64(dump->out, "line", function.decl_line);
		field_u64(dump->out, "language", function.language);
		out_char(dump->out, '\n');
	}
	return LOCUS_OK;
}

static enum locus_status dump_alternates(struct dump *dump)
{
	struct locus_alternate_info alternate;

	for (uint32_t i = 0; i < locus_alternate_count(dump->locus) && !dump->out->error; i++) {
		enum locus_status status = locus_alternate_at(dump->locus, dump->scratch, i, &alternate, dump->error);
		if (status != LOCUS_OK)
			return status;
		out_format(dump->out, "alternate %#llx size=%#llx function=%u %s\n",
			   (unsigned long long)alternate.start, (unsigned long long)alternate.size,
			   alternate.function_id, alternate_kind_name(alternate.kind));
	}
	return LOCUS_OK;
}

/*
 * `0x1149 ok 3@1:10 2@1:22 entry 0x1130`: from this address on, function 3 at file 1, line 10, inlined into function 2
 * at file 1, line 22, whose entry part starts at 0x1130. A file or line of 0 is unknown.
 */
static void dump_interval(struct out *out, const struct locus_result *result)
{
	out_hex(out, result->interval.start);
	out_char(out, ' ');
	out_text(out, locus_answer_name(result->interval.answer));
	for (size_t i = 0; i < result->frame_count; i++) {
		const struct locus_frame *frame = &result->frames[i];
		out_char(out, ' ');
		out_u64(out, frame->function_id);
		out_char(out, '@');
		out_u64(out, frame->file_id);
		out_char(out, ':');
		out_u64(out, frame->line);
		if (frame->column) {
			out_char(out, ':');
			out_u64(out, frame->column);
		}
		if (!frame->inlined) {
			out_char(out, ' ');
			out_text(out, part_names[frame->part]);
			out_char(out, ' ');
			out_hex(out, frame->part_start);
		}
	}
	out_char(out, '\n');
}

static enum locus_status dump_intervals(struct dump *dump)
{
	struct locus_result result;
	struct search_bounds bounds;

	search_bounds_init(&bounds, dump->locus);
	for (uint32_t locid = 0; locid < locus_interval_count(dump->locus) && !dump->out->error; locid++) {
		enum locus_status status = locus_frames(dump->locus, dump->scratch, locid, &result, dump->error);
		if (status == LOCUS_OK)
			status = search_bounds_frames(&bounds, result.frame_count, dump->error);
		if (status != LOCUS_OK)
			return status;
		dump_interval(dump->out, &result);
	}
	return LOCUS_OK;
}

static enum locus_status dump_all(struct dump *dump)
{
	enum locus_status (*const parts[])(struct dump * dump) = {
		dump_info, dump_files, dump_functions, dump_alternates, dump_intervals,
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		enum locus_status status = parts[i](dump);
		if (status != LOCUS_OK)
			return status;
	}
	return LOCUS_OK;
}

static enum locus_status dump_file(const char *path, const void *options, struct out *out, struct locus_error *error)
{
	struct dump dump = {.out = out, .error = error};
	enum locus_status status = locus_open(path, NULL, &dump.locus, error);

	(void)options;
	if (status == LOCUS_OK)
		status = locus_scratch_new(dump.locus, &dump.scratch, error);
	if (status == LOCUS_OK)
		status = dump_all(&dump);
	locus_scratch_free(dump.scratch);
	locus_close(dump.locus);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = shown_file_parser,
		.args_doc = "FILE",
		.doc = "Print everything in a .locus file as text. Two files are equal in content exactly if their "
		       "texts are equal.",
	};
	const char *file = NULL;

	parse_arguments(&argp, argc, argv, &file);
	return show_file(file, dump_file, NULL);
}

const struct subcommand subcommand_dump = {"dump", run, "print everything in a .locus file as text"};
