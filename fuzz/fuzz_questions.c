/* What a person or a program writes to standard input of `locus lookup`: lines, and what each asks for. */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/common/input_lines.h"
#include "cmd/lookup/query.h"
#include "fuzz/fuzz.h"

const struct fuzz_target fuzz_target = {.name = "questions", .files = "questions", .variations = 1000};

/* An address that was understood is understood as the same when it is written as others write it. */
static void check_address(uint64_t value)
{
	struct query again;
	const char *reason;
	char text[32];
	int size = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	HOLD(query_parse(text, (size_t)size, false, &again, &reason));
	HOLD(again.kind == QUERY_ADDRESS && again.value == value);
}

/* `query` is NULL if the line was none, for the reason. */
static void observe_query(const struct query *query, const char *reason)
{
	if (!query) {
		observe("  no question: %s\n", reason);
		return;
	}
	observe("  kind %d, value 0x%" PRIx64 " ", query->kind, query->value);
	if (query->kind == QUERY_NAME)
		observe_bytes(query->name, query->name_size);
	observe("\n");
}

static void check_line(const char *line, size_t size, bool hex)
{
	struct query query;
	const char *reason = NULL;
	char *copy = malloc(size ? size : 1); /* a block of exactly that size: nothing behind it is read */
	HOLD(copy);
	memcpy(copy, line, size);
	HOLD(!memchr(line, '\n', size));
	bool is_query = query_parse(copy, size, hex, &query, &reason);
	observe_query(is_query ? &query : NULL, reason);
	if (!is_query)
		HOLD(reason && *reason);
	else if (query.kind == QUERY_ADDRESS)
		check_address(query.value);
	else if (query.kind == QUERY_LOCID)
		HOLD(query.value <= UINT32_MAX);
	else
		HOLD(query.name >= copy && query.name_size && query.name_size < size);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct input_lines lines;
	static struct out answers; /* none are given */
	const char *line;
	size_t line_size;
	uint64_t number = 0;
	int fd = memfd_create("questions", MFD_CLOEXEC);
	HOLD(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	out_init(&answers, STDOUT_FILENO);
	input_lines_init(&lines, fd, &answers);
	observe("ok: lines and questions\n");
	while (input_lines_next(&lines, &line, &line_size)) {
		HOLD(lines.number == ++number);
		observe("line: ");
		observe_bytes(line, line_size);
		observe("\n");
		check_line(line, line_size, false);
		check_line(line, line_size, true);
	}
	observe("%" PRIu64 " lines\n", number);
	HOLD(input_lines_ended(&lines) && lines.error == 0);
	close(fd);
	return 0;
}
