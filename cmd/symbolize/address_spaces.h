/*
 * Remembers what a text has said of modules: which build-id a name has, and where in which process it is mapped.
 *
 * Memory is bounded, because text may be hostile. At the bound, the process unused for longest is forgotten, or all
 * names are. A process that has very many mappings, as of code that was compiled while it ran, keeps those, and further
 * ones only replace others.
 */
#ifndef LOCUS_ADDRESS_SPACES_H
#define LOCUS_ADDRESS_SPACES_H

#include "cmd/modules/symbol_sources.h"

struct address_spaces;

/* What of a module is mapped. */
enum mapped_part {
	MAPPED_BYTES,     /* bytes of its file, from `offset` on */
	MAPPED_ADDRESSES, /* its addresses, from `offset` behind the lowest one on */
	MAPPED_SEGMENT,   /* all of an executable segment; `offset` is not known */
};

/* A module is at the addresses [start, end) of a process, or if `end` is UINT64_MAX, up to where the next one is. */
struct mapped_range {
	uint64_t start, end, offset;
	enum mapped_part part;
};

struct mapping {
	struct mapped_range range;
	struct named_module *module; /* whose file it is */
};

struct address_spaces *address_spaces_new(void);
void address_spaces_free(struct address_spaces *spaces);

/* Forgets all names and mappings. */
void address_spaces_forget(struct address_spaces *spaces);

/* Adds a mapping, which replaces any other there. `process` is 0 if the text names none. */
void address_spaces_map(struct address_spaces *spaces, uint64_t process, struct mapped_range range,
			const struct module_name *module);

/*
 * A child starts with its parent's mappings, unless children have inherited very many so far: each takes the time of a
 * copy, and a short line says it. A program that is started anew has none.
 */
void address_spaces_fork(struct address_spaces *spaces, uint64_t parent, uint64_t child);
void address_spaces_exec(struct address_spaces *spaces, uint64_t process);

/* A thread has the mappings of its process, now and later. */
void address_spaces_thread(struct address_spaces *spaces, uint64_t process, uint64_t thread);

/* Finds the mapping at an address; NULL: none is known. Borrowed until the next call that adds something. */
const struct mapping *address_spaces_find(struct address_spaces *spaces, uint64_t process, uint64_t address);

/* Whether mappings that the text gave are not known any more, because it gave too many. */
bool address_spaces_have_lost(const struct address_spaces *spaces);

/* The address of the first byte of the module's file; UINT64_MAX: that byte is not mapped near by. */
uint64_t address_spaces_base(struct address_spaces *spaces, uint64_t process, const struct mapping *mapping);

/* Notes a module and its build-id, as the text gave them. */
void address_spaces_name(struct address_spaces *spaces, const struct module_name *module);

/* The module with this path, and the build-id that the text gave it last, if any. Borrowed like a mapping. */
struct module_name address_spaces_module(struct address_spaces *spaces, struct locus_string path);

/*
 * The path of the only module that the text has named by a path with this name at its end; of size 0: it has named
 * none, or several. Borrowed like a mapping.
 */
struct locus_string address_spaces_path(struct address_spaces *spaces, struct locus_string name);

struct module_name mapping_module(const struct mapping *mapping);

#endif
