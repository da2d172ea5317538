/*
 * Provenance. Only the last part of a path is recorded, so that the same files give the same bytes wherever they lie. A
 * build-id identifies a whole file, so only files without one are read whole for a digest. A program that carries its
 * symbols is recorded as it was before, because afterwards it contains this very record.
 */
#include "convert/provenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "convert/elf/file_digest.h"

static enum locus_digest_kind kind_for(const struct provenance *provenance, const struct elf_file *file)
{
	if (provenance->digests == LOCUS_CONVERT_NO_DIGESTS)
		return LOCUS_DIGEST_NONE;
	return file->build_id_size && provenance->digests == LOCUS_CONVERT_SOME_DIGESTS ? LOCUS_DIGEST_HEADERS
											: LOCUS_DIGEST_BYTES;
}

/*
 * Whether the program carries its symbols; *ret is then the one before. Of a member of an archive, or a file that is
 * compressed as a whole, the file on disk is not the program.
 */
static bool find_record(const struct elf_file *file, struct embed_record *ret)
{
	return file->bytes.is_mapped && embed_record_find(file->elf, file->bytes.image, file->bytes.image_size, ret);
}

void provenance_go_ahead(struct provenance *provenance, const struct elf_file *program)
{
	struct embed_record before;
	if (kind_for(provenance, program) == LOCUS_DIGEST_BYTES)
		provenance->has_program_digest =
			elf_file_digest(program, find_record(program, &before) ? &before : NULL, LOCUS_DIGEST_BYTES,
					provenance->program_digest);
}

/* Fills in the digest of a file. False: out of memory. */
static bool find_digest(const struct provenance *provenance, const struct elf_file *file,
			const struct embed_record *before, struct locus_convert_input *input)
{
	if (input->digest_kind == LOCUS_DIGEST_NONE)
		return true;
	if (input->role != LOCUS_INPUT_PROGRAM || !provenance->has_program_digest)
		return elf_file_digest(file, before, input->digest_kind, input->digest);
	memcpy(input->digest, provenance->program_digest, sizeof(input->digest));
	return true;
}

static bool add(struct provenance *provenance, enum locus_input_role role, const struct elf_file *file)
{
	const char *slash = strrchr(file->path, '/');
	struct embed_record before;
	bool has_record = find_record(file, &before);
	struct locus_convert_input input = {
		.role = role,
		.name = slash ? slash + 1 : file->path,
		.size = has_record ? before.size : file->bytes.image_size,
		.build_id = file->build_id,
		.build_id_size = file->build_id_size,
		.digest_kind = kind_for(provenance, file),
		.changed = file->bytes.stat.st_mtim,
		.placed = file->bytes.stat.st_ctim,
	};

	/* A path and an input are added together, or neither is. */
	if (!find_digest(provenance, file, has_record ? &before : NULL, &input) ||
	    !array_reserve(&provenance->inputs, &provenance->room, provenance->count + UINT64_C(1),
			   sizeof(*provenance->inputs)) ||
	    !array_reserve(&provenance->paths, &provenance->path_room, provenance->path_count + UINT64_C(1),
			   sizeof(*provenance->paths)))
		return false;
	provenance->inputs[provenance->count++] = input;
	provenance->paths[provenance->path_count++] = file->bytes.path;
	return true;
}

/* Without digests, split files of one name in several folders are told apart by this. */
static int compare_facts(const struct locus_convert_input *x, const struct locus_convert_input *y)
{
	if (x->size != y->size)
		return order_of(x->size, y->size);
	if (x->changed.tv_sec != y->changed.tv_sec)
		return order_of(x->changed.tv_sec, y->changed.tv_sec);
	return order_of(x->changed.tv_nsec, y->changed.tv_nsec);
}

static int compare_inputs(const void *a, const void *b)
{
	const struct locus_convert_input *x = a, *y = b;
	if (x->role != y->role)
		return order_of(x->role, y->role);
	int order = strcmp(x->name, y->name);
	if (!order && x->digest_kind == LOCUS_DIGEST_NONE)
		return compare_facts(x, y);
	return order ? order : memcmp(x->digest, y->digest, sizeof(x->digest));
}

/* Sorts the files, so that their order does not depend on which was opened first; equal ones become one. */
static void sort(struct provenance *provenance)
{
	uint32_t kept = 0;
	if (provenance->count)
		qsort(provenance->inputs, provenance->count, sizeof(*provenance->inputs), compare_inputs);
	for (uint32_t i = 0; i < provenance->count; i++)
		if (!kept || compare_inputs(&provenance->inputs[kept - 1], &provenance->inputs[i]) != 0)
			provenance->inputs[kept++] = provenance->inputs[i];
	provenance->count = kept;
}

bool provenance_gather(struct provenance *provenance, const struct input_files *files,
		       const struct split_files *split_files)
{
	bool memory = add(provenance, LOCUS_INPUT_PROGRAM, files->program);
	if (memory && files->separate)
		memory = add(provenance, LOCUS_INPUT_DEBUG, files->separate);
	if (memory && files->alternate)
		memory = add(provenance, LOCUS_INPUT_ALTERNATE, files->alternate);
	for (const struct split_file *split = split_files->first; split && memory; split = split->next)
		if (split->is_input)
			memory = add(provenance, split->is_package ? LOCUS_INPUT_PACKAGE : LOCUS_INPUT_SPLIT,
				     split->file);
	sort(provenance);
	return memory;
}

static int compare_paths(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

/* The threads decide which .dwo is opened first, so the paths are sorted. */
char *provenance_paths(const struct provenance *provenance, size_t *ret_size)
{
	const char **paths = provenance->paths;
	size_t size = 1;
	if (provenance->path_count > 1)
		qsort(paths + 1, provenance->path_count - 1, sizeof(*paths), compare_paths);
	for (uint32_t i = 0; i < provenance->path_count; i++)
		size += strlen(paths[i]) + 1;
	char *text = malloc(size), *end = text;
	for (uint32_t i = 0; i < provenance->path_count && text; i++) {
		bool is_told = i && (strcmp(paths[i], paths[0]) == 0 || strcmp(paths[i], paths[i - 1]) == 0);
		if (!is_told)
			end = stpcpy(end, paths[i]) + 1;
	}
	*ret_size = (size_t)(end - text);
	return text;
}

void provenance_done(struct provenance *provenance)
{
	free(provenance->paths);
	free(provenance->inputs);
	*provenance = (struct provenance){0};
}
