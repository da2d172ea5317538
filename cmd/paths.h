/* The paths of files as answers show them: escaped once, for frames are many and files are few. */
#ifndef CMD_PATHS_H
#define CMD_PATHS_H

#include "cmd/out.h"
#include "reader/locus.h"

struct paths; /* of one open file, as text or as part of a JSON string */

/* Never NULL; out of memory ends the program. It is there until the program ends. */
struct paths *paths_new(struct out *out, bool as_json, uint32_t file_count);

/* Writes the path of the frame's file. */
void paths_put(struct paths *paths, const struct locus_frame *frame);

#endif
