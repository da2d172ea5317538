/* locus info: where a file comes from, what it holds, how big its parts are and what it covers. */

#include "cmd/common/counter_names.h"
#include "cmd/common/options.h"
#include "cmd/common/origin.h"
#include "cmd/common/shown_file.h"
#include "cmd/subcommand.h"

struct info_options {
	const char *file;
	bool json;
};

struct code_name {
	unsigned code;
	const char *name;
};

/* The System V ABI's numbers: e_machine and e_type. */
static const struct code_name machines[] = {
	{2, "SPARC"},    {3, "x86"},         {8, "MIPS"},      {20, "PowerPC"}, {21, "PowerPC64"},
	{22, "S/390"},   {40, "ARM"},        {43, "SPARC V9"}, {62, "x86-64"},  {183, "AArch64"},
	{243, "RISC-V"}, {258, "LoongArch"}, {0, NULL},
};
static const struct code_name types[] = {
	{1, "relocatable file"},
	{2, "executable"},
	{3, "shared object or position-independent executable"},
	{0, NULL},
};

/* enum locus_input_role and enum locus_digest_kind. */
static const struct code_name roles[] = {
	{LOCUS_INPUT_PROGRAM, "program"}, {LOCUS_INPUT_DEBUG, "debug"}, {LOCUS_INPUT_ALTERNATE, "alternate"},
	{LOCUS_INPUT_PACKAGE, "package"}, {LOCUS_INPUT_SPLIT, "split"}, {0, NULL},
};
static const struct code_name digests[] = {
	{LOCUS_DIGEST_BYTES, "all bytes"},
	{LOCUS_DIGEST_HEADERS, "headers"},
	{0, NULL},
};

static void out_code(struct out *out, const struct code_name *names, const char *kind, unsigned code)
{
	while (names->name && names->code != code)
		names++;
	if (names->name)
		out_text(out, names->name);
	else
		out_format(out, "%s %u", kind, code);
}

/* As xxhsum prints it: the highest byte first. */
static void out_digest(struct out *out, const struct locus_input_info *input)
{
	for (size_t i = input->digest.size; i-- > 0;)
		out_hex_bytes(out, input->digest.data + i, 1);
}

/* ---- Text ---- */

static void text_label(struct out *out, const char *label)
{
	out_format(out, "%-15s ", label);
}

/* The recorded options are lines of text; each is shown on a line of its own. */
static void text_lines(struct out *out, const char *label, struct locus_string text)
{
	for (size_t i = 0; i < text.size;) {
		size_t end = i;
		while (end < text.size && text.data[end] != '\n')
			end++;
		text_label(out, i == 0 ? label : "");
		out_escaped(out, text.data + i, end - i);
		out_char(out, '\n');
		i = end + 1;
	}
}

static void text_origin(struct out *out, struct locus *locus, const struct locus_info *info)
{
	struct locus_identity identity = locus_identity(locus);

	text_label(out, "identity");
	out_hex_bytes(out, identity.bytes, sizeof(identity.bytes));
	out_char(out, '\n');
	text_label(out, "build-id");
	if (info->build_id.size)
		out_hex_bytes(out, info->build_id.data, info->build_id.size);
	else
		out_text(out, "none");
	out_char(out, '\n');
	text_label(out, "machine");
	out_code(out, machines, "machine", info->elf_machine);
	out_format(out, ", %s-bit, %s-endian, ", info->elf_class == 2 ? "64" : "32",
		   info->elf_data == 2 ? "big" : "little");
	out_code(out, types, "type", info->elf_type);
	out_char(out, '\n');
	text_label(out, "converter");
	out_escaped(out, info->tool.data, info->tool.size);
	out_format(out, ", rules epoch %u\n", info->rules_epoch);
	text_lines(out, "options", info->options);
}

