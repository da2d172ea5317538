/*
 * Most inputs are mapped as they are. A member of an archive is copied, because it may begin at any byte; files that
 * are compressed as a whole are unpacked into memory; and of very many split files, small ones are copied.
 */
#include "convert/input/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/member_path.h"
#include "base/path.h"
#include "convert/input/archive.h"
#include "convert/input/file_kind.h"
#include "convert/input/unpack.h"

/*
 * The bytes that a file takes on its disk: holes do not count, so that a file of holes gets a small budget. A
 * compressing file system may make that less than the content, too.
 */
static uint64_t stored_size(const struct stat *st)
{
	enum { BLOCK = 512, HONEST_RATIO = 16 };
	uint64_t size = (uint64_t)st->st_size, stored = (uint64_t)st->st_blocks * BLOCK;
	return stored && stored < size / HONEST_RATIO ? stored : size;
}

static enum locus_status check_regular(const struct stat *st, struct locus_error *error)
{
	if (S_ISREG(st->st_mode))
		return LOCUS_OK;
	return locus_fail(error, LOCUS_ERR_IO, "cannot read: %s",
			  S_ISDIR(st->st_mode) ? strerror(EISDIR) : "not a regular file");
}

/*
 * Opens a file, checking before and after that it is a regular one: a companion's name may lead to a pipe or a device,
 * where opening would wait or have an effect. -1: it failed.
 */
static int open_regular(const char *path, struct stat *ret, struct locus_error *error)
{
	if (stat(path, ret) == 0 && check_regular(ret, error) != LOCUS_OK)
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		locus_fail(error, LOCUS_ERR_IO, "%s", strerror(errno));
		return -1;
	}

	if (fstat(fd, ret) == 0) {
		if (check_regular(ret, error) == LOCUS_OK)
			return fd;
	} else {
		locus_fail_system(error, LOCUS_ERR_IO, "read");
	}
	close(fd);
	return -1;
}

/* Opens the file at `path` itself and maps it. */
static enum locus_status map_file(const char *path, struct file_bytes *ret, struct locus_error *error)
{
	struct stat st;
	int fd = open_regular(path, &st, error);
	if (fd < 0)
		return LOCUS_ERR_IO;
	enum locus_status status = LOCUS_OK;
	size_t size = (size_t)st.st_size;
	if ((off_t)size != st.st_size) {
		close(fd);
		return locus_fail(error, LOCUS_ERR_IO,
				  "cannot map: it is larger than all that a machine of %zu bits can address",
				  8 * sizeof(size));
	}

	/* The private mapping may be changed by relocations; the shared one shows the file as it lies on disk. */
	void *map = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	void *image = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	struct file_bytes bytes = {
		.data = map == MAP_FAILED ? NULL : map,
		.size = size,
		.image = image == MAP_FAILED ? NULL : image,
		.image_size = size,
		.map = image == MAP_FAILED ? NULL : image,
		.map_size = size,
		.is_mapped = true,
		.stored_size = stored_size(&st),
		.stat = st,
		.path = strdup(path),
	};

	if (!size)
		status = locus_fail(error, LOCUS_ERR_NOT_ELF, "%s", file_kind_text(NULL, 0));
	else if (!bytes.data || !bytes.image)
		status = locus_fail(error, LOCUS_ERR_IO, "cannot map: %s%s", strerror(errno),
				    errno == ENOMEM ? ": is ulimit -v, or for many files vm.max_map_count, too low?"
						    : "");
	else if (!bytes.path)
		status = locus_fail_memory(error);
	if (status == LOCUS_OK) {
		madvise(map, size, MADV_SEQUENTIAL);
		*ret = bytes;
	} else {
		file_bytes_done(&bytes);
	}
	close(fd);
	return status;
}

/* Replaces the archive by a copy of a member, which is `size` bytes of it. */
static enum locus_status take_member(struct file_bytes *bytes, const uint8_t *data, size_t size,
				     struct locus_error *error)
{
	if (!size)
		return locus_fail(error, LOCUS_ERR_NOT_ELF, "%s", file_kind_text(NULL, 0));
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return locus_fail_memory(error);
	memcpy(copy, data, size);
	bytes->image += data - bytes->data;
	bytes->image_size = size;
	munmap((void *)bytes->data, bytes->size);
	bytes->data = copy;
	bytes->size = bytes->stored_size = size;
	bytes->is_mapped = false;
	return LOCUS_OK;
}

