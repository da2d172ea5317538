/* Line table headers of versions 2 to 5, in both offset sizes and byte orders; every prefix of each. RULES B11, B12. */
#include "convert/dwarf/line_header.h"

#include "base/toolkit_test.h"

enum {
	FORM_data2 = 0x05,
	FORM_string = 0x08,
	FORM_block = 0x09,
	FORM_data1 = 0x0b,
	FORM_strp = 0x0e,
	FORM_strp_sup = 0x1d,
	FORM_sdata = 0x0d,
	FORM_udata = 0x0f,
	FORM_strx = 0x1a,
	FORM_data16 = 0x1e,
	FORM_line_strp = 0x1f,
	FORM_strx1 = 0x25,
	FORM_strx2 = 0x26,
	FORM_strx3 = 0x27,
	FORM_strx4 = 0x28,
	FORM_data4 = 0x06,
	FORM_data8 = 0x07,
	FORM_unknown = 0x7f
};
enum { LNCT_path = 1, LNCT_directory_index = 2, LNCT_timestamp = 3, LNCT_size = 4, LNCT_MD5 = 5, LNCT_source = 0x2001 };

/* How a table is written. */
struct shape {
	uint16_t version;
	uint8_t offset_size;
	bool big;
};

static const char str_section[] = "str-zero\0str-nine\0dir-str";
static const char line_str_section[] = "line-zero\0line-ten\0/line/dir";
static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

struct parameters {
	uint8_t min_inst_length, max_ops, line_base, line_range, opcode_base;
};

static const struct parameters usual = {1, 1, (uint8_t)-5, 14, 13};

/* Where the lengths stand, to be filled in once what they count is there. */
struct places {
	size_t start; /* of the header */
	size_t length;
	size_t header_length;
};

static struct places begin(struct bytes *out, const struct shape *shape, const struct parameters *p)
{
	struct places places = {.start = out->size};
	if (shape->offset_size == 8)
		put_number(out, 0xffffffff, 4);
	places.length = out->size;
	put_number(out, 0, shape->offset_size);
	put_number(out, shape->version, 2);
	if (shape->version >= 5) {
		put_u8(out, 8); /* address size */
		put_u8(out, 0);
	}
	places.header_length = out->size;
	put_number(out, 0, shape->offset_size);
	put_u8(out, p->min_inst_length);
	if (shape->version >= 4)
		put_u8(out, p->max_ops);
	put_u8(out, 1); /* default_is_stmt */
	put_u8(out, p->line_base);
	put_u8(out, p->line_range);
	put_u8(out, p->opcode_base);
	put_bytes(out, lengths, p->opcode_base ? p->opcode_base - 1u : 0);
	return places;
}

static void finish(struct bytes *out, const struct shape *shape, const struct places *places)
{
	patch_number(out, places->header_length, out->size - places->header_length - shape->offset_size,
		     shape->offset_size);
	put_bytes(out, "\0\1\1", 3); /* the program */
	patch_number(out, places->length, out->size - places->length - shape->offset_size, shape->offset_size);
}

static void put_tables_v2(struct bytes *out)
{
	put_string(out, "/abs");
	put_string(out, "rel");
	put_u8(out, 0);
	put_string(out, "a.c"), put_uleb(out, 0), put_uleb(out, 1000), put_uleb(out, 300);
	put_string(out, "b.h"), put_uleb(out, 2), put_uleb(out, 0), put_uleb(out, 0);
	put_u8(out, 0);
}

/* Every form of a path, and content types that are skipped by their forms (RULES B12, I3). */
static void put_tables_v5(struct bytes *out, const struct shape *shape)
{
	put_u8(out, 1);
	put_uleb(out, LNCT_path), put_uleb(out, FORM_line_strp);
	put_uleb(out, 2);
	put_number(out, 19, shape->offset_size);
	put_number(out, 0, shape->offset_size);

	put_u8(out, 7);
	put_uleb(out, LNCT_timestamp), put_uleb(out, FORM_udata);
	put_uleb(out, LNCT_path), put_uleb(out, FORM_string);
	put_uleb(out, LNCT_size), put_uleb(out, FORM_data4);
	put_uleb(out, LNCT_directory_index), put_uleb(out, FORM_udata);
	put_uleb(out, LNCT_MD5), put_uleb(out, FORM_data16);
	put_uleb(out, LNCT_source), put_uleb(out, FORM_line_strp);
	put_uleb(out, 0x3f77), put_uleb(out, FORM_block);
	put_uleb(out, 2);
	for (int i = 0; i < 2; i++) {
		put_uleb(out, 123456);
		put_string(out, i ? "b.h" : "a.c");
		put_number(out, 77, 4);
		put_uleb(out, i ? 1 : 0);
		put_bytes(out, "0123456789abcdef", 16);
		put_number(out, 0, shape->offset_size);
		put_uleb(out, 3), put_bytes(out, "xyz", 3);
	}
}

