/*
 * The hooks by which the sanitizers' runtimes ask a program to symbolize its own reports, answered from .locus files.
 *
 * AddressSanitizer and its sisters name functions and lines by starting llvm-symbolizer or addr2line, unless the
 * program defines __sanitizer_symbolize_code and its like; then they call these, in the process. Linked with this
 * library (see README.md beside it) a program needs no other one, no DWARF, and a few milliseconds for a report.
 *
 * The runtimes declare the hooks weak, in no header. There are two dialects, and both are spoken here: LLVM 14 and
 * later sets what applies to all calls (set_demangle, set_inline_frames) and takes truth for an answer; gcc's and older
 * ones pass a fifth argument, and the size that a demangled name needs.
 *
 * The runtimes hold a lock while they call, so that nothing here is called twice at a time; large buffers are static,
 * for the report of a signal has a small stack. The buffer that an answer goes to is the runtime's own memory, where
 * AddressSanitizer takes whatever libc writes for an error: only `copy_out` writes there. This file must not be
 * compiled with -fsanitize itself.
 */
#include <inttypes.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/locus.h"

/* One ELF file of the process, found or not, until the next flush. */
struct module {
	struct module *next;
	struct locus *locus; /* NULL: no symbols were found */
	struct locus_scratch *scratch;
	char path[];
};

/* The runtimes have no room for longer answers. */
enum { PATH_SIZE = 4096, BUILD_ID_MAX = 64, ANSWER_SIZE = 16384 };

struct build_id {
	const char *path; /* of the module whose it is */
	uint8_t bytes[BUILD_ID_MAX];
	size_t size; /* 0: it has none */
};

/* What the runtime set, or passes with each call. */
enum inline_frames { AS_EACH_CALL_SAYS, INLINE_FRAMES, OUTERMOST_ONLY };

static struct module *modules;
static bool show_mangled;
static enum inline_frames inline_frames;

/* Of the C++ runtime, where the program has one. */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status) __attribute__((weak));

bool __sanitizer_symbolize_code(const char *path, uint64_t address, char *buffer, int size, bool with_inline_frames);
bool __sanitizer_symbolize_data(const char *path, uint64_t address, char *buffer, int size);
bool __sanitizer_symbolize_frame(const char *path, uint64_t address, char *buffer, int size);
int __sanitizer_symbolize_demangle(const char *name, char *buffer, int size);
bool __sanitizer_symbolize_set_demangle(bool demangle);
bool __sanitizer_symbolize_set_inline_frames(bool with_inline_frames);
void __sanitizer_symbolize_flush(void);

/* ---- Which file has a module's symbols ---- */

/* Whether a loaded object is the module of that path. The program itself has no name here. */
static bool is_module(const struct dl_phdr_info *object, const char *path)
{
	static char program[PATH_SIZE];
	ssize_t size;

	if (object->dlpi_name[0])
		return strcmp(object->dlpi_name, path) == 0;
	size = readlink("/proc/self/exe", program, sizeof(program));
	return size == (ssize_t)strlen(path) && memcmp(program, path, (size_t)size) == 0;
}

static size_t aligned(size_t at, size_t align)
{
	return (at + align - 1) / align * align;
}

/* Reads the build-id of a note segment, whose bytes are in memory. A note's descriptor and its end are aligned. */
static void read_notes(const char *notes, size_t size, size_t align, struct build_id *ret)
{
	for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t name = at + sizeof(*note);
		size_t desc = aligned(name + note->n_namesz, align);
		if (desc > size || note->n_descsz > size - desc)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
		    note->n_descsz <= BUILD_ID_MAX) {
			memcpy(ret->bytes, notes + desc, note->n_descsz);
			ret->size = note->n_descsz;
			return;
		}
		at = aligned(desc + note->n_descsz, align);
	}
}

