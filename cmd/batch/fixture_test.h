/*
 * Runs batches for the tests of this folder, in a folder of their own and with a converter that is none: how a
 * conversion ends follows from how its input's name begins.
 *
 *   ok     it succeeds
 *   low    so too, but little of the code has a line
 *   none   there is no debug information
 *   bad    it is damaged, at offset 16
 *   crash  the process ends
 *   slow   so too, after some time
 *   late   it succeeds, but only after release(), until when it has read 3 of 20 MiB of units
 *   meet   it succeeds, once so many conversions have begun as the test says
 */
#ifndef LOCUS_BATCH_FIXTURE_TEST_H
#define LOCUS_BATCH_FIXTURE_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/batch/batch.h"
#include "cmd/batch/job.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"
#include "cmd/conversion/converter.h"
#include "cmd/folder_test.h"

enum { TEXT_MAX = 1 << 18, INPUT_MAX = 6 };

/* What the conversions, each a process of its own, share with the test. */
struct shared {
	atomic_uint begun, ended;
	atomic_uint running, most;       /* at one time */
	atomic_uint threads[INPUT_MAX];  /* of each, by the digit behind its name, of which 1 is the first */
	atomic_int processes[INPUT_MAX]; /* their ids, likewise; 0: it has not begun */
	atomic_uint wanted;              /* how many must have begun before those that meet go on */
	atomic_int seen;                 /* by what goes on beside the batch */
	atomic_bool is_released;
};

static struct shared *shared;

/* To be called before each batch. */
static inline void begin(unsigned wanted)
{
	atomic_store(&shared->begun, 0);
	atomic_store(&shared->ended, 0);
	atomic_store(&shared->running, 0);
	atomic_store(&shared->most, 0);
	atomic_store(&shared->wanted, wanted);
	atomic_store(&shared->seen, 0);
	atomic_store(&shared->is_released, false);
	for (int i = 0; i < INPUT_MAX; i++) {
		atomic_store(&shared->threads[i], 0);
		atomic_store(&shared->processes[i], 0);
	}
}

static inline void release(void)
{
	atomic_store(&shared->is_released, true);
}

/* Some 50 seconds at most, so that a test fails rather than waits for ever; a conversion may take longer. */
static inline bool wait_until(bool (*is_so)(void))
{
	for (int i = 0; i < 50000 && !is_so(); i++)
		usleep(1000);
	return is_so();
}

static inline bool has_released(void)
{
	return atomic_load(&shared->is_released);
}

static inline bool has_met(void)
{
	return atomic_load(&shared->begun) >= atomic_load(&shared->wanted);
}

static inline bool begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

static inline char *copy_of(const char *text)
{
	char *copy = strdup(text);
	assert_non_null(copy);
	return copy;
}

/* Numbers that differ from each other, so that one shown for another is seen. */
static inline void fill_result(struct locus_convert_result *ret, bool is_low, const char *path)
{
	static const char other[] = "other=file";
	*ret = (struct locus_convert_result){
		.unit_count = 11,
		.interval_count = 12,
		.context_count = 13,
		.function_count = 14,
		.file_count = 15,
		.name_bytes = 16,
		.dropped = {[LOCUS_DROPPED_BAD_RANGE] = 17, [LOCUS_DROPPED_LONG_LINE] = 18},
		.coverage = {500, 250, 30, 40, 80, 100},
		.worst_count = 2,
		.worst = {{copy_of("worst.c"), 9, 1}, {copy_of("bad.c"), 8, 2}}};
	if (is_low)
		ret->coverage[LOCUS_COVERAGE_INLINE] = 0;
	for (int i = 0; i < LOCUS_PHASE_COUNT; i++)
		ret->phases[i] = (struct locus_convert_phase_time){.wall_s = 0.5 + i, .cpu_s = 0.25 + i};
	ret->phases[LOCUS_PHASE_MERGING] = (struct locus_convert_phase_time){.wall_s = 0.002, .cpu_s = 0.005};
	ret->phases[LOCUS_PHASE_TABLES] = (struct locus_convert_phase_time){0};
	ret->read_paths_size = strlen(path) + 1 + sizeof(other);
	ret->read_paths = calloc(1, ret->read_paths_size);
	strcpy(ret->read_paths, path);
	memcpy(ret->read_paths + strlen(path) + 1, other, sizeof(other));
}

static inline void note_begin(void)
{
	unsigned running = atomic_fetch_add(&shared->running, 1) + 1, most = atomic_load(&shared->most);
	while (running > most && !atomic_compare_exchange_weak(&shared->most, &most, running))
		continue;
	atomic_fetch_add(&shared->begun, 1);
}

static inline enum locus_status fake_convert(const char *path, const struct locus_convert_options *options,
					     struct locus_convert_result *ret, struct locus_error *error)
{
	const char *slash = strrchr(path, '/'), *member = strchr(path, '(');
	const char *name = member ? member + 1 : slash ? slash + 1 : path;
	unsigned digit = (unsigned)name[strcspn(name, "123456789")] - '1';
	char text[256];

