/* What every fuzz target is: a function of bytes that may not crash, hang, leak, or break a promise. */
#ifndef LOCUS_FUZZ_H
#define LOCUS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Called by libFuzzer, or by replay.c with the files of testdata/fuzz. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline _Noreturn void broken_promise(const char *file, int line, const char *promise)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, promise);
	abort();
}

/* A promise that was not kept ends the run, as a crash does. */
#define HOLD(condition) ((condition) ? (void)0 : broken_promise(__FILE__, __LINE__, #condition))

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
