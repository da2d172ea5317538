/* The addresses that a conversion is to answer for. */
#include "convert/unit/wanted.h"

#include <stdlib.h>

static int compare_windows(const void *a, const void *b)
{
	const struct exec_range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

bool wanted_init(struct wanted *wanted, const struct elf_file *linked, const uint64_t *addresses, size_t count)
{
	struct exec_range *windows = wanted->windows = malloc((count + 1) * sizeof(*windows));
	size_t kept = 0;
	if (!windows)
		return false;
	for (size_t i = 0; i < count; i++)
		if (elf_file_exec(linked, addresses[i]))
			windows[wanted->window_count++] = (struct exec_range){addresses[i], addresses[i] + 1};
	qsort(windows, wanted->window_count, sizeof(*windows), compare_windows);
	for (size_t i = 0; i < wanted->window_count; i++)
		if (!kept || windows[kept - 1].start != windows[i].start)
			windows[kept++] = windows[i];
	wanted->window_count = kept;
	return true;
}

void wanted_done(struct wanted *wanted)
{
	free(wanted->windows);
	*wanted = (struct wanted){0};
}
