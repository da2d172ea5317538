# Builds locus (the command), liblocus (the reader library) and their tests; objects go under $(BUILD) only.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= gcc
CFLAGS  ?= -O2 -g
LDFLAGS ?=

VERSION := $(shell cat spec/VERSION)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla
ifdef WERROR
WARN += -Werror
endif
ifdef SANITIZE
SAN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
V ?= 0
ifeq ($(V),0)
Q := @
say = @echo '  $(1)  $(2)';
endif

BASE_FLAGS = -I. -MMD -MP $(WARN) $(SAN) -DLOCUS_VERSION='"$(VERSION)"' $(CPPFLAGS) $(CFLAGS)
# The reader is strict C11, so that it builds anywhere; the rest may use what glibc has.
FLAGS_reader  = -std=c11 -pedantic -fPIC
FLAGS_writer  = -std=c11 -D_GNU_SOURCE
FLAGS_convert = -std=c11 -D_GNU_SOURCE -pthread
FLAGS_cmd     = -std=c11 -D_GNU_SOURCE -pthread

READER_SRC  := $(filter-out %_test.c,$(wildcard reader/*.c))
WRITER_SRC  := $(filter-out %_test.c,$(wildcard writer/*.c))
CONVERT_SRC := $(filter-out %_test.c,$(wildcard convert/*.c))
CMD_SRC     := $(filter-out %_test.c,$(wildcard cmd/*.c))
TEST_SRC    := $(wildcard reader/*_test.c writer/*_test.c convert/*_test.c cmd/*_test.c)
objs = $(patsubst %.c,$(BUILD)/%.o,$(1))

READER_LIBS  := -lzstd -lxxhash
CONVERT_LIBS := -ldw -lelf -lisal -lzstd -lxxhash -pthread
CMD_LIBS     := -ljansson -liberty

TESTS := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))

all: $(BUILD)/locus $(BUILD)/liblocus.a

$(BUILD)/locus: $(call objs,$(CMD_SRC)) $(call objs,$(CONVERT_SRC)) $(call objs,$(WRITER_SRC)) $(BUILD)/liblocus.a
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CMD_LIBS) $(CONVERT_LIBS) $(READER_LIBS)

$(BUILD)/liblocus.a: $(call objs,$(READER_SRC))
	$(call say,AR  ,$@)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC  ,$<)$(CC) $(FLAGS_$(firstword $(subst /, ,$<))) $(BASE_FLAGS) -c -o $@ $<

# A test stands beside what it tests and may use every layer.
$(TESTS): $(BUILD)/%: $(BUILD)/%.o $(call objs,$(CONVERT_SRC)) $(call objs,$(WRITER_SRC)) $(BUILD)/liblocus.a
	$(call say,LINK,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(CONVERT_LIBS) $(READER_LIBS)

tests: $(TESTS)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all tests clean
