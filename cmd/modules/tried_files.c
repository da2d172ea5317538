/* A tree finds a file by what stat says of it; what turns out to be a .locus file is taken out of it again. */
#include "cmd/modules/tried_files.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"

enum { FILES_MAX = 1 << 14 /* ELF files that are known while they are closed */ };

static int compare_files(const void *a, const void *b)
{
	const struct tried_file *left = a, *right = b;
	int orders[] = {order_of(left->inode, right->inode),
			order_of(left->device, right->device),
			order_of((uint64_t)left->size, (uint64_t)right->size),
			order_of((uint64_t)left->time.tv_sec, (uint64_t)right->time.tv_sec),
			order_of((uint64_t)left->time.tv_nsec, (uint64_t)right->time.tv_nsec),
			order_of(left->is_last_resort, right->is_last_resort)};
	size_t i = 0;

	while (i + 1 < sizeof(orders) / sizeof(orders[0]) && !orders[i])
		i++;
	return orders[i];
}

struct tried_file *tried_files_find(struct tried_files *files, const struct stat *found, bool is_last_resort)
{
	struct tried_file *file = memory_checked(calloc(1, sizeof(*file))), *known;

	file->device = found->st_dev;
	file->inode = found->st_ino;
	file->size = found->st_size;
	file->time = found->st_mtim;
	file->is_last_resort = is_last_resort;
	known = *(struct tried_file **)memory_checked(tsearch(file, &files->tree, compare_files));
	if (known != file) {
		free(file);
		return known;
	}
	file->is_kept = true;
	files->count++;
	return file;
}

static void forget_file(struct tried_files *files, struct tried_file *file)
{
	if (file->is_kept) {
		tdelete(file, &files->tree, compare_files);
		files->count--;
	}
	file->is_kept = false;
}

void tried_file_open(struct tried_files *files, struct tried_file *file, const char *path,
		     const struct symbol_conversion *conversion, const struct symbol_labels *labels)
{
	file->is_known = true;
	error_clear(&file->error);
	file->status = symbol_file_open(path, conversion, file->is_last_resort, labels, &file->symbols, &file->error);
	if (file->status != LOCUS_OK)
		return;
	file->is_open = true;
	files->open_count++;
	file->build_id_size = file->symbols.info->build_id.size;
	if (file->build_id_size > sizeof(file->build_id))
		file->build_id_size = sizeof(file->build_id);
	if (file->build_id_size)
		memcpy(file->build_id, file->symbols.info->build_id.data, file->build_id_size);
	if (!file->symbols.partial)
		forget_file(files, file);
}

void tried_file_release(struct tried_files *files, struct tried_file *file)
{
	if (--file->module_count)
		return;
	if (file->is_open) {
		files->open_memory -= file->memory;
		file->memory = 0;
		symbol_file_close(&file->symbols);
		files->open_count--;
		file->is_open = false;
	}
	if (files->count > FILES_MAX)
		forget_file(files, file);
	if (!file->is_kept)
		free(file);
}

void tried_files_free(struct tried_files *files)
{
	tdestroy(files->tree, free);
}

struct locus_string tried_file_build_id(const struct tried_file *file)
{
	return (struct locus_string){(const char *)file->build_id, file->build_id_size};
}

bool tried_file_may_be(const struct tried_file *file, const struct module_name *module)
{
	return !module->build_id.size || strings_are_equal(module->build_id, tried_file_build_id(file));
}
