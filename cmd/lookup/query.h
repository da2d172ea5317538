/* What a person or a program asks of `locus lookup`, parsed. */
#ifndef LOCUS_QUERY_H
#define LOCUS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum query_kind {
	QUERY_ADDRESS, /* 0x1149 */
	QUERY_LOCID,   /* #17 */
	QUERY_NAME,    /* .text+0x10, main+0x10: an offset in a section or function */
};

struct query {
	enum query_kind kind;
	uint64_t value;   /* address, locid or offset */
	const char *name; /* borrowed from the text */
	size_t name_size;
};

/* Parses a question. False, with *ret_reason: it has none of these forms. `hex`: addresses need no 0x. */
bool query_parse(const char *text, size_t size, bool hex, struct query *ret, const char **ret_reason);

#endif
