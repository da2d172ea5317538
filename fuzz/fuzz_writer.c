/*
 * Tables of any content that the writer takes: what it makes of them is whole and well-formed, the reader gives back
 * all that went in, and what is read, written once more, is the same file, byte for byte.
 */
#include <inttypes.h>
#include <string.h>

#include "fuzz/ask_file.h"
#include "fuzz/fuzz.h"
#include "reader/locus.h"
#include "writer/locus_writer.h"

const struct fuzz_target fuzz_target = {.name = "writer", .files = "writer", .variations = 60};

enum {
	FUNCTIONS = 24,
	FILES = 12,
	DEPTH = 12,      /* frames */
	INTERVALS = 192, /* of all blocks */
	BLOCK = 7,       /* intervals in a full block */
	CONTEXTS = BLOCK * DEPTH,
	ALTERNATES = 16,
	LISTED = 4, /* counters, inputs and the like, of each kind */
	NAME_SIZE = 64,
};

/* ---- What a file says ---- */

/* As a frame, but for what follows from its function. */
struct place {
	uint32_t function, file, line, column; /* ids */
};

struct answer {
	uint64_t start, part_start;
	uint8_t part;
	uint32_t depth;             /* 0: a gap */
	struct place places[DEPTH]; /* the outermost first */
};

struct model {
	struct locus_tables tables;
	struct locus_function functions[FUNCTIONS];
	struct locus_file files[FILES];
	struct locus_alternate alternates[ALTERNATES];
	struct locus_counter coverage[LISTED], dropped[LISTED];
	struct locus_section_base bases[LISTED];
	struct locus_input inputs[LISTED];
	struct locus_segment segments[LISTED];
	struct answer answers[INTERVALS];
	uint32_t answer_count;
	bool has_columns;
	char texts[4096]; /* names and the like, one after another */
	size_t texts_size;
};

static struct locus_bytes keep(struct model *model, const char *data, size_t size)
{
	HOLD(size <= sizeof(model->texts) - model->texts_size);
	char *kept = model->texts + model->texts_size;
	if (size)
		memcpy(kept, data, size);
	model->texts_size += size;
	return (struct locus_bytes){size ? kept : NULL, size};
}

static void set_tables(struct model *model)
{
	model->tables.functions = model->functions;
	model->tables.files = model->files;
	model->tables.alternates = model->alternates;
	model->tables.meta.coverage = model->coverage;
	model->tables.meta.dropped = model->dropped;
	model->tables.meta.sections = model->bases;
	model->tables.meta.inputs = model->inputs;
	model->tables.meta.segments = model->segments;
}

/* ---- Making one of the input's bytes ---- */

/* Mostly one byte; at times as many as a number has. */
static uint64_t any_number(struct input *input)
{
	uint32_t first = input_byte(input);
	uint64_t number = 0;
	if (first < 0xf0)
		return first;
	for (uint32_t i = 0; i <= first % 8; i++)
		number = number << 8 | input_byte(input);
	return first >= 0xf8 ? ~number : number;
}

/* The beginning of the last name, and bytes of its own. `zero` is what a NUL becomes. */
static struct locus_bytes any_text(struct model *model, struct input *input, const struct locus_bytes *last, char zero)
{
	char text[NAME_SIZE];
	uint32_t sizes = input_byte(input);
	size_t size = sizes / 16 < last->size ? sizes / 16 : last->size;
	if (size)
		memcpy(text, last->data, size);
	for (uint32_t i = 0; i < sizes % 16; i++) {
		char byte = (char)input_byte(input);
		text[size++] = byte ? byte : zero;
	}
	return keep(model, text, size);
}

static void make_functions(struct model *model, struct input *input)
{
	struct locus_bytes last = {NULL, 0};
	model->tables.function_count = input_below(input, FUNCTIONS + 1);
	for (uint32_t i = 0; i < model->tables.function_count; i++) {
		struct locus_function *function = &model->functions[i];
		uint32_t kind = input_byte(input);
		if (kind & 1)
			function->name = last = any_text(model, input, &last, 1);
		if (kind & 2)
			function->linkage = last = any_text(model, input, &last, 1);
		if (kind & 4)
			function->linkage = function->name;
		function->decl_file = input_below(input, model->tables.file_count + 1);
		function->decl_line = (uint32_t)any_number(input);
		function->language = (uint32_t)any_number(input);
	}
}

