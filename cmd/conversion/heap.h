/* The heap of a process that converts one file and ends. */
#ifndef LOCUS_HEAP_H
#define LOCUS_HEAP_H

#include <stdint.h>

/*
 * Lets the beginning of malloc's heap, at most 24 MiB, come from the kernel in large pages, and stay in the process
 * when it is free. While there is room in it, blocks of any size come from there. `input_size` is the size of the file
 * that is converted, in bytes: for less than 1 MiB, nothing is done. `thread_count` threads convert it: two of them use
 * this one heap if the file is small. Where each has a heap of its own, these begin with up to 32 MiB, for a large file
 * in large pages, too: to be called before there are other threads. Memory is still taken only where it is written, but
 * up to 2 MiB at a time. Where the C library or the kernel knows no such advice, nothing changes.
 */
void heap_prepare(uint64_t input_size, unsigned thread_count);

#endif
