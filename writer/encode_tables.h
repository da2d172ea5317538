/* Encodes the small tables as blocks: meta, files, alternates (FORMAT.md 6.1, 6.2, 6.5). */
#ifndef LOCUS_ENCODE_TABLES_H
#define LOCUS_ENCODE_TABLES_H

#include "writer/locus_writer.h"
#include "writer/section_blocks.h"

/* Each appends the blocks of its table to `ret`, packed by `packer`. LOCUS_ERR_USAGE: a table is not as locus_writer.h
 * has it. */
enum locus_status locus_tables_meta(const struct locus_meta *meta, struct locus_packer *packer,
				    struct locus_section_out *ret, struct locus_error *error);
enum locus_status locus_tables_files(const struct locus_tables *tables, struct locus_packer *packer,
				     struct locus_section_out *ret, struct locus_error *error);
/* `record_of`: as locus_intervals_complete says (writer/complete_intervals.h). */
enum locus_status locus_tables_alternates(const struct locus_tables *tables, const uint32_t *record_of,
					  struct locus_packer *packer, struct locus_section_out *ret,
					  struct locus_error *error);

/* Writes a string with a NUL behind it, as names are stored. False: the string has a NUL in it. */
bool locus_tables_put_name(struct locus_buffer *buffer, struct locus_bytes name);

#endif
