/* Outputs are replaced whole and keep their mode; of what is beside them only what killed runs left is removed. */
#include "cmd/store/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/toolkit_test.h"

static char folder[] = "/tmp/locus-staging-XXXXXX";

/* The path of NAME in the folder; valid until four more were asked for. */
static const char *at(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % COUNT_OF(paths)];
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

/* How often another run takes a folder for a leftover before it can be locked, and removes it. */
static int removals_to_come;

int flock(int fd, int operation)
{
	if (removals_to_come == 0)
		return (int)syscall(SYS_flock, fd, operation);
	char path[64], removed[PATH_MAX];
	removals_to_come--;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ssize_t size = readlink(path, removed, sizeof(removed) - 1);
	assert_true(size > 0);
	removed[size] = '\0';
	assert_int_equal(rmdir(removed), 0);
	errno = EWOULDBLOCK;
	return -1;
}

/* What somebody else makes a link to when the output's mode was just taken over, in its place. NULL: nothing. */
static const char *linked_meanwhile;

int chmod(const char *path, mode_t mode)
{
	int result = fchmodat(AT_FDCWD, path, mode, 0);
	if (!linked_meanwhile)
		return result;
	assert_int_equal(unlink(at("swapped")), 0);
	assert_int_equal(symlink(linked_meanwhile, at("swapped")), 0);
	linked_meanwhile = NULL;
	return result;
}

static void put_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), (ssize_t)size);
	close(fd);
}

static void expect_file(const char *path, const char *expected)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text) - 1), (ssize_t)strlen(expected));
	assert_string_equal(text, expected);
	close(fd);
}

static unsigned mode_of(const char *path)
{
	struct stat found;
	assert_int_equal(lstat(path, &found), 0);
	return found.st_mode & 07777;
}

