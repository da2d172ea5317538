/* The paths of files as answers show them: escaped once, for frames are many and files are few. */
#ifndef LOCUS_PATH_LABELS_H
#define LOCUS_PATH_LABELS_H

#include "cmd/common/json.h"
#include "reader/locus.h"

struct path; /* how one was written */

/* Of one open file, as text or as part of a JSON string. Freed by paths_done; a program that ends need not. */
struct paths {
	struct json json;
	bool as_json;
	const char *relative_to; /* paths below this directory are shown without it; NULL: none are */
	unsigned put_count;      /* until they are remembered */
	uint32_t count;          /* of those that can be */
	struct path *path;       /* by file id; NULL: none is remembered yet */
};

void paths_init(struct paths *paths, struct out *out, bool as_json, uint32_t file_count);
void paths_done(struct paths *paths);

/* Writes the path of the frame's file. */
void paths_put(struct paths *paths, const struct locus_frame *frame);

#endif
