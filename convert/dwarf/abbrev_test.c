/* Abbreviation tables: skipping a DIE as compiled equals skipping it attribute by attribute; codes in any order. */
#include "convert/dwarf/abbrev.h"

#include "base/toolkit_test.h"

enum {
	TAG_subprogram = 0x2e,
	TAG_inlined = 0x1d,
	TAG_struct = 0x13,
	TAG_enum = 0x04,
	TAG_namespace = 0x39,
	TAG_variable = 0x34
};
enum { AT_sibling = 0x01, AT_name = 0x03, AT_low_pc = 0x11, AT_declaration = 0x3c, AT_ranges = 0x55 };
enum {
	FORM_string = 0x08,
	FORM_ref1 = 0x11,
	FORM_ref2 = 0x12,
	FORM_ref4 = 0x13,
	FORM_ref8 = 0x14,
	FORM_ref_udata = 0x15,
	FORM_indirect = 0x16,
	FORM_implicit_const = 0x21,
	FORM_data1 = 0x0b,
	FORM_flag = 0x0c,
	FORM_flag_present = 0x19,
	FORM_addr = 0x01,
	FORM_sec_offset = 0x17,
	FORM_udata = 0x0f,
	FORM_block = 0x09,
	FORM_block1 = 0x0a,
	FORM_exprloc = 0x18
};

static void put_abbrev(struct bytes *out, uint64_t code, uint64_t tag, bool children)
{
	put_uleb(out, code);
	put_uleb(out, tag);
	put_u8(out, children);
}

static void put_attr(struct bytes *out, uint64_t name, uint64_t form)
{
	put_uleb(out, name);
	put_uleb(out, form);
}

static enum locus_status read(struct abbrev_table *table, const struct bytes *bytes)
{
	static const struct form_sizes sizes = {8, 4, 4};
	return abbrev_table_read(table, bytes->data, bytes->size, &sizes, NULL);
}

/* ---- Skipping ---- */

/* What DWARF 5, 7.5.6 says of each form's size, written a second time: 'a' address, 'o' offset, 'r' ref_addr, 'u'
 * LEB128, 's' string, '1' '2' '4' 'b' blocks by the size of their length, 'i' indirect, 'x' LEB128 and 4 bytes, else
 * bytes. */
static const struct {
	uint16_t form;
	char kind;
	uint8_t size;
} forms[] = {
	{0x01, 'a', 0}, {0x03, '2', 0},   {0x04, '4', 0},   {0x05, 0, 2},     {0x06, 0, 4},     {0x07, 0, 8},
	{0x08, 's', 0}, {0x09, 'b', 0},   {0x0a, '1', 0},   {0x0b, 0, 1},     {0x0c, 0, 1},     {0x0d, 'u', 0},
	{0x0e, 'o', 0}, {0x0f, 'u', 0},   {0x10, 'r', 0},   {0x11, 0, 1},     {0x12, 0, 2},     {0x13, 0, 4},
	{0x14, 0, 8},   {0x15, 'u', 0},   {0x16, 'i', 0},   {0x17, 'o', 0},   {0x18, 'b', 0},   {0x19, 0, 0},
	{0x1a, 'u', 0}, {0x1b, 'u', 0},   {0x1c, 0, 4},     {0x1d, 'o', 0},   {0x1e, 0, 16},    {0x1f, 'o', 0},
	{0x20, 0, 8},   {0x21, 0, 0},     {0x22, 'u', 0},   {0x23, 'u', 0},   {0x24, 0, 8},     {0x25, 0, 1},
	{0x26, 0, 2},   {0x27, 0, 3},     {0x28, 0, 4},     {0x29, 0, 1},     {0x2a, 0, 2},     {0x2b, 0, 3},
	{0x2c, 0, 4},   {0x1f01, 'u', 0}, {0x1f02, 'u', 0}, {0x1f20, 'o', 0}, {0x1f21, 'o', 0}, {0x2001, 'x', 0},
};

static size_t random_form(uint64_t *random, bool no_indirect)
{
	for (;;) {
		size_t i = random_below(random, COUNT_OF(forms));
		if (!no_indirect || (forms[i].kind != 'i' && forms[i].form != FORM_implicit_const))
			return i;
	}
}

