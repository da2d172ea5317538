/* The modules and mappings that a text has named: a sorted array of mappings for each process. */
#include "cmd/symbolize/address_spaces.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/order.h"
#include "cmd/common/memory.h"
#include "cmd/common/string_compare.h"
#include "cmd/common/use_order.h"

enum {
	MAPPINGS_MAX = 1 << 20,    /* a machine with thousands of processes has 300,000 */
	SPACES_MAX = 1 << 18,      /* processes and threads: such a machine may have 100,000 */
	SPACE_MAX = 1 << 15,       /* mappings of one process: adding one moves those above it */
	NAMES_SIZE_MAX = 64 << 20, /* bytes; perf inject makes a file of each function that was compiled while it ran */
	BUILDS_MAX = 64,           /* of one path */
	PARTS_MAX = 256,           /* mappings of one module: real ones have less than ten; each frame goes over them */
	COPIES_SPARE = 1 << 22,    /* mappings that children may inherit: so many, */
	COPIES_PER_FORK = 1 << 10  /* and for each fork so many more */
};

/* A path and, once the text has given it, its build-id. */
struct named_module {
	struct named_module *older; /* another build of the same path, which was named less lately */
	size_t build_id_size;
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	size_t path_size;
	char path[];
};

/* The name behind the last slash of paths. */
struct base_name {
	struct locus_string name; /* part of the path */
	struct locus_string path; /* the first that has it */
	bool is_shared;           /* others have it, too */
};

struct space {
	struct space *newer, *older; /* in the order of their last use */
	uint64_t process;
	uint64_t shared; /* the process whose mappings it has: itself, or the one that it is a thread of */
	size_t count, room;
	struct mapping *mappings; /* by start; none overlap */
};

struct address_spaces {
	void *spaces; /* tsearch tree by process */
	struct space *newest, *oldest;
	size_t space_count, mapping_count;
	void *modules;    /* tsearch tree by path */
	void *base_names; /* tsearch tree by name */
	size_t names_size;
	size_t copies_left; /* mappings that children may still inherit */
	bool has_lost;      /* some mappings that the text gave were too many to keep */
};

struct address_spaces *address_spaces_new(void)
{
	struct address_spaces *spaces = memory_checked(calloc(1, sizeof(*spaces)));

	spaces->copies_left = COPIES_SPARE;
	return spaces;
}

/* ---- Processes ---- */

static int compare_spaces(const void *a, const void *b)
{
	const struct space *left = a, *right = b;

	return order_of(left->process, right->process);
}

static void forget(struct address_spaces *spaces, struct space *space)
{
	USE_ORDER_REMOVE(spaces, space);
	tdelete(space, &spaces->spaces, compare_spaces);
	spaces->mapping_count -= space->count;
	spaces->space_count--;
	free(space->mappings);
	free(space);
}

/* Forgets the process unused for longest, because the text has more than is kept. */
static void lose_oldest(struct address_spaces *spaces)
{
	forget(spaces, spaces->oldest);
	spaces->has_lost = true;
}

/* Finds the space of a process or thread, and makes it the one used last; NULL: none. */
static struct space *find_own_space(struct address_spaces *spaces, uint64_t process)
{
	const struct space key = {.process = process};
	struct space *const *found;

	if (spaces->newest && spaces->newest->process == process)
		return spaces->newest;
	found = tfind(&key, &spaces->spaces, compare_spaces);
	if (!found)
		return NULL;
	USE_ORDER_REMOVE(spaces, *found);
	USE_ORDER_ADD(spaces, *found);
	return *found;
}

/* Finds the space that has the mappings. A thread of a thread, which no correct text mentions, has none. */
static struct space *find_space(struct address_spaces *spaces, uint64_t process)
{
	struct space *space = find_own_space(spaces, process);

	return space && space->shared != process ? find_own_space(spaces, space->shared) : space;
}

static struct space *need_space(struct address_spaces *spaces, uint64_t process)
{
	struct space *space = find_own_space(spaces, process);

	if (space) {
		space->shared = process;
		return space;
	}
	if (spaces->space_count++ >= SPACES_MAX)
		lose_oldest(spaces);
	space = memory_checked(calloc(1, sizeof(*space)));
	space->process = space->shared = process;
	memory_checked(tsearch(space, &spaces->spaces, compare_spaces));
	USE_ORDER_ADD(spaces, space);
	return space;
}

/* ---- Names ---- */

static int compare_modules(const void *a, const void *b)
{
	const struct named_module *left = a, *right = b;

	return compare_strings((struct locus_string){left->path, left->path_size},
			       (struct locus_string){right->path, right->path_size});
}

static int compare_base_names(const void *a, const void *b)
{
	const struct base_name *left = a, *right = b;

	return compare_strings(left->name, right->name);
}

static void free_builds(void *newest)
{
	for (struct named_module *module = newest, *older; module; module = older) {
		older = module->older;
		free(module);
	}
}

