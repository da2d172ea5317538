/* The paths of files as answers show them: escaped once, because files are few and frames are many. */
#ifndef LOCUS_PATH_LABELS_H
#define LOCUS_PATH_LABELS_H

#include "cmd/common/json.h"
#include "reader/locus.h"

/* A path as it was written; `data` NULL: not yet. */
struct path {
	char *data;
	size_t size;
};

/* Of one open file, as text or as part of a JSON string. Freed by path_labels_done; a program that ends need not. */
struct path_labels {
	struct json json;
	bool as_json;
	const char *relative_to; /* paths below this directory are shown without it; NULL: none are */
	unsigned put_count;      /* paths written so far, until paths are kept */
	uint32_t count;          /* number of paths that can be kept */
	struct path *path;       /* by file id; NULL: none is kept yet */
};

void path_labels_init(struct path_labels *paths, struct out *out, bool as_json, uint32_t file_count);
void path_labels_done(struct path_labels *paths);

/* The path of a file as it was written; NULL: it is not kept. */
static inline const struct path *path_labels_kept(const struct path_labels *paths, uint32_t file_id)
{
	const struct path *path = paths->path && file_id < paths->count ? &paths->path[file_id] : NULL;
	return path && path->data ? path : NULL;
}

/* Prefetches what path_labels_put will write: few of many paths are in the processor's cache. */
static inline void path_labels_prefetch(const struct path_labels *paths, uint32_t file_id)
{
	enum { CACHE_LINE = 64 }; /* most paths are in two */
	const struct path *path = path_labels_kept(paths, file_id);

	if (path) {
		__builtin_prefetch(path->data);
		__builtin_prefetch(path->data + CACHE_LINE);
	}
}

/* The slow path of path_labels_put. */
void path_labels_put_new(struct path_labels *paths, const struct locus_frame *frame);

/* Writes the path of the frame's file. */
static inline void path_labels_put(struct path_labels *paths, const struct locus_frame *frame)
{
	const struct path *path = path_labels_kept(paths, frame->file_id);

	if (path)
		out_bytes(paths->json.out, path->data, path->size);
	else
		path_labels_put_new(paths, frame);
}

#endif
