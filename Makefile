# Builds locus (the command), liblocus (the reader library) and their tests; objects go under $(BUILD) only.
#
#   make [all]           the command, the library, their manual pages and completions: all that is installed
#   make help            this list
#   make test            build and run every test with this compiler (scripts/test runs more: both compilers, sanitizers)
#   make test-long       scripts/test --long, 100,000 wrong files against both readers, every program of the agreement matrix,
#                        and locus on a 32-bit and on a big-endian machine
#   make install         everything, to $(DESTDIR)$(PREFIX)
#   make reader-install  the library alone
#   make hooks-install   the library, and what lets a program with a sanitizer symbolize its own reports
#   make cmake-install   the CMake package of contrib/ alone
#   make uninstall       take away what these install
#   make reader          build the library alone: needs only a C11 compiler, libzstd and xxhash.h
#   make hooks           build what hooks-install installs
#   make man             build the manual pages
#   make tests           build the tests and the fuzz targets, and run none
#   make fuzzers         build the fuzz targets alone, which run kept inputs and their variations
#   make cover           lines and branches the tests reach, by file
#   make fuzz            each fuzz target for FUZZ_SECONDS (60); FUZZ="elf lines" for some of them (clang, libFuzzer)
#   make mutate          plant faults one at a time and say which the tests do not notice (MUTATE=--list: say which)
#   make demo            convert, look up and check a real program
#   make bench           measure beside other tools (BENCH=--quick: once)
#   make bench-scale     measure against the input's size
#   make clean           take $(BUILD) away
#
# Knobs: V=1 WERROR=1 SANITIZE=address,undefined CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR BUILD; LIBDIR (PREFIX/lib) is
# where liblocus goes; QUICK= leaves out what answers one address without glibc

BUILD   ?= build
ifneq ($(word 2,x$(BUILD)x),)
$(error make cannot build in a folder with spaces: BUILD is '$(BUILD)')
endif
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
CFLAGS  ?= -O2 -g
LDFLAGS ?=
ifeq ($(origin CC),default)
CC := gcc
endif
INSTALL ?= install

VERSION := $(shell sed -n 's/^.define LOCUS_VERSION_[MP][A-Z]* //p' spec/version.h | paste -sd.)
SONAME  := liblocus.so.$(firstword $(subst ., ,$(VERSION)))

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla
ifdef WERROR
WARN += -Werror
endif
ifdef SANITIZE
# A sanitizer reserves more memory, makes more calls and writes elsewhere than the sandbox of a conversion allows.
SAN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -DLOCUS_UNCONFINED
endif
V ?= 0
ifeq ($(V),0)
Q := @
ifeq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
say = @echo '  $(1)  $(2)';
else
say = @
endif
endif

# On a machine of 32 bits, sizes of files and numbers of inodes have 64 only where that is asked for, and stat else fails.
WIDE_FILES := $(if $(filter 4,$(shell echo __SIZEOF_POINTER__ | $(CC) -E -P -)),-D_FILE_OFFSET_BITS=64)
BASE_FLAGS = -I. -MMD -MP $(WARN) $(WIDE_FILES) $(SAN) $(CPPFLAGS) $(CFLAGS)
# The reader is strict C11, so that it builds anywhere; the rest may use what glibc has. It takes xxHash from the header
# alone: loading the library takes longer than hashing what a lookup reads. These stand behind CFLAGS, in which a packager may
# have -fPIE for programs: of that and -fPIC, which libraries need, the last one counts.
FLAGS_reader  = -std=c11 -pedantic -fPIC -DXXH_INLINE_ALL
FLAGS_base    = -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -pthread
FLAGS_writer  = -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden
FLAGS_convert = -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -pthread
FLAGS_cmd     = -std=c11 -D_GNU_SOURCE -pthread
FLAGS_fuzz    = -std=c11 -D_GNU_SOURCE -pthread $(if $(LIBFUZZER),-DLIBFUZZER)
FLAGS_bindings = -std=c11 -D_GNU_SOURCE -fPIC

