/*
 * The bounds are far above what real programs need. Of glibc, a kernel with its 1,121 modules, and large C++ programs,
 * compressed and not, none spends more than 0.13 steps or takes more than 2.2 bytes for each byte of its files; small
 * files take up to 6 bytes.
 */
#include "base/budget.h"

#include <stdio.h>

#include "base/fail.h"

enum {
	WORK_PER_BYTE = 8,
	WORK_SPARE = 64 << 20,
	BYTES_PER_BYTE = 24,
	BYTES_SPARE = 96 << 20,
};

struct place {
	const char *what;
	const char *file;
	const char *section;
	uint64_t offset;
};

/*
 * Initial-exec, so that a thread has these variables from its start. Others are allocated when they are first used,
 * and if memory is out then, the C library ends the program.
 */
#define THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

static THREAD_LOCAL struct budget *used; /* by this thread; NULL: none */
static THREAD_LOCAL struct place place;

void budget_init(struct budget *budget, uint64_t bytes)
{
	*budget = (struct budget){.bytes_given = bytes, .excess_lock = ATOMIC_FLAG_INIT};
	atomic_init(&budget->work_left, WORK_SPARE);
	atomic_init(&budget->bytes_left, !bytes ? BYTES_SPARE : bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX);
}

void budget_admit(uint64_t size)
{
	const uint64_t most = INT64_MAX / 4 / BYTES_PER_BYTE;
	struct budget *budget = used;
	if (!budget)
		return;
	int64_t more = (int64_t)(size < most ? size : most);
	atomic_fetch_add_explicit(&budget->work_left, more * WORK_PER_BYTE, memory_order_relaxed);
	if (!budget->bytes_given)
		atomic_fetch_add_explicit(&budget->bytes_left, more * BYTES_PER_BYTE, memory_order_relaxed);
	atomic_fetch_add_explicit(&budget->input_size, (uint64_t)more, memory_order_relaxed);
}

void budget_use(struct budget *budget)
{
	used = budget;
}

struct budget *budget_used(void)
{
	return used;
}

void budget_at(const char *what, const char *file, const char *section, uint64_t offset)
{
	place = (struct place){what, file, section, offset};
}

/*
 * Keeps, for the message, what this thread was reading, and of what it took too much; `is_given`: its bound is the
 * user's. Only the first thread that exceeds the budget does so.
 */
static void note_excess(struct budget *budget, const char *resource, bool is_given)
{
	unsigned long long size = atomic_load_explicit(&budget->input_size, memory_order_relaxed);
	char bound[96];
	if (atomic_flag_test_and_set(&budget->excess_lock))
		return;

	if (is_given)
		snprintf(bound, sizeof(bound), "--max-memory allows");
	else
		snprintf(bound, sizeof(bound), "input of %llu bytes can need", size);

	budget->excess_status = is_given ? LOCUS_ERR_LIMIT : LOCUS_ERR_BAD_DWARF;
	if (place.what)
		locus_fail(&budget->excess, budget->excess_status, "%s%sits %s take more %s than %s, at %s+0x%llx",
			   place.file ? place.file : "", place.file ? ": " : "", place.what, resource, bound,
			   place.section, (unsigned long long)place.offset);
	else
		locus_fail(&budget->excess, budget->excess_status, "it takes more %s than %s", resource, bound);
	atomic_store_explicit(&budget->exceeded, true, memory_order_release);
}

static bool take(_Atomic int64_t *left, uint64_t amount)
{
	return amount <= INT64_MAX / 4 &&
	       atomic_fetch_sub_explicit(left, (int64_t)amount, memory_order_relaxed) >= (int64_t)amount;
}

bool budget_spend(uint64_t steps)
{
	if (!used || take(&used->work_left, steps))
		return true;
	note_excess(used, "work", false);
	return false;
}

bool budget_take(uint64_t bytes)
{
	if (!used || take(&used->bytes_left, bytes))
		return true;
	note_excess(used, "memory", used->bytes_given != 0);
	return false;
}

bool budget_memory_out(void)
{
	if (used)
		atomic_store_explicit(&used->memory_out, true, memory_order_relaxed);
	return false;
}

void budget_note(enum locus_status status)
{
	if (status == LOCUS_ERR_MEMORY)
		budget_memory_out();
}

enum locus_status budget_fail(struct budget *budget, enum locus_status status, struct locus_error *error)
{
	if (!atomic_load_explicit(&budget->exceeded, memory_order_acquire))
		return atomic_load_explicit(&budget->memory_out, memory_order_relaxed) ? locus_fail_memory(error)
										       : status;
	if (error)
		*error = budget->excess;
	return budget->excess_status;
}
