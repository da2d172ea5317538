/*
 * A function's name of a file, and what somebody types for it, in a line before it. C++ names are printed as libiberty
 * prints them, a name matches itself, and one that matches has the word that others are passed over for; whatever the
 * bytes are, a terminal shows them without obeying, and JSON has them in a string.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libiberty/demangle.h>

#include "cmd/common/json.h"
#include "cmd/show/demangle.h"
#include "cmd/show/name_match.h"
#include "cmd/show/short_name.h"
#include "cmd/show/source_name.h"
#include "cmd/show/usual_name.h"
#include "fuzz/fuzz.h"
#include "reader/locus.h"

const struct fuzz_target fuzz_target = {.name = "names", .files = "names", .variations = 400};

/* libiberty may need twice as long for every few bytes more. */
enum { COMPARED_SIZE_MAX = 160 };

/* Of each encoding one, of names with colons and with dots, and unknown. */
static const uint32_t languages[] = {0, 0x04, 0x0c, 0x1c, 0x13, 0x16, 0x0d, 0x0e, 0x09, 0x11, 0x18, 0x8001};

/* ---- C++ as libiberty prints it ---- */

struct printed {
	size_t size;
	char text[DEMANGLED_SIZE_MAX];
};

static void print_more(const char *data, size_t size, void *opaque)
{
	struct printed *printed = opaque;
	size_t left = sizeof(printed->text) - printed->size;
	if (size <= left)
		memcpy(printed->text + printed->size, data, size);
	printed->size = size <= left ? printed->size + size : sizeof(printed->text);
}

static void compare_printed(const char *mangled)
{
	static struct printed expected;
	static char text[DEMANGLED_SIZE_MAX];
	size_t size;
	if (strncmp(mangled, "_Z", 2) != 0 || !cxx_name(mangled, text, &size) || !size)
		return;
	expected.size = 0;
	HOLD(cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_ANSI, print_more, &expected));
	HOLD(size == expected.size && memcmp(text, expected.text, size) == 0);
}

/* ---- What is written of a name ---- */

/* Whether the bytes are UTF-8 of which a terminal obeys nothing. */
static bool is_shown(const char *data, size_t size)
{
	for (size_t length; size; data += length, size -= length) {
		length = utf8_length(data, size);
		if (!length || changes_display(data, length))
			return false;
	}
	return true;
}

/* The size of the JSON string at `text`, with its quotes; 0: there is none. */
static size_t json_string_size(const char *text, size_t size)
{
	size_t at = 1;
	while (at < size && text[at] != '"') {
		static const char escapes[] = "\"\\/bfnrt";
		bool escaped = text[at] == '\\' && at + 1 < size;
		if (escaped && text[at + 1] == 'u')
			at += at + 6 <= size && strspn(text + at + 2, "0123456789abcdef") >= 4 ? 6 : size;
		else if (escaped)
			at += strchr(escapes, text[at + 1]) ? 2 : size;
		else
			at++;
	}
	return size && *text == '"' && at < size ? at + 1 : 0;
}

/* What was written to `out`, all of which is in its buffer; that is empty then. */
static struct locus_string take_written(struct out *out)
{
	struct locus_string written = {out->buffer, out->used};
	HOLD(out->flushed == 0 && out->used < sizeof(out->buffer));
	out->buffer[out->used] = '\0';
	out->used = 0;
	return written;
}

static void check_written(const char *name, size_t size)
{
	static struct out out;
	struct json json;
	out_init(&out, -1);
	out_escaped(&out, name, size);
	struct locus_string written = take_written(&out);
	HOLD(is_shown(written.data, written.size));
	out_quoted(&out, name, size);
	written = take_written(&out);
	HOLD(is_shown(written.data, written.size) && written.size >= 2);
	json_init(&json, &out);
	json_begin_string(&json);
	json_piece(&json, name, size);
	json_end_string(&json);
	written = take_written(&out);
	HOLD(is_shown(written.data, written.size) && json_string_size(written.data, written.size) == written.size);
	observe_bytes(written.data, written.size);
	observe("\n");
}

/* ---- All that is made of a name ---- */

