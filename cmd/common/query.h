/* What a person or a program asks of `locus lookup`, parsed. */
#ifndef LOCUS_QUERY_H
#define LOCUS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum query_kind {
	QUERY_ADDRESS, /* 0x1149 */
	QUERY_LOCID,   /* #17 */
	QUERY_SECTION, /* .text+0x10 */
};

struct query {
	enum query_kind kind;
	uint64_t value;      /* address, locid or offset */
	const char *section; /* borrowed from the text */
	size_t section_size;
};

/* False, with a reason in `ret_reason`, where the text is none of these. */
bool query_parse(const char *text, size_t size, struct query *ret, const char **ret_reason);

#endif
