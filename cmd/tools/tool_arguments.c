/* The list of arguments grows as words are put into it; each text that they point into stays. */
#include "cmd/tools/tool_arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/memory.h"
#include "cmd/common/report.h"

/* GNU's programs give up behind as many files. */
enum { FILES_MAX = 2000 };

static struct arguments {
	char **items; /* behind the last one is room for a NULL */
	size_t count, room;
	char **texts; /* of the variable and of files */
	size_t text_count, text_room;
} arguments;

static void insert(size_t at, char **words, size_t count)
{
	memory_reserve(&arguments.items, &arguments.room, arguments.count + count + 1, sizeof(*arguments.items));
	char **place = arguments.items + at;
	memmove(place + count, place, (arguments.count - at) * sizeof(*place));
	if (count)
		memcpy(place, words, count * sizeof(*place));
	arguments.count += count;
}

static void remove_at(size_t at)
{
	arguments.count--;
	memmove(arguments.items + at, arguments.items + at + 1, (arguments.count - at) * sizeof(*arguments.items));
}

/*
 * Takes the first word from the front of a text, without its quotes and backslashes; the text is overwritten. NULL:
 * there is none.
 */
static char *take_word(char **text)
{
	char *from = *text, quote = '\0';

	while (isspace((unsigned char)*from))
		from++;
	if (!*from)
		return NULL;
	char *word = from, *to = from;
	for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
		bool is_quote = *from == '\'' || *from == '"';
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (quote && *from == quote)
			quote = '\0';
		else if (!quote && is_quote)
			quote = *from;
		else
			*to++ = *from;
	}
	*text = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

/* Inserts the words of a text, which is malloc'd and kept. */
static void insert_words(size_t at, char *text)
{
	memory_reserve(&arguments.texts, &arguments.text_room, arguments.text_count + 1, sizeof(*arguments.texts));
	arguments.texts[arguments.text_count++] = text;
	char **words = NULL;
	size_t count = 0, room = 0;
	for (char *word; (word = take_word(&text)) != NULL;) {
		memory_reserve(&words, &room, count + 1, sizeof(*words));
		words[count++] = word;
	}
	insert(at, words, count);
	free(words);
}

/* Reads a file up to the first NUL, if there is one. NULL: it cannot be read. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t size = file ? getdelim(&text, &room, '\0', file) : -1;

	if (size < 0) {
		if (errno == ENOMEM)
			memory_checked(NULL);
		free(text);
		text = file && feof(file) ? memory_checked(strdup("")) : NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static void start_anew(int argc, char **argv)
{
	for (size_t i = 0; i < arguments.text_count; i++)
		free(arguments.texts[i]);
	arguments.count = arguments.text_count = 0;
	insert(0, argv, (size_t)argc);
}

/* Puts files in the places of their names. False: there are too many. */
static bool insert_files(void)
{
	size_t at = 1, file_count = 0;

	while (at < arguments.count) {
		char *text = arguments.items[at][0] == '@' ? read_text(arguments.items[at] + 1) : NULL;
		if (!text) {
			at++;
			continue;
		}
		remove_at(at);
		insert_words(at, text);
		if (++file_count > FILES_MAX)
			return false;
	}
	return true;
}

bool tool_arguments_expand(const char *variable, int *argc, char ***argv)
{
	const char *value = variable ? getenv(variable) : NULL;

	start_anew(*argc, *argv);
	if (value)
		insert_words(1, memory_checked(strdup(value)));
	if (!insert_files()) {
		report(NULL, "there are more than %d files of arguments, so they may name each other", FILES_MAX);
		return false;
	}
	arguments.items[arguments.count] = NULL;
	*argc = (int)arguments.count;
	*argv = arguments.items;
	return true;
}
