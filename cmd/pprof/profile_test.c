/* Which addresses of a profile are asked for, in which order, and what becomes of the profile when lines are added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/pprof/profile.h"
#include "cmd/pprof/profile_bytes.h"
#include "pprof/profile.pb-c.h"

enum { MAPPING_COUNT = 3, LOCATION_COUNT = 24, FUNCTION_COUNT = 2, LINE_COUNT = 4, LINES_MAX = 2 };

static const char *const strings[] = {"", "/bin/a", "ab12", "/bin/b", "known", "k.c"};

enum { STRING_COUNT = sizeof(strings) / sizeof(strings[0]) };

/* A profile, and what it points to. Every location is without a line until a test gives it one. */
struct sample {
	Pprof__Profile profile;
	ProtobufCBinaryData strings[STRING_COUNT];
	Pprof__Mapping mapping[MAPPING_COUNT], *mapping_list[MAPPING_COUNT];
	Pprof__Function function[FUNCTION_COUNT], *function_list[FUNCTION_COUNT];
	Pprof__Location location[LOCATION_COUNT], *location_list[LOCATION_COUNT];
	Pprof__Line line[LINE_COUNT], *line_lists[LOCATION_COUNT][LINES_MAX];
	size_t line_count;
};

static void set_up_mappings(struct sample *s)
{
	for (size_t i = 0; i < MAPPING_COUNT; i++) {
		pprof__mapping__init(&s->mapping[i]);
		s->mapping[i].id = 40 - 10 * i;
		s->mapping[i].memory_start = 0x1000 * (i + 1);
		s->mapping[i].memory_limit = 0x1000 * (i + 2);
		s->mapping_list[i] = &s->mapping[i];
	}
	s->mapping[0].file_offset = 0x100;
	s->mapping[0].filename = 1;
	s->mapping[0].build_id = 2;
	s->mapping[1].filename = 3;
}

static void set_up(struct sample *s)
{
	*s = (struct sample){0};
	pprof__profile__init(&s->profile);
	for (size_t i = 0; i < STRING_COUNT; i++)
		s->strings[i] = (ProtobufCBinaryData){strlen(strings[i]), (uint8_t *)strings[i]};
	set_up_mappings(s);
	for (size_t i = 0; i < FUNCTION_COUNT; i++) {
		pprof__function__init(&s->function[i]);
		s->function_list[i] = &s->function[i];
	}
	s->function[0].id = 7;
	s->function[0].name = s->function[0].system_name = 4;
	s->function[0].filename = 5;
	s->function[0].start_line = 3;
	s->function[1].id = 3;
	for (size_t i = 0; i < LOCATION_COUNT; i++) {
		pprof__location__init(&s->location[i]);
		s->location[i].id = i + 1;
		s->location[i].mapping_id = s->mapping[i % MAPPING_COUNT].id;
		s->location[i].address = s->mapping[i % MAPPING_COUNT].memory_start + i;
		s->location_list[i] = &s->location[i];
	}
	s->profile.string_table = s->strings;
	s->profile.n_string_table = STRING_COUNT;
	s->profile.mapping = s->mapping_list;
	s->profile.n_mapping = MAPPING_COUNT;
	s->profile.function = s->function_list;
	s->profile.n_function = FUNCTION_COUNT;
	s->profile.location = s->location_list;
	s->profile.n_location = LOCATION_COUNT;
}

static void give_line(struct sample *s, size_t location, uint64_t function, int64_t line)
{
	Pprof__Line *given = &s->line[s->line_count++];
	Pprof__Location *at = &s->location[location];

	pprof__line__init(given);
	given->function_id = function;
	given->line = line;
	at->line = s->line_lists[location];
	at->line[at->n_line++] = given;
}

/* Reads the sample as a file, and says how many bytes that has. */
static struct profile *read_sample(const struct sample *s, size_t *ret_size)
{
	size_t size = pprof__profile__get_packed_size(&s->profile);
	uint8_t *bytes = malloc(size);
	char error[PROFILE_ERROR_SIZE] = "no message";
	struct profile *profile = NULL;
	FILE *file = tmpfile();

	pprof__profile__pack(&s->profile, bytes);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	rewind(file);
	if (!profile_read(fileno(file), &profile, error))
		fail_msg("%s", error);
	fclose(file);
	free(bytes);
	*ret_size = size;
	return profile;
}

