/* Converts file offsets and runtime addresses into the file's own addresses. */
#include "base/fail.h"
#include "reader/locus.h"

enum { SEGMENT_EXECUTABLE = 1, PAGE_SIZE_MIN = 4096 };

enum locus_status locus_address_of_offset(struct locus *locus, uint64_t offset, uint64_t *ret,
					  struct locus_error *error)
{
	const struct locus_info *info;
	const struct locus_segment_info *found = NULL;
	bool lacks_code = false; /* a debug file has the segments' headers, but not their bytes (FORMAT.md 6.1.3) */
	enum locus_status status = locus_info(locus, &info, error);
	if (status != LOCUS_OK)
		return status;
	if (!info->segment_count)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET,
				     "the program's segments are not known: file offsets mean nothing");

	/* A page of the file may be loaded twice, as code and as data; the code is meant. */
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *segment = &info->segments[i];
		bool holds = offset >= segment->offset && offset - segment->offset < segment->file_size;
		if (holds && (!found || (segment->flags & SEGMENT_EXECUTABLE)))
			found = segment;
		lacks_code |= (segment->flags & SEGMENT_EXECUTABLE) && segment->memory_size && !segment->file_size;
	}
	if (!found)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET,
				     lacks_code ? "the file was made of a debug file alone, which does not say what is "
						  "loaded from this file offset"
						: "no segment of the program holds this file offset");
	*ret = found->address + (offset - found->offset);
	return LOCUS_OK;
}

/* Whether a segment holds the address once it is loaded. */
static bool is_loaded(const struct locus_info *info, uint64_t address)
{
	bool found = false;
	for (size_t i = 0; i < info->segment_count; i++)
		found |= address >= info->segments[i].address &&
			 address - info->segments[i].address < info->segments[i].memory_size;
	return found;
}

enum locus_status locus_address_of_runtime(struct locus *locus, uint64_t base, uint64_t runtime, uint64_t *ret,
					   struct locus_error *error)
{
	const struct locus_info *info;
	uint64_t lowest = UINT64_MAX;
	enum locus_status status = locus_info(locus, &info, error);
	if (status != LOCUS_OK)
		return status;
	for (size_t i = 0; i < info->segment_count; i++)
		lowest = info->segments[i].address < lowest ? info->segments[i].address : lowest;

	/* Segments are mapped by whole pages, so the program begins with the page of its lowest segment. */
	lowest = info->segment_count ? lowest & ~(uint64_t)(PAGE_SIZE_MIN - 1) : 0;
	uint64_t address = runtime - base + lowest;
	if (runtime < base || (info->segment_count && !is_loaded(info, address)))
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET,
				     "with this base the address is outside the program");
	*ret = address;
	return LOCUS_OK;
}
