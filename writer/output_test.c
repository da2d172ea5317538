/* Writing that fails leaves nothing behind, and what is already there as it was. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/output.h"
#include "writer/sample_test.h"

static char directory[] = "/tmp/locus-test-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/a.locus", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(directory);
}

static unsigned count_entries(void)
{
	unsigned count = 0;
	DIR *entries = opendir(directory);
	while (readdir(entries))
		count++;
	closedir(entries);
	return count - 2;
}

static enum locus_status write_sample(const char *target, struct locus_error *error)
{
	struct locus_writer_options options = {.level = 1, .block_size = 100};
	struct locus_sample sample;
	locus_sample_init(&sample, 3, 3000);
	enum locus_status status = locus_sample_write(&sample, target, &options, error);
	locus_sample_done(&sample);
	return status;
}

static void put_old(const char *text)
{
	FILE *file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

static void test_replaces_and_respects_the_umask(void **state)
{
	static const mode_t masks[] = {027, 0, 077};
	struct stat info;
	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		mode_t before = umask(masks[i]);
		put_old("old");
		assert_int_equal(write_sample(path, NULL), LOCUS_OK);
		umask(before);
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0666 & ~masks[i]);
		assert_true(info.st_size > 1000);
		assert_int_equal(count_entries(), 1);
		unlink(path);
	}
}

static void test_follows_a_link(void **state)
{
	char link[80];
	struct stat info;
	(void)state;
	snprintf(link, sizeof(link), "%s/link", directory);
	put_old("old");
	assert_int_equal(symlink("a.locus", link), 0);
	assert_int_equal(write_sample(link, NULL), LOCUS_OK);
	assert_int_equal(lstat(link, &info), 0);
	assert_true(S_ISLNK(info.st_mode));
	assert_int_equal(stat(path, &info), 0);
	assert_true(info.st_size > 1000);
	unlink(link);
	unlink(path);
}

static void test_never_replaces_a_device(void **state)
{
	struct locus_error error;
	(void)state;
	assert_int_equal(write_sample("/dev/null", &error), LOCUS_ERR_OUTPUT);
	assert_int_equal(write_sample("/dev/full", &error), LOCUS_ERR_OUTPUT);
	assert_int_equal(write_sample(directory, &error), LOCUS_ERR_OUTPUT);
	assert_int_equal(write_sample("/no/such/directory/a.locus", &error), LOCUS_ERR_OUTPUT);
	assert_int_equal(count_entries(), 0);
}

static void test_no_room(void **state)
{
	struct rlimit before, small;
	struct locus_error error;
	char text[8] = "";
	(void)state;
	put_old("old");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	for (unsigned size = 1; size < 20000; size = size * 3) {
		small = before;
		small.rlim_cur = size;
		setrlimit(RLIMIT_FSIZE, &small);
		enum locus_status status = write_sample(path, &error);
		setrlimit(RLIMIT_FSIZE, &before);
		assert_int_equal(status, LOCUS_ERR_OUTPUT);
		assert_int_equal(count_entries(), 1);
	}
	FILE *file = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "old");
	unlink(path);
}

/* As a user who may write nowhere: what root may not is hard to find. */
/* As another user than root, who may write everywhere; where nobody can become one, it is not tried. */
static void test_unwritable_directory(void **state)
{
	enum { NOBODY = 65534, AS_EXPECTED = 42, NOT_TRIED };
	(void)state;
	chmod(directory, 0555);
	pid_t child = fork();
	if (!child) {
		struct locus_output output;
		struct locus_error error;
		if (access(directory, W_OK) == 0 && setuid(NOBODY) != 0)
			_exit(NOT_TRIED);
		_exit(locus_output_init(&output, path, &error) == LOCUS_ERR_OUTPUT &&
				      !strcmp(error.text, "cannot write to the output's directory: Permission denied")
			      ? AS_EXPECTED
			      : 1);
	}
	int ended;
	assert_int_equal(waitpid(child, &ended, 0), child);
	chmod(directory, 0755);
	assert_true(WIFEXITED(ended));
	if (WEXITSTATUS(ended) == NOT_TRIED)
		skip();
	assert_int_equal(WEXITSTATUS(ended), AS_EXPECTED);
}

/* Which descriptors are open, as a mask of the first 64. */
static uint64_t open_descriptors(void)
{
	uint64_t mask = 0;
	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			mask |= (uint64_t)1 << fd;
	return mask;
}

static void test_says_why_not(void **state)
{
	static const struct {
		const char *target, *text;
	} cases[] = {
		{"/dev/null/a.locus", "cannot write: Not a directory"},
		{"/dev/null", "cannot write: the output is not a regular file"},
		{"/no/such/directory/a.locus", "cannot write to the output's directory: No such file or directory"},
	};
	(void)state;
	uint64_t before = open_descriptors();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locus_error error = {.text = ""};
		assert_int_equal(write_sample(cases[i].target, &error), LOCUS_ERR_OUTPUT);
		assert_string_equal(error.text, cases[i].text);
	}
	assert_int_equal(open_descriptors(), before);
}