static void text_bases(struct out *out, const struct locus_info *info)
{
	if (info->base_count == 0)
		return;
	out_format(out, "\n%-15s %14s %14s\n", "code section", "address", "size");
	for (size_t i = 0; i < info->base_count; i++) {
		out_format(out, "  %#14llx %#14llx  ", (unsigned long long)info->bases[i].base,
			   (unsigned long long)info->bases[i].size);
		out_escaped(out, info->bases[i].name.data, info->bases[i].name.size);
		out_char(out, '\n');
	}
}

/* "r-x", with any other flags as a number. */
static void out_access(struct out *out, uint32_t flags)
{
	out_char(out, flags & 4 ? 'r' : '-');
	out_char(out, flags & 2 ? 'w' : '-');
	out_char(out, flags & 1 ? 'x' : '-');
	if (flags & ~7u)
		out_format(out, " %#x", flags);
}

static void text_segments(struct out *out, const struct locus_info *info)
{
	if (info->segment_count == 0)
		return;
	out_format(out, "\n%-15s %14s %14s %14s %14s\n", "segment", "address", "memory size", "file offset",
		   "file size");
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *segment = &info->segments[i];
		out_format(out, "  %-13zu %#14llx %#14llx %#14llx %#14llx  ", i, (unsigned long long)segment->address,
			   (unsigned long long)segment->memory_size, (unsigned long long)segment->offset,
			   (unsigned long long)segment->file_size);
		out_access(out, segment->flags);
		out_char(out, '\n');
	}
}

static void text_inputs(struct out *out, const struct locus_info *info)
{
	for (size_t i = 0; i < info->input_count; i++) {
		const struct locus_input_info *input = &info->inputs[i];
		text_label(out, i == 0 ? "read" : "");
		out_escaped(out, input->name.data, input->name.size);
		out_text(out, ", ");
		out_code(out, roles, "role", input->role);
		out_format(out, ", %llu bytes, build-id ", (unsigned long long)input->size);
		if (input->build_id.size)
			out_hex_bytes(out, input->build_id.data, input->build_id.size);
		else
			out_text(out, "none");
		if (input->digest.size) {
			out_text(out, ", XXH3-128 of ");
			out_code(out, digests, "kind", input->digest_kind);
			out_char(out, ' ');
			out_digest(out, input);
		}
		out_char(out, '\n');
	}
}

static void text_sections(struct out *out, const struct locus *locus)
{
	struct locus_section_info section;

	out_format(out, "\n%-15s %14s %8s %14s %14s\n", "section", "entries", "blocks", "bytes", "uncompressed");
	for (uint32_t i = 0; i < locus_section_count(locus); i++) {
		if (locus_section_at(locus, i, &section, NULL) != LOCUS_OK)
			continue;
		out_format(out, "  %-13s %14llu %8u %14llu %14llu\n", section.name ? section.name : "?",
			   (unsigned long long)section.entry_count, section.block_count,
			   (unsigned long long)(section.index_size + section.data_size),
			   (unsigned long long)section.raw_size);
	}
}

static void text_info(struct out *out, struct locus *locus, const struct locus_info *info)
{
	text_label(out, "format");
	out_format(out, "%u, %llu bytes\n", locus_format_version(locus), (unsigned long long)locus_file_size(locus));
	text_origin(out, locus, info);
	text_inputs(out, info);
	text_segments(out, info);
	text_bases(out, info);
	text_sections(out, locus);
	text_coverage(out, info->coverage, info->coverage_count);
	text_dropped(out, info->dropped, info->dropped_count);
}

/* ---- JSON ---- */