# The C files of a folder and of its rooms. Tests stand beside what they test.
c_files = $(wildcard $(1)/*.c $(1)/*/*.c)
BASE_SRC    := $(filter-out %_test.c,$(call c_files,base))
READER_SRC  := base/fail.c $(filter-out %_test.c,$(call c_files,reader))
WRITER_SRC  := $(filter-out %_test.c,$(call c_files,writer))
CONVERT_SRC := $(filter-out %_test.c,$(call c_files,convert))
# What needs PCRE2, or protobuf-c and zlib, is a library of the command's own, loaded when a text or a profile is read:
# see cmd/symbolize/forms_library.c and pprof_library.c.
FORMS_SRC   := cmd/symbolize/text_forms.c
PPROF_SRC   := $(filter-out %_test.c,$(call c_files,cmd/pprof))
QUICK_SRC   := $(call c_files,cmd/quick)
CMD_SRC     := $(filter-out %_test.c $(FORMS_SRC) $(PPROF_SRC) $(QUICK_SRC),$(call c_files,cmd))
TEST_SRC    := $(filter %_test.c,$(foreach folder,base reader writer convert cmd,$(call c_files,$(folder))))
# Linked into programs that were built with a sanitizer, and never built with one itself.
HOOKS_SRC   := bindings/sanitizer/sanitizer_hooks.c
FUZZ_SRC    := $(wildcard fuzz/fuzz_*.c)
# What several targets use, and what runs one without a fuzzer.
FUZZ_PARTS  := fuzz/ask_file.c fuzz/work_folder.c $(if $(LIBFUZZER),,fuzz/replay.c fuzz/variation.c)
MAN_SRC     := $(wildcard cmd/man/*.scd)
objs = $(patsubst %.c,$(BUILD)/%.o,$(1))
PPROF_MADE  := $(BUILD)/pprof/profile.pb-c
PPROF_OBJ   := $(call objs,$(PPROF_SRC)) $(PPROF_MADE).o

READER_LIBS  := -lzstd
CONVERT_LIBS := -ldw -lelf -lisal -ldeflate -lzstd -llzma -lxxhash -liberty -pthread
FORMS_LIBS   := -lpcre2-8
PPROF_LIBS   := -lprotobuf-c -lz
# The command has libzstd within itself, where the archive is there: to load it takes a twentieth of a lookup of one address.
# Not with sanitizers, where the converter, which loads it too, is linked with.
archive_of = $(filter /%,$(shell $(CC) -print-file-name=$(1)))
CMD_ZSTD   = $(if $(SANITIZE),-lzstd,$(if $(call archive_of,libzstd.a),-l:libzstd.a,-lzstd))
# The command that is started first answers one address itself and hands everything else over to locus-full: see
# cmd/quick/quick_lookup.c. It is linked with musl, and built only for the machine for which that is there. Sanitizers and
# counts of coverage belong to glibc.
machine_of  = $(firstword $(subst -, ,$(shell $(1) -dumpmachine 2>/dev/null)))
MUSL_CC     := $(filter %ccache,$(CC)) musl-gcc
# What begins a program that is linked statically and still loaded at any address; musl-gcc does not take it by itself.
MUSL_START  := $(wildcard $(patsubst %/Scrt1.o,%/rcrt1.o,$(shell \
	musl-gcc -\#\#\# -x c /dev/null 2>&1 | grep -o '/[^ "]*/Scrt1\.o')))
IS_FOR_MUSL := $(and $(call archive_of,libzstd.a),$(call archive_of,libiberty.a),$(MUSL_START), \
	$(filter $(call machine_of,musl-gcc),$(call machine_of,$(CC))))
QUICK       ?= $(if $(SANITIZE),,$(if $(IS_FOR_MUSL),1))
FULL        := $(BUILD)/locus$(if $(QUICK),-full)
QUICK_PARTS := $(QUICK_SRC) $(READER_SRC) $(addprefix cmd/lookup/,answer.c query.c) \
	$(addprefix cmd/common/,digits.c exit_code.c json.c memory.c out.c report.c stack_limit.c standard_files.c) $(addprefix cmd/show/, \
	bounded_call.c cxxname.c demangle.c display.c function_labels.c name_walk.c path_labels.c short_name.c)
# cmd/show/demangle.c gives libiberty its memory for D names.
WRAPPED      := -Wl,--wrap=xmalloc,--wrap=xrealloc,--wrap=free
CMD_LIBS     := -liberty -ldl $(WRAPPED)

TEST_LIBS    := $(CMD_LIBS) $(FORMS_LIBS) $(PPROF_LIBS) $(CONVERT_LIBS) $(READER_LIBS)

TESTS  := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(FUZZ_SRC))
MANS   := $(patsubst cmd/man/%.scd,$(BUILD)/man/%,$(MAN_SRC))
COMPLETIONS := $(foreach shell,bash zsh fish,$(BUILD)/completions/locus.$(shell))
SHARED := $(BUILD)/liblocus.so.$(VERSION)
# The converter is a library of the command's own, loaded when it is needed: see cmd/conversion/converter.c.
CONVERTER := $(BUILD)/liblocus-convert.so
FORMS     := $(BUILD)/liblocus-forms.so
PPROF     := $(BUILD)/liblocus-pprof.so
LOADED    := $(CONVERTER) $(FORMS) $(PPROF)
ifdef SANITIZE
# There they are linked with: a sanitizer's own dlopen does not look beside the command, and gcc 12's leak check crashes
# over thread-local data of a library that came late.
LINK_LOADED = -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../lib/locus' -Wl,--no-as-needed $(LOADED)
endif
# What locus.h includes of spec/ is installed as locus/NAME.h beside it.
PUBLIC_SPEC = $(shell sed -n 's,^\#include "\(spec/[a-z]*\.h\)".*,\1,p' reader/locus.h)