static void put_filling(struct bytes *out, uint64_t *random, size_t size)
{
	while (size--)
		put_u8(out, (uint8_t)(1 + random_below(random, 255)));
}

static void put_value(struct bytes *out, uint64_t *random, size_t i, const struct form_sizes *sizes)
{
	uint64_t size = random_below(random, 200);
	switch (forms[i].kind) {
	case 'a':
		put_filling(out, random, sizes->address);
		break;
	case 'o':
		put_filling(out, random, sizes->offset);
		break;
	case 'r':
		put_filling(out, random, sizes->ref_addr);
		break;
	case 'u':
		put_uleb(out, random_next(random) >> random_below(random, 64));
		break;
	case 'x':
		put_uleb(out, random_next(random) >> random_below(random, 64));
		put_filling(out, random, 4);
		break;
	case 's':
		put_filling(out, random, size);
		put_u8(out, 0);
		break;
	case '1':
		put_number(out, size, 1);
		put_filling(out, random, size);
		break;
	case '2':
		put_number(out, size *= 3, 2);
		put_filling(out, random, size);
		break;
	case '4':
		put_number(out, size *= 5, 4);
		put_filling(out, random, size);
		break;
	case 'b':
		put_uleb(out, size *= 2);
		put_filling(out, random, size);
		break;
	case 'i': {
		size_t real = random_form(random, true);
		put_uleb(out, forms[real].form);
		put_value(out, random, real, sizes);
		break;
	}
	default:
		put_filling(out, random, forms[i].size);
	}
}

/* A random DIE of random attributes, its bytes written by the table above. Every prefix of it fails, and reads nothing
 * beyond. */
static void check_skip(uint64_t seed, struct abbrev_table *table)
{
	uint64_t random = seed;
	static const uint8_t widths[][3] = {{8, 4, 4}, {4, 4, 4}, {8, 8, 8}, {8, 4, 8},
					    {4, 8, 8}, {2, 4, 2}, {1, 4, 1}};
	const uint8_t *w = widths[random_below(&random, COUNT_OF(widths))];
	const struct form_sizes sizes = {w[0], w[1], w[2]};
	struct bytes abbrevs = {0}, die = {0};
	size_t attr_forms[24], ends[24];
	uint32_t count = random_below(&random, COUNT_OF(attr_forms) + 1);
	bool big = random_one_in(&random, 2);
	die.big = big;
	put_abbrev(&abbrevs, 1, TAG_variable, false);
	for (uint32_t i = 0; i < count; i++) {
		attr_forms[i] = random_form(&random, false);
		put_attr(&abbrevs, 0x2000 + i, forms[attr_forms[i]].form);
		if (forms[attr_forms[i]].form == FORM_implicit_const)
			put_sleb(&abbrevs, (int64_t)random_next(&random));
		put_value(&die, &random, attr_forms[i], &sizes);
		ends[i] = die.size;
	}
	put_attr(&abbrevs, 0, 0);
	put_u8(&abbrevs, 0);
	struct locus_error error;
	if (abbrev_table_read(table, abbrevs.data, abbrevs.size, &sizes, &error) != LOCUS_OK)
		fail_msg("seed 0x%llx: %s", (unsigned long long)seed, error.text);
	const struct abbrev *abbrev = abbrev_table_get(table, 1);
	assert_non_null(abbrev);
	assert_int_equal(abbrev->attr_count, count);
	bool swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	size_t step = die.size > 64 ? die.size / 16 : 1;
	for (size_t size = 0; size <= die.size;
	     size = size == die.size || size + step < die.size ? size + step : die.size) {
		uint8_t *exact = exact_copy(die.data, size);
		struct cursor c = {.p = exact, .end = exact + size, .swap = swap};
		abbrev_skip(&c, table, abbrev, &sizes);
		if (c.bad != (size < die.size) || cursor_left(&c))
			fail_msg("seed 0x%llx: %zu of %zu bytes: bad is %d, %zu left", (unsigned long long)seed, size,
				 die.size, c.bad, cursor_left(&c));
		c = (struct cursor){.p = exact, .end = exact + size, .swap = swap};
		for (uint32_t i = 0; i < count && size == die.size; i++) {
			form_skip(&c, table->attrs[abbrev->attr_first + i].form, &sizes);
			if (c.bad || c.p != exact + ends[i])
				fail_msg("seed 0x%llx: attribute %u of form 0x%x", (unsigned long long)seed, i,
					 forms[attr_forms[i]].form);
		}
		free(exact);
	}
	bytes_done(&abbrevs);
	bytes_done(&die);
}

