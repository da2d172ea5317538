/*
 * Provenance. Of a path only the last part is told: the same files give the same bytes wherever they lie. A build-id
 * stands for all of a file, so that only a file without one is read whole for its digest.
 */
#include "convert/provenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "convert/elf/file_digest.h"

bool provenance_add(struct provenance *provenance, enum locus_input_role role, const struct elf_file *file)
{
	const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
	bool is_known_by_id = file->build_id_size && !provenance->digests_all;
	struct locus_input input = {
		.role = role,
		.name = {name, strlen(name)},
		.size = file->bytes.image_size,
		.build_id = {(const char *)file->build_id, file->build_id_size},
		.digest_kind = is_known_by_id ? LOCUS_DIGEST_HEADERS : LOCUS_DIGEST_BYTES,
	};
	if (!elf_file_digest(file, input.digest_kind, input.digest) ||
	    !array_reserve(&provenance->inputs, &provenance->room, provenance->count + UINT64_C(1),
			   sizeof(*provenance->inputs)))
		return false;
	provenance->inputs[provenance->count++] = input;
	return true;
}

bool provenance_add_split_files(struct provenance *provenance, const struct units *units)
{
	bool memory = true;
	for (const struct split_file *split = units->split_files; split && memory; split = split->next)
		memory = provenance_add(provenance, split == units->package ? LOCUS_INPUT_PACKAGE : LOCUS_INPUT_SPLIT,
					split->file);
	return memory;
}

static int compare_inputs(const void *a, const void *b)
{
	const struct locus_input *x = a, *y = b;
	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	int names = strcmp(x->name.data, y->name.data);
	return names ? names : memcmp(x->digest, y->digest, sizeof(x->digest));
}

void provenance_sort(struct provenance *provenance)
{
	uint32_t kept = 0;
	if (provenance->count)
		qsort(provenance->inputs, provenance->count, sizeof(*provenance->inputs), compare_inputs);
	for (uint32_t i = 0; i < provenance->count; i++)
		if (!kept || compare_inputs(&provenance->inputs[kept - 1], &provenance->inputs[i]) != 0)
			provenance->inputs[kept++] = provenance->inputs[i];
	provenance->count = kept;
}

void provenance_done(struct provenance *provenance)
{
	free(provenance->inputs);
	*provenance = (struct provenance){0};
}
