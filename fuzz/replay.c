/*
 * Runs a fuzz target without a fuzzer, over the files of testdata/fuzz and over variations of each, and compares what
 * it observes with what was observed once: an answer that has changed is found as well as a crash.
 *
 * usage: fuzz_NAME [--update]             all files of the target's folder, against testdata/fuzz/NAME.expected; in TAP
 *        fuzz_NAME [--variations] FILE... tells all that is observed of these files, or of each of their variations
 */
#include <dirent.h>
#include <stdarg.h>
#include <string.h>
#include <xxhash.h>

#include "fuzz/fuzz.h"
#include "fuzz/variation.h"

enum {
	SHOWN_LINES = 16,  /* of what is observed of a file; of the rest there is a checksum */
	SHOWN_BYTES = 160, /* of a line */
	ENDINGS_MAX = 64,  /* different ways in which variations of a file end */
	ENDING_SIZE = 64,
	PATH_SIZE = 256,
};

/* ---- What is observed ---- */

static FILE *observed;

void observe(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	HOLD(vfprintf(observed, format, arguments) >= 0);
	va_end(arguments);
}

/* What is no plain text is written as \x7f. */
void observe_bytes(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	for (size_t i = 0; i < size; i++)
		if (bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '\\')
			fputc(bytes[i], observed);
		else
			fprintf(observed, "\\x%02x", bytes[i]);
}

/* A text that grows; freed by the caller. */
struct text {
	char *data;
	size_t size;
};

static struct text run(const uint8_t *data, size_t size)
{
	struct text text;
	observed = open_memstream(&text.data, &text.size);
	HOLD(observed);
	LLVMFuzzerTestOneInput(data, size);
	HOLD(fclose(observed) == 0);
	return text;
}

/* ---- What is told of a file: a block of lines ---- */

static unsigned count_lines(const char *text)
{
	unsigned count = 0;
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		count++;
	return count;
}

static unsigned long long checksum(const char *data, size_t size)
{
	return (unsigned long long)XXH3_64bits(data, size);
}

static void write_line(FILE *out, const char *line, size_t size, bool shorten)
{
	size_t shown = shorten && size > SHOWN_BYTES ? SHOWN_BYTES : size;
	fprintf(out, "\t%.*s", (int)shown, line);
	if (shown < size)
		fprintf(out, "... %zu bytes in all, checksum %016llx", size, checksum(line, size));
	fputc('\n', out);
}

/* Writes the lines of `text`. `shorten`: of many only the first, of a long one only its beginning. */
static void write_lines(FILE *out, const struct text *text, bool shorten)
{
	unsigned count = count_lines(text->data), shown = shorten && count > SHOWN_LINES ? SHOWN_LINES - 1 : count;
	const char *line = text->data;
	for (unsigned i = 0; i < shown; i++, line = strchr(line, '\n') + 1)
		write_line(out, line, strcspn(line, "\n"), shorten);
	if (shown < count)
		fprintf(out, "\t... %u lines in all, checksum %016llx\n", count, checksum(text->data, text->size));
}

/* How many variations of a file ended in one way. */
struct ending {
	char name[ENDING_SIZE];
	unsigned count;
};

struct tally {
	struct ending endings[ENDINGS_MAX];
	size_t ending_count;
	uint64_t checksum;
};

static void tally_add(struct tally *tally, const struct text *text)
{
	char name[ENDING_SIZE];
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text->data, ":\n"), text->data);
	size_t i = 0;
	while (i < tally->ending_count && strcmp(tally->endings[i].name, name) != 0)
		i++;
	if (i == tally->ending_count) {
		HOLD(i < ENDINGS_MAX);
		tally->ending_count++;
		memcpy(tally->endings[i].name, name, sizeof(name));
	}
	tally->endings[i].count++;
	tally->checksum = XXH3_64bits_withSeed(text->data, text->size, tally->checksum);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct ending *)a)->name, ((const struct ending *)b)->name);
}

static void write_tally(FILE *out, struct tally *tally, uint64_t count)
{
	qsort(tally->endings, tally->ending_count, sizeof(*tally->endings), by_name);
	fprintf(out, "\t%llu variations:", (unsigned long long)count);
	for (size_t i = 0; i < tally->ending_count; i++)
		fprintf(out, " %u %s,", tally->endings[i].count, tally->endings[i].name);
	fprintf(out, " checksum %016llx\n", (unsigned long long)tally->checksum);
}

/* Runs the variations. `each`: what each of them gives is told too. */
static void run_variations(FILE *out, const uint8_t *data, size_t size, bool each)
{
	struct tally tally = {0};
	struct varied varied = varied_new(data, size);
	uint64_t count = variation_count(&varied, fuzz_target.variations);
	for (uint64_t i = 0; i < count; i++) {
		struct variation variation = variation_make(&varied, i, count);
		if (each)
			fprintf(out, "%s\n", variation.text);
		fflush(out);
		struct text text = run(variation.data, variation.size);
		if (each)
			write_lines(out, &text, false);
		tally_add(&tally, &text);
		free(text.data);
		free(variation.data);
	}
	varied_done(&varied);
	write_tally(out, &tally, count);
}

/* The file in a block of exactly its size, so that a sanitizer sees a read beyond. */
static uint8_t *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	long size = ftell(file);
	HOLD(size >= 0 && fseek(file, 0, SEEK_SET) == 0);
	uint8_t *data = malloc(size ? (size_t)size : 1);
	HOLD(data && fread(data, 1, (size_t)size, file) == (size_t)size);
	fclose(file);
	*ret_size = (size_t)size;
	return data;
}