# All that is installed, so that `make install`, which may run as root, makes nothing in the build folder.
all: $(BUILD)/locus $(LOADED) reader hooks man $(COMPLETIONS)

reader: $(BUILD)/liblocus.a $(SHARED) $(BUILD)/locus.pc $(BUILD)/locus.h

hooks: $(BUILD)/liblocus-sanitizer.a $(BUILD)/locus-sanitizer.pc

$(FULL): $(call objs,$(CMD_SRC)) $(BUILD)/liblocus.a | $(LOADED)
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) $(LINK_LOADED) -o $@ $^ $(CMD_LIBS) $(CMD_ZSTD)

ifneq ($(QUICK),)
# musl relocates what is linked statically by itself, and knows packed relocations from version 1.2.4 on.
QUICK_LDFLAGS = $(subst -z$(comma)pack-relative-relocs,-z$(comma)nopack-relative-relocs,$(LDFLAGS))

$(BUILD)/locus: $(patsubst %.c,$(BUILD)/quick/%.o,$(QUICK_PARTS)) | $(FULL)
	$(call say,LINK,$@)$(MUSL_CC) $(CFLAGS) $(QUICK_LDFLAGS) -nostartfiles -static -Wl,-pie,--no-dynamic-linker,-z,text,--gc-sections \
		-o $@ $(MUSL_START) $^ $(WRAPPED) \
		$(call archive_of,libiberty.a) $(call archive_of,libzstd.a) || { rm -f $@ && ln -s $(notdir $(FULL)) $@ && \
		echo '$@ is $(notdir $(FULL)) itself, as the small command cannot be linked: one address takes a millisecond more' >&2; }

# Headers of libraries, which work with any libc, stand where those of glibc are.
$(BUILD)/quick/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  ,$< (quick))$(MUSL_CC) $(FLAGS_$(firstword $(subst /, ,$<))) $(BASE_FLAGS) -fPIE -ffunction-sections \
		-idirafter /usr/include -c -o $@ $<
endif