static void make_files(struct model *model, struct input *input)
{
	struct locus_bytes last = {NULL, 0};
	model->tables.file_count = input_below(input, FILES + 1);
	for (uint32_t i = 0; i < model->tables.file_count; i++) {
		struct locus_bytes directory = any_text(model, input, &last, 1);
		model->files[i] = (struct locus_file){directory, any_text(model, input, &directory, 1)};
		last = directory;
	}
}

/* By start, then function. */
static void add_alternate(struct model *model, const struct locus_alternate *added)
{
	uint32_t at = model->tables.alternate_count++;
	for (; at && (model->alternates[at - 1].start > added->start ||
		      (model->alternates[at - 1].start == added->start &&
		       model->alternates[at - 1].function > added->function));
	     at--)
		model->alternates[at] = model->alternates[at - 1];
	model->alternates[at] = *added;
}

static void make_alternates(struct model *model, struct input *input)
{
	uint64_t start = 0;
	for (uint32_t left = input_below(input, ALTERNATES + 1); left && model->tables.function_count; left--) {
		start += any_number(input);
		add_alternate(model,
			      &(struct locus_alternate){start, any_number(input),
							1 + input_below(input, model->tables.function_count),
							(uint8_t)input_below(input, LOCUS_ALTERNATE_OVERLAP + 1)});
	}
}

static void make_counters(struct locus_counter *counters, size_t *count, struct input *input)
{
	*count = input_below(input, LISTED + 1);
	for (size_t i = 0; i < *count; i++)
		counters[i] = (struct locus_counter){(uint32_t)any_number(input), any_number(input)};
}

static void make_meta(struct model *model, struct input *input)
{
	static const struct locus_bytes none = {NULL, 0};
	struct locus_meta *meta = &model->tables.meta;
	meta->build_id = any_text(model, input, &none, 0);
	meta->elf_machine = (uint16_t)any_number(input);
	meta->elf_type = (uint16_t)any_number(input);
	meta->elf_class = (uint8_t)input_byte(input);
	meta->elf_data = (uint8_t)input_byte(input);
	meta->tool = any_text(model, input, &none, 1);
	meta->rules_epoch = (uint32_t)any_number(input);
	meta->options = any_text(model, input, &none, 1);
	make_counters(model->coverage, &meta->coverage_count, input);
	make_counters(model->dropped, &meta->dropped_count, input);

	meta->section_count = input_below(input, LISTED + 1);
	for (size_t i = 0; i < meta->section_count; i++)
		model->bases[i] = (struct locus_section_base){any_text(model, input, &none, 1), any_number(input),
							      any_number(input)};
	meta->input_count = input_below(input, LISTED + 1);
	for (size_t i = 0; i < meta->input_count; i++) {
		struct locus_input *made = &model->inputs[i];
		*made = (struct locus_input){(uint32_t)any_number(input),
					     any_text(model, input, &none, 1),
					     any_number(input),
					     any_text(model, input, &none, 0),
					     input_below(input, LOCUS_DIGEST_HEADERS + 1),
					     {0}};
		for (size_t k = 0; k < LOCUS_DIGEST_SIZE && made->digest_kind; k++)
			made->digest[k] = (uint8_t)input_byte(input);
	}
	meta->segment_count = input_below(input, LISTED + 1);
	for (size_t i = 0; i < meta->segment_count; i++)
		model->segments[i] = (struct locus_segment){any_number(input), any_number(input), any_number(input),
							    any_number(input), (uint32_t)any_number(input)};
}

static struct place any_place(const struct model *model, struct input *input)
{
	struct place place = {1 + input_below(input, model->tables.function_count),
			      input_below(input, model->tables.file_count + 1), (uint32_t)any_number(input), 0};
	if (model->has_columns && place.line)
		place.column = (uint32_t)any_number(input);
	return place;
}

static bool is_same_place(const struct place *a, const struct place *b)
{
	return a->function == b->function && a->file == b->file && a->line == b->line && a->column == b->column;
}

static bool is_same_answer(const struct answer *a, const struct answer *b)
{
	bool same = a->depth == b->depth && (!a->depth || (a->part == b->part && a->part_start == b->part_start));
	for (uint32_t i = 0; i < a->depth && same; i++)
		same = is_same_place(&a->places[i], &b->places[i]);
	return same;
}