static void put_tables(struct bytes *out, const struct shape *shape)
{
	if (shape->version >= 5)
		put_tables_v5(out, shape);
	else
		put_tables_v2(out);
}

static bool swapped(bool big)
{
	return big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

static struct line_strings strings_of(const struct bytes *offsets)
{
	static struct section str, line_str, supplementary_str;
	section_init(&str, (const uint8_t *)str_section, sizeof(str_section), false);
	section_init(&line_str, (const uint8_t *)line_str_section, sizeof(line_str_section), false);
	section_init(&supplementary_str, (const uint8_t *)"sup", sizeof("sup"), false);
	return (struct line_strings){
		.str = &str,
		.line_str = &line_str,
		.supplementary_str = offsets ? &supplementary_str : NULL,
		.offsets = {offsets ? offsets->data : NULL, offsets ? offsets->size : 0,
			    offsets && swapped(offsets->big)},
	};
}

static const struct shape shapes[] = {
	{2, 4, false}, {2, 4, true},  {3, 4, false}, {3, 8, true},  {4, 4, false}, {4, 8, false},
	{4, 8, true},  {5, 4, false}, {5, 4, true},  {5, 8, false}, {5, 8, true},
};

static void versions(void **state)
{
	(void)state;
	struct line_header header = {0};
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		const struct shape *shape = &shapes[i];
		struct bytes section = {.big = shape->big};
		struct line_strings strings = strings_of(NULL);
		put_bytes(&section, "pad", 3);
		struct places places = begin(&section, shape, &usual);
		put_tables(&section, shape);
		size_t program = section.size;
		finish(&section, shape, &places);
		size_t end = section.size;
		put_bytes(&section, "behind", 6);
		struct locus_error error;
		if (line_header_read(&header,
				     &(struct line_section){section.data, section.size, swapped(shape->big), 4}, 3,
				     &strings, &error) != LOCUS_OK)
			fail_msg("version %u: %s", shape->version, error.text);
		assert_int_equal(header.version, shape->version);
		assert_int_equal(header.offset_size, shape->offset_size);
		assert_int_equal(header.address_size, shape->version >= 5 ? 8 : 4);
		assert_int_equal(header.min_inst_length, 1);
		assert_int_equal(header.max_ops, 1);
		assert_int_equal(header.line_base, -5);
		assert_int_equal(header.line_range, 14);
		assert_int_equal(header.opcode_base, 13);
		assert_memory_equal(header.opcode_lengths, lengths, sizeof(lengths));
		assert_int_equal(header.offset, 3);
		assert_int_equal(header.program, program);
		assert_int_equal(header.end, end);
		/* RULES B11: element 0 is the table's own in version 5, a placeholder before. */
		bool five = shape->version >= 5;
		unsigned first = five ? 0 : 1;
		assert_int_equal(header.directory_count, first + 2);
		assert_string_equal(header.directories[first], five ? "/line/dir" : "/abs");
		assert_string_equal(header.directories[first + 1], five ? "line-zero" : "rel");
		assert_int_equal(header.file_count, first + 2);
		assert_string_equal(header.files[first].name, "a.c");
		assert_int_equal(header.files[first].directory, 0);
		assert_string_equal(header.files[first + 1].name, "b.h");
		assert_int_equal(header.files[first + 1].directory, five ? 1 : 2);
		if (!five) {
			assert_null(header.directories[0]);
			assert_null(header.files[0].name);
			assert_int_equal(header.files[0].directory, 0);
		}
		bytes_done(&section);
	}
	line_header_done(&header);
}

/* ---- Forms of a path in version 5 ---- */

struct form_case {
	const char *name;
	uint8_t form;
	uint64_t value;       /* written in `size` bytes; 0: LEB128; 1 with a string: the string itself */
	uint8_t size;         /* 255: an offset */
	const char *expected; /* NULL: cannot be read, which is no reason to refuse the table */
};

