/* The heap of a process that converts one file and ends. */
#ifndef LOCUS_HEAP_H
#define LOCUS_HEAP_H

#include <stdint.h>

/*
 * Lets the first 24 MiB of malloc's heap come from the kernel in large pages, and stay in the process when they are
 * free. While there is room in them, blocks of any size come from there. `input_size` is the size of the file that is
 * converted, in bytes: for a small one, nothing is done. Memory is still taken only where it is written, but up to 2
 * MiB at a time. Where the C library or the kernel knows no such advice, nothing changes.
 */
void heap_prepare(uint64_t input_size);

#endif
