/*
 * An ELF file is converted, and the cross-check (locus check --source) asked whether the file that was made is right:
 * at every address where an answer may change, and one before. Then it is asked the same of answers that were made
 * wrong in one thing each. What is right cannot be held, for a fuzzer's input says things in two ways; what is said is
 * observed.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "convert/locus_convert.h"
#include "fuzz/fuzz.h"
#include "reader/locus.h"

const struct fuzz_target fuzz_target = {.name = "source", .files = "elf", .variations = 12};

enum {
	FRAMES_MAX = 32, /* of an answer that is asked about; more are left out of it */
	ASKED_MAX = 64,  /* addresses */
	SAYS_SIZE = 1024,
	INPUT = 101, /* the descriptor of the input, by which it has the same name in every run, also in messages */
};
static const char input_path[] = "/proc/self/fd/101";

static void write_input(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	HOLD(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	HOLD(dup3(fd, INPUT, O_CLOEXEC) == INPUT && close(fd) == 0);
}

/* ---- An answer of the file, as it is claimed ---- */

struct answer {
	struct locus_claim claim;
	struct locus_claimed_frame frames[FRAMES_MAX];
	char *texts[3 * FRAMES_MAX]; /* what the frames point to; NULL: absent */
};

static char *text_of(struct locus_string a, const char *between, struct locus_string b)
{
	char *text = NULL;
	if (!a.size && !b.size)
		return NULL;
	HOLD(asprintf(&text, "%.*s%s%.*s", (int)a.size, a.size ? a.data : "", between, (int)b.size,
		      b.size ? b.data : "") >= 0);
	return text;
}

static void answer_take(struct answer *answer, const struct locus_result *result, uint64_t address)
{
	size_t count = result->frame_count < FRAMES_MAX ? result->frame_count : FRAMES_MAX;
	*answer = (struct answer){.claim = {
					  .address = address,
					  .frames = answer->frames,
					  .frame_count = count,
					  .is_symbol = result->interval.answer == LOCUS_ANSWER_SYMBOL,
					  .has_columns = true,
					  .part_start = count ? result->frames[count - 1].part_start : 0,
				  }};
	for (size_t i = 0; i < count; i++) {
		const struct locus_frame *frame = &result->frames[i];
		const struct locus_string directory = frame->directory, none = {0};
		bool has_slash = !directory.size || directory.data[directory.size - 1] == '/';
		char **texts = answer->texts + 3 * i;
		texts[0] = text_of(frame->function, "", none);
		texts[1] = text_of(frame->linkage, "", none);
		texts[2] = text_of(directory, has_slash ? "" : "/", frame->file);
		answer->frames[i] = (struct locus_claimed_frame){texts[0], texts[1], texts[2],
								 frame->has_line ? frame->line : 0, frame->column};
	}
}

static void answer_done(struct answer *answer)
{
	for (size_t i = 0; i < 3 * FRAMES_MAX; i++)
		free(answer->texts[i]);
}

/* ---- Answers with one thing made wrong ---- */

static void wrong_line(struct answer *answer)
{
	answer->frames[0].line++;
}
static void wrong_column(struct answer *answer)
{
	answer->frames[0].column++;
}
static void wrong_path(struct answer *answer)
{
	answer->frames[0].path = answer->frames[0].path ? NULL : "/src/wrong.c";
}
static void wrong_name(struct answer *answer)
{
	answer->frames[0].function = answer->frames[0].linkage = "wrong";
}
static void wrong_linkage(struct answer *answer)
{
	answer->frames[0].linkage = answer->frames[0].linkage ? NULL : "wrong";
}
static void wrong_call_line(struct answer *answer)
{
	answer->frames[answer->claim.frame_count - 1].line++;
}
static void wrong_outermost_name(struct answer *answer)
{
	answer->frames[answer->claim.frame_count - 1].function = NULL;
}
static void without_innermost(struct answer *answer)
{
	answer->claim.frames++;
	answer->claim.frame_count--;
}
static void without_frames(struct answer *answer)
{
	answer->claim.frame_count = 0;
}
static void of_symbol(struct answer *answer)
{
	answer->claim.is_symbol = !answer->claim.is_symbol;
}
static void wrong_part(struct answer *answer)
{
	answer->claim.part_start++;
}
static void without_columns(struct answer *answer)
{
	answer->claim.has_columns = false;
}
static void of_next_address(struct answer *answer)
{
	answer->claim.address++;
}

static const struct {
	const char *name;
	void (*make)(struct answer *answer); /* called where there are frames */
} wrongs[] = {
	{"line", wrong_line},
	{"column", wrong_column},
	{"path", wrong_path},
	{"name", wrong_name},
	{"linkage name", wrong_linkage},
	{"outermost line", wrong_call_line},
	{"no outermost name", wrong_outermost_name},
	{"no innermost frame", without_innermost},
	{"no frames", without_frames},
	{"symbol or not", of_symbol},
	{"part", wrong_part},
	{"no columns", without_columns},
	{"next address", of_next_address},
};

/* ---- Asking the cross-check ---- */

struct sides {
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_cross_check *check;
};

static void judge(const struct sides *sides, const struct locus_claim *claim, const char *what)
{
	char says[SAYS_SIZE] = "";
	bool agrees = false;
	struct locus_error error = {.text = ""};
	enum locus_status status = locus_cross_check_judge(sides->check, claim, &agrees, says, sizeof(says), &error);
	observe("%s: ", what);
	if (status != LOCUS_OK) {
		HOLD(error.text[0] && !strchr(error.text, '\n'));
		observe("%s: %s\n", locus_status_text(status), error.text);
		return;
	}
	HOLD(memchr(says, '\0', sizeof(says)));
	observe(agrees ? "right, " : "WRONG, ");
	observe_bytes(says, strlen(says));
	observe("\n");
}

static void ask_at(const struct sides *sides, uint64_t address)
{
	static struct answer answer, wrong;
	struct locus_result result;
	char name[32];
	HOLD(locus_lookup(sides->locus, sides->scratch, address, &result, NULL) == LOCUS_OK);
	answer_take(&answer, &result, address);
	snprintf(name, sizeof(name), "0x%" PRIx64, address);
	judge(sides, &answer.claim, name);
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(*wrongs) && answer.claim.frame_count; i++) {
		wrong = answer;
		wrong.claim.frames = wrong.frames;
		wrongs[i].make(&wrong);
		judge(sides, &wrong.claim, wrongs[i].name);
	}
	answer_done(&answer);
}

