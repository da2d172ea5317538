/* Symbols are sorted by address. RULES D6 says which of several at one address comes first. */
#include "convert/symbols/symbols.h"

#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/mix64.h"
#include "base/order.h"
#include "base/sort.h"
#include "convert/symbols/symbol_table.h"

/*
 * The order of RULES D6 as a number, the lowest first: FUNC before NOTYPE, GLOBAL before WEAK before LOCAL, sized
 * before unsized, no leading _ before one.
 */
static uint8_t rank_of(const GElf_Sym *sym, const char *name)
{
	uint32_t bind = GELF_ST_BIND(sym->st_info);
	uint32_t bind_rank = bind == STB_LOCAL ? 2 : bind == STB_WEAK ? 1 : 0;
	bool typed = GELF_ST_TYPE(sym->st_info) != STT_NOTYPE;
	return (uint8_t)((uint32_t)!typed << 4 | bind_rank << 2 | (uint32_t)!sym->st_size << 1 | (name[0] == '_'));
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	if (x->addr != y->addr)
		return order_of(x->addr, y->addr);
	if (x->rank != y->rank)
		return order_of(x->rank, y->rank);
	int order = strcmp(x->name, y->name);
	if (order)
		return order;
	if (x->size != y->size)
		return order_of(y->size, x->size);
	return order_of(x->file, y->file);
}

static void drop_repeated(struct symbols *symbols)
{
	size_t kept = 0;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->symbols[i];
		bool repeated = false;
		for (size_t k = kept; k-- && symbols->symbols[k].addr == symbol->addr && !repeated && kept - k <= 32;)
			repeated = strcmp(symbols->symbols[k].name, symbol->name) == 0;
		if (!repeated)
			symbols->symbols[kept++] = *symbol;
	}
	symbols->count = kept;
}

void symbols_sort(struct symbols *symbols)
{
	sort_by_address(symbols->symbols, symbols->count, sizeof(*symbols->symbols), compare_symbols);
	drop_repeated(symbols);
}

/*
 * Whether a name is one that the Linux kernel's objtool gives to the padding before a function. It puts these symbols
 * behind the last object file's, whichever they belong to.
 */
static bool is_prefix_symbol(const char *name)
{
	return strncmp(name, "__pfx_", strlen("__pfx_")) == 0;
}

/* RULES E1: a local symbol is of the file that the STT_FILE symbol before it names, if it names one. */
static bool file_of(struct symbols *symbols, const char *file_name, const GElf_Sym *sym, const char *name,
		    uint32_t *ret)
{
	const struct symbol_file *last = symbols->file_count ? &symbols->files[symbols->file_count - 1] : NULL;
	*ret = 0;
	if (GELF_ST_BIND(sym->st_info) != STB_LOCAL || !file_name || !*file_name || is_prefix_symbol(name))
		return true;
	if (!last || last->name != file_name) {
		if (!array_reserve(&symbols->files, &symbols->file_room, symbols->file_count + UINT64_C(1),
				   sizeof(*symbols->files)))
			return false;
		symbols->files[symbols->file_count++] = (struct symbol_file){.name = file_name};
	}
	*ret = symbols->file_count;
	return true;
}

/* Counts the work of comparing a name. Names may be parts of each other, and so be together longer than their table. */
static bool spend_on_name(const char *name, uint64_t *work)
{
	enum { COMPARISONS = 4 };
	return budget_count(work, strlen(name) * COMPARISONS / BUDGET_BYTES_PER_STEP);
}

/* Adds a symbol of the table, unless it does not name code. */
static bool add_symbol(struct symbols *symbols, struct symbol_table *table, const struct table_symbol *found,
		       uint64_t *work)
{
	const GElf_Sym *sym = &found->sym;
	const char *name = symbol_table_name(table, found);
	uint32_t file;
	if (!name)
		return true;
	if (!spend_on_name(name, work) || !file_of(symbols, table->file_name, sym, name, &file) ||
	    !array_reserve(&symbols->symbols, &symbols->room, symbols->count + UINT64_C(1), sizeof(*symbols->symbols)))
		return false;
	symbols->symbols[symbols->count++] =
		(struct symbol){found->addr, sym->st_size, name, file, rank_of(sym, name), table->is_dynamic};
	return true;
}

static bool add_all(struct symbols *symbols, struct symbol_table *table)
{
	struct table_symbol found;
	uint64_t work = 0;
	bool memory = array_reserve(&symbols->symbols, &symbols->room, table->count, sizeof(*symbols->symbols));
	while (memory && symbol_table_next(table, &found))
		memory = add_symbol(symbols, table, &found, &work);
	return memory;
}

/* ---- Some of a table ---- */

