/*
 * A file records its inputs without saying where they were. So the inputs are found again, as a conversion finds them,
 * and the two lists are compared: inputs that appeared or vanished make a file stale, like those that changed. Names
 * count only for .dwo files, of which there are many; a program that was renamed is the same program.
 */
#include "cmd/conversion/freshness.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/order.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/conversion/converter.h"

/* ---- Two lists of inputs ---- */

/* An input, from either list. */
struct fact {
	uint32_t role;
	struct locus_string name;
	uint64_t size;
	struct locus_string build_id;
	uint32_t digest_kind;
	struct locus_string digest;
};

struct facts {
	struct fact *list;
	size_t count;
};

static const char *role_text(uint32_t role)
{
	static const char *const texts[] = {
		[LOCUS_INPUT_PROGRAM] = "program",
		[LOCUS_INPUT_DEBUG] = "debug file",
		[LOCUS_INPUT_ALTERNATE] = "alternate debug file",
		[LOCUS_INPUT_PACKAGE] = "package",
		[LOCUS_INPUT_SPLIT] = "split debug file",
	};

	return role < sizeof(texts) / sizeof(texts[0]) ? texts[role] : "input";
}

/* The order of two inputs by what they were read as; 0: both describe the same input, as it was and as it is. */
static int compare_places(const struct fact *a, const struct fact *b)
{
	if (a->role != b->role)
		return order_of(a->role, b->role);
	return a->role == LOCUS_INPUT_SPLIT ? compare_strings(a->name, b->name) : 0;
}

static int compare_facts(const void *x, const void *y)
{
	const struct fact *a = x, *b = y;
	int order = compare_places(a, b);

	if (!order)
		order = order_of(a->size, b->size);
	if (!order)
		order = compare_strings(a->build_id, b->build_id);
	if (!order)
		order = order_of(a->digest_kind, b->digest_kind);
	return order ? order : compare_strings(a->digest, b->digest);
}

/* Sorts the list, and removes equal entries. */
static void facts_sort(struct facts *facts)
{
	size_t kept = 0;

	if (facts->count)
		qsort(facts->list, facts->count, sizeof(*facts->list), compare_facts);
	for (size_t i = 0; i < facts->count; i++)
		if (!kept || compare_facts(&facts->list[kept - 1], &facts->list[i]) != 0)
			facts->list[kept++] = facts->list[i];
	facts->count = kept;
}

static struct facts recorded_facts(const struct locus_info *info, bool digests)
{
	struct facts facts = {memory_checked(calloc(info->input_count, sizeof(*facts.list))), info->input_count};

	for (size_t i = 0; i < info->input_count; i++) {
		const struct locus_input_info *input = &info->inputs[i];
		struct fact *fact = &facts.list[i];
		*fact = (struct fact){
			.role = input->role, .name = input->name, .size = input->size, .build_id = input->build_id};
		if (digests) {
			fact->digest_kind = input->digest_kind;
			fact->digest = input->digest;
		}
	}
	facts_sort(&facts);
	return facts;
}

static struct facts present_facts(const struct locus_convert_inputs *inputs)
{
	struct facts facts = {memory_checked(calloc(inputs->count, sizeof(*facts.list))), inputs->count};

	for (size_t i = 0; i < inputs->count; i++) {
		const struct locus_convert_input *input = &inputs->list[i];
		facts.list[i] = (struct fact){
			.role = input->role,
			.name = {input->name, strlen(input->name)},
			.size = input->size,
			.build_id = {(const char *)input->build_id, input->build_id_size},
			.digest_kind = input->digest_kind,
		};
		if (input->digest_kind != LOCUS_DIGEST_NONE)
			facts.list[i].digest =
				(struct locus_string){(const char *)input->digest, sizeof(input->digest)};
	}
	facts_sort(&facts);
	return facts;
}

/* ---- What is said ---- */

