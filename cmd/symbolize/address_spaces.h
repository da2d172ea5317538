/*
 * What a text has said so far of modules: which build-id a name has, and where in which process one is mapped.
 *
 * Memory is bounded, for text is hostile. Where a bound is reached, the process that was asked for longest ago is
 * forgotten, or all names are.
 */
#ifndef LOCUS_ADDRESS_SPACES_H
#define LOCUS_ADDRESS_SPACES_H

#include <stdbool.h>

#include "cmd/symbolize/symbol_sources.h"

struct address_spaces;

/* The bytes [start, end) of a process are those of the module's file from `offset` on. */
struct mapping {
	uint64_t start, end, offset;
	struct named_module *module;
};

struct address_spaces *address_spaces_new(void);
void address_spaces_free(struct address_spaces *spaces);

/* Whatever else was mapped there before is not any more. `process` is 0 where the text names none. */
void address_spaces_map(struct address_spaces *spaces, uint64_t process, uint64_t start, uint64_t end, uint64_t offset,
			const struct module_name *module);

/* The child begins with its parent's mappings, and a program that is started anew with none. */
void address_spaces_fork(struct address_spaces *spaces, uint64_t parent, uint64_t child);
void address_spaces_exec(struct address_spaces *spaces, uint64_t process);

/* The thread has the process's mappings, now and later. */
void address_spaces_thread(struct address_spaces *spaces, uint64_t process, uint64_t thread);

/* NULL: nothing is known to be mapped there. Borrowed until the next call that adds something. */
const struct mapping *address_spaces_find(struct address_spaces *spaces, uint64_t process, uint64_t address);

/* Where the module that is mapped there has its file's first byte; UINT64_MAX: that is not mapped. */
uint64_t address_spaces_base(struct address_spaces *spaces, uint64_t process, const struct mapping *mapping);

/* The text has named the module with its build-id. */
void address_spaces_name(struct address_spaces *spaces, const struct module_name *module);

/* The module of this path, with the build-id that the text gave it earlier, if it did. Borrowed likewise. */
struct module_name address_spaces_module(struct address_spaces *spaces, struct locus_string path);
struct module_name mapping_module(const struct mapping *mapping);

#endif
