/*
 * Compiles abbreviation tables: runs of attributes of fixed size become one step of skipping, and each abbreviation
 * gets the role that its tag and attributes have in the walk over a unit.
 */
#include "convert/dwarf/abbrev.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/fail.h"
#include "base/order.h"

/*
 * The size of each form plus 1, so that 0 means a form of no fixed size; or one of these for sizes that the unit
 * decides.
 */
enum { AS_ADDRESS = 32, AS_OFFSET, AS_REF_ADDR };

static const uint8_t form_sizes_plus_one[] = {
	[DW_FORM_flag_present] = 1 + 0,   [DW_FORM_implicit_const] = 1 + 0, [DW_FORM_data1] = 1 + 1,
	[DW_FORM_flag] = 1 + 1,           [DW_FORM_ref1] = 1 + 1,           [DW_FORM_strx1] = 1 + 1,
	[DW_FORM_addrx1] = 1 + 1,         [DW_FORM_data2] = 1 + 2,          [DW_FORM_ref2] = 1 + 2,
	[DW_FORM_strx2] = 1 + 2,          [DW_FORM_addrx2] = 1 + 2,         [DW_FORM_strx3] = 1 + 3,
	[DW_FORM_addrx3] = 1 + 3,         [DW_FORM_data4] = 1 + 4,          [DW_FORM_ref4] = 1 + 4,
	[DW_FORM_strx4] = 1 + 4,          [DW_FORM_addrx4] = 1 + 4,         [DW_FORM_ref_sup4] = 1 + 4,
	[DW_FORM_data8] = 1 + 8,          [DW_FORM_ref8] = 1 + 8,           [DW_FORM_ref_sig8] = 1 + 8,
	[DW_FORM_ref_sup8] = 1 + 8,       [DW_FORM_data16] = 1 + 16,        [DW_FORM_addr] = AS_ADDRESS,
	[DW_FORM_ref_addr] = AS_REF_ADDR, [DW_FORM_strp] = AS_OFFSET,       [DW_FORM_line_strp] = AS_OFFSET,
	[DW_FORM_sec_offset] = AS_OFFSET, [DW_FORM_strp_sup] = AS_OFFSET,
};

int form_fixed_size(uint16_t form, const struct form_sizes *sizes)
{
	if (form >= sizeof(form_sizes_plus_one))
		return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ? sizes->offset : -1;
	uint8_t size = form_sizes_plus_one[form];
	switch (size) {
	case AS_ADDRESS:
		return sizes->address;
	case AS_OFFSET:
		return sizes->offset;
	case AS_REF_ADDR:
		return sizes->ref_addr;
	default:
		return (int)size - 1;
	}
}

uint8_t form_needs(uint64_t form)
{
	switch (form) {
	case DW_FORM_strp:
		return NEED_STR;
	case DW_FORM_line_strp:
		return NEED_LINE_STR;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return NEED_STR | NEED_STR_OFFSETS;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_strp_sup:
		return NEED_ALTERNATE;
	default:
		return 0;
	}
}

/* How to skip a form of no fixed size. */
static enum skip_kind form_skip_kind(uint16_t form)
{
	switch (form) {
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return SKIP_LEB;
	case DW_FORM_block1:
		return SKIP_BLOCK1;
	case DW_FORM_block2:
		return SKIP_BLOCK2;
	case DW_FORM_block4:
		return SKIP_BLOCK4;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return SKIP_BLOCK;
	case DW_FORM_string:
		return SKIP_STRING;
	case DW_FORM_indirect:
		return SKIP_INDIRECT;
	case FORM_LLVM_ADDRX_OFFSET:
		return SKIP_LEB_U32;
	default:
		return SKIP_UNKNOWN;
	}
}

void abbrev_skip_slow(struct cursor *c, enum skip_kind kind, const struct form_sizes *sizes)
{
	switch (kind) {
	case SKIP_BLOCK1:
		cursor_skip(c, cursor_u8(c));
		break;
	case SKIP_BLOCK2:
		cursor_skip(c, cursor_u16(c));
		break;
	case SKIP_BLOCK4:
		cursor_skip(c, cursor_u32(c));
		break;
	case SKIP_BLOCK:
		cursor_skip(c, cursor_uleb(c));
		break;
	case SKIP_LEB:
		cursor_uleb(c);
		break;
	case SKIP_STRING:
		cursor_string(c);
		break;
	case SKIP_INDIRECT: {
		uint64_t form = cursor_uleb(c);
		if (form == DW_FORM_indirect || form > UINT16_MAX)
			cursor_fail(c);
		else
			form_skip(c, (uint16_t)form, sizes);
		break;
	}
	case SKIP_LEB_U32:
		cursor_uleb(c);
		cursor_skip(c, 4);
		break;
	case SKIP_UNKNOWN:
		cursor_fail(c);
		break;
	}
}

