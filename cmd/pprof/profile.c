/* Reads a profile into protobuf-c's structs, changes these, and writes them. */
#include "cmd/pprof/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cmd/pprof/profile_bytes.h"
#include "cmd/pprof/profile_check.h"
#include "cmd/pprof/profile_tables.h"

const char locus_pprof_version[] = LOCUS_VERSION;

/*
 * The most memory for a profile's structs, which take several times the bytes that they are read from, and for what is
 * added to them.
 */
#define PROFILE_MEMORY_MAX ((size_t)1 << 30)

/*
 * The most memory for the structs of a file, and for what is added to them, for each byte of the file. Real ones mostly
 * take 20 bytes for each, but of deep stacks that begin alike a byte may inflate to 24, each of which becomes 8. An
 * address takes some 5, and each function inlined there adds 72.
 */
enum { READ_PER_BYTE = 192, READ_SPARE = 48 << 20, ADDED_PER_BYTE = 64, ADDED_SPARE = 96 << 20 };

/* A location without a line number, in a mapping. */
struct site {
	size_t mapping, location; /* indexes */
};

struct profile {
	struct profile_memory memory;
	Pprof__Profile *message;
	struct profile_tables tables;
	struct site *sites; /* mapping by mapping */
	size_t site_count;
	size_t next;
};

/* ---- Reading ---- */

static size_t bound_of(size_t spare, size_t per_byte, const struct profile_bytes *file)
{
	size_t bound = spare + per_byte * file->stored_size;

	return bound < PROFILE_MEMORY_MAX ? bound : PROFILE_MEMORY_MAX;
}

/* Whether it is perf.data, which neither this program nor pprof reads. */
static bool is_of_perf(const struct profile_bytes *file)
{
	static const char magic[] = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};

	return file->size >= sizeof(magic) && memcmp(file->bytes, magic, sizeof(magic)) == 0;
}

static bool unpack(struct profile *profile, int fd, char error[PROFILE_ERROR_SIZE])
{
	struct profile_bytes file;

	if (!profile_bytes_read(fd, &file, error))
		return false;
	if (is_of_perf(&file)) {
		free(file.bytes);
		return profile_fail(error,
				    "this is a file of perf: give what 'perf script --no-inline --show-mmap-events "
				    "--show-task-events' prints of it to 'locus symbolize' without --pprof");
	}
	size_t bound = bound_of(READ_SPARE, READ_PER_BYTE, &file);
	profile_memory_init(&profile->memory, bound);
	profile->message = pprof__profile__unpack(&profile->memory.allocator, file.size, file.bytes);
	free(file.bytes);
	if (profile->memory.is_exceeded)
		return profile_fail(
			error, "it takes more than %zu bytes of memory, which no real profile of its size does", bound);
	profile->memory.left = bound_of(ADDED_SPARE, ADDED_PER_BYTE, &file);
	if (!profile->message || !file.size)
		return profile_fail(error, "this is no profile of pprof's format, or a damaged one; "
					   "'go tool pprof -proto' makes one of other formats");
	return true;
}

static bool has_line_number(const Pprof__Location *location)
{
	for (size_t i = 0; i < location->n_line; i++) {
		if (location->line[i]->line)
			return true;
	}
	return false;
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *left = a, *right = b;

	int order = order_of(left->mapping, right->mapping);

	return order ? order : order_of(left->location, right->location);
}

static bool find_sites(struct profile *profile, const struct profile_ids *ids)
{
	const Pprof__Profile *message = profile->message;
	size_t mapping;

	profile->sites = malloc((message->n_location + 1) * sizeof(*profile->sites));
	if (!profile->sites)
		return false;
	for (size_t i = 0; i < message->n_location; i++) {
		const Pprof__Location *location = message->location[i];
		if (!has_line_number(location) && id_table_find(&ids->mappings, location->mapping_id, &mapping))
			profile->sites[profile->site_count++] = (struct site){mapping, i};
	}
	qsort(profile->sites, profile->site_count, sizeof(*profile->sites), compare_sites);
	return true;
}

/* Makes the tables that changing the profile needs. */
static bool prepare(struct profile *profile, char error[PROFILE_ERROR_SIZE])
{
	struct profile_ids ids;
	uint64_t function_id;
	bool is_ready;

	if (!profile_check(profile->message, &ids, error))
		return false;
	function_id = ids.functions.count ? ids.functions.entries[ids.functions.count - 1].id : 0;
	is_ready = find_sites(profile, &ids) &&
		   profile_tables_init(&profile->tables, profile->message, &profile->memory, function_id);
	profile_ids_done(&ids);
	return is_ready ? true : profile_fail(error, "out of memory");
}

