/* Pages of memory: given back to the kernel early, or had from it many at a time. */
#ifndef LOCUS_VM_PAGES_H
#define LOCUS_VM_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Tells the kernel that whole pages inside [data + from, data + to) are not needed. */
void pages_release(const uint8_t *data, size_t from, size_t to);

/* Has the pages of [data, data + size), which are about to be written: half as dear as a fault for each. */
void pages_populate(void *data, size_t size);

#endif