/* Of dl_iterate_phdr: returns 1, the end, when it has met the module. */
static int read_build_id(struct dl_phdr_info *object, size_t size, void *ret)
{
	struct build_id *build_id = ret;

	(void)size;
	if (!is_module(object, build_id->path))
		return 0;
	for (int i = 0; i < object->dlpi_phnum && !build_id->size; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		if (segment->p_type == PT_NOTE)
			read_notes((const char *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz,
				   segment->p_align == 8 ? 8 : 4, build_id);
	}
	return 1;
}

/* A line on standard error, where reports go. */
static void say(const char *path, const char *what, const char *more)
{
	dprintf(STDERR_FILENO, "locus: %s: %s%s\n", path, what, more);
}

/* Whether the file was made of this module, by build-id; where neither has one, by the size of the module's file. */
static bool is_made_of(struct locus *locus, const struct build_id *build_id)
{
	const struct locus_info *info;
	struct stat found;

	if (locus_info(locus, &info, NULL) != LOCUS_OK)
		return false;
	if (info->build_id.size || build_id->size)
		return info->build_id.size == build_id->size &&
		       memcmp(info->build_id.data, build_id->bytes, build_id->size) == 0;
	return stat(build_id->path, &found) == 0 && info->input_count &&
	       info->inputs[0].size == (uint64_t)found.st_size;
}

/*
 * Opens the file at `path` if it has the symbols of the module. `is_carried`: it is the module itself, which may have
 * none, may be made to be run and not read, and is of one making with them. Another file that is there and cannot be
 * used is named.
 */
static bool open_symbols(struct module *module, const char *path, const struct build_id *build_id, bool is_carried)
{
	struct locus_error error;
	enum locus_status status;

	if (access(path, is_carried ? R_OK : F_OK) != 0)
		return false;
	status = locus_open(path, NULL, &module->locus, &error);
	if (status == LOCUS_ERR_NOT_LOCUS && is_carried)
		return false;
	if (status == LOCUS_OK && !is_carried && !is_made_of(module->locus, build_id))
		say(path, "not used: it was made of another build of ", module->path);
	else if (status == LOCUS_OK && locus_scratch_new(module->locus, &module->scratch, &error) == LOCUS_OK)
		return true;
	else
		say(path, error.text, "");
	locus_close(module->locus);
	module->locus = NULL;
	return false;
}

/* Opens what one entry of LOCUS_SYMBOLS has: a store's file of that build-id. */
static bool open_in_store(struct module *module, const char *store, size_t store_size, const struct build_id *build_id)
{
	static char path[PATH_SIZE];
	char hex[2 * BUILD_ID_MAX + 1] = "";
	int size;

	for (size_t i = 0; i < build_id->size; i++)
		sprintf(hex + 2 * i, "%02x", build_id->bytes[i]);
	size = snprintf(path, sizeof(path), "%.*s/buildid/%s/locus", (int)store_size, store, hex);
	return build_id->size && size < PATH_SIZE && open_symbols(module, path, build_id, false);
}

/* Beside the module, then the stores of LOCUS_SYMBOLS, then the module itself: the order of the commands. */
static void find_symbols(struct module *module)
{
	struct build_id build_id = {.path = module->path};
	const char *stores = getenv("LOCUS_SYMBOLS");
	static char beside[PATH_SIZE];

	dl_iterate_phdr(read_build_id, &build_id);
	if (snprintf(beside, sizeof(beside), "%s.locus", module->path) < PATH_SIZE &&
	    open_symbols(module, beside, &build_id, false))
		return;

	while (stores && stores[0]) {
		size_t size = strcspn(stores, ":");
		if (size < PATH_SIZE && open_in_store(module, stores, size, &build_id))
			return;
		stores += size + (stores[size] == ':');
	}
	open_symbols(module, module->path, &build_id, true);
}

/* The module of that path, whose symbols are looked for once. NULL: out of memory. */
static struct module *module_of(const char *path)
{
	size_t size = strlen(path) + 1;
	struct module *module;

	for (module = modules; module; module = module->next) {
		if (strcmp(module->path, path) == 0)
			return module;
	}
	module = calloc(1, sizeof(*module) + size);
	if (!module)
		return NULL;
	memcpy(module->path, path, size);
	module->next = modules;
	modules = module;
	find_symbols(module);
	return module;
}

/* ---- What the runtime is told ---- */

/* An answer, until it is copied out. */
struct text {
	char data[ANSWER_SIZE];
	size_t size; /* without the NUL at the end */
	bool is_cut;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->data) - text->size;
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(text->data + text->size, room, format, arguments);
	va_end(arguments);
	if (size < 0 || (size_t)size >= room)
		text->is_cut = true;
	else
		text->size += (size_t)size;
}

/* Copies a text of that size, its NUL included, to the runtime. Volatile, or it would be compiled to memcpy. */
static void copy_out(const char *text, size_t size, volatile char *buffer)
{
	for (size_t i = 0; i < size; i++)
		buffer[i] = text[i];
}

/* The name in C++'s own spelling; NULL where it is none, or nothing here can say. To be freed. */
static char *demangled(const char *name)
{
	int status;

	return __cxa_demangle && strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
}

