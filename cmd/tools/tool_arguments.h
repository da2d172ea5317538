/* The arguments of programs that stand in for others, some of which are written elsewhere. */
#ifndef LOCUS_TOOL_ARGUMENTS_H
#define LOCUS_TOOL_ARGUMENTS_H

#include <stdbool.h>

/*
 * Puts the words of an environment variable in front of the arguments, and the words of FILE in the place of each
 * argument @FILE, also of those in a FILE; where FILE cannot be read, @FILE stays. Words are those of a shell, in which
 * quotes and backslashes are all that means anything. What *argv becomes stays until the next call. `variable` may be
 * NULL. False, and it was reported: files name each other without an end.
 */
bool tool_arguments_expand(const char *variable, int *argc, char ***argv);

#endif
