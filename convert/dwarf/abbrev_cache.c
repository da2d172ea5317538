/*
 * Compilers write a table for every unit, and most declarations stand in many tables: of 67,000 in glibc, 2,100 are
 * distinct. So each distinct declaration is compiled once. It is identified by its bytes, which also show where it
 * ends.
 */
#include "convert/dwarf/abbrev_cache.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/vm_pages.h"

struct abbrev_section_table {
	uint64_t offset;
	uint32_t first; /* index of its first declaration */
	uint32_t count;
	uint8_t needs; /* bits of enum form_need */
};

/* A declaration that was read before, without its code. */
struct known_declaration {
	const uint8_t *bytes; /* NULL: the slot is empty */
	uint32_t size;
	uint32_t hash;
	uint32_t index; /* in the store, or NOT_COMPILED */
	bool across;    /* it may refer to another unit */
	uint8_t needs;  /* bits of enum form_need */
};

#define NOT_COMPILED UINT32_MAX

struct section_reader {
	struct abbrev_section *section;
	struct cursor c;
	struct known_declaration *slots; /* by hash */
	uint32_t slot_count, known_count;
};

enum {
	DECLARATION_SIZE_MIN = 5, /* with its code */
	FIRST_SLOTS = 1024,
	SLOTS_TRIED = 64, /* at a load of at most 1/2, only crafted input needs more */
};

/*
 * Hashes the declaration at `p`. Its end is not known yet, but it ends with the first two zero bytes in a row; so all
 * bytes before these are hashed, eight at a time.
 */
static uint32_t hash_declaration(const uint8_t *p, const uint8_t *end)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	for (uint64_t hash = 0;; p += 7) {
		uint64_t word = 0;
		memcpy(&word, p, end - p < 8 ? (size_t)(end - p) : 8);
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			word = __builtin_bswap64(word);
		uint64_t zeros = ~(((word & low) + low) | word | low); /* the high bit of each byte that is zero */
		uint64_t pairs = zeros & zeros >> 8;
		if (pairs)
			word &= (pairs & -pairs) - 1;
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
		if (pairs)
			return (uint32_t)hash;
	}
}

static struct known_declaration *next_slot(const struct section_reader *reader, struct known_declaration *slot)
{
	return slot + 1 < reader->slots + reader->slot_count ? slot + 1 : reader->slots;
}

/*
 * Finds the slot of the declaration at the cursor, or the empty one where it belongs; NULL: neither is near. This is
 * not base/hash_slots.h, because declarations that were crafted to have one hash would have to be compared one by one.
 */
static struct known_declaration *find_slot(const struct section_reader *reader, uint32_t hash)
{
	size_t left = cursor_left(&reader->c);
	struct known_declaration *slot = &reader->slots[hash & (reader->slot_count - 1)];
	for (int i = 0; i < SLOTS_TRIED; i++, slot = next_slot(reader, slot)) {
		if (!slot->bytes ||
		    (slot->hash == hash && slot->size <= left && memcmp(slot->bytes, reader->c.p, slot->size) == 0))
			return slot;
	}
	return NULL;
}

static bool grow_slots(struct section_reader *reader)
{
	struct section_reader grown = {.slot_count = reader->slot_count ? 2 * reader->slot_count : FIRST_SLOTS};
	grown.slots = pages_zeroed(grown.slot_count, sizeof(*grown.slots));
	if (!grown.slots)
		return false;

	for (uint32_t i = 0; i < reader->slot_count; i++) {
		if (!reader->slots[i].bytes)
			continue;
		struct known_declaration *slot = &grown.slots[reader->slots[i].hash & (grown.slot_count - 1)];
		while (slot->bytes)
			slot = next_slot(&grown, slot);
		*slot = reader->slots[i];
	}

	free(reader->slots);
	reader->slots = grown.slots;
	reader->slot_count = grown.slot_count;
	return true;
}

/*
 * Whether an attribute may refer to a DIE of another unit that is read. Functions get names from DIEs that they are
 * copies or completions of. Most references across units lead to types, which are not read.
 */
static bool leads_across(uint64_t name, uint64_t form)
{
	return (name == DW_AT_abstract_origin || name == DW_AT_specification) &&
	       (form == DW_FORM_ref_addr || form == DW_FORM_ref_sig8 || form == DW_FORM_indirect);
}

/*
 * Moves behind a declaration, and adds what its forms need to *needs. True: it has an attribute that may refer to
 * another unit.
 */
static bool skip_declaration(struct cursor *c, uint8_t *needs)
{
	bool across = false;
	cursor_uleb(c);
	cursor_u8(c);
	for (;;) {
		uint64_t name, form;
		cursor_uleb_pair(c, &name, &form);
		if (!(name | form))
			return across;
		if (form == DW_FORM_implicit_const)
			cursor_sleb(c);
		across |= leads_across(name, form);
		*needs |= form_needs(form);
	}
}