	if (digit < INPUT_MAX) {
		atomic_store(&shared->threads[digit], options->job_count);
		atomic_store(&shared->processes[digit], getpid());
	}
	if (begins_with(name, "late") && options->progress)
		options->progress(options->progress_context, LOCUS_PHASE_UNITS, 3 << 20, 20 << 20);
	note_begin();
	if (begins_with(name, "slow"))
		usleep(30000);
	if ((begins_with(name, "late") && !wait_until(has_released)) ||
	    (begins_with(name, "meet") && !wait_until(has_met)))
		_exit(88);
	if (begins_with(name, "crash"))
		_exit(7);
	snprintf(error->text, sizeof(error->text), "it is %s", name);
	error->offset = begins_with(name, "bad") ? 16 : LOCUS_NO_OFFSET;
	atomic_fetch_add(&shared->ended, 1);
	atomic_fetch_sub(&shared->running, 1);
	if (begins_with(name, "none"))
		return LOCUS_ERR_NO_DEBUG;
	if (begins_with(name, "bad"))
		return LOCUS_ERR_BAD_DWARF;
	int fd = open(options->output, O_WRONLY | O_CREAT | O_EXCL, 0600);
	int size = snprintf(text, sizeof(text), "%s at level %d, header %d, for %s%s\n", path, options->level,
			    (int)options->member_header, options->destination, options->sync ? ", on the disk" : "");
	if (fd < 0 || write(fd, text, (size_t)size) != size || close(fd) != 0)
		return LOCUS_ERR_IO;
	fill_result(ret, begins_with(name, "low"), path);
	ret->bytes_written = (uint64_t)size;
	return LOCUS_OK;
}

static inline void fake_result_done(struct locus_convert_result *result)
{
	for (size_t i = 0; i < result->worst_count; i++)
		free(result->worst[i].name);
	free(result->read_paths);
	*result = (struct locus_convert_result){0};
}

/* Programs whose names end in digits have these as their build-id. What is called text is no program. */
static inline enum locus_status fake_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	const char *digits = path + strcspn(path, "0123456789");
	if (strstr(path, "/text"))
		return error_fail(error, LOCUS_ERR_NOT_ELF, "it is a text");
	memcpy(ret, digits, strlen(digits));
	*size = strlen(digits);
	return LOCUS_OK;
}

static char scratch_folder[] = "/tmp/locus-Batch-XXXXXX";

static inline int fixture_set_up(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();

	(void)state;
	*loaded = (struct converter){
		.convert = fake_convert, .result_done = fake_result_done, .elf_build_id = fake_build_id};
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsetenv("MAKEFLAGS");
	umask(022);
	return shared == MAP_FAILED || !mkdtemp(scratch_folder) || chdir(scratch_folder) != 0;
}

static inline int fixture_tear_down(void **state)
{
	(void)state;
	return remove_folder(scratch_folder);
}

/* The inputs named, the last NULL. Those that begin with "absent" are not there. */
static inline struct inputs inputs_named(const char *const *names)
{
	static struct input list[8];
	struct inputs inputs = {.list = list};

	for (; names[inputs.count]; inputs.count++) {
		const char *name = names[inputs.count];
		assert_true(inputs.count < COUNT_OF(list));
		list[inputs.count] = (struct input){.path = (char *)(uintptr_t)name, .size = 1};
		if (!begins_with(name, "absent") && !strchr(name, '('))
			assert_true(mknod(name, S_IFREG | 0640, 0) == 0 || errno == EEXIST);
	}
	return inputs;
}

/* How a batch ended, and what it wrote to standard output and standard error. */
struct ran {
	int code;
	char out[TEXT_MAX], err[TEXT_MAX];
};

static inline void take_text(int fd, char *text)
{
	ssize_t size = pread(fd, text, TEXT_MAX - 1, 0);
	assert_true(size >= 0);
	text[size] = '\0';
	close(fd);
}

/* What is written to standard error between these two. */
struct caught {
	int fd, saved;
};

static inline struct caught catch_errors(void)
{
	fflush(NULL); /* or each conversion writes it again when it ends */
	struct caught caught = {memfd_create("err", MFD_CLOEXEC), dup(STDERR_FILENO)};
	dup2(caught.fd, STDERR_FILENO);
	return caught;
}

static inline void end_catching(const struct caught *caught, char *text)
{
	dup2(caught->saved, STDERR_FILENO);
	close(caught->saved);
	take_text(caught->fd, text);
}

/* As `locus convert` does; what the context notes for the end of a batch is left to the caller. */
static inline void run_with(struct job_context *context, const struct inputs *inputs, struct ran *ran)
{
	int out_fd = memfd_create("out", MFD_CLOEXEC);
	struct caught caught = catch_errors();

	out_init(context->out, out_fd);
	json_init(&context->json, context->out);
	ran->code = batch_run(context, inputs);
	end_catching(&caught, ran->err);
	tdestroy(context->outputs, free);
	take_text(out_fd, ran->out);
}

static inline void run(const struct convert_options *options, const struct inputs *inputs, struct ran *ran)
{
	static struct out out;
	struct job_context context = {.options = options, .out = &out};

	run_with(&context, inputs, ran);
}

#endif
