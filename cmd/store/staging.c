/* The directory is on the same file system as the output, so that its file can be renamed into place. */
#include "cmd/store/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cmd/common/stop_signals.h"
#include "cmd/common/suffix.h"

#define PREFIX ".locus-"

enum { RANDOM_SIZE = 6, TRIES = 10 };

static const struct staging *volatile guarded; /* what a signal or an exit removes; NULL: nothing */
static struct stop_signals before_guard;
static pid_t guard; /* the process that does; its children may exit, too */

static bool is_name(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && strlen(name) == strlen(PREFIX) + RANDOM_SIZE;
}

/* Whether it has the mode that make_folder gives it: a user's may have a name like these. */
static bool is_private(mode_t mode)
{
	return (mode & 0777) == 0700;
}

bool staging_may_be(const char *name, mode_t mode)
{
	return is_name(name) && is_private(mode);
}

/* Whether the path is a link to what a standard stream is, as /dev/stdout: it is the stream that was meant. */
static bool is_link_to_stream(const char *path, const struct stat *existing)
{
	struct stat link, stream;

	if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode))
		return false;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &stream) == 0 && stream.st_dev == existing->st_dev && stream.st_ino == existing->st_ino)
			return true;
	return false;
}

/* Why an output may not take the place of what is there, as an errno; 0: it may. */
static int refusal(const char *path)
{
	struct stat existing;

	if (stat(path, &existing) != 0)
		return 0;
	if (S_ISDIR(existing.st_mode))
		return EISDIR;
	if (is_link_to_stream(path, &existing))
		return EBUSY;
	return S_ISREG(existing.st_mode) ? 0 : EEXIST;
}

const char *staging_problem(int error)
{
	return error == EEXIST   ? "exists and is not a regular file"
	       : error == EBUSY  ? "leads to a standard stream, which no file can replace: name a file"
	       : error == ENOENT ? "its folder does not exist"
				 : strerror(error);
}

/* Whether a process that was killed may have left a file of this name: what it made, or what it was about to make. */
static bool is_made_here(const char *name)
{
	return strcmp(name, "out") == 0 || (strncmp(name, PREFIX, strlen(PREFIX)) == 0 && has_suffix(name, ".tmp"));
}

/* Whether the folder is as make_folder makes it, and has nothing else in it. */
static bool is_leftover(DIR *directory)
{
	const struct dirent *entry;
	struct stat folder;
	bool is_ours = fstat(dirfd(directory), &folder) == 0 && is_private(folder.st_mode);

	while (is_ours && (entry = readdir(directory)) != NULL)
		is_ours = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			  is_made_here(entry->d_name);
	rewinddir(directory);
	return is_ours;
}

static void remove_files(DIR *directory)
{
	struct dirent *entry;

	while ((entry = readdir(directory)) != NULL)
		unlinkat(dirfd(directory), entry->d_name, 0); /* which removes no folder, as . and .. are */
}

/* Removes the folder if its maker is gone, and so no process has it locked. Without support for locks it stays. */
static void remove_leftover(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	DIR *directory = flock(fd, LOCK_EX | LOCK_NB) == 0 ? fdopendir(fd) : NULL;
	if (!directory) {
		close(fd);
		return;
	}
	if (is_leftover(directory)) {
		remove_files(directory);
		unlinkat(parent, name, AT_REMOVEDIR);
	}
	closedir(directory);
}

/* The size of the path of the output's folder, its last slash included; 0: this folder. */
static int parent_size_of(const char *output)
{
	const char *slash = strrchr(output, '/');

	return slash ? (int)(slash - output + 1) : 0;
}

void staging_remove_leftovers(const char *output)
{
	static struct stat last;
	int parent_size = parent_size_of(output);
	char parent[PATH_MAX];
	struct dirent *entry;
	struct stat folder;

	snprintf(parent, sizeof(parent), "%.*s", parent_size ? parent_size : 2, parent_size ? output : "./");
	if (stat(parent, &folder) != 0 || (folder.st_dev == last.st_dev && folder.st_ino == last.st_ino))
		return;
	last = folder;
	DIR *directory = opendir(parent);
	while (directory && (entry = readdir(directory)) != NULL)
		if (is_name(entry->d_name))
			remove_leftover(dirfd(directory), entry->d_name);
	if (directory)
		closedir(directory);
}

/* mkdtemp, of which the umask takes nothing away: some take what the owner needs to enter a folder. */
static bool make_private(char *path)
{
	mode_t before = umask(077);
	bool is_made = mkdtemp(path);

	umask(before);
	return is_made;
}

/*
 * Makes the folder and locks it for as long as this process or its child runs. Another run may take it for a leftover
 * before it is locked, and lock or remove it: *ret_again then.
 */