$(CONVERTER): $(call objs,$(CONVERT_SRC) $(WRITER_SRC) $(BASE_SRC))
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $^ $(CONVERT_LIBS)

$(FORMS): $(call objs,$(FORMS_SRC))
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $^ $(FORMS_LIBS)

$(PPROF): $(PPROF_OBJ)
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $^ $(PPROF_LIBS)

# gcc notes that other versions pass such bytes in another way. No function that takes them is called by another file; a
# pragma there does not reach the note.
$(call objs,convert/dwarf/row_prefixes.c): FLAGS_convert += -Wno-psabi

$(call objs,$(FORMS_SRC)) $(PPROF_OBJ): FLAGS_cmd += -fPIC -fvisibility=hidden

# The structs of profiles and what reads and writes them, made of the format's description.
$(PPROF_MADE).c $(PPROF_MADE).h &: cmd/pprof/profile.proto
	@mkdir -p $(BUILD)/pprof
	$(call say,PROTO,$<)protoc-c --proto_path=$(<D) --c_out=$(@D) $(<F)

$(PPROF_MADE).o: $(PPROF_MADE).c $(BUILD)/flags
	$(call say,CC  ,$<)$(CC) $(BASE_FLAGS) $(FLAGS_cmd) -c -o $@ $<

$(PPROF_OBJ) $(call objs,$(filter cmd/pprof/%,$(TEST_SRC))): FLAGS_cmd += -I$(BUILD)
$(PPROF_OBJ) $(call objs,$(filter cmd/pprof/%,$(TEST_SRC))): | $(PPROF_MADE).h

$(BUILD)/liblocus.a: $(call objs,$(READER_SRC))
	$(call say,AR  ,$@)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/liblocus-sanitizer.a: $(call objs,$(HOOKS_SRC))
	$(call say,AR  ,$@)rm -f $@ && $(AR) rcs $@ $^

$(call objs,$(HOOKS_SRC)): SAN =

# As it is installed, where what it includes of spec/ is in locus/.
$(BUILD)/locus.h: reader/locus.h $(BUILD)/flags
	$(Q)sed 's,^#include "spec/,#include "locus/,' $< > $@

# Only what locus.h declares leaves the shared library.
$(BUILD)/liblocus.map: reader/locus.h $(BUILD)/flags
	$(Q){ echo '{ global:'; sed -n '/^typedef/d; s/^[a-z][a-z0-9_ *]*[ *]\(locus_[a-z_]*\)(.*/\1;/p' $<; echo 'local: *; };'; } > $@

$(SHARED): $(call objs,$(READER_SRC)) $(BUILD)/liblocus.map
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) \
		-Wl,--version-script,$(BUILD)/liblocus.map -o $@ $(filter %.o,$^) $(READER_LIBS)
	$(Q)ln -sf $(@F) $(BUILD)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(BUILD)/liblocus.so

$(BUILD)/locus.pc: reader/locus.pc.in
$(BUILD)/locus-sanitizer.pc: bindings/sanitizer/locus-sanitizer.pc.in
$(BUILD)/%.pc: $(BUILD)/flags FORCE
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
		-e 's|@VERSION@|$(VERSION)|' $(filter %.in,$^) > $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  ,$<)$(CC) $(BASE_FLAGS) $(FLAGS_$(firstword $(subst /, ,$<))) -c -o $@ $<

# Rewritten when what decides how objects are made changes, so that one build folder never mixes two kinds. That is found
# out while make reads this file, so that `make -n` lists only what would be made.
ALL_FLAGS := $(CC) $(BASE_FLAGS) $(LDFLAGS) $(QUICK)
ifneq ($(file <$(BUILD)/flags),$(ALL_FLAGS))
$(BUILD)/flags: FORCE
endif
$(BUILD)/flags: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(ALL_FLAGS))' > $@