static struct text block_of(const char *path, const char *name)
{
	struct text block;
	FILE *out = open_memstream(&block.data, &block.size);
	size_t size;
	uint8_t *data = read_file(path, &size);
	HOLD(out);
	fprintf(out, "%s\n", name);
	struct text text = run(data, size);
	write_lines(out, &text, true);
	free(text.data);
	run_variations(out, data, size, false);
	free(data);
	HOLD(fclose(out) == 0);
	return block;
}

static int tell(char **paths, int count, bool variations)
{
	for (int i = 0; i < count; i++) {
		size_t size;
		uint8_t *data = read_file(paths[i], &size);
		printf("%s\n", paths[i]);
		fflush(stdout);
		if (variations) {
			run_variations(stdout, data, size, true);
		} else {
			struct text text = run(data, size);
			write_lines(stdout, &text, false);
			free(text.data);
		}
		free(data);
	}
	return 0;
}

/* ---- Comparing with what was observed before ---- */

/* The block of a file; empty if there is none. Its first line is the file's name, the others begin with a tab. */
static struct text find_block(const char *expected, const char *name)
{
	size_t size = strlen(name);
	for (const char *at = expected; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (strncmp(at, name, size) != 0 || at[size] != '\n')
			continue;
		const char *end = at + size + 1;
		while (*end == '\t') {
			end += strcspn(end, "\n");
			end += *end == '\n';
		}
		return (struct text){(char *)at, (size_t)(end - at)};
	}
	return (struct text){"", 0};
}

/* The line at `at` of [at, end), and `at` goes behind it. Empty at the end. */
static struct text next_line(const char **at, const char *end)
{
	const char *start = *at, *newline = memchr(start, '\n', (size_t)(end - start));
	*at = newline ? newline + 1 : end;
	return (struct text){(char *)start, (size_t)((newline ? newline : end) - start)};
}

static void show_differences(const struct text *expected, const struct text *found)
{
	const char *a = expected->data, *a_end = a + expected->size, *b = found->data, *b_end = b + found->size;
	while (a < a_end || b < b_end) {
		struct text left = next_line(&a, a_end), right = next_line(&b, b_end);
		if (left.size == right.size && memcmp(left.data, right.data, left.size) == 0)
			continue;
		printf("# expected: %.*s\n#    found: %.*s\n", (int)left.size, left.data, (int)right.size, right.data);
	}
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool compare(const char *expected, const struct text *block, const char *path, const char *name)
{
	struct text before = find_block(expected, name);
	if (before.size == block->size && memcmp(before.data, block->data, block->size) == 0)
		return true;
	printf("not ok - %s of %s: not what was observed before; scripts/test-fuzz says what to do\n", fuzz_target.name,
	       path);
	show_differences(&before, block);
	return false;
}

static unsigned count_blocks(const char *expected)
{
	unsigned count = 0;
	for (const char *at = expected; *at; at += strcspn(at, "\n"), at += *at == '\n')
		count += *at != '\t';
	return count;
}

/* Tells a file's name before anything can happen to it, and writes its block, or compares it. */
static bool replay_file(const char *folder, const char *name, const char *expected, FILE *out)
{
	char path[2 * PATH_SIZE];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	printf("# %s\n", name);
	fflush(stdout);
	struct text block = block_of(path, name);
	bool good = out ? fwrite(block.data, 1, block.size, out) == block.size : compare(expected, &block, path, name);
	free(block.data);
	return good;
}

/* The text of a file. Freed by the caller. */
static char *read_text(const char *path)
{
	size_t size;
	uint8_t *data = read_file(path, &size);
	data = realloc(data, size + 1);
	HOLD(data);
	data[size] = '\0';
	return (char *)data;
}

/* All files, against `expected`; NULL: their blocks are written to `out`. */
static bool replay(const char *folder, const char *expected, FILE *out)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_file, in_order), bad = 0;
	HOLD(count > 0);
	for (int i = 0; i < count; i++) {
		bad += !replay_file(folder, entries[i]->d_name, expected, out);
		free(entries[i]);
	}
	free(entries);
	if (expected && count_blocks(expected) != (unsigned)count) {
		printf("not ok - testdata/fuzz/%s.expected is of other files\n", fuzz_target.name);
		bad++;
	}
	if (!bad)
		printf("ok - %s: %d files and their variations\n", fuzz_target.name, count);
	return !bad;
}

static int replay_all(bool update)
{
	char folder[PATH_SIZE], path[PATH_SIZE];
	snprintf(folder, sizeof(folder), "testdata/fuzz/%s", fuzz_target.files);
	snprintf(path, sizeof(path), "testdata/fuzz/%s.expected", fuzz_target.name);
	char *expected = update ? NULL : read_text(path);
	FILE *out = update ? fopen(path, "wb") : NULL;
	HOLD(out || !update);
	bool good = replay(folder, expected, out);
	free(expected);
	HOLD(!out || fclose(out) == 0);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	bool updates = argc == 2 && strcmp(argv[1], "--update") == 0;
	bool varies = argc > 2 && strcmp(argv[1], "--variations") == 0;
	if (argc > 1 && !updates)
		return tell(argv + 1 + varies, argc - 1 - varies, varies);
	return replay_all(updates);
}
