/* Demangles C++, Rust and D names by libiberty. Most C++ names are only parsed by it, and printed by cxxname.c. */
#include "cmd/show/demangle.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/language.h"
#include "cmd/show/bounded_call.h"
#include "cmd/show/cxxname.h"
#include "cmd/show/name_ends.h"

/*
 * A few bytes of a hostile name can stand for gigabytes of text, and for hours of work that print nothing. So output
 * goes to a fixed buffer, and a longjmp ends the demangling when it is full. Each name has a bounded share of the
 * processor (bounded_call.h), and so have all of them together; names after that are shown as they are. C++ names are
 * bounded in size, so that recursion, at most a level a byte, fits an ordinary stack; libiberty's own limit of 1024
 * bytes is below real names. Rust names refer back to themselves, so libiberty's limit stays for them.
 */
enum { MANGLED_SIZE_MAX = 4096, D_SIZE_MAX = 1024 };

/* The memory that libiberty takes for a D name, whose strings it reallocates as they grow. */
enum { D_MEMORY_SIZE = 1 << 18 };

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

/*
 * Whether it is a Rust name: of v0; or of the older kind, a C++ name that ends in a hash, ...17h0123456789abcdefE and
 * perhaps a suffix.
 */
static bool may_be_rust(const char *mangled)
{
	return mangled[0] == '_' && (mangled[1] == 'R' || strstr(mangled, "17h"));
}

static size_t demangle_into(const char *mangled, char *ret)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;
	struct sink sink = {.text = ret};
	size_t size;

#ifndef LIBIBERTY_PRINTS /* set to measure what cxxname.c saves (see there) */
	if (!may_be_rust(mangled) && cxx_name(mangled, ret, &size))
		return size;
#else
	(void)size;
#endif
	if (setjmp(sink.full))
		return 0;
	if (may_be_rust(mangled) && rust_demangle_callback(mangled, options, sink_add, &sink))
		return sink.size;
	sink.size = 0;
	return cplus_demangle_v3_callback(mangled, options | DMGL_NO_RECURSE_LIMIT, sink_add, &sink) ? sink.size : 0;
}

/*
 * Memory for D names. libiberty does not bound what it prints of them, and allocates as it goes. So the Makefile has
 * the linker direct its allocations here: they come from a buffer that is emptied after each name. When it is full, or
 * the name has had its time, the demangler can be left without a leak.
 */
static struct {
	_Alignas(max_align_t) char bytes[D_MEMORY_SIZE];
	size_t used;
	jmp_buf full;
} d_memory;

void *__wrap_xmalloc(size_t size);
void *__wrap_xrealloc(void *old, size_t size);
void __wrap_free(void *memory);
void __real_free(void *memory);

static bool is_d_memory(const void *memory)
{
	return (const char *)memory >= d_memory.bytes && (const char *)memory < d_memory.bytes + D_MEMORY_SIZE;
}

/* The size of each allocation stands before it, because xrealloc needs it. */
void *__wrap_xmalloc(size_t size)
{
	const size_t header = alignof(max_align_t);

	if (size > D_MEMORY_SIZE || header + size + header > D_MEMORY_SIZE - d_memory.used)
		longjmp(d_memory.full, 1);
	char *memory = d_memory.bytes + d_memory.used;
	memcpy(memory, &size, sizeof(size));
	d_memory.used += header + (size + header - 1) / header * header;
	return memory + header;
}

void *__wrap_xrealloc(void *old, size_t size)
{
	size_t old_size = 0;
	char *memory = __wrap_xmalloc(size);

	if (old) {
		memcpy(&old_size, (char *)old - alignof(max_align_t), sizeof(old_size));
		memcpy(memory, old, old_size < size ? old_size : size);
	}
	return memory;
}

void __wrap_free(void *memory)
{
	if (!is_d_memory(memory))
		__real_free(memory);
}

static size_t demangle_d(const char *mangled, char *ret)
{
	d_memory.used = 0;
	if (setjmp(d_memory.full))
		return 0;
	const char *text = dlang_demangle(mangled, DMGL_PARAMS);
	size_t size = text ? strlen(text) : 0;

	if (size > DEMANGLED_SIZE_MAX)
		return 0;
	if (size)
		memcpy(ret, text, size);
	return size;
}

bool is_mangled_d(const char *name, size_t size, uint32_t language)
{
	return name_starts_with(name, size, "_D") && (language == LANG_D || language == 0);
}

bool may_demangle(const char *name, size_t size, uint32_t language)
{
	return is_mangled_d(name, size, language) || name_starts_with(name, size, "_Z") ||
	       name_starts_with(name, size, "_R") || name_starts_with(name, size, "_GLOBAL_");
}

struct request {
	const char *mangled;
	bool is_d;
	char *ret;
	size_t ret_size;
};

static void demangle_one(void *argument)
{
	struct request *request = argument;

	request->ret_size = request->is_d ? demangle_d(request->mangled, request->ret)
					  : demangle_into(request->mangled, request->ret);
}

/* What stands before @plt, or before the version of a symbol, as in foo@@VERSION: a mangled name has no @ itself. */
static size_t size_before_at(const char *name, size_t size)
{
	const char *at = memchr(name, '@', size);

	return at ? (size_t)(at - name) : size;
}

size_t demangle(const char *name, size_t size, uint32_t language, char *ret)
{
	char mangled[MANGLED_SIZE_MAX];
	struct request request = {mangled, is_mangled_d(name, size, language), ret, 0};
	const size_t own = size_before_at(name, size), rest = size - own;

	if (!may_demangle(name, size, language) || own >= (request.is_d ? D_SIZE_MAX : MANGLED_SIZE_MAX) ||
	    memchr(name, '\0', size))
		return 0;
	memcpy(mangled, name, own);
	mangled[own] = '\0';
	if (!bounded_call(demangle_one, &request) || !request.ret_size || rest > DEMANGLED_SIZE_MAX - request.ret_size)
		return 0;
	memcpy(ret + request.ret_size, name + own, rest);
	return request.ret_size + rest;
}
