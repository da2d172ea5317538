/* Text and JSON say the same, but JSON also where in the ELF file a range begins. */
#include "cmd/find/range_output.h"

#include <stdlib.h>

#include "base/binary_search.h"
#include "base/order.h"
#include "cmd/common/memory.h"

static int compare_segments(const void *a, const void *b)
{
	const struct locus_segment_info *x = a, *y = b;

	return order_of(x->address, y->address);
}

/* Copies the segments that have bytes in the ELF file, in the order of addresses. */
static void take_segments(struct range_output *output, const struct locus_info *info)
{
	output->segments = memory_checked(calloc(info->segment_count + 1, sizeof(*output->segments)));
	for (size_t i = 0; i < info->segment_count; i++) {
		if (info->segments[i].file_size)
			output->segments[output->segment_count++] = info->segments[i];
	}
	qsort(output->segments, output->segment_count, sizeof(*output->segments), compare_segments);
}

void range_output_init(struct range_output *output, struct out *out, bool as_json, bool demangle,
		       const struct locus *locus, const struct locus_info *info)
{
	*output = (struct range_output){.out = out, .as_json = as_json};
	json_init(&output->json, out);
	take_segments(output, info);
	output->names = function_labels_new(demangle, locus_function_count(locus));
	path_labels_init(&output->paths, out, as_json, locus_file_count(locus));
}

void range_output_done(struct range_output *output)
{
	free(output->segments);
	path_labels_done(&output->paths);
	function_labels_free(output->names);
}

/*
 * The offset in the ELF file of an address, as uprobes need it. False: it has none, or the file does not record
 * segments.
 */
static bool file_offset(const struct range_output *output, uint64_t address, uint64_t *ret)
{
	const struct locus_segment_info *segments = output->segments;
	size_t behind;

	SEARCH_FIRST(behind, 0, output->segment_count, segments[behind].address > address);
	if (!behind || address - segments[behind - 1].address >= segments[behind - 1].file_size)
		return false;
	*ret = segments[behind - 1].offset + (address - segments[behind - 1].address);
	return true;
}

static const char *kind_of(const struct locus_frame *frame)
{
	static const char *const parts[] = {
		[LOCUS_PART_ENTRY] = "entry", [LOCUS_PART_OTHER] = "part", [LOCUS_PART_SYMBOL] = "symbol"};

	return frame->inlined ? "inlined" : parts[frame->part];
}

struct name range_output_name(struct range_output *output, const struct locus_frame *frame)
{
	return function_labels_get(output->names, frame->function_id, frame->function, frame->linkage, frame->language);
}

static void put_name(struct range_output *output, struct name name)
{
	if (name.size)
		out_escaped(output->out, name.data, name.size);
	else
		out_text(output->out, "(no name)");
}

static void json_name(struct range_output *output, const char *key, struct name name)
{
	json_key_bytes(&output->json, key, name.data, name.size);
}

static void json_source(struct range_output *output, const char *file_key, const char *line_key,
			const struct locus_frame *frame)
{
	struct json *json = &output->json;

	if (frame->file.size) {
		json_key(json, file_key);
		json_begin_string(json);
		path_labels_put(&output->paths, frame);
		json_end_string(json);
	}
	if (frame->has_line)
		json_key_u64(json, line_key, frame->line);
}

/* Begins a range's object. */
static void json_range(struct range_output *output, uint64_t start, uint64_t end, const char *kind)
{
	struct json *json = &output->json;
	uint64_t offset;

	json_open(json, '{');
	json_key_hex(json, "start", start);
	json_key_hex(json, "end", end);
	if (file_offset(output, start, &offset))
		json_key_hex(json, "file_offset", offset);
	json_key_text(json, "kind", kind);
}

/* Shows a range. `caller` is the frame that `frame` was inlined into; NULL: it was not inlined. */
static void show_json(struct range_output *output, uint64_t start, uint64_t end, const struct locus_frame *frame,
		      const struct locus_frame *caller)
{
	struct json *json = &output->json;

	json_range(output, start, end, kind_of(frame));
	json_name(output, "function", range_output_name(output, frame));
	if (output->with_source)
		json_source(output, "file", "line", frame);
	if (caller) {
		json_name(output, "caller", range_output_name(output, caller));
		json_source(output, "call_file", "call_line", caller);
	}
	json_close(json, '}');
	json_end_line(json);
}

/* Begins a range's line. */
static void text_range(struct range_output *output, uint64_t start, uint64_t end, struct name name)
{
	out_hex(output->out, start);
	out_char(output->out, '-');
	out_hex(output->out, end);
	out_char(output->out, ' ');
	put_name(output, name);
}

static void show_text(struct range_output *output, uint64_t start, uint64_t end, const struct locus_frame *frame,
		      const struct locus_frame *caller)
{
	struct out *out = output->out;

	text_range(output, start, end, range_output_name(output, frame));
	if (!caller) {
		out_format(out, " (%s)\n", kind_of(frame));
		return;
	}
	out_text(out, " inlined into ");
	put_name(output, range_output_name(output, caller));
	if (caller->file.size) {
		out_text(out, " at ");
		path_labels_put(&output->paths, caller);
		if (caller->has_line)
			out_format(out, ":%u", caller->line);
	}
	out_char(out, '\n');
}

void range_output_frame(struct range_output *output, uint64_t start, uint64_t end, const struct locus_result *result,
			size_t frame)
{
	const struct locus_frame *caller = frame + 1 < result->frame_count ? &result->frames[frame + 1] : NULL;

	if (output->as_json)
		show_json(output, start, end, &result->frames[frame], caller);
	else
		show_text(output, start, end, &result->frames[frame], caller);
	output->count++;
}

void range_output_alternate(struct range_output *output, const struct locus_alternate_info *alternate, uint64_t end,
			    struct name name, struct name primary)
{
	const char *kind = alternate_kind_name(alternate->kind);

	if (output->as_json) {
		json_range(output, alternate->start, end, kind);
		json_name(output, "function", name);
		if (primary.size)
			json_name(output, "primary", primary);
		json_close(&output->json, '}');
		json_end_line(&output->json);
	} else {
		text_range(output, alternate->start, end, name);
		out_format(output->out, " (%s", kind);
		if (primary.size) {
			out_text(output->out, alternate->kind == LOCUS_ALTERNATE_ALIAS ? " of " : " with ");
			put_name(output, primary);
		}
		out_text(output->out, ")\n");
	}
	output->count++;
}