/* Compiles the declaration at the cursor into its slot; if it is cut off, the slot stays empty. */
static bool add_known(struct section_reader *reader, struct known_declaration *slot, uint32_t hash)
{
	struct abbrev_section *section = reader->section;
	struct cursor c = reader->c;
	uint8_t needs = 0;
	bool across = skip_declaration(&c, &needs);
	uint64_t size = (uint64_t)(c.p - reader->c.p);
	if (c.bad || size > UINT32_MAX)
		return true;
	*slot = (struct known_declaration){reader->c.p, (uint32_t)size, hash, section->store.count, across, needs};
	reader->known_count++;
	c = reader->c;
	enum locus_status status = abbrev_store_add(&section->store, &c, 0, NULL);
	if (status != LOCUS_OK)
		slot->index = NOT_COMPILED;
	return status != LOCUS_ERR_MEMORY;
}

/*
 * Adds the declaration at the cursor to the table, and moves behind it. *table_is_across becomes true if it may refer
 * to another unit.
 */
static bool read_declaration(struct section_reader *reader, struct abbrev_section_table *table, bool *table_is_plain,
			     bool *table_is_across)
{
	struct abbrev_section *section = reader->section;
	if (2 * reader->known_count >= reader->slot_count && !grow_slots(reader))
		return false;
	uint32_t hash = hash_declaration(reader->c.p, reader->c.end);
	struct known_declaration *slot = find_slot(reader, hash);
	if (slot && !slot->bytes && !add_known(reader, slot, hash))
		return false;
	if (!slot || !slot->bytes || slot->index == NOT_COMPILED) {
		*table_is_across |= skip_declaration(&reader->c, &table->needs);
		*table_is_plain = false;
		return true;
	}

	*table_is_across |= slot->across;
	table->needs |= slot->needs;
	section->declarations[section->declaration_count++] = slot->index;
	cursor_skip(&reader->c, slot->size);
	return true;
}

/* Reads the table at the cursor. It is kept if its codes are those that compilers write. */
static bool read_table(struct section_reader *reader, uint64_t offset)
{
	struct abbrev_section *section = reader->section;
	struct abbrev_section_table table = {.offset = offset, .first = section->declaration_count};
	bool is_plain = true, is_across = false;
	for (uint64_t code; (code = cursor_uleb(&reader->c)) != 0;) {
		is_plain &= code == ++table.count;
		if (!read_declaration(reader, &table, &is_plain, &is_across))
			return false;
	}

	section->seen_count += table.count > 0;
	section->across_count += is_across;
	if (reader->c.bad)
		section->across_count = UINT32_MAX;
	section->refers_across |= section->across_count > 0;
	if (reader->c.bad || !is_plain || !table.count)
		return true;
	if (!array_reserve(&section->tables, &section->table_room, section->table_count + UINT64_C(1),
			   sizeof(*section->tables)))
		return false;
	section->tables[section->table_count++] = table;
	return true;
}

bool abbrev_section_read(struct abbrev_section *section, const uint8_t *bytes, size_t size,
			 const struct form_sizes *sizes)
{
	struct section_reader reader = {.section = section, .c = {.p = bytes, .end = size ? bytes + size : bytes}};
	abbrev_store_begin(&section->store, sizes);
	/* Room for as many as the bytes can hold: memory that is not used is not touched. */
	section->declarations = malloc(size / DECLARATION_SIZE_MIN * sizeof(*section->declarations) + 1);
	bool memory = section->declarations != NULL;
	while (memory && cursor_left(&reader.c))
		memory = read_table(&reader, (uint64_t)(reader.c.p - bytes));
	free(reader.slots);
	return memory;
}

static const struct abbrev_section_table *find_table(const struct abbrev_section *section, uint64_t offset)
{
	uint32_t at;
	SEARCH_FIRST(at, 0, section->table_count, section->tables[at].offset >= offset);
	bool found = at < section->table_count && section->tables[at].offset == offset;
	return found ? &section->tables[at] : NULL;
}

bool abbrev_section_get(const struct abbrev_section *section, uint64_t offset, const struct form_sizes *sizes,
			struct abbrev_table *table, bool *ret_found)
{
	const struct abbrev_section_table *found = find_table(section, offset);
	*ret_found = found && memcmp(sizes, &section->store.sizes, sizeof(*sizes)) == 0;
	if (!*ret_found)
		return true;
	/* They are copied, so that a walk gets from a code to its abbreviation in one step. */
	if (!array_reserve(&table->own.abbrevs, &table->own.room, found->count, sizeof(*table->own.abbrevs)))
		return false;
	for (uint32_t i = 0; i < found->count; i++) {
		table->own.abbrevs[i] = section->store.abbrevs[section->declarations[found->first + i]];
		table->own.abbrevs[i].code = i + UINT64_C(1);
	}
	table->abbrevs = table->own.abbrevs;
	table->count = found->count;
	table->dense = true;
	table->attrs = section->store.attrs;
	table->skips = section->store.skips;
	table->needs = found->needs;
	return true;
}

void abbrev_section_done(struct abbrev_section *section)
{
	abbrev_store_done(&section->store);
	free(section->tables);
	free(section->declarations);
	*section = (struct abbrev_section){0};
}
