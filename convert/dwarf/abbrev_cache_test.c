/* A section's tables read at once: each equals the table read by itself, or is left out. */
#include "convert/dwarf/abbrev_cache.h"

#include "base/toolkit_test.h"

enum { FORM_string = 0x08, FORM_ref4 = 0x13, FORM_implicit_const = 0x21, FORM_unknown = 0x7e };

static const struct form_sizes sizes = {8, 4, 4};

static void put_pair(struct bytes *out, uint64_t name, uint64_t form)
{
	put_uleb(out, name);
	put_uleb(out, form);
}

/* One of few declarations, so that they repeat. Their numbers are of one byte and more, with zeros among them. */
static void put_declaration(struct bytes *out, uint32_t which)
{
	static const uint16_t forms[] = {0x01, 0x08, 0x0b, 0x0e, 0x13, 0x17, 0x19, 0x21, 0x1f02};
	uint64_t random = which;
	put_uleb(out, random_one_in(&random, 4) ? 0x4106 : random_below(&random, 0x40));
	put_u8(out, random_one_in(&random, 2));
	for (uint32_t i = random_below(&random, 12); i--;) {
		uint16_t form = forms[random_below(&random, COUNT_OF(forms))];
		put_pair(out, random_one_in(&random, 4) ? 0x2117 : random_below(&random, 0x80), form);
		if (form == FORM_implicit_const)
			put_sleb(out, random_one_in(&random, 2) ? 0 : (int64_t)random_next(&random));
	}
	put_pair(out, 0, 0);
}

static void assert_same_abbrev(const struct abbrev_table *a, const struct abbrev_table *b, uint32_t i, uint64_t seed)
{
	const struct abbrev *x = &a->abbrevs[i], *y = &b->abbrevs[i];
	bool same = x->code == y->code && x->tag == y->tag && x->has_children == y->has_children &&
		    x->role == y->role && x->sibling == y->sibling && x->sibling_steps == y->sibling_steps &&
		    x->sibling_size == y->sibling_size && x->fixed == y->fixed && x->attr_count == y->attr_count &&
		    x->skip_count == y->skip_count && x->is_block_pair == y->is_block_pair;
	for (uint32_t k = 0; same && k < x->attr_count; k++) {
		const struct attr_spec *s = &a->attrs[x->attr_first + k], *t = &b->attrs[y->attr_first + k];
		same = s->name == t->name && s->form == t->form && s->implicit == t->implicit;
	}
	for (uint32_t k = 0; same && k < x->skip_count; k++) {
		const struct skip_op *s = &a->skips[x->skip_first + k], *t = &b->skips[y->skip_first + k];
		same = s->kind == t->kind && s->before == t->before;
	}
	if (!same)
		fail_msg("seed 0x%llx: declaration %u", (unsigned long long)seed, i);
}

static void check_section(uint64_t seed)
{
	enum { TABLES_MAX = 20 };
	uint64_t random = seed;
	struct bytes bytes = {0};
	uint64_t offsets[TABLES_MAX];
	uint32_t counts[TABLES_MAX], table_count = random_below(&random, TABLES_MAX + 1);
	uint32_t distinct = 1 + random_below(&random, random_one_in(&random, 8) ? 5000 : 50);
	for (uint32_t i = 0; i < table_count; i++) {
		offsets[i] = bytes.size;
		counts[i] = 1 + random_below(&random, 300);
		for (uint32_t k = 0; k < counts[i]; k++) {
			put_uleb(&bytes, k + 1);
			put_declaration(&bytes, random_below(&random, distinct));
		}
		for (uint32_t zeros = 1 + random_below(&random, 3); zeros--;)
			put_u8(&bytes, 0);
	}
	uint8_t *exact = exact_copy(bytes.data, bytes.size);
	struct abbrev_section section = {0};
	struct abbrev_table table = {0}, alone = {0};
	bool found;
	assert_true(abbrev_section_read(&section, exact, bytes.size, &sizes));
	assert_int_equal(section.table_count, table_count);
	assert_int_equal(section.seen_count, table_count);
	assert_in_range(section.store.count, table_count > 0, distinct);
	assert_false(section.refers_across);
	for (uint32_t i = 0; i < table_count; i++) {
		assert_true(abbrev_section_get(&section, offsets[i], &sizes, &table, &found));
		assert_int_equal(abbrev_table_read(&alone, exact + offsets[i], bytes.size - offsets[i], &sizes, NULL),
				 LOCUS_OK);
		if (!found || table.count != counts[i] || alone.count != counts[i] || !table.dense)
			fail_msg("seed 0x%llx: table %u", (unsigned long long)seed, i);
		for (uint32_t k = 0; k < counts[i]; k++)
			assert_same_abbrev(&table, &alone, k, seed);
		assert_true(abbrev_section_get(&section, offsets[i] + 1, &sizes, &table, &found));
		assert_false(found);
	}
	abbrev_table_done(&table);
	abbrev_table_done(&alone);
	abbrev_section_done(&section);
	free(exact);
	bytes_done(&bytes);
}

