/* Memory for commands: without it they report that and end. */
#ifndef LOCUS_MEMORY_H
#define LOCUS_MEMORY_H

/* Returns the result of an allocation; if it is NULL, reports that memory is out and ends the program. */
void *memory_checked(void *memory);

/* Returns text made as by printf, which the caller frees. */
char *memory_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
