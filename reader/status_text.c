/* Statuses, answers and counters as text. */
#include "reader/locus.h"

const char *locus_status_text(enum locus_status status)
{
	switch (status) {
	case LOCUS_OK:
		return "ok";
	case LOCUS_ERR_IO:
		return "cannot be read";
	case LOCUS_ERR_MEMORY:
		return "out of memory";
	case LOCUS_ERR_USAGE:
		return "argument out of range";
	case LOCUS_ERR_NOT_LOCUS:
		return "not a .locus file";
	case LOCUS_ERR_VERSION:
		return "another format version";
	case LOCUS_ERR_TRUNCATED:
		return "truncated";
	case LOCUS_ERR_CHECKSUM:
		return "checksum mismatch";
	case LOCUS_ERR_CORRUPT:
		return "not well-formed";
	case LOCUS_ERR_UNSUPPORTED:
		return "not supported";
	case LOCUS_ERR_NOT_ELF:
		return "not an ELF file";
	case LOCUS_ERR_BAD_ELF:
		return "damaged ELF file";
	case LOCUS_ERR_BAD_DWARF:
		return "damaged debug information";
	case LOCUS_ERR_NO_DEBUG:
		return "no debug information";
	case LOCUS_ERR_LIMIT:
		return "more memory than is allowed";
	case LOCUS_ERR_OUTPUT:
		return "the output cannot be written";
	case LOCUS_ERR_COMPANION:
		return "missing or mismatching companion file";
	}
	return "unknown status";
}

const char *locus_answer_name(enum locus_answer answer)
{
	switch (answer) {
	case LOCUS_ANSWER_NONE:
		return "none";
	case LOCUS_ANSWER_SYMBOL:
		return "symbol";
	case LOCUS_ANSWER_NO_LINE:
		return "no-line";
	case LOCUS_ANSWER_OK:
		return "ok";
	}
	return "unknown";
}

/* ---- Counters ---- */

struct counter_words {
	const char *name;
	const char *text;
};

static const struct counter_words coverage_words[LOCUS_COVERAGE_COUNT] = {
#define X(id, value, name, text) [value] = {name, text},
	LOCUS_COVERAGE(X)
#undef X
};

static const struct counter_words dropped_words[LOCUS_DROPPED_COUNT] = {
#define X(id, value, name, rule, text) [value] = {name, text},
	LOCUS_DROPPED(X)
#undef X
};

const char *locus_coverage_name(uint32_t id)
{
	return id < LOCUS_COVERAGE_COUNT ? coverage_words[id].name : NULL;
}

const char *locus_coverage_text(uint32_t id)
{
	return id < LOCUS_COVERAGE_COUNT ? coverage_words[id].text : NULL;
}

const char *locus_dropped_name(uint32_t id)
{
	return id < LOCUS_DROPPED_COUNT ? dropped_words[id].name : NULL;
}

const char *locus_dropped_text(uint32_t id)
{
	return id < LOCUS_DROPPED_COUNT ? dropped_words[id].text : NULL;
}
