/* All names in a store follow from the content, so that it needs neither a lock nor an index. */
#include "cmd/store/symbol_store.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex_text.h"
#include "cmd/common/folders.h"
#include "cmd/common/memory.h"
#include "cmd/conversion/converter.h"
#include "reader/locus.h"

bool store_is_build_id(const char *text)
{
	size_t size = strspn(text, "0123456789abcdefABCDEF");

	return size && !text[size] && size % 2 == 0 && size <= STORE_HEX_MAX;
}

enum locus_status store_read_build_id(const char *path, char hex[STORE_HEX_MAX + 1], struct locus_error *error)
{
	uint8_t bytes[STORE_HEX_MAX / 2];
	size_t size = sizeof(bytes);
	enum locus_status status = converter_build_id(path, bytes, &size, error);

	if (status == LOCUS_OK)
		hex_text(bytes, size, hex);
	return status;
}

char *store_path(const char *store, const char *hex)
{
	char *path = memory_text("%s/buildid/%s/locus", store, hex);

	for (char *at = path + strlen(store); *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return path;
}

const char *store_folder_id(const char *path, size_t size, size_t *ret_size)
{
	static const char parent[] = "buildid/";
	const size_t parent_size = strlen(parent);
	const char *end = path + size, *id = end;

	while (id > path && strchr("0123456789abcdef", id[-1]))
		id--;
	const char *from = (size_t)(id - path) >= parent_size ? id - parent_size : NULL;
	if (id == end || !from || memcmp(from, parent, parent_size) != 0 || (from > path && from[-1] != '/'))
		return NULL;
	*ret_size = (size_t)(end - id);
	return id;
}

const char *store_file_id(const char *path, size_t *ret_size)
{
	const char *name = strrchr(path, '/');

	return name && strcmp(name, "/locus") == 0 ? store_folder_id(path, (size_t)(name - path), ret_size) : NULL;
}

bool store_may_have(const char *path, struct locus_string build_id)
{
	char hex[STORE_HEX_MAX + 1];
	size_t size;
	const char *id = store_file_id(path, &size);

	if (!id)
		return true;
	if (size != 2 * build_id.size || size > STORE_HEX_MAX)
		return false;
	hex_text(build_id.data, build_id.size, hex);
	return memcmp(id, hex, size) == 0;
}

enum locus_status store_open(const char *store, const char *hex, struct locus **ret, struct locus_error *error)
{
	uint8_t bytes[STORE_HEX_MAX / 2];
	size_t size = strlen(hex) / 2;

	for (size_t i = 0; i < size; i++) {
		const char digits[] = {hex[2 * i], hex[2 * i + 1], '\0'};
		bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return locus_open_in_store(store, bytes, size, NULL, ret, error);
}

bool store_staging_init(struct staging *staging, const char *store, const char *path)
{
	enum { TRIES = 10 };

	staging->directory = NULL;
	for (int i = 0; i < TRIES; i++) {
		if (!folders_make(store, path))
			return false;
		if (staging_init(staging, path))
			return true;
		if (errno != ENOENT)
			return false;
	}
	return false;
}

void store_remove_unused(const char *path)
{
	char *folder = memory_text("%.*s", (int)(strrchr(path, '/') - path), path);

	rmdir(folder); /* which fails if something is in it, of another process maybe */
	free(folder);
}

bool store_is_current(const char *output, const char *hex)
{
	const struct locus_info *info;
	struct locus *locus;
	char made_of[STORE_HEX_MAX + 1] = "";

	if (locus_open(output, NULL, &locus, NULL) != LOCUS_OK)
		return false;
	bool is_open = locus_info(locus, &info, NULL) == LOCUS_OK;
	if (is_open && info->build_id.size <= STORE_HEX_MAX / 2)
		hex_text(info->build_id.data, info->build_id.size, made_of);
	bool found = is_open && strcmp(made_of, hex) == 0 && info->rules_epoch >= *converter()->rules_epoch &&
		     !info->options.size;
	locus_close(locus);
	return found;
}
