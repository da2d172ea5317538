# For Makefiles: `include locus.mk` makes PROGRAM.locus of PROGRAM, and again when the program or a companion that was
# read (.dwo, .dwp, a separate debug file) has changed. Say what is wanted first:
#
#   SYMBOLS = build/hello.locus
#   include locus.mk
#   all: $(SYMBOLS)
#
# LOCUS is the command, LOCUS_FLAGS are further options of `locus convert`.

LOCUS ?= locus

# What lends a command make's jobserver. make runs such a command even where -n, -q or -t says that it is to run none.
LEND := $(if $(or $(findstring n,$(firstword -$(MAKEFLAGS))),$(findstring q,$(firstword -$(MAKEFLAGS))), \
	$(findstring t,$(firstword -$(MAKEFLAGS)))),,+)

%.locus: %
	$(LEND)$(LOCUS) convert -o $@ --depfile $@.d $(LOCUS_FLAGS) $<

# Their rules may be the first of all, and are still not what make makes by default.
LOCUS_GOAL := $(.DEFAULT_GOAL)
-include $(SYMBOLS:=.d)
.DEFAULT_GOAL := $(LOCUS_GOAL)
