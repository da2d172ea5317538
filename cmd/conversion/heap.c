/*
 * To convert a file of a few MiB takes a few thousand pages, and the kernel more than a microsecond for each: a tenth
 * of the CPU. In large pages, the same memory takes it a fifth of that. malloc could be asked for them throughout
 * (glibc.malloc.hugetlb), but hundreds of MiB in large pages are more than a machine has at hand. So the beginning of
 * each thread's heap is all that is advised: what lives long and what is short-lived alike come from there, lowest
 * addresses first.
 */
#include "cmd/conversion/heap.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	INPUT_MIN = 1 << 20,   /* bytes: a smaller file fills too little of a large page */
	HEAP_SIZE = 24 << 20,  /* a third more saved vmlinux 2 %, but raised ceph-osd's peak by 2 MiB */
	SHARED_MAX = 80 << 20, /* bytes: two threads that convert a smaller file share the heap */
	FREE_MAX = 25 << 20,   /* malloc gives the heap's free end back if it is larger, and what it grows by */
	/* Where that is used up, malloc maps blocks from this size by themselves, and gives back what is freed. */
	MAPPED_MIN = 512 << 10,
	PAD_SIZE = 64 << 20,  /* bytes: what the heaps of all threads have together when they begin */
	LARGE_PAGE = 2 << 20, /* bytes: heaps that begin with less, because they are many, are not advised */
};

#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD) && defined(M_ARENA_MAX) && defined(M_TOP_PAD) && \
	defined(MADV_HUGEPAGE)

/* Advises large pages for the next `size` bytes of this thread's heap. */
static void advise_beginning(size_t size)
{
	/* One block of that size is taken from the heap and freed again: it is then the heap's free end. */
	uint8_t *room = malloc(size);
	if (!room)
		return;
	uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t first = ((uintptr_t)room + mask) & ~mask, last = ((uintptr_t)room + size) & ~mask;
	madvise((void *)first, last - first, MADV_HUGEPAGE);
	free(room);
}

/* The heaps of threads that are still to come. */
struct other_heaps {
	unsigned count;
	size_t size; /* bytes of each that are advised */
};

static void *advise_others(void *context);

static void advise_in_thread(struct other_heaps heaps)
{
	pthread_t thread;
	if (heaps.count && pthread_create(&thread, NULL, advise_others, &heaps) == 0)
		pthread_join(thread, NULL);
}

/*
 * malloc gives the heap of a thread that has ended to the next one that begins. Two threads have two heaps only while
 * both are there: so each of these waits for the one behind it.
 */
static void *advise_others(void *context)
{
	const struct other_heaps *heaps = context;
	advise_beginning(heaps->size);
	advise_in_thread((struct other_heaps){heaps->count - 1, heaps->size});
	return NULL;
}

void heap_prepare(uint64_t input_size, unsigned thread_count)
{
	if (input_size < INPUT_MIN)
		return;

	/*
	 * Another thread's memory would come in small pages. That costs more than to wait for each other, which two
	 * threads seldom do in so short a time: glibc takes 0.96 of the wall time, Rust and one program of clang's
	 * link-time optimisation 0.97 to 0.98, and libpetsc 0.99. Files from SHARED_MAX on would take 1.01 to 1.05 of
	 * it.
	 */
	const bool is_shared = thread_count == 2 && input_size < SHARED_MAX;
	if (is_shared)
		mallopt(M_ARENA_MAX, 1);

	/* For a small file only as much is prepared as it will fill, because a large page is taken as a whole. */
	size_t size = input_size < HEAP_SIZE / 5 * 2 ? (size_t)input_size / 2 * 5 : HEAP_SIZE;

	/*
	 * The heap of another thread than the first would begin small and grow by a few hundred KiB, hundreds of times,
	 * and each time the kernel makes the other threads wait that need pages. So it begins with the pad, by which
	 * the first one grows. Only pages that are written take memory, but malloc gives back only what is free beyond
	 * that, and limits such as RLIMIT_DATA count all.
	 */
	const int pad = thread_count > 1 && !is_shared ? PAD_SIZE / (int)thread_count : 0;

	mallopt(M_MMAP_THRESHOLD, FREE_MAX);
	mallopt(M_TRIM_THRESHOLD, FREE_MAX + pad);
	advise_beginning(size);
	if (pad)
		mallopt(M_TOP_PAD, pad);
	if (input_size >= SHARED_MAX && pad >= LARGE_PAGE)
		advise_in_thread((struct other_heaps){thread_count - 1, pad < HEAP_SIZE ? (size_t)pad : HEAP_SIZE});
	mallopt(M_MMAP_THRESHOLD, MAPPED_MIN);
}

#else
void heap_prepare(uint64_t input_size, unsigned thread_count)
{
	(void)input_size;
	(void)thread_count;
}
#endif