/* The symbols in a gap between two ranges that are nearest to the ranges. */
struct neighbours {
	uint64_t highest; /* the address nearest to the range above */
	uint64_t lowest;  /* the address nearest to the range below */
	bool any;
	bool has_highest, has_lowest; /* a symbol there that has a name was added */
};

static void note_neighbour(struct neighbours *gap, uint64_t addr)
{
	gap->highest = !gap->any || addr > gap->highest ? addr : gap->highest;
	gap->lowest = !gap->any || addr < gap->lowest ? addr : gap->lowest;
	gap->any = true;
}

/*
 * Adds the symbols in the ranges, and those that reach into one; notes where the nearest of the others are. Their
 * names, which are all over the string table, are not read, except for symbols without a type, which may be labels.
 */
static bool add_inner(struct symbols *symbols, struct symbol_table *table, const struct range_list *of_interest,
		      struct neighbours *gaps)
{
	struct table_symbol found;
	uint64_t work = 0;
	bool memory = true;
	while (memory && symbol_table_next(table, &found)) {
		uint32_t at = range_list_find(of_interest, found.addr);
		const struct range *range = at < of_interest->count ? &of_interest->ranges[at] : NULL;
		bool has_type = GELF_ST_TYPE(found.sym.st_info) != STT_NOTYPE;
		if (range && (found.addr >= range->start || found.sym.st_size > range->start - found.addr))
			memory = add_symbol(symbols, table, &found, &work);
		else if (has_type || symbol_table_name(table, &found))
			note_neighbour(&gaps[at], found.addr);
	}
	return memory;
}

/* Adds the symbols that were nearest. */
static bool add_nearest(struct symbols *symbols, struct symbol_table *table, const struct range_list *of_interest,
			struct neighbours *gaps)
{
	struct table_symbol found;
	uint64_t work = 0;
	bool memory = true;
	table->next = 1;
	while (memory && symbol_table_next(table, &found)) {
		struct neighbours *gap = &gaps[range_list_find(of_interest, found.addr)];
		bool is_highest = gap->any && found.addr == gap->highest;
		bool is_lowest = gap->any && found.addr == gap->lowest;
		if (!is_highest && !is_lowest)
			continue;

		/* A symbol may be left out for its name: then one of the others at its address is needed. */
		uint32_t count = symbols->count;
		memory = add_symbol(symbols, table, &found, &work);
		gap->has_highest |= is_highest && symbols->count > count;
		gap->has_lowest |= is_lowest && symbols->count > count;
	}
	return memory;
}

/* Adds the symbols that decide answers in the ranges; *ret_found is false if only reading all names can tell. */
static bool add_around(struct symbols *symbols, struct symbol_table *table, const struct range_list *of_interest,
		       bool *ret_found)
{
	struct neighbours *gaps = calloc(of_interest->count + UINT64_C(1), sizeof(*gaps));
	bool memory =
		gaps && add_inner(symbols, table, of_interest, gaps) && add_nearest(symbols, table, of_interest, gaps);
	*ret_found = memory;
	for (uint32_t i = 0; i <= of_interest->count && *ret_found; i++)
		*ret_found = !gaps[i].any || (gaps[i].has_highest && gaps[i].has_lowest);
	free(gaps);
	return memory;
}

enum locus_status symbols_read(struct symbols *symbols, const struct elf_file *file, const struct elf_file *linked,
			       const struct range_list *of_interest, struct locus_error *error)
{
	struct symbol_table table;
	*symbols = (struct symbols){0};
	short_lock_init(&symbols->names_lock);
	enum locus_status status = symbol_table_open(&table, file, linked, error);
	if (status != LOCUS_OK || !table.count)
		return status;

	budget_at("symbols' names", NULL, table.is_dynamic ? ".dynsym" : ".symtab", 0);
	symbols->full = !table.is_dynamic;
	bool is_enough = false;
	if (of_interest && !add_around(symbols, &table, of_interest, &is_enough))
		return locus_fail_memory(error);

	if (is_enough) {
		symbols->rest_of = file;
		symbols->linked = linked;
	} else {
		symbols->count = symbols->file_count = 0;
		table.next = 1;
		if (!add_all(symbols, &table))
			return locus_fail_memory(error);
	}
	if (table.damage)
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "perhaps truncated: the symbol table %s", table.damage);
	symbols_sort(symbols);
	return LOCUS_OK;
}

enum locus_status symbols_widen(struct symbols *symbols, const struct range_list *of_interest,
				struct locus_error *error)
{
	struct symbols more;
	if (!symbols->rest_of)
		return LOCUS_OK;
	enum locus_status status = symbols_read(&more, symbols->rest_of, symbols->linked, of_interest, error);
	bool is_partial = status == LOCUS_OK && more.rest_of; /* other symbols were left unread */
	if (status == LOCUS_OK && !symbols_join(symbols, &more))
		status = locus_fail_memory(error);
	if (status != LOCUS_OK)
		symbols_done(&more);
	else if (!is_partial)
		symbols->rest_of = NULL;
	return status;
}