/* Frames of the answer before, and others within them; or a part of another function. */
static void make_answer(struct model *model, struct input *input, struct answer *answer)
{
	uint32_t kept = input_byte(input), added = input_below(input, 4);
	answer->depth = kept % 8 < answer->depth ? kept % 8 : answer->depth;
	if (kept >= 0xf0)
		answer->depth = 0;
	for (; added && answer->depth < DEPTH; added--)
		answer->places[answer->depth++] = any_place(model, input);
	if (answer->depth && kept % 8 == 0) {
		uint64_t before = any_number(input);
		answer->part_start = answer->start - (before < answer->start ? before : answer->start);
		answer->part = (uint8_t)input_below(input, LOCUS_PART_SYMBOL + 1);
	}
	if (answer->depth) { /* the innermost's line */
		struct place place = any_place(model, input);
		place.function = answer->places[answer->depth - 1].function;
		answer->places[answer->depth - 1] = place;
	}
}

static void make_answers(struct model *model, struct input *input)
{
	struct answer answer = {.start = any_number(input)};
	uint32_t count = 0;
	while (input->size && count < INTERVALS - 1 && model->tables.function_count) {
		struct answer last = answer;
		uint64_t step = 1 + any_number(input);
		if (!step || answer.start + step < answer.start)
			break;
		answer.start += step;
		make_answer(model, input, &answer);
		if (is_same_answer(&answer, &last))
			continue;
		model->answers[count++] = answer;
	}
	if (count && model->answers[count - 1].depth) {
		if (answer.start == UINT64_MAX)
			count--;
		else
			model->answers[count++] = (struct answer){.start = answer.start + 1};
	}
	if (count == 1 || (count && model->answers[count - 1].depth)) /* nothing but a gap, or no gap for the end */
		count = 0;
	model->answer_count = count;
}

static void model_make(struct model *model, struct input *input)
{
	model->has_columns = input_below(input, 2);
	make_files(model, input);
	make_functions(model, input);
	make_alternates(model, input);
	make_meta(model, input);
	make_answers(model, input);
	set_tables(model);
}

/* ---- Writing it ---- */

/* A block, as the encoder takes it. */
struct block {
	struct locus_block table;
	uint64_t starts[BLOCK];
	uint32_t contexts[BLOCK], files[BLOCK], lines[BLOCK], columns[BLOCK];
	struct locus_block_context context[CONTEXTS];
};

/* The context of the answer's frame `at`, whose caller's is known. */
static uint32_t find_context(struct block *block, const struct model *model, const struct answer *answer, uint32_t at,
			     uint32_t caller)
{
	const struct place *place = &answer->places[at], *call = at ? &answer->places[at - 1] : NULL;
	const struct locus_function *function = &model->functions[place->function - 1];
	struct locus_block_context wanted = {.caller = caller,
					     .function = place->function,
					     .decl_file = function->decl_file,
					     .decl_line = function->decl_line};
	if (call) {
		wanted.call_file = call->file;
		wanted.call_line = call->line;
		wanted.call_column = call->column;
	} else {
		wanted.start = answer->part_start;
		wanted.kind = answer->part;
	}
	for (uint32_t i = 0; i < block->table.context_count; i++) {
		const struct locus_block_context *known = &block->context[i];
		if (known->caller == caller && known->function == wanted.function &&
		    known->call_file == wanted.call_file && known->call_line == wanted.call_line &&
		    known->call_column == wanted.call_column && known->start == wanted.start &&
		    known->kind == wanted.kind)
			return i;
	}
	block->context[block->table.context_count] = wanted;
	return block->table.context_count++;
}

static void block_make(struct block *block, const struct model *model, uint32_t first)
{
	uint32_t left = model->answer_count - first, count = left < BLOCK ? left : BLOCK;
	*block = (struct block){.table = {.interval_count = count}};
	for (uint32_t i = 0; i < count; i++) {
		const struct answer *answer = &model->answers[first + i];
		uint32_t context = LOCUS_NO_CONTEXT;
		for (uint32_t k = 0; k < answer->depth; k++)
			context = find_context(block, model, answer, k, context);
		block->starts[i] = answer->start;
		block->contexts[i] = context;
		if (!answer->depth)
			continue;
		const struct place *innermost = &answer->places[answer->depth - 1];
		block->files[i] = innermost->file;
		block->lines[i] = innermost->line;
		block->columns[i] = innermost->column;
	}
	block->table.starts = block->starts;
	block->table.contexts = block->contexts;
	block->table.files = block->files;
	block->table.lines = block->lines;
	block->table.context = block->context;
	block->table.columns = model->has_columns ? block->columns : NULL;
}