static void as_by_itself(void **state)
{
	(void)state;
	uint64_t seeds = 0xab5;
	for (int i = 0; i < 300; i++)
		check_section(random_next(&seeds));
}

/* Whether the table at `offset` is there, of a section that is read whole. */
static bool has_table(const struct bytes *bytes, uint64_t offset, const struct form_sizes *wanted)
{
	struct abbrev_section section = {0};
	struct abbrev_table table = {0};
	bool found;
	assert_true(abbrev_section_read(&section, bytes->data, bytes->size, &sizes));
	assert_true(abbrev_section_get(&section, offset, wanted, &table, &found));
	abbrev_table_done(&table);
	abbrev_section_done(&section);
	return found;
}

static void left_out(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t codes[3];
		uint16_t form;
		bool found;
	} cases[] = {
		{"as compilers number them", {1, 2, 3}, FORM_ref4, true},
		{"from 2", {2, 3, 4}, FORM_ref4, false},
		{"unsorted", {2, 1, 3}, FORM_ref4, false},
		{"one twice", {1, 2, 2}, FORM_ref4, false},
		{"a form that is not known", {1, 2, 3}, FORM_unknown, false},
	};
	static const struct form_sizes wide = {8, 8, 8};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes bytes = {0};
		uint64_t next;
		for (unsigned k = 0; k < COUNT_OF(cases[i].codes); k++) {
			put_uleb(&bytes, cases[i].codes[k]);
			put_uleb(&bytes, 0x34);
			put_u8(&bytes, 0);
			put_pair(&bytes, 0x03, FORM_string);
			put_pair(&bytes, 0x49, cases[i].form);
			put_pair(&bytes, 0, 0);
		}
		put_u8(&bytes, 0);
		next = bytes.size;
		put_uleb(&bytes, 1);
		put_declaration(&bytes, 1);
		put_u8(&bytes, 0);
		if (has_table(&bytes, 0, &sizes) != cases[i].found || !has_table(&bytes, next, &sizes))
			fail_msg("%s", cases[i].name);
		assert_false(has_table(&bytes, next, &wide));
		bytes_done(&bytes);
	}
}

/* What is behind a cut cannot be known. */
static void cut_off(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	put_uleb(&bytes, 1);
	put_declaration(&bytes, 2);
	put_u8(&bytes, 0);
	size_t first = bytes.size;
	for (unsigned code = 1; code < 4; code++) {
		put_uleb(&bytes, code);
		put_declaration(&bytes, code);
	}
	put_u8(&bytes, 0);
	for (size_t size = 0; size <= bytes.size; size++) {
		struct bytes prefix = {.data = exact_copy(bytes.data, size), .size = size};
		struct abbrev_section section = {0};
		assert_true(abbrev_section_read(&section, prefix.data, size, &sizes));
		bool whole = size == bytes.size || size == first || size == 0;
		if (section.refers_across == whole ||
		    section.table_count != (size >= first ? 1U : 0) + (size == bytes.size ? 1U : 0))
			fail_msg("%zu of %zu bytes: %u tables", size, bytes.size, section.table_count);
		abbrev_section_done(&section);
		bytes_done(&prefix);
	}
	bytes_done(&bytes);
}

