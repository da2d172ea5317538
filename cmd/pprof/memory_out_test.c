/* Reading a profile, adding lines to it and writing it, while one allocation after the other fails. */
#include <unistd.h>

#include "base/failing_memory_test.h"
#include "cmd/pprof/profile.h"
#include "cmd/pprof/profile_bytes.h"
#include "pprof/profile.pb-c.h"

enum { LOCATIONS = 200, PATHS = 40 };

/* A profile of many addresses in one mapping, none of which has a line. */
static FILE *profile_file(void)
{
	static Pprof__Location location[LOCATIONS], *location_list[LOCATIONS];
	ProtobufCBinaryData strings[] = {{0, (uint8_t *)""}, {6, (uint8_t *)"/bin/a"}};
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mapping_list[] = {&mapping};
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	mapping.id = 1;
	mapping.memory_limit = 1 << 20;
	mapping.filename = 1;
	for (size_t i = 0; i < LOCATIONS; i++) {
		pprof__location__init(&location[i]);
		location[i].id = i + 1;
		location[i].mapping_id = 1;
		location[i].address = 16 * i;
		location_list[i] = &location[i];
	}
	profile.string_table = strings;
	profile.n_string_table = COUNT_OF(strings);
	profile.mapping = mapping_list;
	profile.n_mapping = 1;
	profile.location = location_list;
	profile.n_location = LOCATIONS;

	FILE *file = tmpfile();
	uint8_t *bytes = malloc(pprof__profile__get_packed_size(&profile));
	assert_true(file && bytes);
	size_t size = pprof__profile__pack(&profile, bytes);
	char error[PROFILE_ERROR_SIZE];
	assert_true(profile_bytes_write(fileno(file), bytes, size, error));
	free(bytes);
	return file;
}

/* Gives each address two lines. False: memory is out. */
static bool add_lines(struct profile *profile)
{
	struct profile_place place;
	for (unsigned i = 0; profile_next(profile, &place); i++) {
		char name[2][16], path[16];
		bool is_added = profile_begin_frames(profile, 2);
		for (unsigned k = 0; is_added && k < 2; k++) {
			size_t name_size = (size_t)sprintf(name[k], "f%u", i + k),
			       path_size = (size_t)sprintf(path, "%u.c", i % PATHS);
			const struct profile_frame frame = {
				.name = {name[k], name_size}, .path = {path, path_size}, .line = i + 1};
			is_added = profile_add_frame(profile, &frame);
		}
		if (!is_added)
			return false;
	}
	return true;
}

static void rewrite(void *context, struct outcome *ret)
{
	FILE *in = context, *out = tmpfile();
	struct profile *profile = NULL;
	struct profile_bytes written;
	char error[PROFILE_ERROR_SIZE] = "the memory limit is reached";
	lseek(fileno(in), 0, SEEK_SET);
	failing_begin();
	bool is_well = profile_read(fileno(in), &profile, error) && add_lines(profile) &&
		       profile_write(profile, fileno(out), error);
	failing_end();
	ret->status = is_well ? LOCUS_OK : LOCUS_ERR_MEMORY;
	snprintf(ret->error.text, sizeof(ret->error.text), "%s", error);
	profile_free(profile);
	if (is_well) {
		lseek(fileno(out), 0, SEEK_SET);
		assert_true(profile_bytes_read(fileno(out), &written, error));
		outcome_add(ret, written.bytes, written.size);
		free(written.bytes);
	}
	fclose(out);
}

static void a_profile_is_rewritten(void **state)
{
	struct failed_ways ways = {0};
	FILE *file = profile_file();
	(void)state;
	failing.with_libraries = true;
	assert_true(fail_each_allocation("a profile", &ways, rewrite, file) > 10);
	failed_ways_done(&ways);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_rewritten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