static void write_blocks(const struct model *model, const struct locus_writer_options *options,
			 struct locus_writer *writer)
{
	static struct block block;
	struct locus_encoder *encoder;
	struct locus_encoded encoded;
	HOLD(locus_encoder_new(options, &encoder, NULL) == LOCUS_OK);
	for (uint32_t i = 0; i < model->answer_count; i += BLOCK) {
		block_make(&block, model, i);
		HOLD(locus_encoder_block(encoder, &block.table, &encoded, NULL) == LOCUS_OK);
		HOLD(locus_writer_append(writer, &encoded, NULL) == LOCUS_OK);
	}
	locus_encoder_free(encoder);
}

/* The file's bytes, freed by the caller. */
struct bytes {
	void *data;
	size_t size;
};

static struct bytes model_write(const struct model *model, int level)
{
	const struct locus_writer_options options = {.level = level, .block_size = BLOCK};
	struct locus_writer *writer;
	struct bytes bytes;
	HOLD(locus_writer_new(NULL, &options, &writer, NULL) == LOCUS_OK);
	write_blocks(model, &options, writer);
	HOLD(locus_writer_tables(writer, &model->tables, 1, NULL) == LOCUS_OK);
	HOLD(locus_writer_finish(writer, NULL, NULL) == LOCUS_OK);
	locus_writer_take(writer, &bytes.data, &bytes.size);
	locus_writer_free(writer);
	return bytes;
}

/* ---- Reading it ---- */

static struct locus_bytes keep_string(struct model *model, struct locus_string string)
{
	return keep(model, string.data, string.size);
}

static void read_functions(struct model *model, struct locus *locus, struct locus_scratch *scratch)
{
	struct locus_function_info info;
	model->tables.function_count = locus_function_count(locus);
	HOLD(model->tables.function_count <= FUNCTIONS);
	for (uint32_t i = 0; i < model->tables.function_count; i++) {
		HOLD(locus_function_at(locus, scratch, i + 1, &info, NULL) == LOCUS_OK);
		model->functions[i] =
			(struct locus_function){keep_string(model, info.name), keep_string(model, info.linkage),
						info.decl_file_id, info.decl_line, info.language};
	}
}

static void read_files(struct model *model, struct locus *locus, struct locus_scratch *scratch)
{
	struct locus_file_info info;
	model->tables.file_count = locus_file_count(locus);
	HOLD(model->tables.file_count <= FILES);
	for (uint32_t i = 0; i < model->tables.file_count; i++) {
		HOLD(locus_file_at(locus, scratch, i + 1, &info, NULL) == LOCUS_OK);
		model->files[i] =
			(struct locus_file){keep_string(model, info.directory), keep_string(model, info.name)};
	}
}

static void read_alternates(struct model *model, struct locus *locus, struct locus_scratch *scratch)
{
	struct locus_alternate_info info;
	uint32_t count = locus_alternate_count(locus);
	HOLD(count <= ALTERNATES);
	for (uint32_t i = 0; i < count; i++) {
		HOLD(locus_alternate_at(locus, scratch, i, &info, NULL) == LOCUS_OK);
		add_alternate(model,
			      &(struct locus_alternate){info.start, info.size, info.function_id, (uint8_t)info.kind});
	}
}

static void read_counters(struct locus_counter *counters, size_t *count, const struct locus_counter_info *from,
			  size_t from_count)
{
	HOLD(from_count <= LISTED);
	for (size_t i = 0; i < from_count; i++)
		counters[i] = (struct locus_counter){from[i].id, from[i].value};
	*count = from_count;
}

static void read_lists(struct model *model, const struct locus_info *info)
{
	struct locus_meta *meta = &model->tables.meta;
	HOLD(info->base_count <= LISTED && info->input_count <= LISTED && info->segment_count <= LISTED);
	meta->section_count = info->base_count;
	for (size_t i = 0; i < info->base_count; i++)
		model->bases[i] = (struct locus_section_base){keep_string(model, info->bases[i].name),
							      info->bases[i].base, info->bases[i].size};
	meta->input_count = info->input_count;
	for (size_t i = 0; i < info->input_count; i++) {
		const struct locus_input_info *from = &info->inputs[i];
		model->inputs[i] = (struct locus_input){from->role,        keep_string(model, from->name),
							from->size,        keep_string(model, from->build_id),
							from->digest_kind, {0}};
		HOLD(from->digest.size == (from->digest_kind ? LOCUS_DIGEST_SIZE : 0));
		if (from->digest.size)
			memcpy(model->inputs[i].digest, from->digest.data, from->digest.size);
	}
	meta->segment_count = info->segment_count;
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *from = &info->segments[i];
		model->segments[i] = (struct locus_segment){from->address, from->offset, from->file_size,
							    from->memory_size, from->flags};
	}
}