/* What the profile becomes; freed with pprof__profile__free_unpacked. */
static Pprof__Profile *written(const struct profile *profile)
{
	char error[PROFILE_ERROR_SIZE];
	struct profile_bytes bytes;
	FILE *file = tmpfile();

	assert_true(profile_write(profile, fileno(file), error));
	rewind(file);
	assert_true(profile_bytes_read(fileno(file), &bytes, error));
	Pprof__Profile *message = pprof__profile__unpack(NULL, bytes.size, bytes.bytes);
	assert_non_null(message);
	free(bytes.bytes);
	fclose(file);
	return message;
}

static struct locus_string text_of(const char *text)
{
	return (struct locus_string){text, strlen(text)};
}

static void assert_text(struct locus_string text, const char *expected)
{
	assert_int_equal(text.size, strlen(expected));
	assert_memory_equal(text.data, expected, text.size);
}

static struct profile_frame frame_of(const char *name, const char *system_name, const char *path, uint32_t line)
{
	return (struct profile_frame){text_of(name), text_of(system_name), text_of(path), line, 0, 0};
}

/* Mapping by mapping, and within one in the order of the profile. */
static void addresses_without_a_line_number_come_mapping_by_mapping(void **state)
{
	static const char *const paths[MAPPING_COUNT] = {"/bin/a", "/bin/b", ""};
	struct profile_place place;
	struct sample s;
	size_t size;

	(void)state;
	set_up(&s);
	struct profile *profile = read_sample(&s, &size);
	for (size_t i = 0; i < MAPPING_COUNT; i++) {
		for (size_t at = i; at < LOCATION_COUNT; at += MAPPING_COUNT) {
			assert_true(profile_next(profile, &place));
			assert_int_equal(place.address, 0x1000 * (i + 1) + at);
			assert_int_equal(place.start, 0x1000 * (i + 1));
			assert_int_equal(place.limit, 0x1000 * (i + 2));
			assert_int_equal(place.offset, i == 0 ? 0x100 : 0);
			assert_text(place.path, paths[i]);
			assert_text(place.build_id, i == 0 ? "ab12" : "");
			assert_false(place.has_function);
		}
	}
	assert_false(profile_next(profile, &place));
	assert_false(profile_next(profile, &place));
	profile_free(profile);
}

static void only_what_has_a_mapping_and_no_line_number_is_asked_for(void **state)
{
	struct profile_place place;
	struct sample s;
	size_t size;

	(void)state;
	set_up(&s);
	s.profile.n_location = 5;
	give_line(&s, 0, 7, 99);
	give_line(&s, 1, 7, 0);
	give_line(&s, 1, 3, 5);
	give_line(&s, 2, 7, 0);
	s.location[3].mapping_id = 0;
	struct profile *profile = read_sample(&s, &size);
	assert_true(profile_next(profile, &place));
	assert_int_equal(place.address, s.location[4].address);
	assert_false(place.has_function);
	assert_true(profile_next(profile, &place));
	assert_int_equal(place.address, s.location[2].address);
	assert_true(place.has_function);
	assert_false(profile_next(profile, &place));
	profile_free(profile);
}

