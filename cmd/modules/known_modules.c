/* A tree finds a module by its name and build-id; the order of the last questions says which one gives way. */
#include "cmd/modules/known_modules.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/common/descriptors.h"
#include "cmd/common/memory.h"
#include "cmd/common/use_order.h"

static int compare_known(const void *a, const void *b)
{
	const struct known_module *left = a, *right = b;

	return strcmp(left->key, right->key);
}

static void forget(struct known_modules *modules, struct known_module *known)
{
	USE_ORDER_REMOVE(modules, known);
	tdelete(known, &modules->tree, compare_known);
	modules->count--;
	if (known->file)
		tried_file_release(&modules->files, known->file);
	free(known);
}

/* The module with an open file that was asked for longest ago; NULL: there is none. */
static struct known_module *oldest_open(const struct known_modules *modules)
{
	struct known_module *known = modules->oldest;

	while (known && !known->file)
		known = known->newer;
	return known;
}

/* How many modules may be open: each takes a descriptor. */
static size_t open_max(void)
{
	size_t available = descriptors_available();

	return available < OPEN_MAX ? available : OPEN_MAX;
}

size_t known_modules_memory_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur / 2 >= OPEN_MEMORY_MAX)
		return OPEN_MEMORY_MAX;
	return (size_t)limit.rlim_cur / 2;
}

/* Makes room for one more. */
static void make_room(struct known_modules *modules)
{
	if (modules->count >= KNOWN_MAX)
		forget(modules, modules->oldest);
	while (modules->files.open_count >= open_max())
		forget(modules, oldest_open(modules));
}

/* Notes what the module takes that was asked for last: no other's memory has changed since it was noted. */
static void note_memory(struct known_modules *modules)
{
	struct known_module *known = modules->newest;

	if (!known || !known->file)
		return;
	modules->files.open_memory -= known->file->memory;
	known->file->memory = symbol_file_memory(&known->file->symbols);
	modules->files.open_memory += known->file->memory;
}

/* Closes files until the memory of those that are open is within its bound, but for that of the module asked for. */
static void bound_memory(struct known_modules *modules, size_t memory_max)
{
	for (struct known_module *known;
	     modules->files.open_memory > memory_max && (known = oldest_open(modules)) != NULL;)
		forget(modules, known);
}

static struct known_module *new_known(const struct module_name *module)
{
	char id[BUILD_ID_TEXT_MAX];

	build_id_text(module->build_id, id);
	struct known_module *known = memory_checked(calloc(1, sizeof(*known) + module->path.size + strlen(id) + 3));
	if (module->path.size)
		memcpy(known->key, module->path.data, module->path.size);
	known->key[module->path.size] = '\n';
	sprintf(known->key + module->path.size + 1, "%s%s", id, module->is_guess ? "?" : "");
	if (module->build_id.size)
		memcpy(known->build_id, module->build_id.data, module->build_id.size);
	known->module.path = (struct locus_string){known->key, module->path.size};
	known->module.build_id = (struct locus_string){(const char *)known->build_id, module->build_id.size};
	known->module.is_guess = module->is_guess;
	return known;
}

struct known_module *known_modules_find(struct known_modules *modules, const struct module_name *module)
{
	struct known_module *asked = new_known(module);
	struct known_module *const *found = tfind(asked, &modules->tree, compare_known);

	free(asked);
	note_memory(modules);
	if (!found)
		return NULL;
	USE_ORDER_REMOVE(modules, *found);
	USE_ORDER_ADD(modules, *found);
	return *found;
}

struct known_module *known_modules_make(struct known_modules *modules, const struct module_name *module)
{
	make_room(modules);
	return new_known(module);
}

void known_modules_add(struct known_modules *modules, struct known_module *known, size_t memory_max)
{
	if (known->file)
		bound_memory(modules, memory_max);
	memory_checked(tsearch(known, &modules->tree, compare_known));
	modules->count++;
	USE_ORDER_ADD(modules, known);
}

void known_modules_free(struct known_modules *modules)
{
	while (modules->newest)
		forget(modules, modules->newest);
	tried_files_free(&modules->files);
}