static void read_meta(struct model *model, struct locus *locus)
{
	struct locus_meta *meta = &model->tables.meta;
	const struct locus_info *info;
	HOLD(locus_info(locus, &info, NULL) == LOCUS_OK);
	meta->build_id = keep_string(model, info->build_id);
	meta->elf_machine = info->elf_machine;
	meta->elf_type = info->elf_type;
	meta->elf_class = info->elf_class;
	meta->elf_data = info->elf_data;
	meta->tool = keep_string(model, info->tool);
	meta->rules_epoch = info->rules_epoch;
	meta->options = keep_string(model, info->options);
	read_counters(model->coverage, &meta->coverage_count, info->coverage, info->coverage_count);
	read_counters(model->dropped, &meta->dropped_count, info->dropped, info->dropped_count);
	read_lists(model, info);
}

static void read_answers(struct model *model, struct locus *locus, struct locus_scratch *scratch)
{
	struct locus_result result;
	model->answer_count = locus_interval_count(locus);
	HOLD(model->answer_count <= INTERVALS);
	for (uint32_t i = 0; i < model->answer_count; i++) {
		struct answer *answer = &model->answers[i];
		HOLD(locus_frames(locus, scratch, i, &result, NULL) == LOCUS_OK && result.frame_count <= DEPTH);
		*answer = (struct answer){.start = result.interval.start, .depth = (uint32_t)result.frame_count};
		for (uint32_t k = 0; k < answer->depth; k++) {
			const struct locus_frame *frame = &result.frames[answer->depth - 1 - k];
			answer->places[k] =
				(struct place){frame->function_id, frame->file_id, frame->line, frame->column};
		}
		if (answer->depth) {
			answer->part = (uint8_t)result.frames[answer->depth - 1].part;
			answer->part_start = result.frames[answer->depth - 1].part_start;
		}
	}
}

static void model_read(struct model *model, const struct bytes *bytes, bool has_columns)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error = {.text = ""};
	HOLD(locus_open_memory(bytes->data, bytes->size, NULL, &locus, NULL) == LOCUS_OK);
	if (locus_verify(locus, LOCUS_VERIFY_FULL, &error) != LOCUS_OK)
		fprintf(stderr, "%s\n", error.text);
	HOLD(!error.text[0]);
	HOLD(locus_scratch_new(locus, &scratch, NULL) == LOCUS_OK);
	*model = (struct model){.has_columns = has_columns};
	read_functions(model, locus, scratch);
	read_files(model, locus, scratch);
	read_alternates(model, locus, scratch);
	read_meta(model, locus);
	read_answers(model, locus, scratch);
	set_tables(model);
	locus_scratch_free(scratch);
	locus_close(locus);
}

/* ---- Comparing ---- */