static void be_stale(struct freshness *ret, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void be_stale(struct freshness *ret, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(ret->reason, sizeof(ret->reason), format, arguments);
	va_end(arguments);
	ret->is_fresh = false;
}

/* Names are shortened if there is no room for them. */
enum { NAME_SHOWN = 200 };

static int shown(struct locus_string name)
{
	return name.size < NAME_SHOWN ? (int)name.size : NAME_SHOWN;
}

static void say_difference(struct freshness *ret, const struct fact *before, const struct fact *now)
{
	const char *role = role_text(now->role);
	int size = shown(now->name);
	const char *name = now->name.data;

	if (before->size != now->size)
		be_stale(ret, "the %s %.*s has %llu bytes, and had %llu when it was converted", role, size, name,
			 (unsigned long long)now->size, (unsigned long long)before->size);
	else if (!strings_are_equal(before->build_id, now->build_id))
		be_stale(ret, "the %s %.*s has another build-id than when it was converted", role, size, name);
	else if (before->digest_kind != now->digest_kind)
		be_stale(ret, "the %s %.*s was converted with another kind of digest", role, size, name);
	else
		be_stale(ret, "the %s %.*s has other %s than when it was converted", role, size, name,
			 now->digest_kind == LOCUS_DIGEST_BYTES ? "bytes" : "headers");
}

/* Describes the first difference, if there is one. */
static void compare_lists(struct freshness *ret, const struct facts *before, const struct facts *now)
{
	size_t i = 0, k = 0;

	while (i < before->count && k < now->count && compare_facts(&before->list[i], &now->list[k]) == 0) {
		i++;
		k++;
	}
	const struct fact *old = i < before->count ? &before->list[i] : NULL;
	const struct fact *new = k < now->count ? &now->list[k] : NULL;
	int order = old && new ? compare_places(old, new) : old ? -1 : 1;
	if (old && order < 0)
		be_stale(ret, "the %s %.*s, from which it was converted too, would not be read now",
			 role_text(old->role), shown(old->name), old->name.data);
	else if (new &&order > 0)
		be_stale(ret, "the %s %.*s, which was not there when it was converted, would be read now",
			 role_text(new->role), shown(new->name), new->name.data);
	else if (old)
		say_difference(ret, old, new);
}

/* ---- Judging ---- */

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/*
 * Whether a time has not come yet, by more than clocks of two machines differ: the clock was set back since. Then it
 * does not say what was written before and what after it.
 */
static bool is_in_future(const struct timespec *time)
{
	enum { SKEW_S = 2 };
	struct timespec now;

	freshness_clock(&now);
	return time->tv_sec > now.tv_sec + SKEW_S;
}

/* The file, and its record of how it was made. */
struct subject_file {
	struct locus *locus;
	const struct locus_info *info;
	struct timespec changed;
};

static enum locus_status open_file(const char *path, struct subject_file *ret, struct locus_error *error)
{
	struct stat found;
	struct subject_file file = {0};
	enum locus_status status = locus_open(path, NULL, &file.locus, error);

	if (status == LOCUS_OK)
		status = locus_info(file.locus, &file.info, error);
	if (status == LOCUS_OK && stat(path, &found) == 0)
		file.changed = found.st_mtim;
	if (status != LOCUS_OK)
		locus_close(file.locus);
	else
		*ret = file;
	return status;
}

/* Whether the file was made with digests of all bytes: then inputs with a build-id have one, too. */
static bool digests_all(const struct locus_info *info)
{
	bool all = false;

	for (size_t i = 0; i < info->input_count; i++)
		all |= info->inputs[i].build_id.size && info->inputs[i].digest_kind == LOCUS_DIGEST_BYTES;
	return all;
}

static bool has_build_id(const struct locus_info *info)
{
	bool any = false;

	for (size_t i = 0; i < info->input_count; i++)
		any |= info->inputs[i].build_id.size != 0;
	return any;
}

static bool has_split_files(const struct locus_info *info)
{
	bool any = false;

	for (size_t i = 0; i < info->input_count; i++)
		any |= info->inputs[i].role == LOCUS_INPUT_SPLIT;
	return any;
}

/* Judges by the file's own record, without looking at inputs. */
static void judge_record(const struct freshness_question *question, const struct locus_info *info,
			 struct freshness *ret)
{
	uint32_t epoch = *converter()->rules_epoch;

	ret->is_fresh = true;
	if (info->rules_epoch < epoch)
		be_stale(ret, "it was made by rules epoch %u, and today's is %u", (unsigned)info->rules_epoch,
			 (unsigned)epoch);
	else if (!info->input_count)
		be_stale(ret, "it does not say what it was made from");
	if (question->as_recorded)
		return;
	if (ret->is_fresh && has_build_id(info) && digests_all(info) != question->options->digest)
		be_stale(ret, "it was made %s --digest", question->options->digest ? "without" : "with");
	char *options = memory_checked(converter()->options_text(question->options));
	if (ret->is_fresh && !string_is(info->options, options))
		be_stale(ret, "it was made with other options");
	free(options);
}

/*
 * Whether an input is as old as its time says. What restores, installs or copies a file may give it an old time, but no
 * old ctime. That says so only of some files, because it changes, too, where a link is made or the mode is changed: a
 * file with a build-id is known by that.
 */
static bool is_placed_before(const struct timespec *placed, bool has_build_id, const struct timespec *file)
{
	return has_build_id || is_before(placed, file);
}

static void judge_times(const struct freshness_question *question, const struct subject_file *file,
			const struct locus_convert_inputs *inputs, struct freshness *ret)
{
	ret->by_times = true;
	for (size_t i = 0; i < inputs->count && ret->is_fresh; i++) {
		const struct locus_convert_input *input = &inputs->list[i];
		/* If two files were written at the same moment, it is unknown which came first. */
		bool is_newer =
			question->look == LOOK_AT_TIMES
				? is_before(&file->changed, &input->changed)
				: is_in_future(&file->changed) || !is_before(&input->changed, &file->changed) ||
					  !is_placed_before(&input->placed, input->build_id_size, &file->changed);
		if (is_newer)
			be_stale(ret, "the %s %s is newer", role_text(input->role), input->name);
	}
}

/* Compares the file with its inputs as they are now. *ret has the judgement by the record. */
static enum locus_status judge_inputs(const struct freshness_question *question, const struct subject_file *file,
				      bool digests, struct freshness *ret, struct locus_error *error)
{
	struct locus_convert_options options = *question->options;
	struct locus_convert_inputs *inputs;
	bool all = question->as_recorded ? digests_all(file->info) : options.digest;
	/* Whether a file was made of symbols only is not recorded, but shows in what was read. */
	options.symbols_only |= question->as_recorded;
	enum locus_convert_digests kind = !digests ? LOCUS_CONVERT_NO_DIGESTS
					  : all    ? LOCUS_CONVERT_ALL_DIGESTS
						   : LOCUS_CONVERT_SOME_DIGESTS;
	enum locus_status status =
		converter()->inputs(question->elf, &options, kind, has_split_files(file->info), &inputs, error);
	if (status == LOCUS_ERR_COMPANION || status == LOCUS_ERR_NO_DEBUG) {
		be_stale(ret, "%s", error_text(status, error));
		return LOCUS_OK;
	}
	if (status != LOCUS_OK)
		return status;

	struct facts before = recorded_facts(file->info, digests), now = present_facts(inputs);
	compare_lists(ret, &before, &now);
	if (ret->is_fresh && !digests)
		judge_times(question, file, inputs, ret);
	free(before.list);
	free(now.list);
	converter()->inputs_free(inputs);
	return LOCUS_OK;
}

enum locus_status freshness_judge(const struct freshness_question *question, struct freshness *ret,
				  struct locus_error *error)
{
	struct subject_file file;
	struct freshness freshness = {0};
	enum locus_status status = open_file(question->file, &file, error);

	if (status == LOCUS_ERR_VERSION) {
		be_stale(ret, "%s", error_text(status, error));
		return LOCUS_OK;
	}
	if (status != LOCUS_OK)
		return status;
	judge_record(question, file.info, &freshness);
	if (freshness.is_fresh)
		status = judge_inputs(question, &file, question->look == LOOK_AT_DIGESTS, &freshness, error);
	if (status == LOCUS_OK && !freshness.is_fresh && freshness.by_times && question->look == LOOK_AT_TIMES_FIRST) {
		freshness = (struct freshness){.is_fresh = true};
		status = judge_inputs(question, &file, true, &freshness, error);
	}
	locus_close(file.locus);
	if (status == LOCUS_OK)
		*ret = freshness;
	return status;
}

/* Whether only the program was read, for its own debug information: then no new companion matters. */
static bool is_of_program_alone(const struct locus_info *info)
{
	uint64_t from_dwarf = 0;

	for (size_t i = 0; i < info->coverage_count; i++)
		if (info->coverage[i].id < LOCUS_COVERAGE_SYMBOL)
			from_dwarf += info->coverage[i].value;
	return info->input_count == 1 && info->inputs[0].role == LOCUS_INPUT_PROGRAM && from_dwarf;
}

static bool has_package_beside(const char *elf)
{
	struct stat found;
	char *path = memory_text("%s.dwp", elf);
	bool is_there = stat(path, &found) == 0;
	free(path);
	return is_there;
}

/* Whether the file has the build-id that was recorded for it; not asked of one that would have to be unpacked first. */
static bool has_recorded_build_id(const char *elf, const struct locus_input_info *recorded)
{
	uint8_t bytes[LOCUS_MISSING_ID_MAX];
	size_t size = sizeof(bytes);

	if (converter_build_id(elf, bytes, &size, NULL) != LOCUS_OK)
		size = 0;
	return strings_are_equal(recorded->build_id, (struct locus_string){(const char *)bytes, size});
}

/* Whether the file asked about is the one that was recorded, as far as can be told without a digest. */
static bool is_recorded(const struct freshness_question *question, const struct stat *found,
			const struct locus_input_info *recorded, const struct timespec *made)
{
	bool is_packed = !file_begins_with(question->elf, FILE_MAGIC_ELF, true);

	return recorded->size == (uint64_t)found->st_size && is_before(&found->st_mtim, made) && !is_in_future(made) &&
	       (question->look == LOOK_AT_TIMES ||
		is_placed_before(&found->st_ctim, recorded->build_id.size && !is_packed, made)) &&
	       (is_packed || has_recorded_build_id(question->elf, recorded));
}

/* A named companion must exist, and may be another one than would be found. */
static bool names_companions(const struct locus_convert_options *options)
{
	return options->debug_file || options->alt_file || options->dwp_file;
}

bool freshness_is_plain(const struct freshness_question *question)
{
	struct subject_file file;
	struct freshness freshness = {0};
	struct stat elf;

	if (question->look == LOOK_AT_DIGESTS || names_companions(question->options) ||
	    stat(question->elf, &elf) != 0 || !S_ISREG(elf.st_mode) ||
	    open_file(question->file, &file, NULL) != LOCUS_OK)
		return false;
	judge_record(question, file.info, &freshness);
	bool is_plain = freshness.is_fresh && is_of_program_alone(file.info) && !has_package_beside(question->elf) &&
			is_recorded(question, &elf, &file.info->inputs[0], &file.changed);
	locus_close(file.locus);
	return is_plain;
}

bool freshness_is_companion(const struct freshness_question *question)
{
	struct subject_file file;
	struct freshness freshness = {0};
	struct stat elf;
	bool is_companion = false;

	if (stat(question->elf, &elf) != 0 || !S_ISREG(elf.st_mode) ||
	    open_file(question->file, &file, NULL) != LOCUS_OK)
		return false;
	judge_record(question, file.info, &freshness);
	for (size_t i = 0; i < file.info->input_count && freshness.is_fresh; i++) {
		const struct locus_input_info *input = &file.info->inputs[i];
		is_companion |= input->role == LOCUS_INPUT_DEBUG && is_recorded(question, &elf, input, &file.changed);
	}
	locus_close(file.locus);
	return is_companion;
}

void freshness_clock(struct timespec *ret)
{
	clock_gettime(CLOCK_REALTIME_COARSE, ret);
}

/* If the time cannot be set, digests are compared again the next time. */
void freshness_touch(const char *file, const struct timespec *as_of)
{
	const struct timespec times[] = {*as_of, *as_of};

	utimensat(AT_FDCWD, file, times, 0);
}