bool profile_read(int fd, struct profile **ret, char error[PROFILE_ERROR_SIZE])
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return profile_fail(error, "out of memory");
	if (!unpack(profile, fd, error) || !prepare(profile, error)) {
		profile_free(profile);
		return false;
	}
	*ret = profile;
	return true;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	profile_tables_done(&profile->tables);
	pprof__profile__free_unpacked(profile->message, &profile->memory.allocator);
	free(profile->sites);
	free(profile);
}

/* ---- Changing ---- */

static struct locus_string string_at(const struct profile *profile, int64_t index)
{
	const ProtobufCBinaryData *bytes = &profile->message->string_table[index];

	return (struct locus_string){(const char *)bytes->data, bytes->len};
}

bool profile_next(struct profile *profile, struct profile_place *ret)
{
	const Pprof__Location *location;
	const Pprof__Mapping *mapping;

	if (profile->next == profile->site_count)
		return false;
	location = profile->message->location[profile->sites[profile->next].location];
	mapping = profile->message->mapping[profile->sites[profile->next].mapping];
	*ret = (struct profile_place){
		.address = location->address,
		.has_function = location->n_line != 0,
		.start = mapping->memory_start,
		.limit = mapping->memory_limit,
		.offset = mapping->file_offset,
		.path = string_at(profile, mapping->filename),
		.build_id = string_at(profile, mapping->build_id),
	};
	profile->next++;
	return true;
}

static void free_lines(const struct profile *profile, Pprof__Location *location)
{
	const ProtobufCAllocator *allocator = &profile->memory.allocator;

	for (size_t i = 0; i < location->n_line; i++)
		pprof__line__free_unpacked(location->line[i], (ProtobufCAllocator *)allocator);
	allocator->free(allocator->allocator_data, location->line);
}

bool profile_begin_frames(struct profile *profile, size_t count)
{
	const struct site *site = &profile->sites[profile->next - 1];
	Pprof__Location *location = profile->message->location[site->location];
	Pprof__Line **lines = profile_memory_grow(&profile->memory, NULL, 0, count * sizeof(Pprof__Line *));

	if (!lines)
		return false;
	free_lines(profile, location);
	location->line = lines;
	location->n_line = 0;
	location->is_folded = false;
	return true;
}

/* The id of the function; 0: out of memory. */
static uint64_t find_function(struct profile *profile, const struct profile_frame *frame)
{
	Pprof__Function function = PPROF__FUNCTION__INIT;

	function.name = profile_string(&profile->tables, frame->name);
	function.system_name = profile_string(&profile->tables, frame->system_name);
	function.filename = profile_string(&profile->tables, frame->path);
	function.start_line = frame->start_line;
	if (function.name < 0 || function.system_name < 0 || function.filename < 0)
		return 0;
	return profile_function(&profile->tables, &function);
}

bool profile_add_frame(struct profile *profile, const struct profile_frame *frame)
{
	const struct site *site = &profile->sites[profile->next - 1];
	Pprof__Location *location = profile->message->location[site->location];
	Pprof__Mapping *mapping = profile->message->mapping[site->mapping];
	uint64_t id = find_function(profile, frame);
	Pprof__Line *line = id ? profile_memory_grow(&profile->memory, NULL, 0, sizeof(*line)) : NULL;

	if (!line)
		return false;
	pprof__line__init(line);
	line->function_id = id;
	line->line = frame->line;
	line->column = frame->column;
	location->line[location->n_line++] = line;
	mapping->has_functions |= frame->name.size != 0;
	mapping->has_filenames |= frame->path.size != 0;
	mapping->has_line_numbers |= frame->line != 0;
	mapping->has_inline_frames |= frame->line != 0; /* a source that knows lines knows inlined functions, too */
	return true;
}

/* ---- Writing ---- */

bool profile_write(const struct profile *profile, int fd, char error[PROFILE_ERROR_SIZE])
{
	size_t size = pprof__profile__get_packed_size(profile->message);
	uint8_t *bytes = malloc(size);
	bool is_written;

	if (!bytes)
		return profile_fail(error, "out of memory");
	pprof__profile__pack(profile->message, bytes);
	is_written = profile_bytes_write(fd, bytes, size, error);
	free(bytes);
	return is_written;
}
