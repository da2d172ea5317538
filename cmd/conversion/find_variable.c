/* The child's reply is the variable itself, of which nothing is trusted. */
#include "cmd/conversion/find_variable.h"

#include <string.h>

#include "cmd/conversion/child.h"

enum locus_status find_variable(const char *path, uint64_t address, struct locus_elf_variable *ret,
				struct locus_error *error)
{
	const struct child_request request = {.path = path, .variable_at = &address};
	struct child_reply reply;
	struct child child;

	*ret = (struct locus_elf_variable){0};
	enum locus_status status = child_start(&child, &request, error);
	if (status == LOCUS_OK)
		status = child_finish(&child, &reply, error);
	if (status != LOCUS_OK)
		return status;
	if (reply.size == sizeof(*ret))
		memcpy(ret, reply.data, sizeof(*ret));
	child_reply_done(&reply);

	/* The child may have been taken over, and have written anything. */
	ret->name[sizeof(ret->name) - 1] = ret->file[sizeof(ret->file) - 1] = '\0';
	return LOCUS_OK;
}