static void json_bases(struct json *json, const struct locus_info *info)
{
	json_key(json, "bases");
	json_open(json, '[');
	for (size_t i = 0; i < info->base_count; i++) {
		json_open(json, '{');
		json_key_bytes(json, "section", info->bases[i].name.data, info->bases[i].name.size);
		json_key_hex(json, "base", info->bases[i].base);
		json_key_hex(json, "size", info->bases[i].size);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_key_code(struct json *json, const char *key, const struct code_name *names, unsigned code)
{
	while (names->name && names->code != code)
		names++;
	if (names->name)
		json_key_text(json, key, names->name);
	else
		json_key_u64(json, key, code);
}

static void json_inputs(struct json *json, const struct locus_info *info)
{
	json_key(json, "inputs");
	json_open(json, '[');
	for (size_t i = 0; i < info->input_count; i++) {
		const struct locus_input_info *input = &info->inputs[i];
		json_open(json, '{');
		json_key_code(json, "role", roles, input->role);
		json_key_bytes(json, "name", input->name.data, input->name.size);
		if (input->build_id.size)
			json_key_hex_bytes(json, "build_id", input->build_id.data, input->build_id.size);
		json_key_u64(json, "size", input->size);
		if (input->digest.size) {
			json_key_code(json, "digest_of", digests, input->digest_kind);
			json_key(json, "digest");
			json_begin_string(json);
			out_digest(json->out, input);
			json_end_string(json);
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_segments(struct json *json, const struct locus_info *info)
{
	json_key(json, "segments");
	json_open(json, '[');
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *segment = &info->segments[i];
		json_open(json, '{');
		json_key_hex(json, "address", segment->address);
		json_key_hex(json, "memory_size", segment->memory_size);
		json_key_hex(json, "offset", segment->offset);
		json_key_hex(json, "file_size", segment->file_size);
		json_key_u64(json, "flags", segment->flags);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_sections(struct json *json, const struct locus *locus)
{
	struct locus_section_info section;

	json_key(json, "sections");
	json_open(json, '[');
	for (uint32_t i = 0; i < locus_section_count(locus); i++) {
		if (locus_section_at(locus, i, &section, NULL) != LOCUS_OK)
			continue;
		json_open(json, '{');
		json_key_u64(json, "id", section.id);
		if (section.name)
			json_key_text(json, "name", section.name);
		json_key_u64(json, "entries", section.entry_count);
		json_key_u64(json, "blocks", section.block_count);
		json_key_u64(json, "index_size", section.index_size);
		json_key_u64(json, "data_size", section.data_size);
		json_key_u64(json, "raw_size", section.raw_size);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_info(struct out *out, struct locus *locus, const struct locus_info *info)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, '{');
	json_origin(&json, locus, info);
	json_inputs(&json, info);
	json_segments(&json, info);
	json_bases(&json, info);
	json_sections(&json, locus);
	json_coverage(&json, info->coverage, info->coverage_count);
	json_dropped(&json, info->dropped, info->dropped_count);
	json_close(&json, '}');
	json_end_line(&json);
}

/* ---- The command ---- */

static enum locus_status show(const char *path, const void *options, struct out *out, struct locus_error *error)
{
	const struct info_options *wanted = options;
	struct locus *locus;
	const struct locus_info *info;
	enum locus_status status = locus_open(path, NULL, &locus, error);

	if (status != LOCUS_OK)
		return status;
	status = locus_info(locus, &info, error);
	if (status == LOCUS_OK && wanted->json)
		json_info(out, locus, info);
	else if (status == LOCUS_OK)
		text_info(out, locus, info);
	locus_close(locus);
	return status;
}

enum { OPTION_JSON = 0x100 };

static const struct argp_option argument_table[] = {
	{"json", OPTION_JSON, NULL, 0, "Print one JSON object", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct info_options *options = state->input;

	(void)text;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->file;
		return 0;
	case OPTION_JSON:
		options->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {{&shown_file_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE",
		.doc = "Show where a .locus file comes from, its sizes and its coverage.",
	};
	struct info_options options = {0};

	parse_arguments(&argp, argc, argv, &options);
	return show_file(options.file, show, &options);
}

const struct subcommand subcommand_info = {"info", run,
					   "show where a .locus file comes from, its sizes and its coverage"};
