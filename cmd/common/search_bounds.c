/*
 * The bounds grow with the size of the file. For each of its bytes, a file of a real program has at most four frames,
 * and all of its functions with their parts and inlined copies are shown in four bytes of text at most. For each part
 * and each copy it has several bytes.
 */
#include "cmd/common/search_bounds.h"

#include "cmd/common/report.h"

/* For each byte of a file (_PER_BYTE), and for a file of any size (_SPARE). */
enum {
	FRAMES_PER_BYTE = 16,
	FRAMES_SPARE = 1 << 22,
	NAMES_PER_BYTE = 32,
	NAMES_SPARE = 1 << 24,
	PARTS_PER_BYTE = 1,
	PARTS_SPARE = 1 << 18,
	OUTPUT_PER_BYTE = 128,
	OUTPUT_SPARE = 1 << 26,
};

void search_bounds_init(struct search_bounds *bounds, const struct locus *locus)
{
	uint64_t size = locus_file_size(locus);

	*bounds = (struct search_bounds){
		.locus = locus,
		.frames_left = FRAMES_SPARE + FRAMES_PER_BYTE * size,
		.names_left = NAMES_SPARE + NAMES_PER_BYTE * size,
		.parts_left = PARTS_SPARE + PARTS_PER_BYTE * size,
		.output_max = OUTPUT_SPARE + OUTPUT_PER_BYTE * size,
	};
}

static enum locus_status refuse(const struct search_bounds *bounds, const char *what, struct locus_error *error)
{
	return error_fail(error, LOCUS_ERR_LIMIT, "its %s than a file of %llu bytes can need", what,
			  (unsigned long long)locus_file_size(bounds->locus));
}

static enum locus_status count(const struct search_bounds *bounds, uint64_t *left, uint64_t taken, const char *what,
			       struct locus_error *error)
{
	if (taken > *left)
		return refuse(bounds, what, error);
	*left -= taken;
	return LOCUS_OK;
}

enum locus_status search_bounds_frames(struct search_bounds *bounds, size_t frame_count, struct locus_error *error)
{
	return count(bounds, &bounds->frames_left, frame_count ? frame_count - 1 : 0, "stacks are deeper", error);
}

enum locus_status search_bounds_name(struct search_bounds *bounds, size_t size, struct locus_error *error)
{
	return count(bounds, &bounds->names_left, size, "names are longer", error);
}

enum locus_status search_bounds_part(struct search_bounds *bounds, struct locus_error *error)
{
	return count(bounds, &bounds->parts_left, 1, "functions have code in more places", error);
}

enum locus_status search_bounds_output(const struct search_bounds *bounds, const struct out *out,
				       struct locus_error *error)
{
	bool is_within = out_total(out) <= bounds->output_max;

	return is_within ? LOCUS_OK : refuse(bounds, "names are shown in more places", error);
}