static void observe_text(const char *what, const char *text, size_t size)
{
	if (!size)
		return;
	observe("  %s ", what);
	observe_bytes(text, size);
	observe("\n");
}

/*
 * Whether the name is the wanted one. What is demangled of `mangled`, which is not empty, is not even looked at unless
 * that has the word, so then it has; but for what no compiler mangles, and for names that are encoded otherwise.
 */
static void check_match(const char *wanted, const char *name, size_t size, const char *mangled, uint32_t language)
{
	static struct name_wanted means;
	static const char usual_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	size_t word_size, shown_size;
	const char *word = name_match_word(wanted, &word_size), *shown = name_match_shown_word(wanted, &shown_size);
	HOLD(word >= wanted && word + word_size <= wanted + strlen(wanted));
	name_wanted_init(&means, wanted);
	bool matches = name_matches(&means, name, size, language);
	bool is_mangled = *mangled && !mangled[strspn(mangled, usual_bytes)];
	observe("  %s\n", matches ? "matches" : "is another");
	if (matches && is_mangled && name_encoding_of(name, size, language) == ENCODING_NONE)
		HOLD(memmem(mangled, strlen(mangled), word, word_size));
	bool has_list = memchr(name, '<', size) || memchr(name, '(', size);
	if (matches && !*mangled && !has_list && name_encoding_of(name, size, language) == ENCODING_NONE)
		HOLD(memmem(name, size, shown, shown_size));
}

static void check_source_name(const char *name, size_t size, uint32_t language)
{
	static char written[SOURCE_NAME_ROOM + 1];
	enum name_encoding encoding = name_encoding_of(name, size, language);
	size_t written_size = size <= SOURCE_NAME_SIZE_MAX ? source_name(encoding, name, size, true, written) : 0;
	HOLD(written_size <= SOURCE_NAME_ROOM);
	observe_text("as people write it:", written, written_size);
}

static void check_plain(const char *wanted, const char *name, size_t size, const char *mangled, uint32_t language)
{
	static char usual[USUAL_NAME_ROOM], brief[DEMANGLED_SIZE_MAX];
	static struct name_wanted itself;
	size_t usual_size = usual_name(name, size, language, false, usual);
	size_t brief_size = short_name(name, size, name_separator_of(language), brief);
	HOLD(usual_size <= USUAL_NAME_ROOM && brief_size <= size && (brief_size || !size));
	observe_text("usual", usual, usual_size);
	observe_text("short", brief, brief_size);
	check_source_name(name, size, language);
	name_wanted_init(&itself, name);
	HOLD(!size || name_matches(&itself, name, size, language));
	if (*wanted)
		check_match(wanted, name, size, mangled, language);
	check_written(name, size);
}

static void check_name(const char *wanted, const char *name, size_t size, uint32_t language)
{
	static char demangled[DEMANGLED_SIZE_MAX + 1];
	compare_printed(size <= COMPARED_SIZE_MAX ? name : "");
	check_plain(wanted, name, size, "", language);
	size = demangle(name, size, language, demangled);
	HOLD(size <= DEMANGLED_SIZE_MAX);
	demangled[size] = '\0';
	observe_text("demangled", demangled, size);
	if (size)
		check_plain(wanted, demangled, size, name, language);
}

/* A text of the input, in a block of its size and a NUL. */
static char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	HOLD(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	uint32_t language = languages[input_below(&input, sizeof(languages) / sizeof(*languages))];
	const uint8_t *line_end = input.size ? memchr(input.data, '\n', input.size) : NULL;
	size_t wanted_size = line_end ? (size_t)(line_end - input.data) : 0, behind = line_end ? wanted_size + 1 : 0;
	if (!input.size || memchr(input.data, '\0', input.size) || input.size > DEMANGLED_SIZE_MAX) {
		observe("ok: no name has a NUL\n");
		return 0;
	}
	observe("ok: a name of language 0x%x\n", language);
	char *wanted = text_of(input.data, wanted_size), *name = text_of(input.data + behind, input.size - behind);
	check_name(wanted, name, input.size - behind, language);
	free(wanted);
	free(name);
	return 0;
}
