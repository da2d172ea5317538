/* The bytes of an input: of a file, of one that is compressed as a whole, or of a member of an archive. */
#ifndef LOCUS_FILE_BYTES_H
#define LOCUS_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "spec/status.h"

struct file_bytes {
	const uint8_t *data; /* page-aligned; private, so that it may be made writable */
	size_t size;
	const uint8_t *image; /* the file, or the archive's member, as it lies on disk: packed, without changes */
	size_t image_size;
	void *map; /* the whole file that was opened, which `image` lies in; NULL: it lies in `data` */
	size_t map_size;
	bool is_mapped;       /* `data` is the mapped file: pages that are given back come back when read */
	uint64_t stored_size; /* the bytes that the file takes on its disk, or its size if that is not much more */
	struct stat stat;     /* of the file that was opened */
	char *path; /* the path of that file: of the archive or, in a thin one, of the member; owned; NULL: none */
};

/*
 * Opens `path`, a regular file; or, where there is no such file, ARCHIVE(MEMBER), the first member of that name, or
 * ARCHIVE(MEMBER#N), the N-th of them. `header`: where the member's header is thought to be in the archive; if none of
 * that name is there, or it is 0, the member is searched for. What is compressed as a whole is unpacked. LOCUS_ERR_IO;
 * LOCUS_ERR_NOT_ELF: empty; LOCUS_ERR_BAD_ELF: an archive, or compressed bytes, that are damaged. Freed by
 * file_bytes_done.
 */
enum locus_status file_bytes_open(const char *path, uint64_t header, struct file_bytes *ret, struct locus_error *error);

/*
 * Gives up the mapping of the file as it lies on disk where the private one shows the same: for a file of which nothing
 * will be changed. A system limits the number of mappings, and of split files there may be tens of thousands: small
 * ones have none in the end. `data` stays where it is. LOCUS_ERR_MEMORY: then only file_bytes_done may follow.
 */
enum locus_status file_bytes_share(struct file_bytes *bytes, struct locus_error *error);

/*
 * What the input counts for, where what it may cost depends on its size. One that is compressed as a whole counts for
 * four times its packed bytes at most: so what was made to unpack far gets little, and what a compiler wrote enough.
 */
uint64_t file_bytes_counted(const struct file_bytes *bytes);

/* Safe on a zeroed struct. */
void file_bytes_done(struct file_bytes *bytes);

/* Opens the file that is a member of the thin archive at `archive`: its path counts from there. Else as above. */
enum locus_status file_bytes_open_thin(const char *archive, const char *member, struct file_bytes *ret,
				       struct locus_error *error);

#endif