static bool is_same_text(struct locus_bytes a, struct locus_bytes b)
{
	return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

static bool is_same_function(const struct locus_function *a, const struct locus_function *b)
{
	return is_same_text(a->name, b->name) && is_same_text(a->linkage, b->linkage) && a->decl_file == b->decl_file &&
	       a->decl_line == b->decl_line && a->language == b->language;
}

/* The id of each of a's functions in b, which may number them anew: of those that are alike, one after the other. */
static void match_functions(const struct model *a, const struct model *b, uint32_t ids[FUNCTIONS])
{
	bool taken[FUNCTIONS] = {false};
	HOLD(a->tables.function_count == b->tables.function_count);
	for (uint32_t i = 0; i < a->tables.function_count; i++) {
		uint32_t k = 0;
		while (k < b->tables.function_count &&
		       (taken[k] || !is_same_function(&a->functions[i], &b->functions[k])))
			k++;
		HOLD(k < b->tables.function_count);
		taken[k] = true;
		ids[i] = k + 1;
	}
}

static void compare_alternates(const struct model *a, const struct model *b, const uint32_t *ids)
{
	bool taken[ALTERNATES] = {false};
	HOLD(a->tables.alternate_count == b->tables.alternate_count);
	for (uint32_t i = 0; i < a->tables.alternate_count; i++) {
		const struct locus_alternate *x = &a->alternates[i];
		uint32_t k = 0;
		for (; k < b->tables.alternate_count; k++) {
			const struct locus_alternate *y = &b->alternates[k];
			if (!taken[k] && x->start == y->start && x->size == y->size && x->kind == y->kind &&
			    ids[x->function - 1] == y->function)
				break;
		}
		HOLD(k < b->tables.alternate_count);
		taken[k] = true;
	}
}

static void compare_meta(const struct model *a, const struct model *b)
{
	const struct locus_meta *x = &a->tables.meta, *y = &b->tables.meta;
	HOLD(is_same_text(x->build_id, y->build_id) && is_same_text(x->tool, y->tool) &&
	     is_same_text(x->options, y->options));
	HOLD(x->elf_machine == y->elf_machine && x->elf_type == y->elf_type && x->elf_class == y->elf_class &&
	     x->elf_data == y->elf_data && x->rules_epoch == y->rules_epoch);
	HOLD(x->coverage_count == y->coverage_count && x->dropped_count == y->dropped_count &&
	     x->section_count == y->section_count && x->input_count == y->input_count &&
	     x->segment_count == y->segment_count);
	for (size_t i = 0; i < LISTED; i++) {
		HOLD(a->coverage[i].id == b->coverage[i].id && a->coverage[i].value == b->coverage[i].value);
		HOLD(a->dropped[i].id == b->dropped[i].id && a->dropped[i].value == b->dropped[i].value);
		HOLD(is_same_text(a->bases[i].name, b->bases[i].name) && a->bases[i].base == b->bases[i].base &&
		     a->bases[i].size == b->bases[i].size);
		const struct locus_input *s = &a->inputs[i], *t = &b->inputs[i];
		HOLD(s->role == t->role && is_same_text(s->name, t->name) && s->size == t->size &&
		     is_same_text(s->build_id, t->build_id) && s->digest_kind == t->digest_kind &&
		     memcmp(s->digest, t->digest, sizeof(s->digest)) == 0);
		const struct locus_segment *m = &a->segments[i], *n = &b->segments[i];
		HOLD(m->address == n->address && m->offset == n->offset && m->file_size == n->file_size &&
		     m->memory_size == n->memory_size && m->flags == n->flags);
	}
}

static void compare(const struct model *a, const struct model *b)
{
	uint32_t ids[FUNCTIONS];
	match_functions(a, b, ids);
	HOLD(a->tables.file_count == b->tables.file_count);
	for (uint32_t i = 0; i < a->tables.file_count; i++)
		HOLD(is_same_text(a->files[i].directory, b->files[i].directory) &&
		     is_same_text(a->files[i].name, b->files[i].name));
	compare_alternates(a, b, ids);
	compare_meta(a, b);
	HOLD(a->answer_count == b->answer_count);
	for (uint32_t i = 0; i < a->answer_count; i++) {
		struct answer wanted = a->answers[i];
		for (uint32_t k = 0; k < wanted.depth; k++)
			wanted.places[k].function = ids[wanted.places[k].function - 1];
		HOLD(wanted.start == b->answers[i].start && is_same_answer(&wanted, &b->answers[i]));
	}
}

static void observe_file(const struct bytes *bytes)
{
	struct locus *locus;
	HOLD(locus_open_memory(bytes->data, bytes->size, NULL, &locus, NULL) == LOCUS_OK);
	observe("ok: %u intervals, %u functions\n", locus_interval_count(locus), locus_function_count(locus));
	ask_file(locus, true);
	locus_close(locus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct model made, read, again;
	struct input input = {data, size};
	int level = (int)input_below(&input, 4);
	made = (struct model){0};
	model_make(&made, &input);
	struct bytes first = model_write(&made, level);
	observe_file(&first);
	model_read(&read, &first, made.has_columns);
	compare(&made, &read);

	struct bytes second = model_write(&read, level);
	model_read(&again, &second, made.has_columns);
	compare(&read, &again);
	struct bytes third = model_write(&again, level);
	HOLD(second.size == third.size && memcmp(second.data, third.data, third.size) == 0);
	free(first.data);
	free(second.data);
	free(third.data);
	return 0;
}