# A test stands beside what it tests and may use every layer, and so may a fuzz target.
ALL_OBJS := $(call objs,$(CONVERT_SRC) $(WRITER_SRC) $(BASE_SRC)) \
	$(filter-out $(BUILD)/cmd/main.o,$(call objs,$(CMD_SRC) $(FORMS_SRC))) $(PPROF_OBJ) $(BUILD)/liblocus.a
$(TESTS): $(BUILD)/%: $(BUILD)/%.o $(ALL_OBJS)
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(TEST_LIBS) $(FAILING)

# What base/failing_memory_test.h wraps.
$(BUILD)/%/memory_out_test: private FAILING = $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc aligned_alloc strdup \
	strndup asprintf ZSTD_createCCtx ZSTD_createDCtx ZSTD_createDStream XXH3_createState arena_take arena_copy \
	arena_copy_packed array_grow hash_slots_grow intern_put string_put budget_take budget_spend)
comma := ,

# A program that replays files; with LIBFUZZER one that looks for them (scripts/fuzz). That is 1 for clang's own engine, or
# what a C++ compiler links another one with (fuzz/oss-fuzz-build.sh).
$(FUZZERS): $(BUILD)/%: $(BUILD)/%.o $(call objs,$(FUZZ_PARTS)) $(ALL_OBJS)
	$(call say,LINK,$@)$(if $(filter-out 1,$(LIBFUZZER)),$(CXX) $(CXXFLAGS),$(CC) $(SAN) $(CFLAGS)) $(LDFLAGS) -o $@ $^ \
		$(patsubst 1,-fsanitize=fuzzer,$(LIBFUZZER)) \
		-lcmocka $(TEST_LIBS)

fuzzers: $(FUZZERS)

tests: $(TESTS) $(FUZZERS)

test: all tests
	scripts/run-tests $(RUN_TESTS) $(BUILD) $(LEFT_OUT)

test-long:
	scripts/test --long
	scripts/deps long
	$(MAKE) all
	LOCUS=$(BUILD)/locus scripts/test-mutations --seed 100000 100000
	LOCUS=$(BUILD)/locus scripts/agree-matrix --reader llvm --reader elfutils
	LOCUS=$(BUILD)/locus scripts/test-elf-lookup --long
	LOCUS=$(BUILD)/locus scripts/test-debug-variants --all
	LOCUS=$(BUILD)/locus scripts/test-crashes --long
	LOCUS=$(BUILD)/locus scripts/test-plt
	LOCUS=$(BUILD)/locus scripts/test-faults --long
	$(MAKE) tests
	BUILD=$(BUILD) LOCUS=$(BUILD)/locus scripts/test-source --long
	scripts/try-oss-fuzz
	BUILD=$(BUILD) scripts/portable

demo:
	scripts/demo

bench: all
	scripts/bench --build $(BUILD) $(BENCH)

bench-scale: all
	scripts/bench-scale --build $(BUILD) $(BENCH)

# Each fuzz target for so many seconds; mutate plants faults and says which the tests do not notice (both take long).
FUZZ_SECONDS ?= 60
fuzz:
	BUILD=$(BUILD) scripts/fuzz $(FUZZ_SECONDS) $(FUZZ)

mutate:
	BUILD=$(BUILD) scripts/mutate $(MUTATE)

# Figures go to a build folder of their own, made anew so that old counts do not add up. Where a test lets every write
# fail, those of the counts fail too: that is nothing to say among the messages it looks at. Nothing is optimised and all
# is counted, so tests may take longer. Left out is what takes long and reaches hardly a line that others do not: scripts
# that ask tens of programs what others ask of one, those that build and install with a build of their own, and those that
# look at text.
ASK_AGAIN  := test-agree test-second-reader
BUILD_ANEW := test-install test-readme test-contrib test-examples test-python
LOOK_ONLY  := test-format test-layers test-rules-table test-misreadings test-chosen
cover:
	rm -rf $(BUILD)/cover
	GCOV_ERROR_FILE=/dev/null $(MAKE) BUILD=$(BUILD)/cover QUICK= CFLAGS='-O0 -g --coverage' CPPFLAGS=-DLOCUS_UNCONFINED \
		RUN_TESTS='--timeout 3600' LEFT_OUT='$(patsubst %,!scripts/%,$(ASK_AGAIN) $(BUILD_ANEW) $(LOOK_ONLY))' test
	scripts/cover $(BUILD)/cover