static void frames_replace_the_lines_of_an_address(void **state)
{
	const struct profile_frame frames[] = {
		{text_of("inner"), text_of("_Z5innerv"), text_of("i.c"), 10, 4, 9},
		{text_of("known"), text_of("known"), text_of("k.c"), 11, 0, 3},
		{text_of("known"), text_of("known"), text_of("k.c"), 12, 1, 4},
	};
	struct profile_place place;
	struct sample s;
	size_t size;

	(void)state;
	set_up(&s);
	s.profile.n_location = 2;
	s.location[0].is_folded = s.location[1].is_folded = true;
	give_line(&s, 0, 3, 0);
	give_line(&s, 0, 7, 0);
	struct profile *profile = read_sample(&s, &size);
	assert_true(profile_next(profile, &place));
	assert_true(profile_begin_frames(profile, 3));
	for (size_t i = 0; i < 3; i++)
		assert_true(profile_add_frame(profile, &frames[i]));
	Pprof__Profile *after = written(profile);
	profile_free(profile);

	/* The second function is in the profile already; new ones count on from its highest id. */
	static const struct {
		uint64_t function;
		int64_t line, column;
	} lines[] = {{8, 10, 4}, {7, 11, 0}, {9, 12, 1}};
	assert_int_equal(after->location[0]->n_line, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(after->location[0]->line[i]->function_id, lines[i].function);
		assert_int_equal(after->location[0]->line[i]->line, lines[i].line);
		assert_int_equal(after->location[0]->line[i]->column, lines[i].column);
	}
	assert_false(after->location[0]->is_folded);
	assert_true(after->location[1]->is_folded);
	assert_int_equal(after->location[1]->n_line, 0);
	assert_int_equal(after->n_function, FUNCTION_COUNT + 2);
	const Pprof__Function *inner = after->function[FUNCTION_COUNT], *other = after->function[FUNCTION_COUNT + 1];
	assert_int_equal(inner->id, 8);
	assert_int_equal(inner->start_line, 9);
	assert_int_equal(other->id, 9);
	assert_int_equal(other->start_line, 4);
	assert_int_equal(inner->name, STRING_COUNT);
	assert_int_equal(inner->system_name, STRING_COUNT + 1);
	assert_int_equal(inner->filename, STRING_COUNT + 2);
	assert_int_equal(after->n_string_table, STRING_COUNT + 3);
	pprof__profile__free_unpacked(after, NULL);
}

static void functions_of_a_profile_without_any_count_from_1(void **state)
{
	const struct profile_frame frame = frame_of("main", "main", "", 0);
	struct profile_place place;
	struct sample s;
	size_t size;

	(void)state;
	set_up(&s);
	s.profile.n_function = 0;
	struct profile *profile = read_sample(&s, &size);
	assert_true(profile_next(profile, &place));
	assert_true(profile_begin_frames(profile, 1));
	assert_true(profile_add_frame(profile, &frame));
	Pprof__Profile *after = written(profile);
	assert_int_equal(after->n_function, 1);
	assert_int_equal(after->function[0]->id, 1);
	assert_int_equal(after->location[0]->line[0]->function_id, 1);
	pprof__profile__free_unpacked(after, NULL);
	profile_free(profile);
}

/* Each of what is known of a frame is said of its mapping alone; nothing that was said before is lost. */
static void a_mapping_has_what_its_frames_have(void **state)
{
	const struct profile_frame frames[MAPPING_COUNT] = {frame_of("main", "", "", 0), frame_of("", "", "a.c", 0),
							    frame_of("", "", "", 5)};
	struct profile_place place;
	struct sample s;
	size_t size;

	(void)state;
	set_up(&s);
	s.profile.n_location = MAPPING_COUNT;
	s.mapping[0].has_inline_frames = true;
	struct profile *profile = read_sample(&s, &size);
	for (size_t i = 0; i < MAPPING_COUNT; i++) {
		assert_true(profile_next(profile, &place));
		assert_true(profile_begin_frames(profile, 1));
		assert_true(profile_add_frame(profile, &frames[i]));
	}
	Pprof__Profile *after = written(profile);
	for (size_t i = 0; i < MAPPING_COUNT; i++) {
		assert_int_equal(after->mapping[i]->has_functions, i == 0);
		assert_int_equal(after->mapping[i]->has_filenames, i == 1);
		assert_int_equal(after->mapping[i]->has_line_numbers, i == 2);
		assert_int_equal(after->mapping[i]->has_inline_frames, i == 2 || i == 0);
	}
	pprof__profile__free_unpacked(after, NULL);
	profile_free(profile);
}

/* What may be added: 96 MiB, and 64 bytes for each of the file. */
static size_t added_max(size_t file_size)
{
	return ((size_t)96 << 20) + 64 * file_size;
}

/* A profile of which an address was asked for, and whose memory is used up by its frames but for some `left` bytes. */
static struct profile *read_almost_full(const struct sample *s, size_t left)
{
	struct profile_place place;
	size_t size;
	struct profile *profile = read_sample(s, &size);

	assert_true(profile_next(profile, &place));
	assert_false(profile_begin_frames(profile, added_max(size) / sizeof(void *) + 1));
	assert_true(profile_begin_frames(profile, (added_max(size) - left) / sizeof(void *)));
	return profile;
}