static void test_in_the_current_directory(void **state)
{
	char before[4096];
	struct stat info;
	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(write_sample("a.locus", NULL), LOCUS_OK);
	assert_int_equal(write_sample("./a.locus", NULL), LOCUS_OK);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(count_entries(), 1);
	unlink(path);
}

/* Temporary files of a process that had the same number and was killed: another name is taken, if there is one. */
static void test_names_that_are_taken(void **state)
{
	enum { FEW = 300, MANY = 2500 };
	char name[128];
	struct locus_error error;
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s/.locus-%ld-%u.tmp", directory, (long)getpid(), i);
		FILE *file = fopen(name, "w");
		assert_non_null(file);
		fclose(file);
		if (i == FEW) {
			assert_int_equal(write_sample(path, &error), LOCUS_OK);
			assert_int_equal(count_entries(), FEW + 2);
		}
	}
	uint64_t before = open_descriptors();
	assert_int_equal(write_sample(path, &error), LOCUS_ERR_OUTPUT);
	assert_string_equal(error.text, "cannot create the temporary file: File exists");
	assert_int_equal(open_descriptors(), before);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s/.locus-%ld-%u.tmp", directory, (long)getpid(), i);
		assert_int_equal(unlink(name), 0);
	}
	assert_int_equal(count_entries(), 1);
	unlink(path);
}

static void test_flushed_to_the_disk(void **state)
{
	struct locus_output output;
	(void)state;
	uint64_t before = open_descriptors();
	assert_int_equal(locus_output_init(&output, path, NULL), LOCUS_OK);
	assert_int_equal(count_entries(), 0);
	assert_int_equal(locus_output_create(&output, NULL), LOCUS_OK);
	assert_int_equal(locus_output_write(&output, "text", 4, NULL), LOCUS_OK);
	assert_int_equal(access(path, F_OK), -1);
	char *temporary = strdup(output.temporary);
	assert_int_equal(locus_output_commit(&output, true, NULL), LOCUS_OK);
	assert_int_equal(open_descriptors(), before);

	/* What has the number or the name of the temporary file from then on is another's. */
	int other = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(other >= 0);
	locus_output_done(&output);
	assert_int_equal(close(other), 0);
	assert_int_equal(unlink(temporary), 0);
	free(temporary);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(count_entries(), 1);
	unlink(path);
}

/* An output whose file was created and has some text. */
static struct locus_output begin(void)
{
	struct locus_output output;
	assert_int_equal(locus_output_init(&output, path, NULL), LOCUS_OK);
	assert_int_equal(locus_output_create(&output, NULL), LOCUS_OK);
	assert_int_equal(locus_output_write(&output, "text", 4, NULL), LOCUS_OK);
	return output;
}

/* What was begun and not finished leaves neither a file nor a descriptor. */
static void test_given_up(void **state)
{
	(void)state;
	uint64_t before = open_descriptors();
	struct locus_output output = begin();
	assert_int_equal(count_entries(), 1);
	locus_output_done(&output);
	assert_int_equal(count_entries(), 0);
	assert_int_equal(open_descriptors(), before);
}

/* ---- What the system refuses ---- */

/* Puts another file in place of the one that is written. */
static void write_to(struct locus_output *output, int fd)
{
	assert_int_equal(dup2(fd, output->fd), output->fd);
	close(fd);
}

static void test_a_full_disk(void **state)
{
	struct locus_error error;
	struct locus_output output = begin();
	(void)state;
	write_to(&output, open("/dev/full", O_WRONLY));
	assert_int_equal(locus_output_write(&output, "text", 4, &error), LOCUS_ERR_OUTPUT);
	assert_string_equal(error.text, "cannot write: No space left on device");
	locus_output_done(&output);
	assert_int_equal(count_entries(), 0);
}

/* Some file systems can flush nothing, and say so; what is lost otherwise is an error. */
static void test_what_cannot_be_flushed(void **state)
{
	struct locus_error error;
	struct locus_output output = begin();
	int ends[2];
	(void)state;
	assert_int_equal(pipe(ends), 0);
	write_to(&output, ends[1]);
	assert_int_equal(locus_output_commit(&output, true, NULL), LOCUS_OK);
	locus_output_done(&output);
	close(ends[0]);
	unlink(path);
	for (int sync = 0; sync < 2; sync++) {
		output = begin();
		close(output.fd);
		assert_int_equal(locus_output_commit(&output, sync, &error), LOCUS_ERR_OUTPUT);
		assert_string_equal(error.text, "cannot write: Bad file descriptor");
		locus_output_done(&output);
		assert_int_equal(count_entries(), 0);
	}
}