static const struct form_case forms[] = {
	{"line_strp", FORM_line_strp, 10, 255, "line-ten"},
	{"line_strp at the end", FORM_line_strp, sizeof(line_str_section), 255, NULL},
	{"line_strp beyond the end", FORM_line_strp, 0xffffff, 255, NULL},
	{"strp", FORM_strp, 9, 255, "str-nine"},
	{"strp beyond the end", FORM_strp, 0x7fffffff, 255, NULL},
	{"strp_sup", FORM_strp_sup, 1, 255, "up"},
	{"strp_sup beyond the end", FORM_strp_sup, sizeof("sup"), 255, NULL},
	{"strx", FORM_strx, 1, 0, "str-nine"},
	{"strx1", FORM_strx1, 1, 1, "str-nine"},
	{"strx2", FORM_strx2, 0, 2, "str-zero"},
	{"strx3", FORM_strx3, 1, 3, "str-nine"},
	{"strx4", FORM_strx4, 1, 4, "str-nine"},
	{"strx of an offset beyond the end", FORM_strx, 2, 0, NULL},
	{"strx beyond the offsets", FORM_strx, 3, 0, NULL},
	{"strx far beyond the offsets", FORM_strx, UINT64_MAX, 0, NULL},
	{"a form that is no string", FORM_data8, 1, 8, NULL},
};

static void path_forms(void **state)
{
	(void)state;
	struct line_header header = {0};
	for (size_t i = 0; i < COUNT_OF(forms) * COUNT_OF(shapes); i++) {
		const struct form_case *c = &forms[i / COUNT_OF(shapes)];
		const struct shape *shape = &shapes[i % COUNT_OF(shapes)];
		if (shape->version < 5)
			continue;
		struct bytes section = {.big = shape->big}, offsets = {.big = shape->big};
		put_number(&offsets, 0, shape->offset_size);
		put_number(&offsets, 9, shape->offset_size);
		put_number(&offsets, 0x7fffffff, shape->offset_size);
		struct line_strings strings = strings_of(&offsets);
		struct places places = begin(&section, shape, &usual);
		put_u8(&section, 0), put_uleb(&section, 0); /* no directories */
		put_u8(&section, 1);
		put_uleb(&section, LNCT_path), put_uleb(&section, c->form);
		put_uleb(&section, 1);
		if (c->size)
			put_number(&section, c->value, c->size == 255 ? shape->offset_size : c->size);
		else
			put_uleb(&section, c->value);
		finish(&section, shape, &places);
		struct locus_error error;
		if (line_header_read(&header,
				     &(struct line_section){section.data, section.size, swapped(shape->big), 8}, 0,
				     &strings, &error) != LOCUS_OK)
			fail_msg("%s: %s", c->name, error.text);
		assert_int_equal(header.file_count, 1);
		const char *got = header.files[0].name;
		if (c->expected ? !got || strcmp(got, c->expected) != 0 : got != NULL)
			fail_msg("%s: %s", c->name, got ? got : "nothing");
		bytes_done(&section);
		bytes_done(&offsets);
	}
	line_header_done(&header);
}

/* A number in any form of one; what is none is passed over, and the directory is the first. */
static void directory_index_forms(void **state)
{
	(void)state;
	static const struct {
		uint8_t form;
		const char *bytes;
		size_t size; /* of them or, where they are NULL, of 0x51 as the file writes it */
		uint64_t expected;
	} cases[] = {
		{FORM_data1, "\x51", 1, 0x51},
		{FORM_data2, NULL, 2, 0x51},
		{FORM_data4, NULL, 4, 0x51},
		{FORM_data8, NULL, 8, 0x51},
		{FORM_udata, "\xd1\1", 2, 0xd1},
		{FORM_sdata, "\xd1\0", 2, 0x51},
		{FORM_sdata, "\x7f", 1, UINT64_MAX},
		{FORM_strx3, "\x51\x51\x51", 3, 0},
		{FORM_data16, "0123456789abcdef", 16, 0},
		{FORM_block, "\2\x51\x51", 3, 0},
		{FORM_string, "Q", 2, 0},
	};
	struct line_header header = {0};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct shape shape = {5, 4, i % 2};
		struct bytes section = {.big = shape.big};
		struct line_strings strings = strings_of(NULL);
		struct places places = begin(&section, &shape, &usual);
		put_u8(&section, 0), put_uleb(&section, 0);
		put_u8(&section, 2);
		put_uleb(&section, LNCT_directory_index), put_uleb(&section, cases[i].form);
		put_uleb(&section, LNCT_path), put_uleb(&section, FORM_string);
		put_uleb(&section, 1);
		if (cases[i].bytes)
			put_bytes(&section, cases[i].bytes, cases[i].size);
		else
			put_number(&section, 0x51, (unsigned)cases[i].size);
		put_string(&section, "a.c");
		finish(&section, &shape, &places);
		assert_int_equal(
			line_header_read(&header,
					 &(struct line_section){section.data, section.size, swapped(shape.big), 8}, 0,
					 &strings, NULL),
			LOCUS_OK);
		if (header.files[0].directory != cases[i].expected || strcmp(header.files[0].name, "a.c") != 0)
			fail_msg("form 0x%x: directory %llu", cases[i].form,
				 (unsigned long long)header.files[0].directory);
		bytes_done(&section);
	}
	line_header_done(&header);
}