man: $(MANS)

$(BUILD)/man/%: cmd/man/%.scd
	@mkdir -p $(@D)
	$(call say,MAN ,$@)scdoc < $< > $@.new && mv $@.new $@

# Made of what the command's own help lists. A command for another machine cannot be asked for that, and has none.
$(COMPLETIONS): $(BUILD)/completions/locus.%: scripts/make-completions $(BUILD)/locus $(FULL)
	@mkdir -p $(@D)
	$(Q)if $(BUILD)/locus --version >/dev/null 2>&1; then scripts/make-completions $(BUILD)/locus $* > $@.new && mv $@.new $@; \
		else rm -f $@ && echo '$@ is left out: $(BUILD)/locus does not run on this machine' >&2; fi

# Where each shell looks.
BASH_COMPLETION = $(PREFIX)/share/bash-completion/completions/locus
ZSH_COMPLETION  = $(PREFIX)/share/zsh/site-functions/_locus
FISH_COMPLETION = $(PREFIX)/share/fish/vendor_completions.d/locus.fish

# The lists of files below have spaces between them, so that a path with one would be two, and the second one here.
ifneq ($(word 2,x$(DESTDIR)$(PREFIX)$(LIBDIR)x),)
$(error make cannot install to a path with spaces: DESTDIR is '$(DESTDIR)', PREFIX is '$(PREFIX)', LIBDIR is '$(LIBDIR)')
endif
# It is also written into files for pkg-config, which are read in other folders. Not every shell replaces ~ here.
ifneq ($(filter-out /%,$(PREFIX) $(LIBDIR)),)
$(error PREFIX and LIBDIR are to be whole paths, which begin with /, and are '$(PREFIX)' and '$(LIBDIR)')
endif
BINDIR = $(PREFIX)/bin
INCDIR = $(PREFIX)/include
# What the command loads, which looks for it beside the folder that it is in itself.
OWNDIR = $(PREFIX)/lib/locus
# Other programs' names, in a folder of their own: who wants them puts it into PATH.
TOOLDIR = $(OWNDIR)/bin
# Where find_package looks, whatever machine it is for.
CMAKEDIR = $(PREFIX)/lib/cmake/Locus
TOOLS   = addr2line llvm-addr2line llvm-symbolizer
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/locus
# What the headers refer to.
PUBLIC_DOCS = spec/FORMAT.md spec/RULES.md
installed_man = $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(1)))/$(notdir $(1))

install: all reader-install hooks-install cmake-install
	$(Q)$(INSTALL) -d $(DESTDIR)$(BINDIR)
	$(Q)$(INSTALL) -m 755 $(BUILD)/locus $(DESTDIR)$(BINDIR)/locus
	$(Q)$(INSTALL) -d $(DESTDIR)$(OWNDIR) $(DESTDIR)$(TOOLDIR)
	$(Q)$(INSTALL) -m 755 $(LOADED) $(if $(QUICK),$(FULL)) $(DESTDIR)$(OWNDIR)
	$(Q)$(foreach tool,$(TOOLS),ln -sf $(if $(QUICK),../locus-full,../../../bin/locus) $(DESTDIR)$(TOOLDIR)/$(tool) &&) true
	$(Q)$(foreach page,$(MANS),$(INSTALL) -D -m 644 $(page) $(call installed_man,$(page)) &&) true
	$(Q)[ ! -e $(BUILD)/completions/locus.bash ] || $(INSTALL) -D -m 644 $(BUILD)/completions/locus.bash $(DESTDIR)$(BASH_COMPLETION)
	$(Q)[ ! -e $(BUILD)/completions/locus.zsh ] || $(INSTALL) -D -m 644 $(BUILD)/completions/locus.zsh $(DESTDIR)$(ZSH_COMPLETION)
	$(Q)[ ! -e $(BUILD)/completions/locus.fish ] || $(INSTALL) -D -m 644 $(BUILD)/completions/locus.fish $(DESTDIR)$(FISH_COMPLETION)