/*
 * Unpacks the file. The output of compilers packs to a tenth, at most to a fortieth; a file that unpacks to much more
 * was made to, and is refused.
 */
static enum locus_status unpack(struct file_bytes *bytes, enum packed_file kind, struct locus_error *error)
{
	enum { UNPACKED_PER_BYTE = 64, UNPACKED_SPARE = 16 << 20 };
	uint8_t *data;
	size_t size;
	enum locus_status status = unpack_file(kind, bytes->data, bytes->size,
					       bytes->size * UNPACKED_PER_BYTE + UNPACKED_SPARE, &data, &size, error);
	if (status != LOCUS_OK)
		return status;
	munmap((void *)bytes->data, bytes->size);
	bytes->data = data;
	bytes->size = bytes->stored_size = size;
	bytes->is_mapped = false;
	return LOCUS_OK;
}

/* The parts of a path ARCHIVE(MEMBER) or ARCHIVE(MEMBER#N). The archive may also have a member called MEMBER#N. */
struct member_path {
	char *archive;    /* owned; NULL: the path has another form */
	char *member;     /* owned; all that is in the brackets */
	char *unnumbered; /* owned; the same without #N; NULL: it does not end so */
	unsigned long number;
};

static void member_path_done(struct member_path *path)
{
	free(path->archive);
	free(path->member);
	free(path->unnumbered);
}

/* Takes such a path apart. Only memory may be out; the parts are the caller's to free even then. */
static enum locus_status split_path(const char *path, struct member_path *ret, struct locus_error *error)
{
	size_t size = member_path_archive_size(path);
	*ret = (struct member_path){0};
	if (!size)
		return LOCUS_OK;
	ret->archive = strndup(path, size);
	ret->member = strndup(path + size + 1, strlen(path) - size - 2); /* without the brackets */
	if (!ret->archive || !ret->member)
		return locus_fail_memory(error);
	const char *hash = strrchr(ret->member, '#');
	char *end;
	ret->number = hash ? strtoul(hash + 1, &end, 10) : 0;
	if (!ret->number || *end)
		return LOCUS_OK;
	ret->unnumbered = strndup(ret->member, (size_t)(hash - ret->member));
	return ret->unnumbered ? LOCUS_OK : locus_fail_memory(error);
}

enum locus_status file_bytes_open_thin(const char *archive, const char *member, struct file_bytes *ret,
				       struct locus_error *error)
{
	char *directory = path_directory(archive);
	const char *parts[] = {directory, member};
	char *path = directory ? path_join(parts, 2) : NULL;
	struct locus_error why = {0};
	enum locus_status status = path ? map_file(path, ret, &why) : locus_fail_memory(&why);
	if (status != LOCUS_OK)
		locus_fail_at(error, status, why.offset, "%s, which the thin archive names: %s", member, why.text);
	free(path);
	free(directory);
	return status;
}

/* Finds the member that is the one with this number among those of its name. *ret_any is false if there is none. */
static enum locus_status search_member(const struct file_bytes *bytes, const char *name, unsigned long number,
				       struct archive_member *ret, bool *ret_any, struct locus_error *error)
{
	struct archive archive;
	enum locus_status status;
	archive_open(&archive, bytes->data, bytes->size);
	do {
		status = archive_next(&archive, ret, ret_any, error);
	} while (status == LOCUS_OK && *ret_any && (!archive_member_is(ret, name) || --number));
	return status;
}

/* Whether a member of this name is where it is thought to be. */
static bool is_member_at(const struct file_bytes *bytes, uint64_t header, const char *name, struct archive_member *ret)
{
	struct archive archive;
	return header && header < bytes->size && archive_open(&archive, bytes->data, bytes->size) &&
	       archive_member_at(&archive, header, name, ret);
}

/* Finds the member, and which of the path's two names it has. One that is called MEMBER#N is meant before others. */
static enum locus_status find_member(const struct file_bytes *bytes, const struct member_path *path, uint64_t header,
				     struct archive_member *ret, const char **ret_name, struct locus_error *error)
{
	const char *names[] = {path->member, path->unnumbered};
	struct archive archive;
	bool any = false;
	if (!archive_open(&archive, bytes->data, bytes->size))
		return locus_fail(error, LOCUS_ERR_IO, "there is no such file, and %s is no archive", path->archive);
	for (size_t i = 0; i < 2 && names[i]; i++) {
		*ret_name = names[i];
		if (is_member_at(bytes, header, names[i], ret))
			return LOCUS_OK;
	}
	for (size_t i = 0; i < 2 && names[i]; i++) {
		enum locus_status status = search_member(bytes, names[i], i ? path->number : 1, ret, &any, error);
		*ret_name = names[i];
		if (status != LOCUS_OK || any)
			return status;
	}
	return locus_fail(error, LOCUS_ERR_IO, "%s has no such member", path->archive);
}