static bool is_there(const char *path)
{
	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- Leftovers ---- */

static void put_leftover(const char *name)
{
	char path[PATH_MAX];
	assert_int_equal(mkdir(at(name), 0700), 0);
	snprintf(path, sizeof(path), "%s/out", at(name));
	put_file(path, "half", 4);
}

static void begin(const char *output)
{
	struct staging staging;
	assert_true(staging_init(&staging, output));
	staging_done(&staging);
}

static void what_killed_runs_left_is_removed(void **state)
{
	static const char *const others[] = {"in/.locus-abcde", "in/.locus-abcdefg", "in/.locuz-abcdef",
					     "in/locus-abcdefg"};
	(void)state;
	assert_int_equal(mkdir(at("in"), 0700), 0);
	put_leftover("in/.locus-abcdef");
	put_leftover("in/.locus-locked");
	put_file(at("in/.locus-a_file"), "", 0);
	for (size_t i = 0; i < COUNT_OF(others); i++)
		put_leftover(others[i]);
	int locked = open(at("in/.locus-locked"), O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(locked, LOCK_EX), 0);

	begin(at("in/output"));
	assert_false(is_there(at("in/.locus-abcdef")));
	assert_true(is_there(at("in/.locus-locked/out")));
	assert_true(is_there(at("in/.locus-a_file")));
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_true(is_there(at(others[i])));

	/* The folder was searched; it is searched again after another one was. */
	close(locked);
	begin(at("in/other"));
	assert_true(is_there(at("in/.locus-locked/out")));
	put_leftover(".locus-beside");
	begin(at("output"));
	assert_false(is_there(at(".locus-beside")));
	begin(at("in/other"));
	assert_false(is_there(at("in/.locus-locked")));
}

static void a_folder_that_another_run_removes_is_made_again(void **state)
{
	struct staging staging;
	(void)state;
	for (int removals = 9; removals <= 10; removals++) {
		removals_to_come = removals;
		assert_int_equal(staging_init(&staging, at("contended")), removals < 10);
		assert_int_equal(removals_to_come, 0);
		staging_done(&staging);
	}
}

static void an_output_without_a_folder_is_made_in_this_one(void **state)
{
	struct staging staging;
	char before[PATH_MAX];
	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(mkdir(at("here"), 0700), 0);
	put_leftover("here/.locus-abcdef");
	assert_int_equal(chdir(at("here")), 0);
	assert_true(staging_init(&staging, "output"));
	assert_false(is_there(".locus-abcdef"));
	assert_memory_equal(staging.path, ".locus-", strlen(".locus-"));
	put_file(staging.file, "new", 3);
	assert_true(staging_commit(&staging, "output"));
	staging_done(&staging);
	assert_false(is_there(staging.path));
	assert_int_equal(chdir(before), 0);
	expect_file(at("here/output"), "new");
}

/* ---- Where nothing can be made ---- */

static void what_is_no_file_is_not_replaced(void **state)
{
	struct staging staging;
	(void)state;
	assert_int_equal(mkdir(at("folder"), 0700), 0);
	assert_int_equal(mkfifo(at("pipe"), 0600), 0);
	assert_int_equal(symlink("/proc/self/fd/0", at("stream")), 0);
	static const struct {
		const char *name;
		int error;
	} cases[] = {{"folder", EISDIR}, {"pipe", EEXIST}, {"stream", EBUSY}};

	/* The link leads to standard input, which is a file here. */
	put_file(at("read"), "", 0);
	int kept = dup(STDIN_FILENO), file = open(at("read"), O_RDONLY);
	assert_true(kept >= 0 && file >= 0 && dup2(file, STDIN_FILENO) >= 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		errno = 0;
		assert_false(staging_init(&staging, at(cases[i].name)));
		assert_int_equal(errno, cases[i].error);
		staging_done(&staging);
	}
	dup2(kept, STDIN_FILENO);
	close(kept);
	close(file);
	assert_false(staging_init(&staging, at("absent/output")));
	assert_int_equal(errno, ENOENT);
	staging_done(&staging);
}

/* /tmp/x////...//output, so long that the path of the file in its directory just fits, and one byte longer. */
static void the_longest_paths(void **state)
{
	const size_t longest = PATH_MAX - sizeof("/out") - strlen(".locus-XXXXXX");
	(void)state;
	for (size_t size = longest; size <= longest + 1; size++) {
		struct staging staging;
		char path[PATH_MAX];
		memset(path, '/', size);
		memcpy(path, folder, strlen(folder));
		strcpy(path + size, "long");
		errno = 0;
		if (staging_init(&staging, path) != (size == longest))
			fail_msg("%zu bytes: %s", size, strerror(errno));
		if (size == longest)
			put_file(staging.file, "", 0);
		else
			assert_int_equal(errno, ENAMETOOLONG);
		staging_done(&staging);
	}
}

/* A user's folder may have a name like those, and what is in it is nobody's leftover; nor is one that is open to
 * others. */
static void a_folder_of_the_user_stays(void **state)
{
	(void)state;
	assert_int_equal(mkdir(at("mine"), 0700), 0);
	put_leftover("mine/.locus-backup");
	put_file(at("mine/.locus-backup/notes"), "precious", 8);
	assert_int_equal(mkdir(at("mine/.locus-config"), 0700), 0);
	assert_int_equal(chmod(at("mine/.locus-config"), 0755), 0); /* whatever the umask is */
	assert_int_equal(mkdir(at("mine/.locus-begins"), 0700), 0);
	put_leftover("mine/.locus-writes");
	put_file(at("mine/.locus-writes/.locus-123-0.tmp"), "half", 4);
	begin(at("mine/output"));
	expect_file(at("mine/.locus-backup/notes"), "precious");
	assert_true(is_there(at("mine/.locus-backup/out")));
	assert_true(is_there(at("mine/.locus-config")));
	assert_false(is_there(at("mine/.locus-begins")));
	assert_false(is_there(at("mine/.locus-writes")));
}

/* ---- Outputs ---- */

static void an_output_keeps_its_mode(void **state)
{
	struct staging staging;
	(void)state;
	put_file(at("target"), "target", 6);
	put_file(at("old"), "old", 3);
	assert_int_equal(chmod(at("old"), 04640), 0);
	assert_int_equal(symlink("target", at("link")), 0);
	static const struct {
		const char *name;
		unsigned mode;
	} cases[] = {{"old", 04640}, {"link", 0600}, {"new", 0600}};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_true(staging_init(&staging, at(cases[i].name)));
		put_file(staging.file, "whole", 5);
		assert_true(staging_commit(&staging, at(cases[i].name)));
		staging_done(&staging);
		assert_false(is_there(staging.path));
		expect_file(at(cases[i].name), "whole");
		assert_int_equal(mode_of(at(cases[i].name)), cases[i].mode);
	}
	expect_file(at("target"), "target");
}

