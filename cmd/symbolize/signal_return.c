/* Knows the place by its name, or by its instructions, which are always the same, as debuggers do. */
#include "cmd/symbolize/signal_return.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/memory.h"
#include "cmd/common/page_size.h"
#include "cmd/common/string_compare.h"
#include "cmd/modules/symbol_file.h"

bool signal_return_is_name(struct locus_string name)
{
	static const char *const names[] = {
		"__restore_rt",           "__restore",           "__kernel_rt_sigreturn", "__kernel_sigreturn",
		"__kernel_sigtramp_rt64", "__vdso_rt_sigreturn", "__default_sa_restorer", "__default_rt_sa_restorer",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (string_is(name, names[i]))
			return true;
	return false;
}

enum { FILES_MAX = 8, KNOWN_MAX = 256 };

#define NOWHERE UINT64_MAX

struct known_position {
	uint64_t position;
	bool is_known, is_return;
};

/* A file, and what it has at the positions that were asked for last. */
struct looked_into {
	bool is_searched;                       /* for the first such code in it, which is at `first` */
	uint64_t first;                         /* NOWHERE: it has none */
	char *path;                             /* NULL: none yet */
	int fd;                                 /* -1: there is no such file */
	struct known_position known[KNOWN_MAX]; /* by position % KNOWN_MAX */
};

struct signal_returns {
	struct looked_into files[FILES_MAX];
	size_t last; /* index of the file that was asked for last */
	size_t next; /* index of the file that gives way to the next one */
};

struct signal_returns *signal_returns_new(void)
{
	return memory_checked(calloc(1, sizeof(struct signal_returns)));
}

static void forget(struct looked_into *file)
{
	if (file->path && file->fd >= 0)
		close(file->fd);
	free(file->path);
}

void signal_returns_free(struct signal_returns *returns)
{
	for (size_t i = 0; i < FILES_MAX; i++)
		forget(&returns->files[i]);
	free(returns);
}

/* Finds the file, or opens it in the place of the one that was opened first. */
static struct looked_into *find_file(struct signal_returns *returns, struct locus_string path)
{
	struct looked_into *file;

	for (size_t i = 0; i < FILES_MAX; i++) {
		size_t at = (returns->last + i) % FILES_MAX;
		file = &returns->files[at];
		if (file->path && string_is(path, file->path)) {
			returns->last = at;
			return file;
		}
	}
	returns->last = returns->next;
	returns->next = (returns->next + 1) % FILES_MAX;
	file = &returns->files[returns->last];
	forget(file);
	memset(file, 0, sizeof(*file));
	file->path = memory_checked(strndup(path.data, path.size));
	file->fd = is_regular_file(file->path) ? open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	return file;
}

/* mov $15, %rax; syscall */
static const unsigned char return_code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

static bool has_return(const struct looked_into *file, uint64_t position)
{
	unsigned char found[sizeof(return_code)];

	return position <= INT64_MAX && pread(file->fd, found, sizeof(found), (off_t)position) == sizeof(found) &&
	       memcmp(found, return_code, sizeof(found)) == 0;
}

/* The position of the first such code in the file, or NOWHERE. */
static uint64_t search(const struct looked_into *file)
{
	unsigned char *bytes = memory_checked(malloc(SIGNAL_RETURN_SEARCHED));
	ssize_t size = pread(file->fd, bytes, SIGNAL_RETURN_SEARCHED, 0);
	unsigned char *found = size > 0 ? memmem(bytes, (size_t)size, return_code, sizeof(return_code)) : NULL;
	uint64_t position = found ? (uint64_t)(found - bytes) : NOWHERE;

	free(bytes);
	return position;
}

bool signal_return_is_at(struct signal_returns *returns, struct locus_string path, uint64_t position)
{
	struct looked_into *file = path.size ? find_file(returns, path) : NULL;
	struct known_position *known;

	if (!file || file->fd < 0)
		return false;
	known = &file->known[position % KNOWN_MAX];
	if (!known->is_known || known->position != position)
		*known = (struct known_position){position, true, has_return(file, position)};
	return known->is_return;
}

bool signal_return_is_in_page(struct signal_returns *returns, struct locus_string path, uint64_t place)
{
	struct looked_into *file = path.size ? find_file(returns, path) : NULL;

	if (!file || file->fd < 0)
		return false;
	if (!file->is_searched)
		file->first = search(file);
	file->is_searched = true;
	return file->first != NOWHERE && file->first % PAGE_SIZE_MIN == place;
}
