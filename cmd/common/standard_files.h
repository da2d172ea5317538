/* Standard input, output and error, as every command wants to find them. */
#ifndef LOCUS_STANDARD_FILES_H
#define LOCUS_STANDARD_FILES_H

/*
 * Opens descriptors 0, 1 and 2 if they are closed, and makes writing to a closed pipe, or beyond a file's allowed size,
 * fail with an error instead of ending the process. Called first of all.
 */
void standard_files_prepare(void);

#endif