/* A program of another user's never becomes one that runs as whoever made its copy. */
/* The umask is for the output alone. */
static void any_umask_leaves_room_for_the_output(void **state)
{
	static const mode_t masks[] = {0, 022, 077, 0177, 0777};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(masks); i++) {
		const char *output = at("masked");
		mode_t before = umask(masks[i]);
		struct staging staging;
		bool is_made = staging_init(&staging, output);
		int fd = is_made ? open(staging.file, O_WRONLY | O_CREAT, 0666) : -1;
		mode_t after = umask(before);
		assert_true(is_made && fd >= 0);
		assert_int_equal(after, masks[i]);
		assert_int_equal(mode_of(staging.path), 0700);
		assert_true(staging_commit(&staging, output));
		staging_done(&staging);
		close(fd);
		assert_int_equal(mode_of(output), 0666 & ~masks[i]);
		unlink(output);
	}
}

/* Where a file can be given away, which not everybody may do. */
static void an_output_keeps_its_owner(void **state)
{
	enum { OTHER = 12345 };
	struct staging staging;
	struct stat now;
	(void)state;
	put_file(at("theirs"), "old", 3);
	if (chown(at("theirs"), OTHER, OTHER) != 0)
		skip();
	assert_int_equal(chmod(at("theirs"), 06755), 0);
	assert_true(staging_init(&staging, at("theirs")));
	put_file(staging.file, "whole", 5);
	assert_int_equal(stat(at("theirs"), &now), 0);
	assert_true(staging_take_mode(&staging, &now)); /* as for an output elsewhere */
	assert_int_equal(mode_of(staging.file), 0755);
	assert_true(staging_commit(&staging, at("theirs")));
	staging_done(&staging);
	assert_int_equal(stat(at("theirs"), &now), 0);
	assert_int_equal(now.st_uid, OTHER);
	assert_int_equal(now.st_gid, OTHER);
	assert_int_equal(now.st_mode & 07777, 06755);

	/* Where the group alone is another one. */
	assert_int_equal(chown(at("theirs"), geteuid(), OTHER), 0);
	assert_int_equal(chmod(at("theirs"), 02755), 0);
	assert_true(staging_init(&staging, at("theirs")));
	put_file(staging.file, "whole", 5);
	assert_true(staging_commit(&staging, at("theirs")));
	staging_done(&staging);
	assert_int_equal(stat(at("theirs"), &now), 0);
	assert_int_equal(now.st_gid, OTHER);
	assert_int_equal(now.st_mode & 07777, 02755);
}

/* A file system may have none, and not everybody may set them, or give a file away. */
static void an_output_keeps_its_attributes(void **state)
{
	static const struct {
		const char *name, *value;
		size_t size;
	} cases[] = {
		{"user.note", "of a user", 9},
		{"user.none", "", 0},
		{"security.capability", "\1\0\0\2\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20}, /* to bind to low ports */
	};
	enum { OTHER = 12345 };
	struct staging staging;
	char value[64];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		put_file(at("noted"), "old", 3);
		if (chown(at("noted"), OTHER, OTHER) != 0)
			assert_true(errno == EPERM || errno == EINVAL); /* of numbers of users without a meaning here */
		if (setxattr(at("noted"), cases[i].name, cases[i].value, cases[i].size, 0) != 0)
			continue;
		assert_true(staging_init(&staging, at("noted")));
		put_file(staging.file, "whole", 5);
		assert_true(staging_commit(&staging, at("noted")));
		staging_done(&staging);
		expect_file(at("noted"), "whole");
		assert_int_equal(getxattr(at("noted"), cases[i].name, value, sizeof(value)), (ssize_t)cases[i].size);
		assert_memory_equal(value, cases[i].value, cases[i].size);
	}
}

