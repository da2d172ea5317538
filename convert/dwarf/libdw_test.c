/*
 * The walk over a unit's DIEs held against libdw's: the same functions and inlinees, with the same ranges, call sites
 * and names, for every unit of this very program, of the file LOCUS names, and of those LOCUS_CORPUS lists (separated
 * by colons).
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "convert/dwarf/companion.h"
#include "convert/dwarf/die_reference.h"
#include "convert/dwarf/unit_open.h"
#include "convert/unit/function_names.h"
#include "convert/unit/scopes.h"

/* One open file, both ways. */
struct subject {
	const char *path;
	struct elf_file *file;
	struct elf_file *alternate;
	struct dwarf dwarf;
	struct dwarf alt_dwarf;
	int fd, alt_fd;
	Dwarf *libdw;
	Dwarf *alt_libdw;

	struct string_set strings;
	struct intern_set functions;
	struct source_paths files;
	struct path_finder paths;
	struct function_names names;
	struct scopes scopes;
	struct unit unit;
	uint64_t unit_count, function_count, inlinee_count, range_count;
};

#define CHECK(condition, ...)                                                                                       \
	do {                                                                                                        \
		if (!(condition)) {                                                                                 \
			print_message("%s, DIE 0x%llx\n", subject->path, (unsigned long long)dwarf_dieoffset(die)); \
			fail_msg(__VA_ARGS__);                                                                      \
		}                                                                                                   \
	} while (0)

/* ---- What libdw says ---- */

/* RULES A1 to A3 on what libdw gives: an inlinee's ranges are not held against the executable set. */
static uint32_t live_ranges(const struct subject *subject, Dwarf_Die *die, bool is_function, struct range *ranges,
			    uint32_t room)
{
	Dwarf_Addr base, start, end;
	uint32_t count = 0;
	uint64_t ones = subject->unit.sizes.address == 8 ? UINT64_MAX : UINT32_MAX;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
		const struct exec_range *exec = elf_file_exec(subject->file, start);
		if (start >= end || start >= ones - 1 || (is_function && !exec))
			continue;
		if (is_function && end > exec->end)
			end = exec->end;
		assert_true(count < room);
		ranges[count++] = (struct range){start, end};
	}
	return count;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t absent)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? value : absent;
}

/* RULES D1, D2, D7. */
static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *string = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
	return string && *string ? string : NULL;
}

/* ---- Held against it ---- */

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* Whether `name` is `plain`, or that behind scopes (RULES D3). */
static bool is_qualified(const char *name, const char *plain)
{
	size_t size = strlen(name), plain_size = strlen(plain);
	return size >= plain_size && strcmp(name + size - plain_size, plain) == 0 &&
	       (size == plain_size || (size > plain_size + 2 && memcmp(name + size - plain_size - 2, "::", 2) == 0));
}

static void check_name(struct subject *subject, Dwarf_Die *die, const struct scope *scope)
{
	struct die_names named;
	assert_true(function_names_find(&subject->names, scope->origin, &named));
	const struct function_key key = named.key;
	const char *linkage = string_of(die, DW_AT_linkage_name), *name = string_of(die, DW_AT_name);
	if (!linkage)
		linkage = string_of(die, DW_AT_MIPS_linkage_name);
	CHECK((named.function == FUNCTION_UNKNOWN) == (!linkage && !name), "the name is %s", name ? name : "unknown");
	CHECK(same(key.linkage, linkage), "linkage name %s, libdw has %s", key.linkage ? key.linkage : "none",
	      linkage ? linkage : "none");
	if (key.name)
		CHECK(name && is_qualified(key.name, name), "name %s, libdw has %s", key.name, name ? name : "none");
	else /* a mangled name says it all */
		CHECK(!name || (linkage && linkage[0] == '_'), "no name, libdw has %s", name);
}