void form_skip(struct cursor *c, uint16_t form, const struct form_sizes *sizes)
{
	int size = form_fixed_size(form, sizes);
	if (size >= 0)
		cursor_skip(c, (uint64_t)size);
	else
		abbrev_skip_slow(c, form_skip_kind(form), sizes);
}

static enum die_role role_of(uint16_t tag, bool has_code, bool is_declaration, bool has_children)
{
	switch (tag) {
	case DW_TAG_enumeration_type:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return ROLE_OPAQUE;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return ROLE_RECORD;
	case DW_TAG_namespace:
	case DW_TAG_module:
		return ROLE_NAMESPACE;
	case DW_TAG_subprogram:
		return has_code ? ROLE_FUNCTION : is_declaration ? ROLE_OPAQUE : ROLE_SUBPROGRAM;
	case DW_TAG_inlined_subroutine:
		/* In DWARF 2, what is inlined into one that has no range may have one (RULES C3). */
		return has_code || has_children ? ROLE_INLINEE : ROLE_OTHER;
	default:
		return ROLE_OTHER;
	}
}

#ifndef DW_AT_LLVM_stmt_sequence
#define DW_AT_LLVM_stmt_sequence 0x3e0c /* newer than elfutils 0.188 */
#endif

static enum attr_use use_of(uint64_t name)
{
	switch (name) {
	case DW_AT_low_pc:
		return ATTR_LOW;
	case DW_AT_high_pc:
		return ATTR_HIGH;
	case DW_AT_ranges:
		return ATTR_RANGES;
	case DW_AT_entry_pc:
		return ATTR_ENTRY;
	case DW_AT_call_file:
		return ATTR_CALL_FILE;
	case DW_AT_call_line:
		return ATTR_CALL_LINE;
	case DW_AT_call_column:
		return ATTR_CALL_COLUMN;
	case DW_AT_LLVM_stmt_sequence:
		return ATTR_STMT_SEQUENCE;
	case DW_AT_abstract_origin:
		return ATTR_ORIGIN;
	case DW_AT_specification:
		return ATTR_SPECIFICATION;
	case DW_AT_name:
		return ATTR_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return ATTR_LINKAGE_NAME;
	case DW_AT_decl_file:
		return ATTR_DECL_FILE;
	case DW_AT_decl_line:
		return ATTR_DECL_LINE;
	default:
		return ATTR_UNUSED;
	}
}

/* Of two attributes of one kind, which no compiler writes, the first counts, as in other readers. */
static enum attr_use first_use_of(uint64_t name, uint32_t *uses)
{
	enum attr_use use = use_of(name);
	uint32_t bit = UINT32_C(1) << use;
	if (*uses & bit)
		return ATTR_UNUSED;
	*uses |= bit;
	return use;
}

enum { STEP_UNKNOWN = 0x80 };

/* How a form is skipped, as struct attr_spec has it, or STEP_UNKNOWN. */
static uint8_t form_step(uint64_t form, const struct form_sizes *sizes)
{
	if (form > UINT16_MAX)
		return STEP_UNKNOWN;
	int size = form_fixed_size((uint16_t)form, sizes);
	if (size >= 0)
		return (uint8_t)size;
	enum skip_kind kind = form_skip_kind((uint16_t)form);
	return kind == SKIP_UNKNOWN ? STEP_UNKNOWN : (uint8_t)(STEP_KIND | kind);
}

void abbrev_store_begin(struct abbrev_store *store, const struct form_sizes *sizes)
{
	store->count = store->attr_count = store->skip_count = 0;
	store->needs = 0;
	if (!memcmp(&store->sizes, sizes, sizeof(*sizes)))
		return;
	store->sizes = *sizes;
	for (unsigned form = 0; form < FORM_STEP_COUNT; form++)
		store->steps[form] = form_step(form, sizes);
}

