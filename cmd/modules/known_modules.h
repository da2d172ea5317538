/*
 * The modules that were asked for, with their symbols or without.
 *
 * Both memory and the number of open files are bounded, whatever the number of modules: OPEN_MAX files are open at a
 * time, fewer where the process may have few descriptors. They may take OPEN_MEMORY_MAX bytes when one more is opened,
 * less where it may have little memory.
 * KNOWN_MAX names are remembered, found or not. The one that was asked for longest ago gives way. An ELF file that has
 * several of these names, or was asked for with build-ids that are not its own, is converted once.
 */
#ifndef LOCUS_KNOWN_MODULES_H
#define LOCUS_KNOWN_MODULES_H

#include "cmd/modules/module_name.h"
#include "cmd/modules/tried_files.h"

enum { OPEN_MAX = 1024, KNOWN_MAX = 4096 };

/* Eight of the largest modules. A text that goes back and forth between more of them opens them again and again. */
enum { OPEN_MEMORY_MAX = 1 << 30 };

/* A module that was asked for before. */
struct known_module {
	struct known_module *newer, *older; /* in the order of the last questions */
	struct tried_file *file;            /* that answers for it; NULL: no source has it */
	bool has_failed;                    /* a lookup in it, which was reported */
	struct module_name module;          /* its strings are in `key` and build_id */
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	char key[]; /* path, '\n', build-id in hexadecimal, '?' of a guess */
};

/* All zero: none. */
struct known_modules {
	void *tree; /* tsearch tree by key */
	struct known_module *newest, *oldest;
	size_t count;
	struct tried_files files; /* among them those that answer for modules */
};

/* OPEN_MEMORY_MAX, or half of the address space that the process may have (`ulimit -v`): conversions need some, too. */
size_t known_modules_memory_max(void);

/* The module, which becomes the newest; NULL: it is not known. Borrowed until another is made. */
struct known_module *known_modules_find(struct known_modules *modules, const struct module_name *module);

/*
 * Makes the module, which is not known yet, and room for it. The caller fills in the file that answers for it, if one
 * does, and then gives it to known_modules_add. Ends the program if memory is out.
 */
struct known_module *known_modules_make(struct known_modules *modules, const struct module_name *module);

/* Adds what was made, as the newest. Others give way until the files that are open take at most `memory_max` bytes. */
void known_modules_add(struct known_modules *modules, struct known_module *known, size_t memory_max);

void known_modules_free(struct known_modules *modules);

#endif