static DIR *make_folder(char *path, bool *ret_again)
{
	struct stat folder;

	*ret_again = false;
	if (!make_private(path))
		return NULL;
	DIR *directory = opendir(path);
	if (!directory) {
		int error = errno;
		*ret_again = error == ENOENT;
		rmdir(path);
		errno = error;
		return NULL;
	}
	bool is_taken = flock(dirfd(directory), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (!is_taken && fstat(dirfd(directory), &folder) == 0 && folder.st_nlink > 0)
		return directory;
	closedir(directory);
	*ret_again = true;
	return NULL;
}

bool staging_init(struct staging *staging, const char *output)
{
	int parent_size = parent_size_of(output);
	bool again = true;

	staging->directory = NULL;
	/* A rename would replace /dev/null by a file, and so a link as /dev/stdout where that leads to a file. */
	int why_not = refusal(output);
	if (why_not) {
		errno = why_not;
		return false;
	}
	staging_remove_leftovers(output);
	for (int i = 0; i < TRIES && again; i++) {
		int size = snprintf(staging->path, sizeof(staging->path), "%.*s" PREFIX "XXXXXX", parent_size, output);
		if (size + sizeof("/out") > sizeof(staging->path)) {
			errno = ENAMETOOLONG;
			return false;
		}
		staging->directory = make_folder(staging->path, &again);
	}
	if (staging->directory)
		strcat(strcpy(staging->file, staging->path), "/out");
	return staging->directory != NULL;
}

static void remove_guarded(int number)
{
	unlink(guarded->file);
	rmdir(guarded->path);
	stop_signals_restore(&before_guard);
	stop_signals_take_course(number);
}

/* Where memory is out, the command exits from wherever it is. */
static void remove_at_exit(void)
{
	if (!guarded || getpid() != guard)
		return;
	unlink(guarded->file);
	rmdir(guarded->path);
}

bool staging_init_guarded(struct staging *staging, const char *output)
{
	sigset_t before;

	stop_signals_hold(&before);
	bool is_made = staging_init(staging, output);
	int error = errno;
	if (is_made) {
		if (!guard)
			atexit(remove_at_exit);
		guard = getpid();
		guarded = staging;
		stop_signals_catch(remove_guarded, &before_guard);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return is_made;
}

bool staging_take_mode(const struct staging *staging, const struct stat *like)
{
	mode_t mode = like->st_mode & 07777;
	struct stat made;

	if (stat(staging->file, &made) != 0)
		return false;
	if (made.st_uid != like->st_uid || made.st_gid != like->st_gid)
		mode &= ~(mode_t)(S_ISUID | S_ISGID);
	return chmod(staging->file, mode) == 0;
}

/* Whether the kernel keeps it of a file's bytes, which are others now. */
static bool is_of_bytes(const char *attribute)
{
	return strcmp(attribute, "security.ima") == 0 || strcmp(attribute, "security.evm") == 0;
}

/*
 * Gives the new file the extended attributes of `output`, which it replaces: access lists, labels, a program's
 * capabilities, and what users have noted. What its maker may not set is left out. If somebody has put a link in the
 * place of `output` since it was looked at, what that leads to must not lend its capabilities.
 */
static void take_attributes(const struct staging *staging, const char *output)
{
	char names[XATTR_LIST_MAX], value[XATTR_SIZE_MAX];
	ssize_t size = llistxattr(output, names, sizeof(names)), value_size;

	/* A new file has the folder's access list for new files; the one that it replaces may be for fewer people. */
	(void)!removexattr(staging->file, "system.posix_acl_access");
	for (ssize_t at = 0; at < size; at += (ssize_t)strlen(&names[at]) + 1)
		if (!is_of_bytes(&names[at]) && (value_size = lgetxattr(output, &names[at], value, sizeof(value))) >= 0)
			(void)!setxattr(staging->file, &names[at], value, (size_t)value_size, 0);
}

/*
 * Gives the new file the owner, too, of the one that it replaces, if it may have another one than its maker. A change
 * of owner takes capabilities from a file, so these come last.
 */
static bool take_rights(const struct staging *staging, const char *output, const struct stat *replaced)
{
	struct stat made;

	if (stat(staging->file, &made) != 0)
		return false;
	if (made.st_uid != replaced->st_uid || made.st_gid != replaced->st_gid)
		(void)!chown(staging->file, replaced->st_uid, replaced->st_gid);
	if (!staging_take_mode(staging, replaced))
		return false;
	take_attributes(staging, output);
	return true;
}

/*
 * The new file gets the rights of the one that it replaces; a link has none of its own. The two change places, and the
 * old one goes with the directory: when a file is renamed onto another, ext4 at once begins to write it to the disk,
 * which can take 20 ms for 3 MB. Not all file systems can exchange files.
 */
bool staging_commit(const struct staging *staging, const char *output)
{
	struct stat existing;

	if (lstat(output, &existing) == 0 && S_ISREG(existing.st_mode)) {
		if (!take_rights(staging, output, &existing))
			return false;
		if (renameat2(AT_FDCWD, staging->file, AT_FDCWD, output, RENAME_EXCHANGE) == 0)
			return true;
	}
	return rename(staging->file, output) == 0;
}

static bool same_bytes(int a, int b)
{
	char bytes_a[1 << 16], bytes_b[sizeof(bytes_a)];
	ssize_t size_a, size_b;

	do {
		size_a = read(a, bytes_a, sizeof(bytes_a));
		size_b = read(b, bytes_b, sizeof(bytes_b));
		if (size_a < 0 || size_a != size_b || memcmp(bytes_a, bytes_b, (size_t)size_a) != 0)
			return false;
	} while (size_a > 0);
	return true;
}

bool staging_is_same(const struct staging *staging, const char *output)
{
	int a = open(staging->file, O_RDONLY | O_CLOEXEC), b = open(output, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat file_a, file_b;
	bool is_same = fstat(a, &file_a) == 0 && fstat(b, &file_b) == 0 && S_ISREG(file_b.st_mode) &&
		       file_a.st_size == file_b.st_size && same_bytes(a, b);

	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return is_same;
}

void staging_done(struct staging *staging)
{
	if (!staging->directory)
		return;
	remove_files(staging->directory);
	closedir(staging->directory);
	rmdir(staging->path);
	staging->directory = NULL;
	if (guarded == staging) {
		stop_signals_restore(&before_guard);
		guarded = NULL;
	}
}