bool symbols_join(struct symbols *symbols, struct symbols *other)
{
	uint64_t count = symbols->count + (uint64_t)other->count;
	if (!array_reserve(&symbols->symbols, &symbols->room, count, sizeof(*symbols->symbols)) ||
	    !array_reserve(&symbols->files, &symbols->file_room, symbols->file_count + (uint64_t)other->file_count,
			   sizeof(*symbols->files)))
		return false;

	/* The files of the other symbols come behind those that are there. */
	for (uint32_t i = 0; i < other->count; i++) {
		struct symbol symbol = other->symbols[i];
		symbol.file += symbol.file ? symbols->file_count : 0;
		symbols->symbols[symbols->count++] = symbol;
	}
	for (uint32_t i = 0; i < other->file_count; i++)
		symbols->files[symbols->file_count++] = other->files[i];
	symbols->full |= other->full;
	symbols_sort(symbols);
	symbols_done(other);
	return true;
}

void symbols_done(struct symbols *symbols)
{
	if (symbols->whole)
		symbols_done(symbols->whole);
	free(symbols->whole);
	hash_slots_done(&symbols->names);
	short_lock_done(&symbols->names_lock); /* all zeros, if no symbols were read, which is a valid lock */
	free(symbols->made_names);
	free(symbols->files);
	free(symbols->symbols);
	*symbols = (struct symbols){0};
}

/*
 * Whether the number at `at` of a mangled name tells how long an identifier behind it is, and is no number of an array,
 * a substitution, a template parameter, a lambda (UlvE6_), a literal (Li5E, Lin5E, LN1a1bE5E, LS1_5E) or an offset
 * (_ZThn16_). No identifier ends there. Behind E and _ it is a guess: identifiers that begin with _ or E are taken for
 * lambdas and literals, which are there more often in names of constructors.
 */
static bool is_length(const char *mangled, size_t at, size_t end)
{
	const char before = mangled[at - 1], behind = mangled[end];
	bool is_simple = islower((unsigned char)before) && mangled[at - 2] == 'L';
	bool is_negative = before == 'n' && mangled[at - 3] == 'L';
	bool is_typed = behind == 'E' && strchr("E_", before);
	bool is_numbered = behind == '_' && strchr("Ehnv", before);
	return !strchr("ASTp", before) && !is_simple && !is_negative && !is_typed && !is_numbered;
}

/* Whether the byte at `at` of a mangled name is in an identifier. */
static bool is_in_identifier(const char *mangled, size_t at)
{
	size_t named_end = 0; /* of the last identifier */
	for (size_t i = 2, end; i < at; i = end) {
		size_t length = 0;
		for (end = i; end < at && isdigit((unsigned char)mangled[end]); end++)
			length = length < at ? 10 * length + (size_t)(mangled[end] - '0') : length;
		if (end == i)
			end++;
		else if (i == named_end || is_length(mangled, i, end))
			named_end = end += length;
	}
	return named_end > at;
}

/* Whether a digit at `at` says which constructor or destructor: C1, D1, or CI1 of one that is inherited. */
static bool is_kind_of_structor(const char *mangled, size_t at)
{
	if (at > 3 && mangled[at - 1] == 'I')
		return mangled[at - 2] == 'C';
	return mangled[at - 1] == 'C' || mangled[at - 1] == 'D';
}

/* Whether a symbol starts as a linkage name, but for the digit that says which constructor or destructor. */
static bool is_variant(const char *symbol, const char *linkage, size_t size)
{
	size_t at = 2;
	if (size < 4 || memcmp(linkage, "_Z", 2) != 0 || strncmp(symbol, "_Z", 2) != 0)
		return false;
	while (at < size && linkage[at] == symbol[at])
		at++;
	if (at == size || !is_kind_of_structor(linkage, at))
		return false;
	bool digits = linkage[at] >= '0' && linkage[at] <= '4' && symbol[at] >= '0' && symbol[at] <= '4';
	return digits && strncmp(linkage + at + 1, symbol + at + 1, size - at - 1) == 0 &&
	       !is_in_identifier(linkage, at);
}

bool symbol_is_name_of(const char *symbol, const char *linkage, size_t linkage_size)
{
	/* No more of the symbol is looked at than the linkage name has: many functions may be at one of megabytes. */
	bool is_name = linkage_size && strncmp(symbol, linkage, linkage_size) == 0;
	return (is_name || is_variant(symbol, linkage, linkage_size)) && strchr(".@", symbol[linkage_size]);
}

bool symbol_is_of_part(const char *symbol)
{
	return strstr(symbol, ".cold") || strstr(symbol, ".__part.");
}

