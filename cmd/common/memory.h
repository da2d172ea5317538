/* Memory for commands: without it they report that and end. */
#ifndef LOCUS_MEMORY_H
#define LOCUS_MEMORY_H

#include <stddef.h>

/* Returns the result of an allocation; if it is NULL, reports that memory is out and ends the program. */
void *memory_checked(void *memory);

/*
 * Makes room for `count` items of `size` bytes in *array, which has room for *room of them and is malloc'd or NULL;
 * `array` is the address of the pointer. What has to grow becomes twice as large as is asked for.
 */
void memory_reserve(void *array, size_t *room, size_t count, size_t size);

/* Returns text made as by printf, which the caller frees. */
char *memory_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
