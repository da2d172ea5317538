/* A store of .locus files by build-id. Content decides all names in it, so that it needs neither a lock nor an index.
 */
#include "cmd/jobs/symbol_store.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/common/memory.h"
#include "cmd/jobs/converter.h"
#include "reader/locus.h"
#include "spec/version.h"

bool store_is_build_id(const char *text)
{
	size_t size = strspn(text, "0123456789abcdefABCDEF");

	return size && !text[size] && size % 2 == 0 && size <= STORE_HEX_MAX;
}

static void put_hex(const uint8_t *bytes, size_t size, char *hex)
{
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
}

bool store_read_build_id(const char *path, char hex[STORE_HEX_MAX + 1])
{
	uint8_t bytes[STORE_HEX_MAX / 2];
	size_t size = sizeof(bytes);

	if (!converter()->elf_build_id(path, bytes, &size))
		return false;
	put_hex(bytes, size, hex);
	return true;
}

char *store_path(const char *store, const char *hex)
{
	char *path;

	if (asprintf(&path, "%s/buildid/%s/locus", store, hex) < 0)
		path = memory_checked(NULL);
	for (char *at = path + strlen(store); *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return path;
}

bool store_make_folders(const char *store, const char *path)
{
	char folder[PATH_MAX];

	if (mkdir(store, 0777) != 0 && errno != EEXIST)
		return false;
	for (const char *slash = strchr(path + strlen(store) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		if (snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path) >= (int)sizeof(folder)) {
			errno = ENAMETOOLONG;
			return false;
		}
		if (mkdir(folder, 0777) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

static bool is_made_of(const struct locus_info *info, const char *hex, uint64_t size)
{
	static const char tool[] = "locus " LOCUS_VERSION;
	char made_of[STORE_HEX_MAX + 1] = "";

	if (info->build_id.size <= STORE_HEX_MAX / 2)
		put_hex((const uint8_t *)info->build_id.data, info->build_id.size, made_of);
	return strcmp(made_of, hex) == 0 && info->input_count && info->inputs[0].size == size &&
	       info->tool.size == sizeof(tool) - 1 && memcmp(info->tool.data, tool, sizeof(tool) - 1) == 0 &&
	       info->rules_epoch == *converter()->rules_epoch && !info->options.size;
}

bool store_is_fresh(const char *output, const char *input, const char *hex, const struct locus_convert_options *options)
{
	const struct locus_info *info;
	struct locus *locus;
	struct stat found;

	if (options->prefix_map_count || stat(input, &found) != 0 || locus_open(output, NULL, &locus, NULL) != LOCUS_OK)
		return false;
	bool is_fresh = locus_info(locus, &info, NULL) == LOCUS_OK && is_made_of(info, hex, (uint64_t)found.st_size);
	locus_close(locus);
	return is_fresh;
}