/* As whoever may write to the folder could do it, to have capabilities for a program of theirs. */
static void an_output_has_no_attributes_of_what_a_link_leads_to(void **state)
{
	struct staging staging;
	(void)state;
	put_file(at("capable"), "other", 5);
	put_file(at("swapped"), "old", 3);
	if (setxattr(at("capable"), "user.note", "a", 1, 0) != 0)
		skip();
	assert_true(staging_init(&staging, at("swapped")));
	put_file(staging.file, "whole", 5);
	linked_meanwhile = at("capable");
	assert_true(staging_commit(&staging, at("swapped")));
	staging_done(&staging);
	expect_file(at("swapped"), "whole");
	expect_file(at("capable"), "other");
	assert_true(getxattr(at("swapped"), "user.note", NULL, 0) < 0);
}

/* The folder's access list for new files lets another user read and write what it was not said of. */
static void an_output_is_for_nobody_else_than_before(void **state)
{
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, rights;
			uint32_t id;
		} entries[5];
	} list = {2, {{1, 7, UINT32_MAX}, {2, 7, 12345}, {4, 5, UINT32_MAX}, {16, 7, UINT32_MAX}, {32, 5, UINT32_MAX}}};
	static const char access[] = "system.posix_acl_access";
	struct staging staging;
	(void)state;
	assert_int_equal(mkdir(at("shared"), 0755), 0);
	put_file(at("shared/private"), "old", 3);
	assert_int_equal(chmod(at("shared/private"), 0640), 0);
	if (setxattr(at("shared"), "system.posix_acl_default", &list, sizeof(list), 0) != 0)
		skip();
	assert_true(staging_init(&staging, at("shared/private")));
	put_file(staging.file, "whole", 5);
	assert_true(getxattr(staging.file, access, NULL, 0) > 0);
	assert_true(staging_commit(&staging, at("shared/private")));
	staging_done(&staging);
	expect_file(at("shared/private"), "whole");
	assert_int_equal(mode_of(at("shared/private")), 0640);
	assert_true(getxattr(at("shared/private"), access, NULL, 0) < 0);
}

static void without_a_file_the_output_stays(void **state)
{
	struct staging staging;
	(void)state;
	put_file(at("stays"), "old", 3);
	assert_true(staging_init(&staging, at("stays")));
	assert_false(staging_commit(&staging, at("stays")));
	assert_false(staging_commit(&staging, at("none")));
	staging_done(&staging);
	expect_file(at("stays"), "old");
	assert_false(is_there(at("none")));
}

static void the_same_bytes_are_known(void **state)
{
	enum { PIECE = 1 << 16 };
	static const struct {
		size_t made, there;
		size_t differs; /* where one byte does; SIZE_MAX: nowhere */
		bool same;
	} cases[] = {
		{0, 0, SIZE_MAX, true},
		{5, 5, SIZE_MAX, true},
		{5, 5, 0, false},
		{5, 5, 4, false},
		{5, 6, SIZE_MAX, false},
		{6, 5, SIZE_MAX, false},
		{PIECE, PIECE, SIZE_MAX, true},
		{PIECE + 9, PIECE + 9, SIZE_MAX, true},
		{PIECE + 9, PIECE + 9, PIECE - 1, false},
		{PIECE + 9, PIECE + 9, PIECE + 8, false},
	};
	static char bytes[PIECE + 9];
	struct staging staging;
	(void)state;
	assert_true(staging_init(&staging, at("same")));
	assert_false(staging_is_same(&staging, at("same")));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		put_file(staging.file, bytes, cases[i].made);
		if (cases[i].differs != SIZE_MAX)
			bytes[cases[i].differs] = 1;
		put_file(at("same"), bytes, cases[i].there);
		if (cases[i].differs != SIZE_MAX)
			bytes[cases[i].differs] = 0;
		if (staging_is_same(&staging, at("same")) != cases[i].same)
			fail_msg("case %zu", i);
	}
	put_file(staging.file, "", 0);
	assert_false(staging_is_same(&staging, at("absent")));
	assert_false(staging_is_same(&staging, folder));
	assert_int_equal(mkfifo(at("another-pipe"), 0600), 0);
	assert_false(staging_is_same(&staging, at("another-pipe")));
	staging_done(&staging);
}

