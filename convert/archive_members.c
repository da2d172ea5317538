/* The members of an archive, for who converts them one by one. */
#include "convert/elf/file_bytes.h"
#include "convert/locus_convert.h"

enum locus_status locus_archive_members(const char *path, locus_archive_member *tell, void *context,
					bool *ret_is_archive, struct locus_error *error)
{
	return file_bytes_members(path, tell, context, ret_is_archive, error);
}
