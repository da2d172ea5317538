/* From good to bad: missing debug information, stale, wrong usage, failed. */
#include "cmd/common/exit_code.h"

int exit_worst(int a, int b)
{
	static const int rank[] = {
		[EXIT_OK] = 0, [EXIT_NO_DEBUG] = 1, [EXIT_STALE] = 2, [EXIT_USAGE] = 3, [EXIT_FAILED] = 4};

	return rank[a] > rank[b] ? a : b;
}

int exit_of(enum locus_status status)
{
	if (status == LOCUS_OK)
		return EXIT_OK;
	return status == LOCUS_ERR_NO_DEBUG ? EXIT_NO_DEBUG : EXIT_FAILED;
}
