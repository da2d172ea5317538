/* An escaped path is kept as it was written. */
#include "cmd/show/path_labels.h"

#include <stdlib.h>
#include <string.h>

enum {
	NOT_KEPT_COUNT = 32, /* paths that are not kept at first: for a single lookup it does not pay */
	REMEMBERED_MAX = 1 << 16,
	ESCAPED_MAX = 6, /* bytes that one byte becomes at most, as \u001b in JSON */
};

void path_labels_init(struct path_labels *paths, struct out *out, bool as_json, uint32_t file_count)
{
	uint32_t count = file_count < REMEMBERED_MAX ? file_count + 1 : REMEMBERED_MAX;

	*paths = (struct path_labels){.as_json = as_json, .count = count};
	json_init(&paths->json, out);
}

void path_labels_done(struct path_labels *paths)
{
	for (uint32_t i = 0; paths->path && i < paths->count; i++)
		free(paths->path[i].data);
	free(paths->path);
	paths->path = NULL;
}

static void put_piece(struct path_labels *paths, const char *data, size_t size)
{
	if (paths->as_json)
		json_piece(&paths->json, data, size);
	else
		out_escaped(paths->json.out, data, size);
}

/* The rest of a directory below paths->relative_to; only whole components count. */
static struct locus_string relative(const struct path_labels *paths, struct locus_string directory)
{
	size_t size = paths->relative_to ? strlen(paths->relative_to) : 0;

	while (size > 0 && paths->relative_to[size - 1] == '/')
		size--;
	if (size == 0 || directory.size < size || memcmp(directory.data, paths->relative_to, size) != 0 ||
	    (directory.size > size && directory.data[size] != '/'))
		return directory;
	if (directory.size > size)
		size++;
	return (struct locus_string){directory.data + size, directory.size - size};
}

static void put_whole(struct path_labels *paths, const struct locus_frame *frame)
{
	struct locus_string directory = relative(paths, frame->directory);

	put_piece(paths, directory.data, directory.size);
	if (directory.size && directory.data[directory.size - 1] != '/')
		put_piece(paths, "/", 1);
	put_piece(paths, frame->file.data, frame->file.size);
}

/*
 * Keeps what was written since the output had `start` bytes in its buffer. If memory is out, the path is escaped again
 * the next time.
 */
static void remember(struct path *path, const struct out *out, size_t start)
{
	path->size = out->used - start;
	path->data = malloc(path->size);
	if (path->data)
		memcpy(path->data, out->buffer + start, path->size);
}

/* The place to keep a path; NULL: it is not kept, or memory is out. */
static struct path *path_of(struct path_labels *paths, uint32_t file_id)
{
	if (!paths->path && paths->put_count++ >= NOT_KEPT_COUNT)
		paths->path = calloc(paths->count, sizeof(*paths->path));
	return paths->path && file_id < paths->count ? &paths->path[file_id] : NULL;
}

void path_labels_put_new(struct path_labels *paths, const struct locus_frame *frame)
{
	struct path *path = path_of(paths, frame->file_id);
	struct out *out = paths->json.out;
	bool stays = out_make_room(out, ESCAPED_MAX * (frame->directory.size + frame->file.size + 1));
	size_t start = out->used;
	put_whole(paths, frame);
	if (path && stays)
		remember(path, out, start);
}
