/* Demangling of C++, Rust and D names by libiberty; most C++ names are parsed by it, but printed by cxxname.c. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "cmd/common/cxxname.h"
#include "cmd/common/demangle.h"

/*
 * A few bytes of a hostile name can stand for gigabytes, so output goes to a fixed buffer, and the demangler is left
 * by longjmp when it is full; it holds no heap memory while it prints. C++ names are bounded so that recursion, at most
 * a level a byte, fits an ordinary stack; libiberty's own limit gives up at 1024 bytes, which real names pass. Rust
 * names refer back to themselves, so there libiberty's limit stays.
 */
enum { MANGLED_SIZE_MAX = 4096, D_SIZE_MAX = 1024 };

enum { LANG_D = 0x13 }; /* DW_LANG_D, DWARF 5 section 7.12 */

struct sink {
	char *text;
	size_t size;
	jmp_buf full;
};

static void sink_add(const char *data, size_t size, void *opaque)
{
	struct sink *sink = opaque;

	if (size == 0)
		return;
	if (size > DEMANGLED_SIZE_MAX - sink->size)
		longjmp(sink->full, 1);
	memcpy(sink->text + sink->size, data, size);
	sink->size += size;
}

/* Rust's v0 names, or its older ones: C++ names that end in a hash, ...17h0123456789abcdefE and perhaps a suffix. */
static bool may_be_rust(const char *mangled)
{
	return mangled[0] == '_' && (mangled[1] == 'R' || strstr(mangled, "17h"));
}

static size_t demangle_into(const char *mangled, char *ret)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;
	struct sink sink = {.text = ret};
	size_t size;

	if (!may_be_rust(mangled) && cxx_name(mangled, ret, &size))
		return size;
	if (setjmp(sink.full))
		return 0;
	if (may_be_rust(mangled) && rust_demangle_callback(mangled, options, sink_add, &sink))
		return sink.size;
	sink.size = 0;
	return cplus_demangle_v3_callback(mangled, options | DMGL_NO_RECURSE_LIMIT, sink_add, &sink) ? sink.size : 0;
}

static size_t demangle_d(const char *mangled, char *ret)
{
	char *text = dlang_demangle(mangled, DMGL_PARAMS);
	size_t size = text ? strlen(text) : 0;

	if (size > DEMANGLED_SIZE_MAX)
		size = 0;
	if (size)
		memcpy(ret, text, size);
	free(text);
	return size;
}

static bool starts_with(const char *name, size_t size, const char *prefix)
{
	size_t length = strlen(prefix);

	return size > length && memcmp(name, prefix, length) == 0;
}

static bool is_mangled_d(const char *name, size_t size, uint32_t language)
{
	return starts_with(name, size, "_D") && (language == LANG_D || language == 0);
}

bool may_demangle(const char *name, size_t size, uint32_t language)
{
	return is_mangled_d(name, size, language) || starts_with(name, size, "_Z") || starts_with(name, size, "_R") ||
	       starts_with(name, size, "_GLOBAL_");
}

size_t demangle(const char *name, size_t size, uint32_t language, char *ret)
{
	char mangled[MANGLED_SIZE_MAX];
	bool is_d = is_mangled_d(name, size, language);

	if (!may_demangle(name, size, language) || size >= (is_d ? D_SIZE_MAX : MANGLED_SIZE_MAX) ||
	    memchr(name, '\0', size))
		return 0;
	memcpy(mangled, name, size);
	mangled[size] = '\0';
	return is_d ? demangle_d(mangled, ret) : demangle_into(mangled, ret);
}