/* ---- What is refused ---- */

struct refused_case {
	const char *name;
	struct shape shape;
	struct parameters parameters;
	const char *tables; /* in place of the usual ones */
	size_t tables_size;
	enum locus_status status;
};

#define BYTES(literal) literal, sizeof(literal) - 1
#define USUAL                             \
	{                                 \
		1, 1, (uint8_t)-5, 14, 13 \
	}

static const struct refused_case refused[] = {
	{"version 1", {1, 4, false}, USUAL, BYTES("\0\0"), LOCUS_ERR_UNSUPPORTED},
	{"version 6", {6, 4, false}, USUAL, BYTES("\0\0\0\0"), LOCUS_ERR_UNSUPPORTED},
	{"RULES B2: no operations in version 4",
	 {4, 4, false},
	 {1, 0, 0, 14, 13},
	 BYTES("\0\0"),
	 LOCUS_ERR_UNSUPPORTED},
	{"RULES B2: no operations in version 5",
	 {5, 4, false},
	 {1, 0, 0, 14, 13},
	 BYTES("\0\0\0\0"),
	 LOCUS_ERR_UNSUPPORTED},
	{"opcode_base 0", {4, 4, false}, {1, 1, 0, 14, 0}, BYTES("\0\0"), LOCUS_ERR_UNSUPPORTED},
	{"directories without an end", {4, 4, false}, USUAL, BYTES("abc"), LOCUS_ERR_BAD_DWARF},
	{"files without an end", {4, 4, false}, USUAL, BYTES("\0a.c\0\0\0\0"), LOCUS_ERR_BAD_DWARF},
	{"a file cut off", {4, 4, false}, USUAL, BYTES("\0a.c\0\0\0"), LOCUS_ERR_BAD_DWARF},
	{"entries without a format", {5, 4, false}, USUAL, BYTES("\0\5\0\0"), LOCUS_ERR_BAD_DWARF},
	{"an entry without a format", {5, 4, false}, USUAL, BYTES("\0\1\0\0"), LOCUS_ERR_BAD_DWARF},
	{"more entries than bytes", {5, 4, false}, USUAL, BYTES("\0\0\1\1\x08\x7f"), LOCUS_ERR_BAD_DWARF},
	{"2^63 entries",
	 {5, 4, false},
	 USUAL,
	 BYTES("\0\0\1\1\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
	 LOCUS_ERR_BAD_DWARF},
	{"an unknown form", {5, 4, false}, USUAL, BYTES("\0\0\1\1\x7f\1abc"), LOCUS_ERR_BAD_DWARF},
	{"a form beyond 16 bits", {5, 4, false}, USUAL, BYTES("\0\0\1\1\x88\x80\x04\1a\0"), LOCUS_ERR_BAD_DWARF},
};

/* An address size that no machine has: the program's addresses would have no meaning. */
static void address_sizes(void **state)
{
	(void)state;
	struct line_header header = {0};
	for (unsigned size = 0; size < 256; size++) {
		const struct shape shape = {5, 4, false};
		struct bytes section = {0};
		struct line_strings strings = strings_of(NULL);
		struct places places = begin(&section, &shape, &usual);
		put_bytes(&section, "\0\0\0\0", 4);
		finish(&section, &shape, &places);
		section.data[6] = (uint8_t)size;
		struct locus_error error;
		enum locus_status status =
			line_header_read(&header, &(struct line_section){section.data, section.size, swapped(false), 8},
					 0, &strings, &error);
		bool known = size == 2 || size == 4 || size == 8;
		assert_int_equal(status, known ? LOCUS_OK : LOCUS_ERR_UNSUPPORTED);
		if (!known && size != 1)
			assert_string_equal(error.text,
					    "the line table at .debug_line+0x0 has an unknown address size");
		bytes_done(&section);
	}
	line_header_done(&header);
}

static void read_with_hole(const struct bytes *section, const struct shape *shape, bool is_damaged, const char *name)
{
	struct line_header header = {0};
	struct locus_error error = {0};
	const struct line_section lines = {section->data, section->size, swapped(shape->big), 8};
	const struct line_strings strings = strings_of(NULL);
	if (line_header_read(&header, &lines, 0, &strings, &error) != (is_damaged ? LOCUS_ERR_BAD_DWARF : LOCUS_OK))
		fail_msg("version %d, %s: %s", shape->version, name, error.text);
	if (is_damaged)
		assert_string_equal(error.text, "the line table at .debug_line+0x0 has a hole in its file table");
	line_header_done(&header);
}

/* RULES A8: where zeros end the tables too early, more of them follow; a producer may put something else there. */
static void zeros_behind_the_tables(void **state)
{
	enum { HOLE = 16 };
	static const struct {
		const char *name;
		bool has_more; /* a byte before the zeros */
		size_t zeros;
		bool is_damaged;
	} cases[] = {
		{"nothing", false, 0, false},          {"a few zeros", false, HOLE - 1, false},
		{"a hole", false, HOLE, true},         {"a large hole", false, 99, true},
		{"a vendor's table", true, 99, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases) * COUNT_OF(shapes); i++) {
		const struct shape *shape = &shapes[i / COUNT_OF(cases)];
		const size_t at = i % COUNT_OF(cases);
		struct bytes section = {.big = shape->big};
		struct places places = begin(&section, shape, &usual);
		put_tables(&section, shape);
		if (cases[at].has_more)
			put_u8(&section, 7);
		for (size_t k = 0; k < cases[at].zeros; k++)
			put_u8(&section, 0);
		finish(&section, shape, &places);
		read_with_hole(&section, shape, cases[at].is_damaged, cases[at].name);
		bytes_done(&section);
	}
}

/* RULES A8: two entries may be the same, those of the unit's own file, but not more of them. */
static void entries_of_zeros(void **state)
{
	static const struct {
		const char *entries; /* 0: all zeros */
		bool is_damaged;
	} cases[] = {{"0", false}, {"001", false}, {"100", false}, {"00100", false}, {"000", true}, {"10001", true}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases) * COUNT_OF(shapes) * 4; i++) {
		const struct shape *shape = &shapes[i / 4 % COUNT_OF(shapes)];
		const size_t at = i / 4 / COUNT_OF(shapes);
		const bool is_inline = i & 2; /* the strings stand in the table */
		struct bytes section = {.big = shape->big};
		if (shape->version < 5)
			continue;
		struct places places = begin(&section, shape, &usual);
		for (int is_file = 0; is_file < 2; is_file++) {
			const bool is_tried = is_file == (int)(i % 2);
			put_u8(&section, 2);
			put_uleb(&section, LNCT_path);
			put_uleb(&section, is_inline ? FORM_string : FORM_line_strp);
			put_uleb(&section, LNCT_directory_index), put_uleb(&section, FORM_udata);
			put_uleb(&section, is_tried ? strlen(cases[at].entries) : 0);
			for (const char *entry = cases[at].entries; is_tried && *entry; entry++)
				if (is_inline)
					put_string(&section, *entry == '1' ? "a.c" : ""), put_u8(&section, 0);
				else
					put_number(&section, *entry == '1', shape->offset_size), put_u8(&section, 0);
		}
		finish(&section, shape, &places);
		read_with_hole(&section, shape, cases[at].is_damaged, cases[at].entries);
		bytes_done(&section);
	}
}