void abbrev_store_done(struct abbrev_store *store)
{
	free(store->abbrevs);
	free(store->attrs);
	free(store->skips);
	*store = (struct abbrev_store){0};
}

/* Notes where DW_AT_sibling stands: behind the steps so far and `run` bytes, if it has a form that compilers choose. */
static void note_sibling(const struct abbrev_store *store, struct abbrev *abbrev, uint64_t form, uint32_t run)
{
	uint32_t steps = store->skip_count - abbrev->skip_first;
	bool is_read =
		form == DW_FORM_ref4 || form == DW_FORM_ref2 || form == DW_FORM_ref1 || form == DW_FORM_ref_udata;
	if (!is_read || run >= NO_SIBLING || steps > UINT8_MAX)
		return;
	abbrev->sibling = (uint16_t)run;
	abbrev->sibling_steps = (uint8_t)steps;
	abbrev->sibling_size = form == DW_FORM_ref_udata ? 0 : store->steps[form];
}

static bool is_block_pair(const struct abbrev_store *store, const struct abbrev *abbrev)
{
	if (abbrev->role != ROLE_LEAF || abbrev->skip_count != 2 || abbrev->fixed)
		return false;
	const struct skip_op *skips = &store->skips[abbrev->skip_first];
	return skips[0].kind == SKIP_BLOCK && skips[1].kind == SKIP_BLOCK && !skips[0].before && !skips[1].before;
}

/* What the attributes of an abbreviation tell together, while they are read. */
struct attrs_read {
	uint32_t uses; /* a bit for each enum attr_use */
	bool has_code, is_declaration;
	bool is_wide; /* one that is used has a fixed size of more than 8 bytes */
};

/* Decides once, and not for each DIE, what is done with DIEs of an abbreviation whose attributes are all read. */
static void classify(const struct abbrev_store *store, struct abbrev *abbrev, const struct attrs_read *read)
{
	abbrev->attr_count = store->attr_count - abbrev->attr_first;
	abbrev->skip_count = store->skip_count - abbrev->skip_first;
	enum die_role role = role_of(abbrev->tag, read->has_code, read->is_declaration, abbrev->has_children);
	abbrev->role = (uint8_t)(abbrev->has_children || role >= ROLE_FUNCTION ? role : ROLE_LEAF);
	abbrev->leaf_size = abbrev->role == ROLE_LEAF && !abbrev->skip_count ? abbrev->fixed : LEAF_VARIES;
	abbrev->is_block_pair = is_block_pair(store, abbrev);
	abbrev->is_fixed = !abbrev->skip_count && !read->is_wide && abbrev->fixed <= UINT16_MAX;
}

/* Reads the attributes of one abbreviation and compiles how to skip them. */
static enum locus_status read_attrs(struct abbrev_store *store, struct abbrev *abbrev, struct cursor *c,
				    struct locus_error *error)
{
	struct attrs_read read = {0};
	uint32_t run = 0;
	abbrev->attr_first = store->attr_count;
	abbrev->skip_first = store->skip_count;
	abbrev->sibling = NO_SIBLING;
	abbrev->sibling_steps = abbrev->sibling_size = 0;
	abbrev->named = false;