static int count_descriptors(void)
{
	int count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static int first_count;

static int set_up(void **state)
{
	(void)state;
	umask(0077);
	first_count = count_descriptors();
	return mkdtemp(folder) ? 0 : -1;
}

/* ---- Signals ---- */

static void be_stopped(const char *output, bool is_ended_before)
{
	static struct staging staging;
	struct sigaction now;
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	signal(SIGTERM, SIG_DFL);
	if (!staging_init_guarded(&staging, output))
		_exit(1);
	put_file(staging.file, "half", 4);
	if (is_ended_before) {
		staging_done(&staging);
		sigaction(SIGTERM, NULL, &now);
		if (now.sa_handler != SIG_DFL)
			_exit(2);
	}
	raise(SIGTERM);
	_exit(3);
}

static void a_signal_removes_what_is_guarded(void **state)
{
	(void)state;
	assert_int_equal(mkdir(at("guarded"), 0700), 0);
	for (int is_ended_before = 0; is_ended_before < 2; is_ended_before++) {
		int status;
		fflush(NULL);
		pid_t pid = fork();
		if (pid == 0)
			be_stopped(at("guarded/out"), is_ended_before);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : -status, SIGTERM);
		assert_int_equal(rmdir(at("guarded")), 0); /* nothing is in it */
		assert_int_equal(mkdir(at("guarded"), 0700), 0);
	}
	assert_int_equal(rmdir(at("guarded")), 0);
}

/* Ends by exit, after a child that does so, too: what the parent has made is not the child's to remove. */
static void be_ended(const char *output)
{
	static struct staging staging;
	int status = 0;
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	if (!staging_init_guarded(&staging, output))
		_exit(1);
	put_file(staging.file, "half", 4);
	pid_t pid = fork();
	if (pid == 0)
		exit(0);
	if (waitpid(pid, &status, 0) != pid || access(staging.file, F_OK) != 0)
		_exit(2);
	exit(3);
}

static void an_exit_removes_what_is_guarded(void **state)
{
	int status;
	(void)state;
	assert_int_equal(mkdir(at("guarded"), 0700), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		be_ended(at("guarded/out"));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_int_equal(rmdir(at("guarded")), 0); /* nothing is in it */
}

/* By any of the tests before. */
static void no_descriptor_was_left_open(void **state)
{
	(void)state;
	assert_int_equal(count_descriptors(), first_count);
}

static int tear_down(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_killed_runs_left_is_removed),
		cmocka_unit_test(a_folder_of_the_user_stays),
		cmocka_unit_test(a_folder_that_another_run_removes_is_made_again),
		cmocka_unit_test(an_output_without_a_folder_is_made_in_this_one),
		cmocka_unit_test(what_is_no_file_is_not_replaced),
		cmocka_unit_test(the_longest_paths),
		cmocka_unit_test(an_output_keeps_its_mode),
		cmocka_unit_test(any_umask_leaves_room_for_the_output),
		cmocka_unit_test(an_output_keeps_its_owner),
		cmocka_unit_test(an_output_keeps_its_attributes),
		cmocka_unit_test(an_output_has_no_attributes_of_what_a_link_leads_to),
		cmocka_unit_test(an_output_is_for_nobody_else_than_before),
		cmocka_unit_test(without_a_file_the_output_stays),
		cmocka_unit_test(the_same_bytes_are_known),
		cmocka_unit_test(a_signal_removes_what_is_guarded),
		cmocka_unit_test(an_exit_removes_what_is_guarded),
		cmocka_unit_test(no_descriptor_was_left_open),
	};
	return cmocka_run_group_tests_name("staging", tests, set_up, tear_down);
}