/* RULES B2: a header of version 4 in the form of version 3. What begins with min_inst_length is one byte shorter. */
static void no_max_ops(void **state)
{
	(void)state;
	struct line_header header = {0};
	const struct shape shape = {4, 4, false};
	const struct parameters shifted = {.min_inst_length = 1, .max_ops = 1, .line_base = 255, .line_range = 13};
	struct bytes section = {0};
	struct line_strings strings = strings_of(NULL);
	struct places places = begin(&section, &shape, &shifted);
	put_bytes(&section, lengths + 1, sizeof(lengths) - 1); /* the first one is the opcode_base of `shifted` */
	put_tables_v2(&section);
	finish(&section, &shape, &places);
	assert_int_equal(line_header_read(&header,
					  &(struct line_section){section.data, section.size, swapped(false), 8}, 0,
					  &strings, NULL),
			 LOCUS_OK);
	assert_int_equal(header.min_inst_length, 1);
	assert_int_equal(header.max_ops, 1);
	assert_int_equal(header.line_base, 1);
	assert_int_equal(header.line_range, 255);
	assert_int_equal(header.opcode_base, 13);
	assert_memory_equal(header.opcode_lengths, lengths, sizeof(lengths));
	assert_int_equal(header.file_count, 3);
	assert_string_equal(header.files[1].name, "a.c");
	bytes_done(&section);
	line_header_done(&header);
}