static void skipping(void **state)
{
	(void)state;
	struct abbrev_table table = {0};
	uint64_t seeds = 0xab;
	for (int i = 0; i < 20000; i++)
		check_skip(random_next(&seeds), &table);
	abbrev_table_done(&table);
}

static void indirect(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *bytes;
		size_t size;
		bool bad;
	} cases[] = {
		{"of data1", "\x0b\x07", 2, false},
		{"of a string",
		 "\x08"
		 "ab",
		 4, false},
		{"of indirect", "\x16\x0b\x07", 3, true},
		{"of an unknown form", "\x7e\x07", 2, true},
		{"of a form beyond 16 bits", "\x8b\x80\x04\x07", 4, true},
	};
	const struct form_sizes sizes = {8, 4, 4};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct cursor c = {.p = (const uint8_t *)cases[i].bytes,
				   .end = (const uint8_t *)cases[i].bytes + cases[i].size};
		form_skip(&c, FORM_indirect, &sizes);
		if (c.bad != cases[i].bad || cursor_left(&c))
			fail_msg("indirect %s", cases[i].name);
	}
}

/* ---- Codes ---- */

struct codes_case {
	const char *name;
	uint64_t codes[6]; /* 0 ends them */
	bool dense;
	bool refused;
};

static const struct codes_case code_cases[] = {
	{"none", {0}, true, false},
	{"as compilers number them", {1, 2, 3, 4, 5, 0}, true, false},
	{"from 2", {2, 3, 4, 0}, false, false},
	{"sparse", {1, 2, 9, 0x10000, UINT64_C(1) << 40, 0}, false, false},
	{"unsorted", {5, 1, 4, 2, 3, 0}, false, false},
	{"fewer than the table had before", {4, 1, 2, 0}, false, false},
	{"sparse and unsorted", {7, UINT64_MAX, 300, 2, 0}, false, false},
	{"one twice in a row", {1, 2, 2, 3, 0}, false, true},
	{"one twice apart", {1, 2, 3, 1, 0}, false, true},
};

static void codes(void **state)
{
	(void)state;
	struct abbrev_table table = {0};
	for (size_t i = 0; i < COUNT_OF(code_cases); i++) {
		const struct codes_case *c = &code_cases[i];
		struct bytes bytes = {0};
		for (unsigned k = 0; k < COUNT_OF(c->codes) && c->codes[k]; k++) {
			put_abbrev(&bytes, c->codes[k], 0x100 + k, k % 2);
			put_attr(&bytes, AT_name, FORM_string);
			put_attr(&bytes, 0, 0);
		}
		put_u8(&bytes, 0);
		enum locus_status status = read(&table, &bytes);
		if (status != (c->refused ? LOCUS_ERR_BAD_DWARF : LOCUS_OK))
			fail_msg("%s: status %d", c->name, status);
		for (unsigned k = 0; !c->refused && k < COUNT_OF(c->codes) && c->codes[k]; k++) {
			const struct abbrev *abbrev = abbrev_table_get(&table, c->codes[k]);
			if (!abbrev || abbrev->tag != 0x100 + k || abbrev->has_children != k % 2 ||
			    abbrev->attr_count != 1)
				fail_msg("%s: code %llu", c->name, (unsigned long long)c->codes[k]);
		}
		static const uint64_t absent[] = {0, 6, 8, 299, 301, UINT64_MAX - 1};
		for (size_t k = 0; !c->refused && k < COUNT_OF(absent); k++)
			if (abbrev_table_get(&table, absent[k]))
				fail_msg("%s: there is a code %llu", c->name, (unsigned long long)absent[k]);
		if (!c->refused && table.dense != c->dense)
			fail_msg("%s: dense is %d", c->name, table.dense);
		bytes_done(&bytes);
	}
	abbrev_table_done(&table);
}

