/* Where a file comes from and what it covers (FORMAT.md 6.1). */
#ifndef LOCUS_META_H
#define LOCUS_META_H

#include "reader/handle/handle.h"

/* Reads and decodes the meta data; the second frees them. */
enum locus_status locus_meta_read(struct locus *locus, struct locus_scratch *scratch, struct locus_meta_in **ret,
				  struct locus_error *error);
const struct locus_info *locus_meta_info(const struct locus_meta_in *meta);
void locus_meta_free(struct locus *locus, struct locus_meta_in *meta);

#endif
