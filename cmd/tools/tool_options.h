/* What the programs that stand in for others say of options that they do not take. */
#ifndef LOCUS_TOOL_OPTIONS_H
#define LOCUS_TOOL_OPTIONS_H

/*
 * Reports the option at which getopt_long returned `key`: it needs a value, or only `real`, the tool itself, may have
 * it. `letters` are those of the options that are taken.
 */
void tool_report_option(const char *tool, const char *real, int key, const char *letters, char **argv);

#endif