/* Forms that nobody knows how to skip: such a table is refused, and says which form it is. */
static void unknown_forms(void **state)
{
	static const uint64_t unknown[] = {0, 0x02, 0x2d, 0x30, 0x7f, 0x1f03, 0xffff, 0x10001, 0x10008, UINT64_MAX};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(unknown); i++) {
		struct abbrev_table table = {0};
		struct bytes bytes = {0};
		struct locus_error error;
		char text[96];
		put_abbrev(&bytes, 1, TAG_variable, false);
		put_attr(&bytes, AT_name, unknown[i]);
		put_attr(&bytes, 0, 0);
		put_u8(&bytes, 0);
		snprintf(text, sizeof(text), "abbreviation 1 has the form 0x%llx, which is not known",
			 (unsigned long long)unknown[i]);
		assert_int_equal(
			abbrev_table_read(&table, bytes.data, bytes.size, &(struct form_sizes){8, 4, 4}, &error),
			LOCUS_ERR_BAD_DWARF);
		assert_string_equal(error.text, text);
		bytes_done(&bytes);
		abbrev_table_done(&table);
	}
}

/* ---- Roles and siblings ---- */

/* A name, a linkage name or a line of a declaration: of these a function's names are made. */
static void those_with_names(void **state)
{
	static const struct {
		uint64_t attr;
		bool named;
	} cases[] = {{AT_name, true}, {0x6e, true}, {AT_low_pc, false}, {0x2007, true},
		     {0x3a, true},    {0x3b, true}, {0x39, false},      {0x10003, false}};
	struct abbrev_table table = {0};
	struct bytes bytes = {0};
	(void)state;
	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		put_abbrev(&bytes, i + 1, TAG_subprogram, false);
		put_attr(&bytes, cases[i].attr, FORM_data1);
		put_attr(&bytes, 0, 0);
	}
	put_u8(&bytes, 0);
	for (unsigned round = 0; round < 2; round++) { /* the second time, the table's memory is not empty */
		assert_int_equal(read(&table, &bytes), LOCUS_OK);
		for (unsigned i = 0; i < COUNT_OF(cases); i++)
			if (table.abbrevs[i].named != cases[i].named)
				fail_msg("attribute 0x%llx", (unsigned long long)cases[i].attr);
	}
	bytes_done(&bytes);
	abbrev_table_done(&table);
}

struct role_case {
	const char *name;
	uint16_t tag;
	uint16_t attrs[8]; /* name, form, … */
	enum die_role role;
	uint16_t sibling;
};

static const struct role_case role_cases[] = {
	{"a function", TAG_subprogram, {AT_name, FORM_string, AT_low_pc, FORM_addr}, ROLE_FUNCTION, NO_SIBLING},
	{"a function with ranges", TAG_subprogram, {AT_ranges, FORM_sec_offset}, ROLE_FUNCTION, NO_SIBLING},
	{"an abstract instance", TAG_subprogram, {AT_name, FORM_string}, ROLE_SUBPROGRAM, NO_SIBLING},
	{"a declaration", TAG_subprogram, {AT_declaration, FORM_flag_present}, ROLE_OPAQUE, NO_SIBLING},
	{"a flag that may say that it is none",
	 TAG_subprogram,
	 {AT_declaration, FORM_flag},
	 ROLE_SUBPROGRAM,
	 NO_SIBLING},
	{"a declaration with code",
	 TAG_subprogram,
	 {AT_declaration, FORM_flag_present, AT_low_pc, FORM_addr},
	 ROLE_FUNCTION,
	 NO_SIBLING},
	{"an inlinee", TAG_inlined, {AT_low_pc, FORM_addr}, ROLE_INLINEE, NO_SIBLING},
	{"an inlinee without code", TAG_inlined, {AT_name, FORM_string}, ROLE_INLINEE, NO_SIBLING},
	{"a record", TAG_struct, {AT_sibling, FORM_ref4}, ROLE_RECORD, 0},
	{"a sibling behind what is of fixed size",
	 TAG_enum,
	 {0x2001, FORM_addr, 0x2002, FORM_data1, AT_sibling, FORM_ref4},
	 ROLE_OPAQUE,
	 9},
	{"a sibling of a form that is no reference", TAG_enum, {AT_sibling, FORM_udata}, ROLE_OPAQUE, NO_SIBLING},
	{"a sibling of eight bytes", TAG_enum, {AT_sibling, FORM_ref8}, ROLE_OPAQUE, NO_SIBLING},
	{"a namespace", TAG_namespace, {AT_name, FORM_string}, ROLE_NAMESPACE, NO_SIBLING},
	{"a call", 0x48, {AT_low_pc, FORM_addr, AT_sibling, FORM_ref4}, ROLE_OPAQUE, 8},
	{"a lexical block is transparent (RULES C3)", 0x0b, {AT_low_pc, FORM_addr}, ROLE_OTHER, NO_SIBLING},
};

