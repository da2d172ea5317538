# For Makefiles: `include locus.mk` makes PROGRAM.locus of PROGRAM, and again when the program or a companion that was
# read (.dwo, .dwp, a separate debug file) has changed. Say what is wanted first:
#
#   SYMBOLS = build/hello.locus
#   include locus.mk
#   all: $(SYMBOLS)
#
# LOCUS is the command, LOCUS_FLAGS are further options of `locus convert`. The + lends it make's jobserver.

LOCUS ?= locus

%.locus: %
	+$(LOCUS) convert -o $@ --depfile $@.d $(LOCUS_FLAGS) $<

-include $(SYMBOLS:=.d)