cmake-install:
	$(Q)$(INSTALL) -d $(DESTDIR)$(CMAKEDIR)
	$(Q)$(INSTALL) -m 644 contrib/cmake/LocusConfig.cmake $(DESTDIR)$(CMAKEDIR)
	$(Q)sed 's,@VERSION@,$(VERSION),' contrib/cmake/LocusConfigVersion.cmake.in > $(DESTDIR)$(CMAKEDIR)/LocusConfigVersion.cmake
	$(Q)chmod 644 $(DESTDIR)$(CMAKEDIR)/LocusConfigVersion.cmake

reader-install: reader
	$(Q)$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCDIR)/locus
	$(Q)$(INSTALL) -m 644 $(BUILD)/liblocus.a $(DESTDIR)$(LIBDIR)
	$(Q)$(INSTALL) -m 755 $(SHARED) $(DESTDIR)$(LIBDIR)/$(notdir $(SHARED))
	$(Q)ln -sf $(notdir $(SHARED)) $(DESTDIR)$(LIBDIR)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/liblocus.so
	$(Q)$(INSTALL) -m 644 $(BUILD)/locus.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	$(Q)$(INSTALL) -m 644 $(BUILD)/locus.h $(DESTDIR)$(INCDIR)/locus.h
	$(Q)$(INSTALL) -m 644 $(PUBLIC_SPEC) $(DESTDIR)$(INCDIR)/locus
	$(Q)$(INSTALL) -d $(DESTDIR)$(DOCDIR)
	$(Q)$(INSTALL) -m 644 $(PUBLIC_DOCS) $(DESTDIR)$(DOCDIR)

hooks-install: hooks reader-install
	$(Q)$(INSTALL) -m 644 $(BUILD)/liblocus-sanitizer.a $(DESTDIR)$(LIBDIR)
	$(Q)$(INSTALL) -m 644 $(BUILD)/locus-sanitizer.pc $(DESTDIR)$(LIBDIR)/pkgconfig

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/locus $(addprefix $(DESTDIR)$(OWNDIR)/,$(notdir $(LOADED)) locus-full)
	rm -f $(addprefix $(DESTDIR)$(TOOLDIR)/,$(TOOLS)) $(foreach page,$(MANS),$(call installed_man,$(page)))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,liblocus.a liblocus-sanitizer.a liblocus.so $(SONAME) $(notdir $(SHARED)))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/pkgconfig/,locus.pc locus-sanitizer.pc)
	rm -f $(DESTDIR)$(INCDIR)/locus.h $(patsubst spec/%,$(DESTDIR)$(INCDIR)/locus/%,$(PUBLIC_SPEC))
	rm -f $(addprefix $(DESTDIR),$(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION))
	rm -f $(patsubst spec/%,$(DESTDIR)$(DOCDIR)/%,$(PUBLIC_DOCS))
	rm -f $(addprefix $(DESTDIR)$(CMAKEDIR)/,LocusConfig.cmake LocusConfigVersion.cmake)
	$(Q)for folder in $(addprefix $(DESTDIR),$(CMAKEDIR) $(TOOLDIR) $(INCDIR)/locus $(OWNDIR) $(DOCDIR)); do \
		[ ! -d $$folder ] || rmdir --ignore-fail-on-non-empty $$folder || exit; done

# The head of this file.
help:
	@sed -n '/^$$/q; s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

clean:
	rm -rf $(BUILD)

FORCE:

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)

.PHONY: all help reader hooks tests test test-long cmake-install demo bench bench-scale fuzz fuzzers mutate cover man install reader-install hooks-install uninstall clean FORCE