/* Mappings point to names, and so go with them. */
void address_spaces_forget(struct address_spaces *spaces)
{
	while (spaces->newest)
		forget(spaces, spaces->newest);
	tdestroy(spaces->base_names, free);
	tdestroy(spaces->modules, free_builds);
	spaces->modules = spaces->base_names = NULL;
	spaces->names_size = 0;
	spaces->has_lost = false;
}

void address_spaces_free(struct address_spaces *spaces)
{
	address_spaces_forget(spaces);
	free(spaces);
}

static struct named_module *new_module(struct locus_string path)
{
	struct named_module *module = memory_checked(calloc(1, sizeof(*module) + path.size));

	module->path_size = path.size;
	if (path.size)
		memcpy(module->path, path.data, path.size);
	return module;
}

static bool is_build(const struct named_module *module, struct locus_string build_id)
{
	return module->build_id_size == build_id.size && memcmp(module->build_id, build_id.data, build_id.size) == 0;
}

/*
 * Makes the build with this build-id the newest of its path, because processes may have mapped different ones. One
 * without a build-id gets it; at the bounds the newest gets another.
 */
static void name_build(struct address_spaces *spaces, struct named_module **newest, struct locus_string build_id)
{
	struct named_module **at = newest, *build;
	size_t count = 0, size = sizeof(**newest) + (*newest)->path_size;

	for (; *at && (*at)->build_id_size && !is_build(*at, build_id); at = &(*at)->older)
		count++;
	if (*at) {
		build = *at;
		*at = build->older;
	} else if (count < BUILDS_MAX && spaces->names_size + size <= NAMES_SIZE_MAX) {
		build = new_module((struct locus_string){(*newest)->path, (*newest)->path_size});
		spaces->names_size += size;
	} else {
		build = *newest;
		*newest = build->older;
	}
	build->older = *newest;
	*newest = build;
	memcpy(build->build_id, build_id.data, build_id.size);
	build->build_id_size = build_id.size;
}

/* Notes the name at the end of a path that was not known. One in no folder is the path itself. */
static void note_base_name(struct address_spaces *spaces, struct locus_string path)
{
	const struct base_name key = {.name = path_base_name(path), .path = path};
	struct base_name *base, **found;

	if (!key.name.size || key.name.size == path.size)
		return;
	found = tfind(&key, &spaces->base_names, compare_base_names);
	if (found) {
		(*found)->is_shared = true;
		return;
	}
	base = memory_checked(malloc(sizeof(*base)));
	*base = key;
	memory_checked(tsearch(base, &spaces->base_names, compare_base_names));
	spaces->names_size += sizeof(*base);
}

/* What `name` points to may be of a name that is kept, and so a name that is known makes no room. */
static struct named_module *name_module(struct address_spaces *spaces, const struct module_name *name)
{
	size_t size = sizeof(struct named_module) + name->path.size;
	struct named_module *module = new_module(name->path), **newest;

	if (spaces->names_size + size > NAMES_SIZE_MAX && !tfind(module, &spaces->modules, compare_modules)) {
		address_spaces_forget(spaces);
		spaces->has_lost = true;
	}
	newest = memory_checked(tsearch(module, &spaces->modules, compare_modules));
	if (*newest == module) {
		spaces->names_size += size;
		note_base_name(spaces, (struct locus_string){module->path, module->path_size});
	} else {
		free(module);
	}
	if (name->build_id.size && name->build_id.size <= MODULE_BUILD_ID_MAX)
		name_build(spaces, newest, name->build_id);
	return *newest;
}

static struct module_name module_of(const struct named_module *module)
{
	return (struct module_name){.path = {module->path, module->path_size},
				    .build_id = {(const char *)module->build_id, module->build_id_size}};
}

void address_spaces_name(struct address_spaces *spaces, const struct module_name *module)
{
	if (module->path.size <= MODULE_PATH_MAX)
		name_module(spaces, module);
}

struct module_name address_spaces_module(struct address_spaces *spaces, struct locus_string path)
{
	struct named_module *key, *const *found;

	if (!spaces->modules || path.size > MODULE_PATH_MAX)
		return (struct module_name){.path = path};
	key = new_module(path);
	found = tfind(key, &spaces->modules, compare_modules);
	free(key);
	return found ? module_of(*found) : (struct module_name){.path = path};
}

struct locus_string address_spaces_path(struct address_spaces *spaces, struct locus_string name)
{
	const struct base_name key = {.name = name};
	struct base_name *const *found;

	found = tfind(&key, &spaces->base_names, compare_base_names);
	return found && !(*found)->is_shared ? (*found)->path : (struct locus_string){NULL, 0};
}

/* ---- Mappings ---- */

struct module_name mapping_module(const struct mapping *mapping)
{
	return module_of(mapping->module);
}