static void ask_everywhere(const struct sides *sides)
{
	uint64_t *points;
	size_t count;
	struct locus_error error = {.text = ""};
	enum locus_status status = locus_cross_check_change_points(sides->check, &points, &count, &error);
	if (status != LOCUS_OK) {
		observe("no change points, %s: %s\n", locus_status_text(status), error.text);
		return;
	}
	observe("ok: answers may change at %zu addresses\n", count);
	for (size_t i = 0; i < count; i++)
		HOLD(!i || points[i - 1] < points[i]);
	for (size_t i = 0; i < count && i < ASKED_MAX; i++) {
		if (points[i] && (!i || points[i - 1] != points[i] - 1))
			ask_at(sides, points[i] - 1);
		ask_at(sides, points[i]);
	}
	free(points);
}

/* Asks for what the file answers, of whose bytes there are `size`. */
static void compare(const void *data, size_t size, const struct locus_convert_options *options)
{
	struct sides sides = {0};
	struct locus_error error = {.text = ""};
	HOLD(locus_open_memory(data, size, NULL, &sides.locus, &error) == LOCUS_OK);
	HOLD(locus_scratch_new(sides.locus, &sides.scratch, &error) == LOCUS_OK);
	enum locus_status status = locus_cross_check_open(input_path, options, &sides.check, &error);
	if (status == LOCUS_OK) {
		ask_everywhere(&sides);
		locus_cross_check_free(sides.check);
	} else {
		HOLD(error.text[0] && !strchr(error.text, '\n'));
		observe("no cross-check, %s: %s\n", locus_status_text(status), error.text);
	}
	locus_scratch_free(sides.scratch);
	locus_close(sides.locus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nowhere[] = {"/nonexistent"};
	const struct locus_convert_options options = {
		.job_count = 1,
		.level = 0,
		.block_size = 64,
		.debug_dirs = nowhere,
		.debug_dir_count = 1,
		.columns = true,
		.symbols_only = true,
	};
	struct locus_error error = {.text = ""};
	void *made;
	size_t made_size;
	write_input(data, size);
	enum locus_status status = locus_convert_to_memory(input_path, &options, NULL, 0, &made, &made_size, &error);
	if (status == LOCUS_OK) {
		compare(made, made_size, &options);
		free(made);
	} else {
		observe("not converted, %s: %s\n", locus_status_text(status), error.text);
	}
	close(INPUT);
	return 0;
}