/* Whether a section has a form that leads to another unit: in any table, also in one that is left out. */
static void across(void **state)
{
	(void)state;
	static const struct {
		uint64_t code;
		uint16_t name, form;
		bool across;
	} cases[] = {
		/* DW_AT_abstract_origin and DW_AT_specification lead to names, DW_AT_type and the like do not. */
		{1, 0x31, FORM_ref4, false}, {1, 0x31, 0x10, true},         {1, 0x31, 0x20, true},
		{1, 0x31, 0x16, true},       {1, 0x31, FORM_string, false}, {7, 0x31, 0x10, true},
		{7, 0x31, 0x20, true},       {7, 0x31, FORM_ref4, false},   {1, 0x31, FORM_unknown, false},
		{1, 0x47, 0x10, true},       {7, 0x47, 0x20, true},         {1, 0x49, 0x10, false},
		{1, 0x69, 0x20, false},      {7, 0x18, 0x10, false},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes bytes = {0};
		struct abbrev_section section = {0};
		put_uleb(&bytes, 1);
		put_uleb(&bytes, 0x11);
		put_u8(&bytes, 1);
		put_pair(&bytes, 0x2111, FORM_implicit_const);
		put_sleb(&bytes, 0x10); /* not a form */
		put_pair(&bytes, 0, 0);
		put_u8(&bytes, 0);
		put_uleb(&bytes, cases[i].code); /* of the next table */
		put_uleb(&bytes, 0x2e);
		put_u8(&bytes, 0);
		put_pair(&bytes, cases[i].name, cases[i].form);
		put_pair(&bytes, 0, 0);
		put_u8(&bytes, 0);
		assert_true(abbrev_section_read(&section, bytes.data, bytes.size, &sizes));
		if (section.refers_across != cases[i].across || section.across_count != cases[i].across)
			fail_msg("attribute 0x%x of form 0x%x", cases[i].name, cases[i].form);
		abbrev_section_done(&section);
		bytes_done(&bytes);
	}
}

/* Declarations that differ only behind two zeros have one hash: they cost no more than others, and none is lost. */
static void crowded(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	struct bytes bytes = {0};
	for (uint64_t i = 0; i < COUNT; i++) {
		put_uleb(&bytes, i + 1);
		put_uleb(&bytes, 0x34);
		put_u8(&bytes, 0);
		put_pair(&bytes, 0x2111, FORM_implicit_const);
		put_sleb(&bytes, 0);
		put_pair(&bytes, 0, FORM_ref4); /* a name of 0 ends nothing */
		put_pair(&bytes, 0x2112, FORM_implicit_const);
		put_sleb(&bytes, (int64_t)i);
		bool is_last = i + 1 == COUNT;
		put_pair(&bytes, is_last ? 0x31 : 0, is_last ? 0x10 : 0);
	}
	put_pair(&bytes, 0, 0);
	put_u8(&bytes, 0);
	struct abbrev_section section = {0};
	assert_true(abbrev_section_read(&section, bytes.data, bytes.size, &sizes));
	assert_in_range(section.store.count, 1, 100);
	assert_int_equal(section.table_count, 0);
	assert_int_equal(section.seen_count, 1);
	assert_true(section.refers_across);
	assert_int_equal(section.across_count, 1);
	abbrev_section_done(&section);
	bytes_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_itself), cmocka_unit_test(left_out), cmocka_unit_test(cut_off),
		cmocka_unit_test(across),       cmocka_unit_test(crowded),
	};
	return cmocka_run_group_tests_name("abbrevsection", tests, NULL, NULL);
}