	/*
	 * Attributes of fixed size that follow each other are skipped in one step; any other one is a step of its own.
	 */
	for (;;) {
		uint64_t name, form;
		cursor_uleb_pair(c, &name, &form);
		if (!(name | form))
			break;
		int64_t implicit = form == DW_FORM_implicit_const ? cursor_sleb(c) : form == DW_FORM_flag_present;
		uint8_t step = form < FORM_STEP_COUNT ? store->steps[form] : form_step(form, &store->sizes);
		if (step == STEP_UNKNOWN && !c->bad)
			return locus_fail(error, LOCUS_ERR_BAD_DWARF,
					  "abbreviation %llu has the form 0x%llx, which is not known",
					  (unsigned long long)abbrev->code, (unsigned long long)form);
		if (!array_reserve(&store->attrs, &store->attr_room, store->attr_count + UINT64_C(1),
				   sizeof(*store->attrs)))
			return locus_fail_memory(error);
		struct attr_spec *attr = &store->attrs[store->attr_count++];
		attr->name = name <= UINT16_MAX ? (uint16_t)name : UINT16_MAX;
		attr->form = (uint16_t)form;
		attr->step = step;
		attr->use = (uint8_t)first_use_of(name, &read.uses);
		attr->at = (uint16_t)run;
		attr->implicit = implicit;
		store->needs |= form_needs(form);
		read.is_wide |= attr->use != ATTR_UNUSED && step > sizeof(uint64_t);
		abbrev->named |= attr->use == ATTR_NAME || attr->use == ATTR_LINKAGE_NAME ||
				 attr->use == ATTR_DECL_FILE || attr->use == ATTR_DECL_LINE;
		read.has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
		/* A flag of another form is in each DIE, and may say that it is no declaration. */
		read.is_declaration |= name == DW_AT_declaration && form == DW_FORM_flag_present;
		if (name == DW_AT_sibling)
			note_sibling(store, abbrev, form, run);
		if (!(step & STEP_KIND)) {
			run += step;
			continue;
		}
		if (!array_reserve(&store->skips, &store->skip_room, store->skip_count + UINT64_C(1),
				   sizeof(*store->skips)))
			return locus_fail_memory(error);
		store->skips[store->skip_count++] = (struct skip_op){run, step & ~STEP_KIND};
		run = 0;
	}
	abbrev->fixed = run;
	if (c->bad)
		return locus_fail(error, LOCUS_ERR_BAD_DWARF, "the table is cut off");
	classify(store, abbrev, &read);
	return LOCUS_OK;
}

enum locus_status abbrev_store_add(struct abbrev_store *store, struct cursor *c, uint64_t code,
				   struct locus_error *error)
{
	if (!array_reserve(&store->abbrevs, &store->room, store->count + UINT64_C(1), sizeof(*store->abbrevs)))
		return locus_fail_memory(error);
	struct abbrev *abbrev = &store->abbrevs[store->count];
	uint64_t tag = cursor_uleb(c);
	abbrev->code = code;
	abbrev->tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	abbrev->has_children = cursor_u8(c) != 0;
	enum locus_status status = read_attrs(store, abbrev, c, error);
	store->count += status == LOCUS_OK;
	return status;
}

static int compare_codes(const void *a, const void *b)
{
	const struct abbrev *x = a, *y = b;
	return order_of(x->code, y->code);
}

enum locus_status abbrev_table_read(struct abbrev_table *table, const uint8_t *bytes, size_t size,
				    const struct form_sizes *sizes, struct locus_error *error)
{
	struct cursor c = {.p = bytes, .end = bytes + size};
	struct abbrev_store *own = &table->own;
	bool ascending = true;

	/* Compilers number codes from 1 without gaps: then the code is an index. */
	abbrev_store_begin(own, sizes);
	table->dense = true;
	for (;;) {
		uint64_t code = cursor_uleb(&c);
		if (!code && !c.bad)
			break;
		enum locus_status status = abbrev_store_add(own, &c, code, error);
		if (status != LOCUS_OK)
			return status;
		table->dense &= code == own->count;
		ascending &= own->count < 2 || own->abbrevs[own->count - 2].code < code;
	}
	table->abbrevs = own->abbrevs;
	table->count = own->count;
	table->attrs = own->attrs;
	table->skips = own->skips;
	table->needs = own->needs;

	/* Other codes are found by binary search, so none may be there twice. */
	if (ascending)
		return LOCUS_OK;
	qsort(own->abbrevs, own->count, sizeof(*own->abbrevs), compare_codes);
	for (uint32_t i = 1; i < own->count; i++)
		if (own->abbrevs[i].code == own->abbrevs[i - 1].code)
			return locus_fail(error, LOCUS_ERR_BAD_DWARF, "abbreviation %llu is there twice",
					  (unsigned long long)own->abbrevs[i].code);
	return LOCUS_OK;
}

void abbrev_table_done(struct abbrev_table *table)
{
	abbrev_store_done(&table->own);
	*table = (struct abbrev_table){0};
}

const struct abbrev *abbrev_table_search(const struct abbrev_table *table, uint64_t code)
{
	uint32_t at;
	SEARCH_FIRST(at, 0, table->count, table->abbrevs[at].code >= code);
	return at < table->count && table->abbrevs[at].code == code ? &table->abbrevs[at] : NULL;
}
