/*
 * A folder for what a target has to write. By its descriptor the files in it have these names in every run, also in
 * messages.
 */
#ifndef LOCUS_WORK_FOLDER_H
#define LOCUS_WORK_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#define WORK_FILE(name) "/proc/self/fd/100/" name

/* Makes it, once; it is removed at the end of the process, with what is left in it. */
void work_folder_make(void);

/* Writes a file anew. */
void work_file_write(const char *path, const uint8_t *data, size_t size);

#endif