static void refusals(void **state)
{
	(void)state;
	struct line_header header = {0};
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		const struct refused_case *c = &refused[i];
		struct bytes section = {.big = c->shape.big};
		struct line_strings strings = strings_of(NULL);
		struct locus_error error = {{0}, 0};
		put_bytes(&section, "padding", 7);
		struct places places = begin(&section, &c->shape, &c->parameters);
		put_bytes(&section, c->tables, c->tables_size);
		finish(&section, &c->shape, &places);
		enum locus_status status = line_header_read(
			&header, &(struct line_section){section.data, section.size, swapped(c->shape.big), 8}, 7,
			&strings, &error);
		if (status != c->status)
			fail_msg("%s: status %d, expected %d", c->name, status, c->status);
		if (header.version != 0 || header.end != section.size ||
		    !strstr(error.text, "the line table at .debug_line+0x7 "))
			fail_msg("%s: version %u, end %llu: %s", c->name, header.version,
				 (unsigned long long)header.end, error.text);
		bytes_done(&section);
	}
	line_header_done(&header);
}

/* A format entry of no bytes (an implicit constant's form, a flag that is present) makes no endless table. */
static void weightless_entries(void **state)
{
	(void)state;
	struct line_header header = {0};
	const struct shape shape = {5, 4, false};
	struct bytes section = {0};
	struct line_strings strings = strings_of(NULL);
	struct places places = begin(&section, &shape, &usual);
	put_bytes(&section, "\0\0\1\4\x19", 5);
	put_uleb(&section, UINT64_C(1) << 40);
	finish(&section, &shape, &places);
	assert_int_equal(line_header_read(&header,
					  &(struct line_section){section.data, section.size, swapped(false), 8}, 0,
					  &strings, NULL),
			 LOCUS_ERR_BAD_DWARF);
	bytes_done(&section);
	line_header_done(&header);
}

/* ---- Damage ---- */

static void build(struct bytes *section, const struct shape *shape)
{
	struct places places = begin(section, shape, &usual);
	put_tables(section, shape);
	finish(section, shape, &places);
}

static void every_prefix(void **state)
{
	(void)state;
	struct line_header header = {0};
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		struct bytes section = {.big = shapes[i].big};
		struct line_strings strings = strings_of(NULL);
		build(&section, &shapes[i]);
		for (size_t size = 0; size < section.size; size++) {
			uint8_t *exact = exact_copy(section.data, size);
			enum locus_status status = line_header_read(
				&header, &(struct line_section){exact, size, swapped(shapes[i].big), 8}, 0, &strings,
				NULL);
			if (status != LOCUS_ERR_BAD_DWARF || header.version || header.end)
				fail_msg("version %u: status %d for %zu of %zu bytes", shapes[i].version, status, size,
					 section.size);
			free(exact);
		}
		bytes_done(&section);
	}
	line_header_done(&header);
}

