/* The subcommands of locus: each is defined in cmd/cmd_NAME.c, and main.c has the table of them. */
#ifndef LOCUS_SUBCOMMAND_H
#define LOCUS_SUBCOMMAND_H

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is "locus NAME"; returns an exit code */
	const char *summary;
};

extern const struct subcommand subcommand_convert;
extern const struct subcommand subcommand_lookup;
extern const struct subcommand subcommand_symbolize;
extern const struct subcommand subcommand_check;
extern const struct subcommand subcommand_find;
extern const struct subcommand subcommand_info;
extern const struct subcommand subcommand_dump;
extern const struct subcommand subcommand_addr2line;
extern const struct subcommand subcommand_llvm_symbolizer;

#endif
