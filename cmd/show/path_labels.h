/* The paths of files as answers show them: escaped once, because files are few and frames are many. */
#ifndef LOCUS_PATH_LABELS_H
#define LOCUS_PATH_LABELS_H

#include "cmd/common/json.h"
#include "reader/locus.h"

struct path; /* a path as it was written */

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

/* Writes the path of the frame's file. */
void path_labels_put(struct path_labels *paths, const struct locus_frame *frame);

#endif