static enum locus_status open_member(const struct member_path *path, uint64_t header, struct file_bytes *ret,
				     struct locus_error *error)
{
	struct archive_member member;
	struct file_bytes bytes = {0};
	const char *name = path->member;
	enum locus_status status = map_file(path->archive, &bytes, error);
	if (status == LOCUS_OK)
		status = find_member(&bytes, path, header, &member, &name, error);
	if (status == LOCUS_OK && member.data)
		status = take_member(&bytes, member.data, member.size, error);
	else if (status == LOCUS_OK)
		status = file_bytes_open_thin(path->archive, name, ret, error);

	if (status == LOCUS_OK && !bytes.is_mapped) {
		*ret = bytes;
		return LOCUS_OK;
	}
	file_bytes_done(&bytes);
	return status;
}

enum locus_status file_bytes_open(const char *path, uint64_t header, struct file_bytes *ret, struct locus_error *error)
{
	struct file_bytes bytes = {0};
	struct member_path member = {0};
	enum locus_status status = access(path, F_OK) != 0 ? split_path(path, &member, error) : LOCUS_OK;
	if (status == LOCUS_OK)
		status = member.archive ? open_member(&member, header, &bytes, error) : map_file(path, &bytes, error);
	member_path_done(&member);

	/* Whatever it is in, a file may be compressed as a whole. */
	enum packed_file kind = status == LOCUS_OK ? packed_file_kind(bytes.data, bytes.size) : NOT_PACKED;
	if (kind != NOT_PACKED)
		status = unpack(&bytes, kind, error);
	if (status == LOCUS_OK)
		*ret = bytes;
	else
		file_bytes_done(&bytes);
	return status;
}

/*
 * Linux lets a process have 65,530 mappings, if nobody raised that. Where half as many files are mapped, those of up to
 * COPIED_MAX bytes are copied: the kernel joins such mappings, which show no file, with each other.
 */
enum { MAPPED_MAX = 1 << 15, COPIED_MAX = 1 << 16 };

static atomic_size_t shared_count; /* files with one mapping that shows them */

/* Puts a copy of the file in the place of the private mapping. */
static enum locus_status copy_in_place(struct file_bytes *bytes, struct locus_error *error)
{
	const int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS;
	void *copy = mmap((void *)bytes->data, bytes->size, PROT_READ | PROT_WRITE, flags, -1, 0);
	bytes->is_mapped = false;
	if (copy == MAP_FAILED) {
		bytes->data = NULL; /* whether the mapping is still there is unknown */
		return locus_fail_memory(error);
	}
	memcpy(copy, bytes->map, bytes->size);
	return LOCUS_OK;
}

enum locus_status file_bytes_share(struct file_bytes *bytes, struct locus_error *error)
{
	if (!bytes->is_mapped || bytes->image != bytes->map)
		return LOCUS_OK;
	if (bytes->size > COPIED_MAX || atomic_load(&shared_count) < MAPPED_MAX) {
		atomic_fetch_add(&shared_count, 1);
	} else {
		enum locus_status status = copy_in_place(bytes, error);
		if (status != LOCUS_OK)
			return status;
	}
	munmap(bytes->map, bytes->map_size);
	bytes->map = NULL;
	bytes->image = bytes->data;
	return LOCUS_OK;
}

uint64_t file_bytes_counted(const struct file_bytes *bytes)
{
	enum { COUNTED_PER_BYTE = 4 };
	uint64_t most = COUNTED_PER_BYTE * (uint64_t)bytes->image_size;
	return bytes->stored_size < most ? bytes->stored_size : most;
}

void file_bytes_done(struct file_bytes *bytes)
{
	if (bytes->is_mapped && bytes->data && bytes->image == bytes->data) /* it was shared */
		atomic_fetch_sub(&shared_count, 1);
	if (bytes->data)
		munmap((void *)bytes->data, bytes->size);
	if (bytes->map)
		munmap(bytes->map, bytes->map_size);
	free(bytes->path);
	*bytes = (struct file_bytes){0};
}
