/*
 * What every fuzz target is: a function of bytes that may not crash, hang, leak, or break a promise, and that tells
 * what it observes of them.
 */
#ifndef LOCUS_FUZZ_H
#define LOCUS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Called by libFuzzer, or by replay.c with the files of testdata/fuzz. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a replay does; each target defines its own. */
struct fuzz_target {
	const char *name;
	const char *files;   /* the folder of testdata/fuzz that has its inputs */
	unsigned variations; /* of each input at most: as many as take some milliseconds */
};
extern const struct fuzz_target fuzz_target;

static inline _Noreturn void broken_promise(const char *file, int line, const char *promise)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, promise);
	abort();
}

/* A promise that was not kept ends the run, as a crash does. */
#define HOLD(condition) ((condition) ? (void)0 : broken_promise(__FILE__, __LINE__, #condition))

/*
 * Adds to the text of what is observed of the input, which a replay compares with what was observed once. It is the
 * same on every machine and in every build: no path of a temporary file, no address of the process, nothing that was
 * compressed. Its first line begins with how the input ended, up to a colon: "ok: 3 intervals". Under a fuzzer, which
 * would not read it, nothing is made.
 */
#ifdef LIBFUZZER
static inline void observe(const char *format, ...)
{
	(void)format;
}
static inline void observe_bytes(const void *data, size_t size)
{
	(void)data;
	(void)size;
}
#else
void observe(const char *format, ...) __attribute__((format(printf, 1, 2)));
void observe_bytes(const void *data, size_t size);
#endif

/* Takes numbers off the front of the input; 0 where it has ended. */
struct input {
	const uint8_t *data;
	size_t size;
};

static inline uint32_t input_byte(struct input *input)
{
	if (!input->size)
		return 0;
	input->size--;
	return *input->data++;
}

/* In [0, below); `below` is 256 at most. */
static inline uint32_t input_below(struct input *input, uint32_t below)
{
	return input_byte(input) % below;
}

#endif