static void test_a_temporary_file_that_is_gone(void **state)
{
	struct locus_error error;
	struct locus_output output = begin();
	(void)state;
	unlink(output.temporary);
	assert_int_equal(locus_output_commit(&output, false, &error), LOCUS_ERR_OUTPUT);
	assert_string_equal(error.text, "cannot rename the temporary file: No such file or directory");
	locus_output_done(&output);
	assert_int_equal(count_entries(), 0);
}

static void interrupt(int number)
{
	(void)number;
}

/* Reads slowly what goes through a pipe: bytes that count up. */
static void *read_slowly(void *argument)
{
	const int *end = argument;
	uint8_t bytes[4096];
	size_t size = 0;
	for (ssize_t got; (got = read(*end, bytes, sizeof(bytes))) > 0; usleep(500))
		for (ssize_t i = 0; i < got; i++, size++)
			if (bytes[i] != (uint8_t)(size % 251))
				return NULL;
	return (void *)size;
}

/* Cuts bytes into parts of many sizes, one of them empty. */
static unsigned cut(uint8_t *bytes, size_t size, struct iovec *ret)
{
	unsigned count = 0;
	for (size_t from = 0, more; from < size; from += more) {
		more = count == 3 ? 0 : 1 + (size_t)count * count * 7;
		more = count == LOCUS_OUTPUT_PARTS_MAX - 1 || more > size - from ? size - from : more;
		ret[count++] = (struct iovec){bytes + from, more};
	}
	return count;
}

/* A signal may interrupt a write before or after some bytes are written: the others follow. */
static void test_interrupted_writes_go_on(void **state)
{
	enum { SIZE = 400000 };
	static uint8_t bytes[SIZE];
	const struct itimerval often = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = interrupt}, before;
	struct locus_output output = begin();
	sigset_t alarms;
	pthread_t reader;
	int ends[2];
	void *received;
	struct iovec parts[LOCUS_OUTPUT_PARTS_MAX];
	unsigned count = cut(bytes, SIZE, parts);
	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i % 251);
	assert_int_equal(pipe(ends), 0);
	write_to(&output, ends[1]);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL); /* for the thread that reads */
	assert_int_equal(pthread_create(&reader, NULL, read_slowly, &ends[0]), 0);
	sigaction(SIGALRM, &action, &before);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	enum locus_status status = locus_output_write_parts(&output, parts, count, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	locus_output_done(&output);
	pthread_join(reader, &received);
	close(ends[0]);
	assert_int_equal(status, LOCUS_OK);
	assert_int_equal((size_t)received, SIZE);
}

/* ---- What the writer refuses ---- */

static void test_refuses_wrong_tables(void **state)
{
	struct locus_writer_options options = {.level = 1, .block_size = 10};
	const uint64_t starts[] = {16, 16};
	const uint32_t contexts[] = {0, 0}, files[] = {0, 0}, lines[] = {1, 2};
	struct locus_block_context context = {.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 16};
	struct locus_block block = {2, starts, contexts, files, lines, 1, &context, NULL};
	struct locus_encoder *encoder;
	struct locus_encoded encoded;
	struct locus_error error;
	(void)state;
	assert_int_equal(locus_encoder_new(&options, &encoder, NULL), LOCUS_OK);
	assert_int_equal(locus_encoder_block(encoder, &block, &encoded, &error), LOCUS_ERR_USAGE);
	block.interval_count = 1;
	context.function = 0;
	assert_int_equal(locus_encoder_block(encoder, &block, &encoded, &error), LOCUS_ERR_USAGE);
	context.function = 1;
	context.start = 17;
	assert_int_equal(locus_encoder_block(encoder, &block, &encoded, &error), LOCUS_ERR_USAGE);
	context.start = 16;
	context.caller = 0;
	assert_int_equal(locus_encoder_block(encoder, &block, &encoded, &error), LOCUS_ERR_USAGE);
	context.caller = LOCUS_NO_CONTEXT;
	assert_int_equal(locus_encoder_block(encoder, &block, &encoded, &error), LOCUS_OK);
	locus_encoded_free(&encoded);
	locus_encoder_free(encoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaces_and_respects_the_umask),
		cmocka_unit_test(test_follows_a_link),
		cmocka_unit_test(test_never_replaces_a_device),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_unwritable_directory),
		cmocka_unit_test(test_says_why_not),
		cmocka_unit_test(test_in_the_current_directory),
		cmocka_unit_test(test_names_that_are_taken),
		cmocka_unit_test(test_flushed_to_the_disk),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_a_full_disk),
		cmocka_unit_test(test_what_cannot_be_flushed),
		cmocka_unit_test(test_a_temporary_file_that_is_gone),
		cmocka_unit_test(test_interrupted_writes_go_on),
		cmocka_unit_test(test_refuses_wrong_tables),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