/* A frame whose name, linkage name or path has no room, one at a time. */
static void each_part_of_a_frame_needs_memory(void **state)
{
	enum { LEFT = 1 << 16, LONG = 1 << 17 };
	char *text = malloc(LONG);
	struct sample s;

	(void)state;
	memset(text, 'x', LONG);
	set_up(&s);
	for (int which = 0; which < 4; which++) {
		struct profile_frame frame = frame_of("n", "s", "p", 1);
		struct locus_string *parts[] = {&frame.name, &frame.system_name, &frame.path};
		if (which < 3)
			*parts[which] = (struct locus_string){text, LONG};
		struct profile *profile = read_almost_full(&s, LEFT);
		assert_int_equal(profile_add_frame(profile, &frame), which == 3);
		profile_free(profile);
	}

	/* All of it is known, and the line has no room. */
	const struct profile_frame known = {text_of("known"), text_of("known"), text_of("k.c"), 1, 0, 3};
	for (int has_room = 0; has_room < 2; has_room++) {
		struct profile *profile = read_almost_full(&s, has_room ? LEFT : 0);
		assert_int_equal(profile_add_frame(profile, &known), has_room);
		profile_free(profile);
	}
	free(text);
}

static void a_profile_without_room_for_lines_is_as_before(void **state)
{
	struct profile_place place;
	struct sample s;
	size_t size;

	(void)state;
	set_up(&s);
	s.location[0].is_folded = true;
	give_line(&s, 0, 7, 0);
	struct profile *profile = read_sample(&s, &size);
	assert_true(profile_next(profile, &place));
	assert_false(profile_begin_frames(profile, SIZE_MAX / sizeof(void *)));
	Pprof__Profile *after = written(profile);
	assert_int_equal(after->location[0]->n_line, 1);
	assert_true(after->location[0]->is_folded);
	pprof__profile__free_unpacked(after, NULL);
	profile_free(profile);
}

/* However large the file is, no more than 1 GiB is taken for it. */
static void a_large_file_has_no_more_memory_than_any_may_have(void **state)
{
	enum { LARGE = 15 << 20 };
	struct profile_place place;
	struct sample s;
	size_t size;

	(void)state;
	set_up(&s);
	s.strings[4] = (ProtobufCBinaryData){LARGE, calloc(1, LARGE)};
	struct profile *profile = read_sample(&s, &size);
	assert_true(added_max(size) > (size_t)1 << 30);
	assert_true(profile_next(profile, &place));
	assert_false(profile_begin_frames(profile, ((size_t)1 << 30) / sizeof(void *) + 1));
	assert_true(profile_begin_frames(profile, ((size_t)256 << 20) / sizeof(void *)));
	profile_free(profile);
	free(s.strings[4].data);
}

static void what_is_no_profile_is_said(void **state)
{
	static const char none[] = "this is no profile of pprof's format, or a damaged one; "
				   "'go tool pprof -proto' makes one of other formats";
	static const char perf[] = "this is a file of perf: give what 'perf script --no-inline --show-mmap-events "
				   "--show-task-events' prints of it to 'locus symbolize' without --pprof";
	static const struct {
		const char *bytes, *expected;
	} cases[] = {
		{"", none},         {"PERFILE", none},           {"PERFILE3 and more", none},
		{"PERFILE2", perf}, {"PERFILE2 and more", perf},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char error[PROFILE_ERROR_SIZE];
		struct profile *profile;
		FILE *file = tmpfile();
		fputs(cases[i].bytes, file);
		rewind(file);
		assert_false(profile_read(fileno(file), &profile, error));
		assert_string_equal(error, cases[i].expected);
		fclose(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_without_a_line_number_come_mapping_by_mapping),
		cmocka_unit_test(only_what_has_a_mapping_and_no_line_number_is_asked_for),
		cmocka_unit_test(frames_replace_the_lines_of_an_address),
		cmocka_unit_test(functions_of_a_profile_without_any_count_from_1),
		cmocka_unit_test(a_mapping_has_what_its_frames_have),
		cmocka_unit_test(each_part_of_a_frame_needs_memory),
		cmocka_unit_test(a_profile_without_room_for_lines_is_as_before),
		cmocka_unit_test(a_large_file_has_no_more_memory_than_any_may_have),
		cmocka_unit_test(what_is_no_profile_is_said),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
