/* Every reference of a profile is held against what it refers to, and nothing else is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/pprof/profile_check.h"

enum { STRING_COUNT = 3, STRING_FIELDS_MAX = 32, BASES_MAX = 16 };

/* A profile with one or two of everything. */
struct sample {
	Pprof__Profile profile;
	ProtobufCBinaryData strings[STRING_COUNT];
	Pprof__ValueType types[2], period;
	Pprof__Mapping mapping[2];
	Pprof__Function function[2];
	Pprof__Line line;
	Pprof__Location location[2];
	Pprof__Label label;
	Pprof__Sample taken;
	int64_t comments[2], values[2];
	uint64_t location_ids[2];
	/* What the profile holds, by pointers. */
	Pprof__ValueType *type_list[2];
	Pprof__Mapping *mapping_list[2];
	Pprof__Function *function_list[2];
	Pprof__Line *line_list[1];
	Pprof__Location *location_list[2];
	Pprof__Label *label_list[1];
	Pprof__Sample *sample_list[1];
	/* Each field that is the index of a string, and the part of each kind. */
	int64_t *string_fields[STRING_FIELDS_MAX];
	size_t string_field_count;
	ProtobufCMessage *bases[BASES_MAX];
	size_t base_count;
};

static void add_string_fields(struct sample *s, size_t count, ...)
{
	va_list fields;

	va_start(fields, count);
	while (count--)
		s->string_fields[s->string_field_count++] = va_arg(fields, int64_t *);
	va_end(fields);
}

static void set_up_parts(struct sample *s)
{
	for (int i = 0; i < 2; i++) {
		pprof__value_type__init(&s->types[i]);
		pprof__mapping__init(&s->mapping[i]);
		pprof__function__init(&s->function[i]);
		pprof__location__init(&s->location[i]);
		s->type_list[i] = &s->types[i];
		s->mapping_list[i] = &s->mapping[i];
		s->function_list[i] = &s->function[i];
		s->location_list[i] = &s->location[i];
		s->mapping[i].id = 10u + (unsigned)i;
		s->function[i].id = 20u + (unsigned)i;
		s->location[i].id = s->location_ids[i] = 30u + (unsigned)i;
		add_string_fields(s, 8, &s->types[i].type, &s->types[i].unit, &s->mapping[i].filename,
				  &s->mapping[i].build_id, &s->function[i].name, &s->function[i].system_name,
				  &s->function[i].filename, &s->comments[i]);
		s->bases[s->base_count++] = &s->types[i].base;
		s->bases[s->base_count++] = &s->mapping[i].base;
		s->bases[s->base_count++] = &s->function[i].base;
		s->bases[s->base_count++] = &s->location[i].base;
	}
	pprof__value_type__init(&s->period);
	pprof__line__init(&s->line);
	pprof__label__init(&s->label);
	pprof__sample__init(&s->taken);
	s->location[1].mapping_id = 11;
	s->line.function_id = 21;
	s->line_list[0] = &s->line;
	s->location[1].line = s->line_list;
	s->location[1].n_line = 1;
	s->label_list[0] = &s->label;
	s->taken.label = s->label_list;
	s->taken.n_label = 1;
	s->taken.location_id = s->location_ids;
	s->taken.n_location_id = 2;
	s->taken.value = s->values;
	s->taken.n_value = 2;
	s->sample_list[0] = &s->taken;
	add_string_fields(s, 5, &s->label.key, &s->label.str, &s->label.num_unit, &s->period.type, &s->period.unit);
	s->bases[s->base_count++] = &s->period.base;
	s->bases[s->base_count++] = &s->line.base;
	s->bases[s->base_count++] = &s->label.base;
	s->bases[s->base_count++] = &s->taken.base;
}

static void set_up(struct sample *s)
{
	*s = (struct sample){0};
	set_up_parts(s);
	pprof__profile__init(&s->profile);
	s->profile.string_table = s->strings;
	s->profile.n_string_table = STRING_COUNT;
	s->profile.sample_type = s->type_list;
	s->profile.mapping = s->mapping_list;
	s->profile.function = s->function_list;
	s->profile.location = s->location_list;
	s->profile.n_sample_type = s->profile.n_mapping = s->profile.n_function = s->profile.n_location = 2;
	s->profile.sample = s->sample_list;
	s->profile.n_sample = 1;
	s->profile.comment = s->comments;
	s->profile.n_comment = 2;
	s->profile.period_type = &s->period;
	add_string_fields(s, 4, &s->profile.drop_frames, &s->profile.keep_frames, &s->profile.default_sample_type,
			  &s->profile.doc_url);
	s->bases[s->base_count++] = &s->profile.base;
}

