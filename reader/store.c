/* Files by build-id, in a directory as `locus convert --store` keeps them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hex_text.h"
#include "reader/locus.h"

enum { BUILD_ID_MAX = 64 }; /* bytes: linkers make 8 to 32 */

/* STORE/buildid/HEX/locus, malloc'd; NULL: out of memory. */
static char *path_in(const char *store, const uint8_t *build_id, size_t size)
{
	static const char folder[] = "/buildid/", name[] = "/locus";
	char *path = malloc(strlen(store) + sizeof(folder) + 2 * size + sizeof(name));
	if (!path)
		return NULL;
	char *hex = path + sprintf(path, "%s%s", store, folder);
	memcpy(hex_text(build_id, size, hex), name, sizeof(name));
	return path;
}

static bool has_build_id(struct locus *locus, const uint8_t *build_id, size_t size, enum locus_status *ret_status,
			 struct locus_error *error)
{
	const struct locus_info *info;
	*ret_status = locus_info(locus, &info, error);
	return *ret_status == LOCUS_OK && info->build_id.size == size &&
	       memcmp(info->build_id.data, build_id, size) == 0;
}

enum locus_status locus_open_in_store(const char *store, const uint8_t *build_id, size_t build_id_size,
				      const struct locus_open_options *options, struct locus **ret,
				      struct locus_error *error)
{
	struct locus *locus;
	if (!build_id_size || build_id_size > BUILD_ID_MAX)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET, "a build-id has 1 to %d bytes, not %zu",
				     BUILD_ID_MAX, build_id_size);

	char *path = path_in(store, build_id, build_id_size);
	if (!path)
		return locus_fail_memory(error);
	enum locus_status status = locus_open(path, options, &locus, error);
	free(path);
	if (status != LOCUS_OK)
		return status;
	if (has_build_id(locus, build_id, build_id_size, &status, error)) {
		*ret = locus;
		return LOCUS_OK;
	}

	locus_close(locus);
	return status != LOCUS_OK ? status
				  : locus_fail_at(error, LOCUS_ERR_COMPANION, LOCUS_NO_OFFSET,
						  "what the store has for this build-id is of another program");
}