/* What has no children and no code is passed in one step where all of it is of fixed size. */
static void without_children(void **state)
{
	static const struct {
		uint64_t tag;
		uint64_t name, form;
		enum die_role role;
		uint32_t skip_count;
		uint32_t leaf_size;
	} cases[] = {
		{TAG_subprogram, AT_name, FORM_addr, ROLE_LEAF, 0, 8},
		{TAG_subprogram, AT_low_pc, FORM_addr, ROLE_FUNCTION, 0, LEAF_VARIES},
		{TAG_variable, AT_name, FORM_string, ROLE_LEAF, 1, LEAF_VARIES},
		{TAG_variable, AT_name, FORM_udata, ROLE_LEAF, 1, LEAF_VARIES},
		{TAG_variable, AT_declaration, FORM_flag_present, ROLE_LEAF, 0, 0},
		{0x10000 | TAG_subprogram, AT_low_pc, FORM_addr, ROLE_LEAF, 0, 8}, /* too large, and not its low half */
	};
	struct abbrev_table table = {0};
	struct bytes bytes = {0};
	(void)state;
	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		put_abbrev(&bytes, i + 1, cases[i].tag, false);
		put_attr(&bytes, cases[i].name, cases[i].form);
		put_attr(&bytes, 0, 0);
	}
	put_u8(&bytes, 0);
	assert_int_equal(read(&table, &bytes), LOCUS_OK);
	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		const struct abbrev *abbrev = &table.abbrevs[i];
		assert_int_equal(abbrev->tag, cases[i].tag > UINT16_MAX ? 0 : cases[i].tag);
		assert_int_equal(abbrev->role, cases[i].role);
		assert_int_equal(abbrev->skip_count, cases[i].skip_count);
		assert_int_equal(abbrev->leaf_size, cases[i].leaf_size);
		assert_int_equal(table.attrs[abbrev->attr_first].name, cases[i].name);
	}
	bytes_done(&bytes);
	abbrev_table_done(&table);
}

/* Only where two blocks are all that a DIE has, they are passed together. */
static void block_pairs(void **state)
{
	static const struct {
		uint64_t tag;
		bool has_children;
		uint16_t forms[3];
		bool expected;
	} cases[] = {
		{TAG_variable, false, {FORM_exprloc, FORM_exprloc}, true},
		{TAG_variable, false, {FORM_block, FORM_exprloc}, true},
		{TAG_variable, false, {FORM_exprloc, FORM_flag_present, FORM_exprloc}, true}, /* it takes no bytes */
		{TAG_variable, false, {FORM_exprloc}, false},
		{TAG_variable, false, {FORM_exprloc, FORM_udata}, false},
		{TAG_variable, false, {FORM_udata, FORM_exprloc}, false},
		{TAG_variable, false, {FORM_exprloc, FORM_block1}, false},
		{TAG_variable, false, {FORM_data1, FORM_exprloc, FORM_exprloc}, false},
		{TAG_variable, false, {FORM_exprloc, FORM_data1, FORM_exprloc}, false},
		{TAG_variable, false, {FORM_exprloc, FORM_exprloc, FORM_data1}, false},
		{TAG_variable, false, {FORM_exprloc, FORM_exprloc, FORM_exprloc}, false},
		{TAG_variable, true, {FORM_exprloc, FORM_exprloc}, false},
		{TAG_inlined, true, {FORM_exprloc, FORM_exprloc}, false},
	};
	struct abbrev_table table = {0};
	struct bytes bytes = {0};
	(void)state;
	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		put_abbrev(&bytes, i + 1, cases[i].tag, cases[i].has_children);
		for (unsigned k = 0; k < COUNT_OF(cases[i].forms) && cases[i].forms[k]; k++)
			put_attr(&bytes, 0x2001 + k, cases[i].forms[k]);
		put_attr(&bytes, 0, 0);
	}
	put_u8(&bytes, 0);
	assert_int_equal(read(&table, &bytes), LOCUS_OK);
	for (unsigned i = 0; i < COUNT_OF(cases); i++)
		if (table.abbrevs[i].is_block_pair != cases[i].expected)
			fail_msg("case %u: %d", i, table.abbrevs[i].is_block_pair);
	bytes_done(&bytes);
	abbrev_table_done(&table);
}