static void check_scope(struct subject *subject, Dwarf_Die *die, const struct scope *scope, uint32_t parent,
			const struct range *ranges, uint32_t range_count)
{
	bool is_function = dwarf_tag(die) == DW_TAG_subprogram;
	CHECK(scope->die == dwarf_dieoffset(die), "not found; 0x%llx is next", (unsigned long long)scope->die);
	CHECK(scope->range_count == range_count, "%u ranges, libdw has %u", scope->range_count, range_count);
	for (uint32_t i = 0; i < range_count; i++) {
		const struct range *got = &subject->scopes.ranges.list.ranges[scope->range_first + i];
		CHECK(got->start == ranges[i].start && got->end == ranges[i].end,
		      "range [0x%llx,0x%llx), libdw has [0x%llx,0x%llx)", (unsigned long long)got->start,
		      (unsigned long long)got->end, (unsigned long long)ranges[i].start,
		      (unsigned long long)ranges[i].end);
	}
	CHECK(scope->parent == parent, "parent %d, expected %d", (int)scope->parent, (int)parent);
	check_name(subject, die, scope);
	subject->range_count += range_count;
	subject->function_count += is_function;
	subject->inlinee_count += !is_function;
	if (is_function) {
		Dwarf_Addr entry;
		if (dwarf_entrypc(die, &entry) == 0)
			CHECK(scope->entry == entry, "entry 0x%llx, libdw has 0x%llx", (unsigned long long)scope->entry,
			      (unsigned long long)entry);
		return;
	}
	uint64_t file = number_of(die, DW_AT_call_file, UINT64_MAX), line = number_of(die, DW_AT_call_line, 0);
	CHECK(scope->call_file == file, "call_file %lld, libdw has %lld", (long long)scope->call_file, (long long)file);
	CHECK(scope->call_line == line, "call_line %u, libdw has %lld", scope->call_line, (long long)line);
}

/* RULES C3: the ranges of what is inlined into an inlinee without code, which has them. */
static uint32_t covered_ranges(struct subject *subject, Dwarf_Die *die, struct range *ranges, uint32_t room)
{
	uint32_t count = 0;
	Dwarf_Die child;
	if (dwarf_child(die, &child) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_subprogram)
			continue;
		uint32_t own = tag == DW_TAG_inlined_subroutine
				       ? live_ranges(subject, &child, false, ranges + count, room - count)
				       : 0;
		count += own ? own : covered_ranges(subject, &child, ranges + count, room - count);
	} while (dwarf_siblingof(&child, &child) == 0);
	return count;
}

/* A DIE whose siblings are still to be visited, and the scope that is around it. */
struct level {
	Dwarf_Die die;
	uint32_t scope;
};

/* Visits all DIEs below `level` in their order. Scopes must come in the same order. */
static void check_unit(struct subject *subject, Dwarf_Die *unit_die)
{
	enum { RANGES_MAX = 1 << 16 };
	static struct range ranges[RANGES_MAX];
	uint32_t room = 64, depth = 0, next = 0;
	struct level *levels = malloc(room * sizeof(*levels));
	levels[depth++] = (struct level){*unit_die, NO_SCOPE};
	bool more = true;
	while (more) {
		struct level *level = &levels[depth - 1];
		Dwarf_Die *die = &level->die, child;
		uint32_t inner = level->scope;
		int tag = dwarf_tag(die);
		if (tag == DW_TAG_subprogram || (tag == DW_TAG_inlined_subroutine && inner != NO_SCOPE)) {
			uint32_t count = live_ranges(subject, die, tag == DW_TAG_subprogram, ranges, RANGES_MAX);
			bool is_bare = !count && tag == DW_TAG_inlined_subroutine;
			uint32_t covered = is_bare ? covered_ranges(subject, die, ranges, RANGES_MAX) : 0;
			if (count || covered) {
				CHECK(next < subject->scopes.count, "not found; no scope is left");
				bool has_covered = is_bare && !unit_truncates_ranges(&subject->unit);
				check_scope(subject, die, &subject->scopes.scopes[next],
					    tag == DW_TAG_subprogram ? NO_SCOPE : inner, ranges,
					    has_covered ? covered : count);
				inner = next++;
			} else if (tag == DW_TAG_subprogram) {
				inner = NO_SCOPE;
			}
		}
		if (dwarf_child(die, &child) == 0) {
			if (depth == room)
				levels = realloc(levels, (room *= 2) * sizeof(*levels));
			levels[depth++] = (struct level){child, inner};
			continue;
		}
		while (more && (depth == 1 || dwarf_siblingof(&levels[depth - 1].die, &levels[depth - 1].die) != 0))
			more = --depth > 0;
	}
	free(levels);
	Dwarf_Die *die = unit_die;
	CHECK(next == subject->scopes.count, "%u scopes that libdw does not have", subject->scopes.count - next);
}