/* The lengths tell the truth, but the header is cut there: what is behind it is not read as if it were the header's. */
static void every_header_length(void **state)
{
	(void)state;
	struct line_header header = {0};
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		struct bytes section = {.big = shapes[i].big};
		struct line_strings strings = strings_of(NULL);
		struct places places = begin(&section, &shapes[i], &usual);
		put_tables(&section, &shapes[i]);
		size_t whole = section.size - places.header_length - shapes[i].offset_size;
		finish(&section, &shapes[i], &places);
		for (size_t length = 0; length < whole; length++) {
			patch_number(&section, places.header_length, length, shapes[i].offset_size);
			enum locus_status status = line_header_read(
				&header, &(struct line_section){section.data, section.size, swapped(shapes[i].big), 8},
				0, &strings, NULL);
			if (status != LOCUS_ERR_BAD_DWARF)
				fail_msg("version %u: status %d with a header of %zu of %zu bytes", shapes[i].version,
					 status, length, whole);
		}
		bytes_done(&section);
	}
	line_header_done(&header);
}

/* The header's own length may reach to the end of the table, where no program is, and not further. */
static void longest_header_length(void **state)
{
	(void)state;
	struct line_header header = {0};
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		struct bytes section = {.big = shapes[i].big};
		struct line_strings strings = strings_of(NULL);
		struct places places = begin(&section, &shapes[i], &usual);
		put_tables(&section, &shapes[i]);
		finish(&section, &shapes[i], &places);
		size_t end = section.size, most = end - places.header_length - shapes[i].offset_size;
		put_bytes(&section, "behind", 6);
		const struct line_section line = {section.data, section.size, swapped(shapes[i].big), 8};
		patch_number(&section, places.header_length, most, shapes[i].offset_size);
		assert_int_equal(line_header_read(&header, &line, 0, &strings, NULL), LOCUS_OK);
		assert_int_equal(header.program, end);
		assert_int_equal(header.end, end);

		struct locus_error error;
		patch_number(&section, places.header_length, most + 1, shapes[i].offset_size);
		assert_int_equal(line_header_read(&header, &line, 0, &strings, &error), LOCUS_ERR_BAD_DWARF);
		assert_string_equal(error.text, "the line table at .debug_line+0x0 has a header that is cut off");
		bytes_done(&section);
	}
	line_header_done(&header);
}

static void every_byte_flipped(void **state)
{
	(void)state;
	struct line_header header = {0};
	uint64_t random = 5;
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		struct bytes section = {.big = shapes[i].big};
		struct line_strings strings = strings_of(NULL);
		build(&section, &shapes[i]);
		for (size_t k = 0; k < 8 * section.size; k++) {
			uint8_t *exact = exact_copy(section.data, section.size);
			exact[k / 8] ^= (uint8_t)(1 + random_below(&random, 255));
			enum locus_status status = line_header_read(
				&header, &(struct line_section){exact, section.size, swapped(shapes[i].big), 8}, 0,
				&strings, NULL);
			if (status != LOCUS_OK && status != LOCUS_ERR_BAD_DWARF && status != LOCUS_ERR_UNSUPPORTED)
				fail_msg("version %u, byte %zu: status %d", shapes[i].version, k / 8, status);
			for (uint32_t f = 0; status == LOCUS_OK && f < header.file_count; f++)
				if (header.files[f].name)
					assert_true(strlen(header.files[f].name) <
						    section.size + sizeof(line_str_section));
			free(exact);
		}
		bytes_done(&section);
	}
	line_header_done(&header);
}

static void outside_the_section(void **state)
{
	(void)state;
	struct line_header header = {0};
	struct line_strings strings = strings_of(NULL);
	static const uint8_t section[4];
	static const uint64_t offsets[] = {4, 5, UINT64_MAX};
	for (size_t i = 0; i < COUNT_OF(offsets); i++) {
		assert_int_equal(line_header_read(&header, &(struct line_section){section, sizeof(section), false, 8},
						  offsets[i], &strings, NULL),
				 LOCUS_ERR_BAD_DWARF);
		assert_int_equal(header.end, 0);
	}
	line_header_done(&header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(path_forms),
		cmocka_unit_test(directory_index_forms),
		cmocka_unit_test(address_sizes),
		cmocka_unit_test(no_max_ops),
		cmocka_unit_test(zeros_behind_the_tables),
		cmocka_unit_test(entries_of_zeros),
		cmocka_unit_test(refusals),
		cmocka_unit_test(weightless_entries),
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(every_header_length),
		cmocka_unit_test(longest_header_length),
		cmocka_unit_test(every_byte_flipped),
		cmocka_unit_test(outside_the_section),
	};
	return cmocka_run_group_tests_name("lineheader", tests, NULL, NULL);
}
