/*
 * A text that may name addresses. Cut into pieces it is all there, what a form matches lies within its line, and markup
 * of modules that nobody has ends. No program stands behind an address: what a text says of one is a path, a build-id
 * and a number, and what comes of any number in any ELF file is fuzz_elf's.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/symbolize/markup.h"
#include "cmd/symbolize/text_forms.h"
#include "cmd/symbolize/text_stream.h"
#include "fuzz/fuzz.h"

const struct fuzz_target fuzz_target = {.name = "text", .files = "text", .variations = 150};

/* What is used up piece by piece has to be the input. */
struct passed {
	const uint8_t *data;
	size_t left;
};

static void pass(struct passed *passed, const char *data, size_t size)
{
	HOLD(size <= passed->left && (size == 0 || memcmp(passed->data, data, size) == 0));
	passed->data += size;
	passed->left -= size;
}

static void observe_field(const char *name, struct locus_string field)
{
	if (!field.size)
		return;
	observe(" %s ", name);
	observe_bytes(field.data, field.size);
}

static void match(struct forms *forms, const struct text_piece *piece)
{
	struct form_match match;

	if (!forms_match(forms, piece->data, piece->size, &match))
		return;
	HOLD(match.start <= match.end && match.end <= piece->size);
	observe("%s at %zu to %zu:", match.form->name, match.start, match.end);
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		struct locus_string field = match.fields[i];
		HOLD(!field.size ||
		     (field.data >= piece->data && field.data + field.size <= piece->data + piece->size));
		observe_field(form_field_name(i), field);
	}
	struct locus_string process;
	if (piece->before && forms_header(forms, match.form, piece->before, piece->before_size, &process))
		observe_field("of process", process);
	observe("\n");
}

/* The lines that were written into a file. */
static void observe_written(int fd)
{
	FILE *file = fdopen(fd, "rb");
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	HOLD(file && fseek(file, 0, SEEK_SET) == 0);
	while ((size = getline(&line, &room, file)) > 0) {
		observe_bytes(line, (size_t)size - (line[size - 1] == '\n'));
		observe("\n");
	}
	free(line);
	fclose(file);
}

/* What is not asked for again is forgotten with these. */
struct reader {
	struct forms *forms;
	struct symbol_sources *sources;
	struct markup *markup;
	struct out out;
};

static void read_text(struct reader *reader, int fd, struct passed *passed)
{
	static struct text_stream stream;
	struct text_piece piece;

	text_stream_init(&stream, fd);
	for (;;) {
		while (text_stream_next(&stream, &piece)) {
			pass(passed, piece.data, piece.size);
			if (!piece.is_candidate)
				continue;
			pass(passed, piece.line_end, strlen(piece.line_end));
			match(reader->forms, &piece);
			if (markup_is_in(piece.data, piece.size))
				markup_line(reader->markup, &piece);
		}
		if (stream.ended)
			break;
		text_stream_read(&stream);
	}
	markup_end_modules(reader->markup);
	HOLD(!stream.error && !passed->left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct reader reader;
	static struct symbol_options options;
	const struct display display = {0};
	struct passed passed = {data, size};
	int fd = memfd_create("text", MFD_CLOEXEC), written = memfd_create("output", MFD_CLOEXEC);

	HOLD(fd >= 0 && written >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	out_init(&reader.out, written);
	options.labels.out = &reader.out;
	if (!reader.forms) { /* patterns take longer to compile than a text to read */
		reader.forms = forms_new();
		unsetenv("DEBUGINFOD_URLS");
	}
	reader.sources = symbol_sources_new(&options);
	const struct output_bound bound = {&reader.out, size};
	reader.markup = markup_new(&reader.out, &bound, reader.sources, &display);
	observe("ok: matches, and what is written\n");
	read_text(&reader, fd, &passed);
	out_flush(&reader.out);
	observe_written(written);
	markup_free(reader.markup);
	symbol_sources_free(reader.sources);
	close(fd);
	return 0;
}