static void check_units(struct subject *subject)
{
	struct locus_error error;
	Dwarf_Off offset = 0, next;
	size_t header_size;
	Dwarf_Die die_memory, *die;
	for (; dwarf_nextcu(subject->libdw, offset, &next, &header_size, NULL, NULL, NULL) == 0; offset = next) {
		if (unit_open(&subject->unit, &subject->dwarf, DEBUG_INFO, offset, NULL, NULL, &error) != LOCUS_OK)
			fail_msg("%s: %s", subject->path, error.text);
		assert_int_equal(subject->unit.end, next);
		die = dwarf_offdie(subject->libdw, subject->unit.die_offset, &die_memory);
		assert_non_null(die);
		if (scopes_read(&subject->scopes, &subject->unit, subject->file, &error) != LOCUS_OK)
			fail_msg("%s: %s", subject->path, error.text);
		function_names_begin(&subject->names, &subject->unit, &subject->scopes);
		CHECK(same(subject->unit.name, string_of(die, DW_AT_name)), "unit name");
		CHECK(same(subject->unit.comp_dir, string_of(die, DW_AT_comp_dir)), "comp_dir");
		check_unit(subject, die);
		subject->unit_count++;
	}
}

static void open_libdw(const char *path, int *ret_fd, Dwarf **ret)
{
	*ret_fd = open(path, O_RDONLY);
	*ret = *ret_fd < 0 ? NULL : dwarf_begin(*ret_fd, DWARF_C_READ);
	if (!*ret)
		fail_msg("%s: %s", path, dwarf_errmsg(-1));
}

static void check_file(const char *path)
{
	struct subject *subject = aligned_alloc(_Alignof(struct subject), sizeof(*subject));
	*subject = (struct subject){0};
	struct companion_options options = {0};
	struct locus_error error;
	subject->path = path;
	if (elf_file_open(path, &subject->file, &error) != LOCUS_OK)
		fail_msg("%s: %s", path, error.text);
	if (!elf_file_has_debug(subject->file)) {
		elf_file_free(subject->file);
		free(subject);
		skip();
	}
	open_libdw(path, &subject->fd, &subject->libdw);
	dwarf_init(&subject->dwarf, subject->file);
	if (companion_alt(subject->file, &options, &subject->alternate, &error) != LOCUS_OK)
		fail_msg("%s: %s", path, error.text);
	if (subject->alternate) {
		open_libdw(subject->alternate->path, &subject->alt_fd, &subject->alt_libdw);
		dwarf_setalt(subject->libdw, subject->alt_libdw);
		dwarf_init(&subject->alt_dwarf, subject->alternate);
		assert_int_equal(dwarf_prepare(&subject->alt_dwarf, &error), LOCUS_OK);
		subject->alt_dwarf.refers_across = true;
		subject->dwarf.alt = &subject->alt_dwarf;
	}
	if (dwarf_prepare(&subject->dwarf, &error) != LOCUS_OK)
		fail_msg("%s: %s", path, error.text);
	string_set_init(&subject->strings);
	intern_set_init(&subject->functions, sizeof(struct function_key));
	source_paths_init(&subject->files, &subject->strings, NULL, 0);
	subject->names.functions = &subject->functions;
	subject->names.strings = &subject->strings;
	subject->paths.paths = &subject->files;
	subject->names.paths = &subject->paths;
	check_units(subject);
	print_message("%s: %llu units, %llu functions, %llu inlinees, %llu ranges\n", path,
		      (unsigned long long)subject->unit_count, (unsigned long long)subject->function_count,
		      (unsigned long long)subject->inlinee_count, (unsigned long long)subject->range_count);
	assert_int_not_equal(subject->unit_count, 0);
	function_names_done(&subject->names);
	scopes_done(&subject->scopes);
	unit_done(&subject->unit);
	source_paths_done(&subject->files);
	intern_set_done(&subject->functions);
	string_set_done(&subject->strings);
	die_index_done(&subject->dwarf);
	dwarf_done(&subject->dwarf);
	die_index_done(&subject->alt_dwarf);
	dwarf_done(&subject->alt_dwarf);
	dwarf_end(subject->libdw);
	close(subject->fd);
	if (subject->alternate) {
		dwarf_end(subject->alt_libdw);
		close(subject->alt_fd);
	}
	elf_file_free(subject->alternate);
	elf_file_free(subject->file);
	free(subject);
}

static void this_program(void **state)
{
	(void)state;
	check_file("/proc/self/exe");
}

static void locus_itself(void **state)
{
	(void)state;
	const char *path = getenv("LOCUS");
	if (!path || access(path, R_OK) != 0)
		skip();
	check_file(path);
}

static void corpus(void **state)
{
	(void)state;
	const char *list = getenv("LOCUS_CORPUS");
	if (!list || !*list)
		skip();
	char *copy = strdup(list), *saved = NULL;
	for (char *path = strtok_r(copy, ":", &saved); path; path = strtok_r(NULL, ":", &saved))
		check_file(path);
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_program),
		cmocka_unit_test(locus_itself),
		cmocka_unit_test(corpus),
	};
	return cmocka_run_group_tests_name("libdw", tests, NULL, NULL);
}
