/*
 * A profile in pprof's format. What is read, and given lines, is written as a profile that can be read, with these
 * lines.
 */
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "cmd/pprof/profile.h"
#include "fuzz/fuzz.h"

const struct fuzz_target fuzz_target = {.name = "profile", .files = "profile", .variations = 400};

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	HOLD(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void observe_place(const struct profile_place *place)
{
	observe("0x%" PRIx64 "%s in 0x%" PRIx64 " to 0x%" PRIx64 " from %" PRIu64 " ", place->address,
		place->has_function ? " of a function" : "", place->start, place->limit, place->offset);
	observe_bytes(place->path.data, place->path.size);
	observe(" ");
	observe_bytes(place->build_id.data, place->build_id.size);
	observe("\n");
}

/* What was written, decompressed. */
static void observe_written(int fd)
{
	uint8_t bytes[4096];
	int size;
	HOLD(lseek(fd, 0, SEEK_SET) == 0);
	gzFile file = gzdopen(dup(fd), "rb");
	HOLD(file);
	observe("written: ");
	while ((size = gzread(file, bytes, sizeof(bytes))) > 0)
		observe_bytes(bytes, (size_t)size);
	HOLD(size == 0 && gzclose(file) == Z_OK);
	observe("\n");
}

/* Gives every other address two frames. Returns how many were left as they are. */
static size_t add_frames(struct profile *profile)
{
	const struct profile_frame frame = {
		.name = {"f()", 3}, .system_name = {"_Z1fv", 5}, .path = {"f.c", 3}, .line = 7};
	struct profile_place place;
	size_t left = 0;

	for (size_t i = 0; profile_next(profile, &place); i++) {
		observe_place(&place);
		if (i % 2) {
			left++;
			continue;
		}
		HOLD(profile_begin_frames(profile, 2));
		HOLD(profile_add_frame(profile, &frame) && profile_add_frame(profile, &frame));
	}
	return left;
}

static size_t count_places(struct profile *profile)
{
	struct profile_place place;
	size_t count = 0;

	while (profile_next(profile, &place))
		count++;
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[PROFILE_ERROR_SIZE] = "";
	struct profile *profile, *again;
	int fd = file_of(data, size), written = file_of(NULL, 0);

	if (profile_read(fd, &profile, error)) {
		observe("ok: it is read\n");
		size_t left = add_frames(profile);
		HOLD(profile_write(profile, written, error) && lseek(written, 0, SEEK_SET) == 0);
		HOLD(profile_read(written, &again, error));
		HOLD(count_places(again) == left);
		observe_written(written);
		profile_free(again);
		profile_free(profile);
	} else {
		HOLD(error[0]);
		observe("refused: %s\n", error);
	}
	close(fd);
	close(written);
	return 0;
}
