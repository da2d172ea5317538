/*
 * The library gives one error, ENOENT, for a server that has no such file and for one that is overloaded, that breaks
 * off or with which TLS fails; of several servers it tells only what became of the last one. Its log has a line "url 0
 * http://…" for each question, and a line "url 0 TEXT" with libcurl's description of each failure. Neither is an
 * interface. So only what is recognised counts as an answer that the file is not there: where a later version writes
 * other lines, less is known, but nothing wrong is said.
 */
#include "cmd/conversion/fetch_log.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/memory.h"

/* What libcurl says where there is no such file: of HTTP, not found and gone; of file://. */
static const char *const absences[] = {"returned error: 404", "returned error: 410", "Couldn't open file"};

static bool is_absence(const char *text)
{
	bool is_one = false;

	for (size_t i = 0; i < sizeof(absences) / sizeof(absences[0]); i++)
		is_one |= strstr(text, absences[i]) != NULL;
	return is_one;
}

/* What stands behind "url ", a number and a blank; NULL: the line is another one. */
static const char *url_text(const char *line)
{
	size_t digits = strncmp(line, "url ", 4) == 0 ? strspn(line + 4, "0123456789") : 0;

	return digits && line[4 + digits] == ' ' ? line + 4 + digits + 1 : NULL;
}

struct fetch_answers fetch_log_read(FILE *log, const char *id)
{
	char *line = NULL, *reason = NULL, *place = memory_text("/buildid/%s/", id);
	size_t room = 0, asked = 0, lacking = 0;

	while (getline(&line, &room, log) >= 0) {
		const char *text = url_text(line);
		if (!text)
			continue;
		if (is_absence(text)) {
			lacking++;
		} else if (strstr(text, place)) {
			asked++;
		} else {
			free(reason);
			reason = memory_text("%.*s", (int)strcspn(text, "\n"), text);
		}
	}
	free(line);
	free(place);
	return (struct fetch_answers){
		.all_lack = asked && lacking == asked,
		.some_lack = lacking != 0,
		.reason = reason,
	};
}