static uint32_t name_slot(const struct symbols *symbols, const char *name, uint32_t hash)
{
	const struct hash_slot *slots = symbols->names.slots;
	uint32_t at;
	HASH_SLOTS_FIND(at, &symbols->names, hash, strcmp(symbols->symbols[slots[at].index - 1].name, name) == 0);
	return at;
}

static uint32_t name_hash(const struct symbols *symbols, const char *name)
{
	return (uint32_t)XXH3_64bits_withSeed(name, strlen(name), hash_seed(symbols));
}

/* Several symbols may have one name: any of them stands for it. */
static void index_names(struct symbols *symbols)
{
	for (uint32_t i = 0; i < symbols->count && hash_slots_reserve(&symbols->names, i); i++) {
		uint32_t hash = name_hash(symbols, symbols->symbols[i].name);
		uint32_t at = name_slot(symbols, symbols->symbols[i].name, hash);
		symbols->names.slots[at] = (struct hash_slot){hash, i + 1};
	}
}

/* Reads the whole table, of which only a part was read before; NULL: it cannot be read. */
static struct symbols *read_whole(const struct symbols *symbols)
{
	struct symbols *whole = calloc(1, sizeof(*whole));
	enum locus_status status = LOCUS_ERR_MEMORY;
	if (whole)
		status = symbols_read(whole, symbols->rest_of, symbols->linked, NULL, NULL);
	if (status == LOCUS_OK)
		return whole;
	budget_note(status);
	if (whole)
		symbols_done(whole);
	free(whole);
	return NULL;
}

bool symbols_have_name(struct symbols *symbols, const char *name)
{
	short_lock_take(&symbols->names_lock);
	if (symbols->rest_of && !symbols->whole)
		symbols->whole = read_whole(symbols);
	struct symbols *all = symbols->rest_of ? symbols->whole : symbols;
	if (all && !all->names.slots)
		index_names(all);
	const struct hash_slot *slots = all ? all->names.slots : NULL;
	bool found = slots && slots[name_slot(all, name, name_hash(all, name))].index;
	short_lock_release(&symbols->names_lock);
	return found;
}

bool symbols_named(const struct symbols *symbols, symbol_is_named *is_named, symbol_tell *tell, void *context)
{
	struct symbol_table table;
	struct table_symbol found;
	bool memory = true;
	for (uint32_t i = 0; i < symbols->count && memory; i++)
		if (is_named(context, symbols->symbols[i].name))
			memory = tell(context, &symbols->symbols[i]);

	/* The table was read before, so that it can be. */
	if (!symbols->rest_of || symbol_table_open(&table, symbols->rest_of, symbols->linked, NULL) != LOCUS_OK)
		return memory;
	while (memory && symbol_table_next(&table, &found)) {
		const char *name = symbol_table_name(&table, &found);
		const struct symbol symbol = {.addr = found.addr, .size = found.sym.st_size, .name = name};
		if (name && is_named(context, name))
			memory = tell(context, &symbol);
	}
	return memory;
}

/* The first symbol at or above `addr`: an index, symbols->count where there is none. */
static size_t lower_bound(const struct symbols *symbols, uint64_t addr)
{
	size_t first;
	SEARCH_FIRST(first, 0, symbols->count, symbols->symbols[first].addr >= addr);
	return first;
}

const struct symbol *symbols_below(const struct symbols *symbols, uint64_t addr)
{
	size_t above = addr == UINT64_MAX ? symbols->count : lower_bound(symbols, addr + 1);
	return above ? &symbols->symbols[lower_bound(symbols, symbols->symbols[above - 1].addr)] : NULL;
}

const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr, size_t *ret_count)
{
	enum { FEW = 8 };
	size_t first = lower_bound(symbols, addr), end = first;
	while (end < symbols->count && symbols->symbols[end].addr == addr && end - first < FEW)
		end++;
	if (end - first == FEW)
		end = addr == UINT64_MAX ? symbols->count : lower_bound(symbols, addr + 1);
	*ret_count = end - first;
	return end > first ? &symbols->symbols[first] : NULL;
}

/*
 * Mostly it is the first. Of folded functions thousands may be at one address: those of one rank are in byte order, and
 * there are few ranks.
 */
const struct symbol *symbols_find_name(const struct symbol *first, size_t count, const char *name)
{
	if (count && strcmp(first->name, name) == 0)
		return first;
	for (size_t i = 0, end; i < count; i = end) {
		size_t found;
		SEARCH_FIRST(end, i, count, first[end].rank != first[i].rank);
		SEARCH_FIRST(found, i, end, strcmp(first[found].name, name) >= 0);
		if (found < end && strcmp(first[found].name, name) == 0)
			return &first[found];
	}
	return NULL;
}
