/* Paths are joined and normalised as text: the file system of the build is not there any more. */
#include "base/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

bool path_is_windows(const char *path)
{
	return (isalpha((unsigned char)path[0]) && path[1] == ':' && (path[2] == '\\' || path[2] == '/')) ||
	       (path[0] == '\\' && path[1] == '\\');
}

static bool is_absolute(const char *path)
{
	return path[0] == '/' || path_is_windows(path);
}

/* Removes "." and doubled slashes in place. ".." stays, because what stands before it may be a link (RULES F3). */
static void normalise(char *path)
{
	char *out = path;
	const char *in = path;
	bool rooted = *in == '/';
	if (rooted)
		*out++ = *in++;
	char *first = out;

	/* Each component is moved to where the last one that stays ends. */
	while (*in) {
		size_t size = (size_t)(strchrnul(in, '/') - in);
		bool drop = size == 0 || (size == 1 && in[0] == '.');
		if (!drop) {
			if (out != first)
				*out++ = '/';
			memmove(out, in, size);
			out += size;
		}
		in += size;
		in += *in == '/';
	}
	*out = 0;
}

char *path_join(const char *const *parts, size_t count)
{
	size_t first = 0, size = 1;
	bool windows = false;

	/* As with cd, nothing before the last absolute part counts. */
	for (size_t i = 0; i < count; i++)
		if (parts[i] && is_absolute(parts[i]))
			first = i;
	for (size_t i = first; i < count; i++)
		size += parts[i] ? strlen(parts[i]) + 1 : 0;
	char *path = malloc(size), *end = path;
	if (!path) {
		budget_memory_out();
		return NULL;
	}

	/* The first part that is not empty says whose separators are used. */
	for (size_t i = first; i < count; i++) {
		size_t part = parts[i] ? strlen(parts[i]) : 0;
		if (!part)
			continue;
		if (end == path)
			windows = path_is_windows(parts[i]);
		else if (end[-1] != '/' && end[-1] != '\\')
			*end++ = windows ? '\\' : '/';
		memcpy(end, parts[i], part);
		end += part;
	}
	*end = 0;
	if (!windows)
		normalise(path);
	return path;
}

char *path_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
	if (!directory)
		budget_memory_out();
	return directory;
}