/* Two blocks end where abbrev_behind says that they do; they are left to it if they are long, or near the end. */
static void block_pair_ends(void **state)
{
	enum { ROOM = 256 };
	struct abbrev_table table = {0};
	const struct form_sizes sizes = {8, 4, 4};
	struct bytes bytes = {0};
	uint64_t random = 0xb10c;
	(void)state;
	put_abbrev(&bytes, 1, TAG_variable, false);
	put_attr(&bytes, 0x2001, FORM_exprloc);
	put_attr(&bytes, 0x2002, FORM_exprloc);
	put_attr(&bytes, 0, 0);
	put_u8(&bytes, 0);
	assert_int_equal(read(&table, &bytes), LOCUS_OK);
	for (unsigned first = 0; first < 256; first++) {
		for (unsigned second = 0; second < 256; second++) {
			uint8_t die[ROOM + 3];
			for (unsigned i = 0; i < sizeof(die); i++)
				die[i] = (uint8_t)random_next(&random);
			die[0] = (uint8_t)first;
			if (first < 128)
				die[1 + first] = (uint8_t)second;
			size_t size = ROOM - 2 + random_below(&random, 5);
			uint8_t *exact = exact_copy(die, size);
			const uint8_t *behind = block_pair_behind(exact, exact + size);
			bool is_short = first < 128 && second < 128 && size >= ROOM;
			if ((behind != NULL) != is_short)
				fail_msg("%u and %u in %zu bytes: %d", first, second, size, behind != NULL);
			if (behind &&
			    behind != abbrev_behind(exact, exact + size, false, &table, &table.abbrevs[0], &sizes))
				fail_msg("%u and %u: %td bytes", first, second, behind - exact);
			free(exact);
		}
	}
	bytes_done(&bytes);
	abbrev_table_done(&table);
}

/* A string ends behind its first zero byte, wherever that is and whatever the others are. */
static void string_ends(void **state)
{
	enum { ROOM = 24 };
	static const uint8_t others[] = {0x01, 0x7f, 0x80, 0x81, 0xff, 'x'};
	uint64_t random = 0x57a6;
	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		for (size_t size = 1; size <= ROOM; size++) {
			for (size_t nul = 0; nul <= size; nul++) {
				uint8_t text[ROOM + 1];
				for (size_t i = 0; i < size; i++)
					text[i] = others[random_below(&random, COUNT_OF(others))];
				text[nul] = 0; /* outside of the bytes, where it is the last */
				if (nul < size)
					text[nul + random_below(&random, (uint32_t)(size - nul))] = 0;
				uint8_t *exact = exact_copy(text, size);
				const uint8_t *behind = string_behind(exact, exact + size);
				if (behind != (nul < size ? exact + nul + 1 : NULL))
					fail_msg("round %u: a NUL at %zu of %zu bytes", round, nul, size);
				free(exact);
			}
		}
	}
}

static void roles(void **state)
{
	(void)state;
	struct abbrev_table table = {0};
	for (size_t i = 0; i < COUNT_OF(role_cases); i++) {
		const struct role_case *c = &role_cases[i];
		struct bytes bytes = {0};
		put_abbrev(&bytes, 1, c->tag, true);
		for (unsigned k = 0; k < COUNT_OF(c->attrs) && c->attrs[k]; k += 2)
			put_attr(&bytes, c->attrs[k], c->attrs[k + 1]);
		put_attr(&bytes, 0, 0);
		put_u8(&bytes, 0);
		assert_int_equal(read(&table, &bytes), LOCUS_OK);
		if (table.abbrevs[0].role != c->role || table.abbrevs[0].sibling != c->sibling)
			fail_msg("%s: role %d, sibling %u", c->name, table.abbrevs[0].role, table.abbrevs[0].sibling);
		bytes_done(&bytes);
	}
	abbrev_table_done(&table);
}

