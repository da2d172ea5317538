/* The file that `locus lookup` asks, and what it takes to be answered by its handle, which an ELF file may change. */
#ifndef LOCUS_ASKED_FILE_H
#define LOCUS_ASKED_FILE_H

#include "cmd/lookup/answer.h"
#include "cmd/lookup/lookup_options.h"
#include "cmd/store/lookup_file.h"

struct asked_file {
	const struct lookup_options *options; /* set by the caller, as is `answers`; borrowed */
	struct answers *answers;              /* they name functions and paths of the handle */
	struct lookup_file file;
	struct locus_scratch *scratch;
	/* For the names of alternates, while `scratch` holds these; NULL: alternates are not asked for. */
	struct locus_scratch *name_scratch;
	uint16_t machine; /* e_machine, for return addresses; MACHINE_UNKNOWN: not known yet */
};

/* Opens the file that the options name. What is opened stays until the process ends. */
enum locus_status asked_file_open(struct asked_file *asked, struct locus_error *error);

/* Makes the file answer for these addresses, as lookup_file_prepare does: afterwards it may have another handle. */
enum locus_status asked_file_prepare(struct asked_file *asked, const uint64_t *addresses, size_t count,
				     struct locus_error *error);

/* The same for functions, as lookup_file_prepare_functions does. */
enum locus_status asked_file_prepare_functions(struct asked_file *asked, const char *const *names, size_t count,
					       struct locus_error *error);

/* How many bytes before an address the lookup is made. */
uint64_t asked_file_bytes_before(const struct asked_file *asked, uint64_t address);

#endif
