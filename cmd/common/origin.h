/* Where a .locus file comes from, as JSON: `locus info` and `locus convert` share these keys. */
#ifndef LOCUS_ORIGIN_H
#define LOCUS_ORIGIN_H

#include "cmd/common/json.h"
#include "reader/locus.h"

/* Puts the keys of a file's origin into the object that is open: format, size, identity, build-id, ELF type, tool. */
void json_origin(struct json *json, struct locus *locus, const struct locus_info *info);

#endif