/* A sibling is found behind the attributes before it, which may be of any size. */
static void siblings(void **state)
{
	enum { STEPS_MAX = 255 };
	static const struct {
		uint8_t form;
		uint8_t size;
	} cases[] = {{FORM_ref1, 1}, {FORM_ref2, 2}, {FORM_ref4, 4}, {FORM_ref_udata, 0}};
	struct abbrev_table table = {0};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (unsigned strings = 0; strings <= STEPS_MAX + 1; strings += strings < 3 ? 1 : STEPS_MAX - 3) {
			struct bytes bytes = {0};
			put_abbrev(&bytes, 1, TAG_enum, true);
			for (unsigned k = 0; k < strings; k++)
				put_attr(&bytes, AT_name, FORM_string);
			put_attr(&bytes, 0x2001, FORM_addr);
			put_attr(&bytes, AT_sibling, cases[i].form);
			put_attr(&bytes, 0x2002, FORM_data1);
			put_attr(&bytes, 0, 0);
			put_u8(&bytes, 0);
			assert_int_equal(read(&table, &bytes), LOCUS_OK);
			const struct abbrev *abbrev = &table.abbrevs[0];
			bool is_kept = strings <= STEPS_MAX;
			if (abbrev->sibling != (is_kept ? 8 : NO_SIBLING) ||
			    abbrev->sibling_steps != (is_kept ? strings : 0) ||
			    abbrev->sibling_size != (is_kept ? cases[i].size : 0))
				fail_msg("form 0x%x behind %u strings: %u bytes behind %u steps, of size %u",
					 cases[i].form, strings, abbrev->sibling, abbrev->sibling_steps,
					 abbrev->sibling_size);
			bytes_done(&bytes);
		}
	}
	abbrev_table_done(&table);
}

/* ---- Damage ---- */

static void damage(void **state)
{
	(void)state;
	struct abbrev_table table = {0};
	struct bytes bytes = {0};
	for (unsigned i = 1; i < 4; i++) {
		put_abbrev(&bytes, i, TAG_subprogram, true);
		put_attr(&bytes, AT_name, FORM_string);
		put_attr(&bytes, 0x2111, FORM_implicit_const);
		put_sleb(&bytes, -300);
		put_attr(&bytes, 0, 0);
	}
	put_u8(&bytes, 0);
	for (size_t size = 0; size < bytes.size; size++) {
		uint8_t *exact = exact_copy(bytes.data, size);
		struct bytes prefix = {.data = exact, .size = size};
		if (read(&table, &prefix) != LOCUS_ERR_BAD_DWARF)
			fail_msg("%zu of %zu bytes are a table", size, bytes.size);
		free(exact);
	}
	assert_int_equal(read(&table, &bytes), LOCUS_OK);
	assert_int_equal(table.count, 3);
	assert_int_equal(table.attrs[1].implicit, -300);
	bytes_done(&bytes);
	put_abbrev(&bytes, 1, TAG_subprogram, true);
	put_attr(&bytes, AT_name, 0x7f);
	put_attr(&bytes, 0, 0);
	put_u8(&bytes, 0);
	assert_int_equal(read(&table, &bytes), LOCUS_ERR_BAD_DWARF);
	bytes_done(&bytes);
	abbrev_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skipping),      cmocka_unit_test(indirect),         cmocka_unit_test(codes),
		cmocka_unit_test(unknown_forms), cmocka_unit_test(those_with_names), cmocka_unit_test(roles),
		cmocka_unit_test(siblings),      cmocka_unit_test(without_children), cmocka_unit_test(damage),
		cmocka_unit_test(block_pairs),   cmocka_unit_test(block_pair_ends),  cmocka_unit_test(string_ends),
	};
	return cmocka_run_group_tests_name("abbrev", tests, NULL, NULL);
}