/* The index of the first mapping that ends above the address. */
static size_t first_above(const struct space *space, uint64_t address)
{
	size_t first;

	SEARCH_FIRST(first, 0, space->count, space->mappings[first].range.end > address);
	return first;
}

/* Where the first mapping begins that is wholly above the address. */
static uint64_t next_start(const struct space *space, uint64_t address)
{
	size_t at = first_above(space, address);

	if (at < space->count && space->mappings[at].range.start <= address)
		at++;
	return at < space->count ? space->mappings[at].range.start : UINT64_MAX;
}

/* Removes [start, end) from the mappings: those inside go, those that reach into it are cut. */
static void unmap(struct address_spaces *spaces, struct space *space, uint64_t start, uint64_t end)
{
	size_t first = first_above(space, start), last = first;

	if (first < space->count && space->mappings[first].range.start < start) {
		space->mappings[first].range.end = start; /* the part behind a hole in its middle is lost */
		first = ++last;
	}
	while (last < space->count && space->mappings[last].range.end <= end)
		last++;
	if (last < space->count && space->mappings[last].range.start < end) {
		space->mappings[last].range.offset += end - space->mappings[last].range.start;
		space->mappings[last].range.start = end;
	}
	if (first == last)
		return;
	memmove(&space->mappings[first], &space->mappings[last], (space->count - last) * sizeof(*space->mappings));
	space->count -= last - first;
	spaces->mapping_count -= last - first;
}

static void add(struct address_spaces *spaces, struct space *space, const struct mapping *mapping)
{
	size_t at = first_above(space, mapping->range.start);

	memory_reserve(&space->mappings, &space->room, space->count + 1, sizeof(*space->mappings));
	memmove(&space->mappings[at + 1], &space->mappings[at], (space->count - at) * sizeof(*space->mappings));
	space->mappings[at] = *mapping;
	space->count++;
	spaces->mapping_count++;
}

void address_spaces_map(struct address_spaces *spaces, uint64_t process, struct mapped_range range,
			const struct module_name *module)
{
	struct mapping mapping = {range, NULL};
	struct space *space;

	if (range.start >= range.end || module->path.size > MODULE_PATH_MAX)
		return;
	while (spaces->mapping_count >= MAPPINGS_MAX)
		lose_oldest(spaces);
	mapping.module = name_module(spaces, module);
	space = need_space(spaces, process);
	if (range.end == UINT64_MAX)
		mapping.range.end = next_start(space, range.start);
	unmap(spaces, space, range.start, mapping.range.end);
	if (space->count < SPACE_MAX)
		add(spaces, space, &mapping);
	else
		spaces->has_lost = true;
}

void address_spaces_exec(struct address_spaces *spaces, uint64_t process)
{
	struct space *space = find_own_space(spaces, process);

	if (space)
		forget(spaces, space);
}

void address_spaces_fork(struct address_spaces *spaces, uint64_t parent, uint64_t child)
{
	const struct space *from;
	struct space *to;

	if (parent == child)
		return;
	address_spaces_exec(spaces, child);
	from = find_space(spaces, parent);
	spaces->copies_left += COPIES_PER_FORK;
	if (!from || !from->count)
		return;
	if (from->count > spaces->copies_left) {
		spaces->has_lost = true;
		return;
	}
	spaces->copies_left -= from->count;
	/* The parent is the one used last, so making room does not remove it. */
	while (spaces->mapping_count + from->count > MAPPINGS_MAX)
		lose_oldest(spaces);
	to = need_space(spaces, child);
	to->mappings = memory_checked(malloc(from->count * sizeof(*to->mappings)));
	memcpy(to->mappings, from->mappings, from->count * sizeof(*to->mappings));
	to->count = to->room = from->count;
	spaces->mapping_count += to->count;
}

void address_spaces_thread(struct address_spaces *spaces, uint64_t process, uint64_t thread)
{
	if (thread == process)
		return;
	address_spaces_exec(spaces, thread);
	need_space(spaces, thread)->shared = process;
}

const struct mapping *address_spaces_find(struct address_spaces *spaces, uint64_t process, uint64_t address)
{
	struct space *space = find_space(spaces, process);
	size_t at = space ? first_above(space, address) : 0;

	return space && at < space->count && space->mappings[at].range.start <= address ? &space->mappings[at] : NULL;
}

bool address_spaces_have_lost(const struct address_spaces *spaces)
{
	return spaces->has_lost;
}

uint64_t address_spaces_base(struct address_spaces *spaces, uint64_t process, const struct mapping *mapping)
{
	struct space *space = find_space(spaces, process);
	size_t at = first_above(space, mapping->range.start) + 1, last = at < PARTS_MAX ? 0 : at - PARTS_MAX;

	while (at-- > last && space->mappings[at].module == mapping->module) {
		if (space->mappings[at].range.offset == 0 && space->mappings[at].range.part == MAPPED_BYTES)
			return space->mappings[at].range.start;
	}
	return UINT64_MAX;
}