static void put_function(struct text *text, const struct locus_frame *frame)
{
	struct locus_string name = frame->linkage.size ? frame->linkage : frame->function;
	char *copy = strndup(name.size ? name.data : "", name.size);
	char *shown = copy && !show_mangled ? demangled(copy) : NULL;

	if (shown || !frame->function.size || show_mangled)
		put(text, "%s\n", shown ? shown : copy && copy[0] ? copy : "??");
	else
		put(text, "%.*s\n", (int)frame->function.size, frame->function.data);
	free(shown);
	free(copy);
}

static void put_place(struct text *text, const struct locus_frame *frame)
{
	struct locus_string directory = frame->directory;
	bool has_slash = directory.size && directory.data[directory.size - 1] == '/';

	if (!frame->file.size)
		put(text, "??:0:0\n");
	else
		put(text, "%.*s%s%.*s:%" PRIu32 ":%" PRIu32 "\n", (int)directory.size,
		    directory.size ? directory.data : "", directory.size && !has_slash ? "/" : "",
		    (int)frame->file.size, frame->file.data, frame->line, frame->column);
}

/*
 * Writes what an address is: for each frame, innermost first, a line with the function and one with file, line and
 * column; then an empty line. False, so that the report shows module and offset: nothing is known, or it is too long
 * for the buffer. `with_inline_frames` is set by the runtimes that pass it, and anything in those that set it for all
 * calls.
 */
bool __sanitizer_symbolize_code(const char *path, uint64_t address, char *buffer, int size, bool with_inline_frames)
{
	static struct text text;
	struct module *module = module_of(path);
	struct locus_result result;
	struct locus_error error;
	enum locus_status status;

	if (!module || !module->locus)
		return false;
	status = locus_lookup(module->locus, module->scratch, address, &result, &error);
	if (status != LOCUS_OK)
		say(path, "its symbols: ", error.text);
	if (status != LOCUS_OK || !result.frame_count)
		return false;

	text.size = 0;
	text.is_cut = false;
	if (inline_frames != AS_EACH_CALL_SAYS)
		with_inline_frames = inline_frames == INLINE_FRAMES;
	if (!with_inline_frames) {
		/* The function that was called, and the line that is executed. */
		put_function(&text, &result.frames[result.frame_count - 1]);
		put_place(&text, &result.frames[0]);
	}
	for (size_t i = 0; with_inline_frames && i < result.frame_count; i++) {
		put_function(&text, &result.frames[i]);
		put_place(&text, &result.frames[i]);
	}
	put(&text, "\n");
	if (text.is_cut || size <= 0 || text.size >= (size_t)size)
		return false;
	copy_out(text.data, text.size + 1, buffer);
	return true;
}

/* A .locus file knows no variables: the runtimes describe globals by what the compiler left for them. */
bool __sanitizer_symbolize_data(const char *path, uint64_t address, char *buffer, int size)
{
	(void)path, (void)address, (void)buffer, (void)size;
	return false;
}

/* Nor variables on the stack. */
bool __sanitizer_symbolize_frame(const char *path, uint64_t address, char *buffer, int size)
{
	(void)path, (void)address, (void)buffer, (void)size;
	return false;
}

/*
 * Writes a name as it is shown, which may be itself, and returns 1. Where the buffer is too small: a size that
 * suffices, for the runtimes that ask again, whose lowest byte is 0, for those that take that byte for false.
 */
int __sanitizer_symbolize_demangle(const char *name, char *buffer, int size)
{
	char *shown = demangled(name);
	const char *text = shown ? shown : name;
	int needed = (int)strlen(text) + 1;

	if (needed <= size)
		copy_out(text, (size_t)needed, buffer);
	free(shown);
	return needed <= size ? 1 : (needed | 0xff) + 1;
}

/* The runtime ends the program if one of these two is not true. */
bool __sanitizer_symbolize_set_demangle(bool demangle)
{
	show_mangled = !demangle;
	return true;
}

bool __sanitizer_symbolize_set_inline_frames(bool with_inline_frames)
{
	inline_frames = with_inline_frames ? INLINE_FRAMES : OUTERMOST_ONLY;
	return true;
}

/* Frees what is open; the next report looks for it again. */
void __sanitizer_symbolize_flush(void)
{
	while (modules) {
		struct module *module = modules;
		modules = module->next;
		locus_scratch_free(module->scratch);
		locus_close(module->locus);
		free(module);
	}
}
