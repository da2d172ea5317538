/* What is recorded of the files that a conversion read: in which order, and each once. */
#include "convert/provenance.h"

#include "base/toolkit_test.h"

enum { FILES_MAX = 6 };

/* A .dwo that was opened, and was not the right one. */
#define OTHER ((enum locus_input_role)(LOCUS_INPUT_SPLIT + 1))

/* A file, and what it is to the program. */
struct named {
	enum locus_input_role role;
	const char *path;
	uint64_t size;
	struct timespec changed;
};

struct inputs {
	struct elf_file files[FILES_MAX];
	struct split_file splits[FILES_MAX];
	struct input_files given;
	struct split_files split_files;
};

/* `inputs` is zeroed. */
static void inputs_init(struct inputs *inputs, const struct named *named, size_t count)
{
	struct split_file **last = &inputs->split_files.first;
	for (size_t i = 0; i < count; i++) {
		struct elf_file *file = &inputs->files[i];
		file->path = (char *)named[i].path;
		file->bytes.path = (char *)named[i].path;
		file->bytes.image_size = named[i].size;
		file->bytes.stat.st_mtim = named[i].changed;
		if (named[i].role == LOCUS_INPUT_PROGRAM)
			inputs->given.program = file;
		else if (named[i].role == LOCUS_INPUT_DEBUG)
			inputs->given.separate = file;
		else if (named[i].role == LOCUS_INPUT_ALTERNATE)
			inputs->given.alternate = file;
		else {
			inputs->splits[i].file = file;
			*last = &inputs->splits[i];
			last = &inputs->splits[i].next;
			inputs->splits[i].is_package = named[i].role == LOCUS_INPUT_PACKAGE;
			inputs->splits[i].is_input = named[i].role != OTHER;
		}
	}
}

/* "role name size changed" of each, and then the paths. */
static void show(struct provenance *provenance, char *text, size_t size)
{
	size_t at = 0, paths_size;
	for (uint32_t i = 0; i < provenance->count; i++) {
		const struct locus_convert_input *input = &provenance->inputs[i];
		assert_int_equal(input->digest_kind, LOCUS_DIGEST_NONE);
		at += (size_t)snprintf(text + at, size - at, "%u %s %llu %lld.%ld, ", (unsigned)input->role,
				       input->name, (unsigned long long)input->size, (long long)input->changed.tv_sec,
				       input->changed.tv_nsec);
	}
	char *paths = provenance_paths(provenance, &paths_size);
	assert_non_null(paths);
	for (size_t from = 0; from < paths_size; from += strlen(paths + from) + 1)
		at += (size_t)snprintf(text + at, size - at, "%s%s", from ? " " : "", paths + from);
	free(paths);
}

static void files_in_order_and_once(void **state)
{
	static const struct {
		const char *name;
		struct named files[FILES_MAX];
		size_t count;
		const char *expected;
	} cases[] = {
		{"a program alone", {{LOCUS_INPUT_PROGRAM, "/bin/p", 9, {7, 0}}}, 1, "0 p 9 7.0, /bin/p"},
		{"without a folder", {{LOCUS_INPUT_PROGRAM, "p", 9, {7, 0}}}, 1, "0 p 9 7.0, p"},
		{"its companions",
		 {{LOCUS_INPUT_DEBUG, "/d/p.debug", 1, {2, 0}},
		  {LOCUS_INPUT_PACKAGE, "/b/p.dwp", 3, {4, 0}},
		  {LOCUS_INPUT_ALTERNATE, "/a/shared", 5, {6, 0}},
		  {LOCUS_INPUT_PROGRAM, "/z/p", 7, {8, 0}}},
		 4,
		 "0 p 7 8.0, 1 p.debug 1 2.0, 2 shared 5 6.0, 3 p.dwp 3 4.0, /z/p /a/shared /b/p.dwp /d/p.debug"},
		{"split files, as threads have found them",
		 {{LOCUS_INPUT_PROGRAM, "/p", 1, {1, 0}},
		  {LOCUS_INPUT_SPLIT, "/x/b.dwo", 1, {1, 0}},
		  {LOCUS_INPUT_SPLIT, "/y/a.dwo", 2, {2, 0}}},
		 3,
		 "0 p 1 1.0, 4 a.dwo 2 2.0, 4 b.dwo 1 1.0, /p /x/b.dwo /y/a.dwo"},
		{"a split file that was passed over",
		 {{LOCUS_INPUT_PROGRAM, "/p", 1, {1, 0}},
		  {OTHER, "/x/a.dwo", 1, {1, 0}},
		  {LOCUS_INPUT_SPLIT, "/y/a.dwo", 2, {2, 0}}},
		 3,
		 "0 p 1 1.0, 4 a.dwo 2 2.0, /p /y/a.dwo"},
		{"a file that two skeletons name",
		 {{LOCUS_INPUT_PROGRAM, "/p", 1, {1, 0}},
		  {LOCUS_INPUT_SPLIT, "/a.dwo", 2, {3, 4}},
		  {LOCUS_INPUT_SPLIT, "/a.dwo", 2, {3, 4}}},
		 3,
		 "0 p 1 1.0, 4 a.dwo 2 3.4, /p /a.dwo"},
		{"split files of one name, in several folders",
		 {{LOCUS_INPUT_PROGRAM, "/p", 1, {1, 0}},
		  {LOCUS_INPUT_SPLIT, "/v/a.dwo", 9, {1, 1}},
		  {LOCUS_INPUT_SPLIT, "/w/a.dwo", 2, {5, 1}},
		  {LOCUS_INPUT_SPLIT, "/x/a.dwo", 2, {3, 9}},
		  {LOCUS_INPUT_SPLIT, "/y/a.dwo", 2, {3, 4}}},
		 5,
		 "0 p 1 1.0, 4 a.dwo 2 3.4, 4 a.dwo 2 3.9, 4 a.dwo 2 5.1, 4 a.dwo 9 1.1, "
		 "/p /v/a.dwo /w/a.dwo /x/a.dwo /y/a.dwo"},
		{"the program in two roles",
		 {{LOCUS_INPUT_PROGRAM, "/p", 1, {1, 0}},
		  {LOCUS_INPUT_SPLIT, "/b", 2, {2, 0}},
		  {LOCUS_INPUT_DEBUG, "/p", 1, {1, 0}}},
		 3,
		 "0 p 1 1.0, 1 p 1 1.0, 4 b 2 2.0, /p /b"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct inputs *inputs = calloc(1, sizeof(*inputs));
		struct provenance provenance = {.digests = LOCUS_CONVERT_NO_DIGESTS};
		char text[512];
		assert_non_null(inputs);
		inputs_init(inputs, cases[i].files, cases[i].count);
		assert_true(provenance_gather(&provenance, &inputs->given, &inputs->split_files));
		show(&provenance, text, sizeof(text));
		if (strcmp(text, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].name, text);
		provenance_done(&provenance);
		free(inputs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_in_order_and_once),
	};
	return cmocka_run_group_tests_name("provenance", tests, NULL, NULL);
}