/* `said`: part of the refusal; NULL: the profile is sound. */
static void expect(const struct sample *s, const char *said)
{
	struct profile_ids ids;
	char error[PROFILE_ERROR_SIZE] = "";
	bool is_sound = profile_check(&s->profile, &ids, error);

	if (is_sound != !said || (said && !strstr(error, said)))
		fail_msg("'%s', not '%s'", error, said ? said : "");
	if (is_sound)
		profile_ids_done(&ids);
}

static void a_sound_profile_is_known_by_its_ids(void **state)
{
	struct sample s;
	struct profile_ids ids;
	char error[PROFILE_ERROR_SIZE];
	size_t index;

	(void)state;
	set_up(&s);
	assert_true(profile_check(&s.profile, &ids, error));
	for (size_t i = 0; i < 2; i++) {
		assert_true(id_table_find(&ids.mappings, s.mapping[i].id, &index) && index == i);
		assert_true(id_table_find(&ids.functions, s.function[i].id, &index) && index == i);
		assert_true(id_table_find(&ids.locations, s.location[i].id, &index) && index == i);
	}
	profile_ids_done(&ids);
	s.profile.period_type = NULL;
	s.line.function_id = s.location[1].mapping_id = 0;
	expect(&s, NULL);
}

static void every_string_is_there(void **state)
{
	static const int64_t bad[] = {-1, INT64_MIN, STRING_COUNT, INT64_MAX};
	struct sample s;

	(void)state;
	set_up(&s);
	assert_int_equal(s.string_field_count, 2 * 8 + 5 + 4);
	for (size_t i = 0; i < s.string_field_count; i++) {
		for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
			*s.string_fields[i] = bad[k];
			expect(&s, "is referred to, and there are 3");
		}
		*s.string_fields[i] = STRING_COUNT - 1;
		expect(&s, NULL);
	}
	s.strings[0].len = 1;
	expect(&s, "its first string is not the empty one");
	s.profile.n_string_table = 0;
	expect(&s, "its first string is not the empty one");
}

static void fields_of_number_0_are_refused_in_every_part(void **state)
{
	ProtobufCMessageUnknownField fields[2] = {{.tag = 100}, {.tag = 101}};
	struct sample s;

	(void)state;
	set_up(&s);
	assert_int_equal(s.base_count, 2 * 4 + 5);
	for (size_t i = 0; i < s.base_count; i++) {
		s.bases[i]->unknown_fields = fields;
		s.bases[i]->n_unknown_fields = 2;
		expect(&s, NULL);
		for (size_t k = 0; k < 2; k++) {
			fields[k].tag = 0;
			expect(&s, "a field with the number 0");
			fields[k].tag = 100;
		}
		s.bases[i]->n_unknown_fields = 0;
	}
}

static void ids_refer_to_what_is_there(void **state)
{
	struct sample s;

	(void)state;
	set_up(&s);
	s.line.function_id = 22;
	expect(&s, "a line is in function 22, which is not there");
	set_up(&s);
	s.location[1].mapping_id = 9;
	expect(&s, "a location is in mapping 9, which is not there");
	for (int i = 0; i < 2; i++) {
		set_up(&s);
		s.location_ids[i] = 0;
		expect(&s, "a sample is in location 0, which is not there");
	}
	set_up(&s);
	s.taken.n_value = 1;
	expect(&s, "a sample has not one value of each of the 2 types");
	for (int i = 0; i < 2; i++) {
		set_up(&s);
		s.mapping[i].id = i ? 10 : 0;
		expect(&s, i ? "two mappings have the id 10" : "a mapping has the id 0");
		set_up(&s);
		s.function[i].id = i ? 20 : 0;
		expect(&s, i ? "two functions have the id 20" : "a function has the id 0");
		set_up(&s);
		s.location[i].id = i ? 30 : 0;
		expect(&s, i ? "two locations have the id 30" : "a location has the id 0");
	}
}

/* As many mappings as a process may have pass this check, and are refused for their ids. */
static void only_so_many_mappings_are_read(void **state)
{
	struct sample s;
	Pprof__Mapping **many = calloc(PROFILE_MAPPINGS_MAX + 1, sizeof(Pprof__Mapping *));

	(void)state;
	assert_non_null(many);
	set_up(&s);
	for (size_t i = 0; i <= PROFILE_MAPPINGS_MAX; i++)
		many[i] = &s.mapping[0];
	s.profile.mapping = many;
	s.profile.n_mapping = PROFILE_MAPPINGS_MAX;
	expect(&s, "two mappings have the id 10");
	s.profile.n_mapping = PROFILE_MAPPINGS_MAX + 1;
	expect(&s, "mappings, more than any process");
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_profile_is_known_by_its_ids),
		cmocka_unit_test(every_string_is_there),
		cmocka_unit_test(fields_of_number_0_are_refused_in_every_part),
		cmocka_unit_test(ids_refer_to_what_is_there),
		cmocka_unit_test(only_so_many_mappings_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
