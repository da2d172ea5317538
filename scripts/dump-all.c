/*
 * Prints everything that the reader says of a file, in numbers and bytes: what two machines print of it is the same
 * where both read it alike. Needs nothing but the reader. usage: dump-all FILE
 */
#include <stdio.h>

#include "reader/locus.h"

static void print_string(struct locus_string string)
{
	putchar('"');
	for (size_t i = 0; i < string.size; i++) {
		unsigned char c = (unsigned char)string.data[i];
		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\')
			putchar(c);
		else
			printf("\\%02x", c);
	}
	putchar('"');
}

static int fail(const char *what, enum locus_status status, const struct locus_error *error)
{
	printf("%s: %s: %s\n", what, locus_status_text(status), error->text);
	return 1;
}

static void print_result(const struct locus_result *result)
{
	printf("%llx-%llx %u %s", (unsigned long long)result->interval.start, (unsigned long long)result->interval.end,
	       (unsigned)result->interval.locid, locus_answer_name(result->interval.answer));
	for (size_t i = 0; i < result->frame_count; i++) {
		const struct locus_frame *frame = &result->frames[i];
		printf(" | %u@%u:%u lang %u part %d %llx+%llx %d%d ", (unsigned)frame->function_id,
		       (unsigned)frame->file_id, (unsigned)frame->line, (unsigned)frame->language, (int)frame->part,
		       (unsigned long long)frame->part_start, (unsigned long long)frame->offset, frame->has_line,
		       frame->inlined);
		print_string(frame->function);
		print_string(frame->linkage);
		print_string(frame->directory);
		print_string(frame->file);
	}
	putchar('\n');
}

static enum locus_status print_alternates(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
					  struct locus_error *error)
{
	const struct locus_alternate_info *found;
	size_t count;
	enum locus_status status = locus_alternates(locus, scratch, address, &found, &count, error);
	for (size_t i = 0; status == LOCUS_OK && i < count; i++)
		printf("  alternate %llx+%llx %u %d\n", (unsigned long long)found[i].start,
		       (unsigned long long)found[i].size, (unsigned)found[i].function_id, (int)found[i].kind);
	return status;
}

static void print_info(const struct locus_info *info)
{
	print_string(info->build_id);
	print_string(info->tool);
	print_string(info->options);
	printf(" machine %u type %u class %u data %u epoch %u\n", info->elf_machine, info->elf_type, info->elf_class,
	       info->elf_data, (unsigned)info->rules_epoch);
	for (size_t i = 0; i < info->coverage_count; i++)
		printf("coverage %u %llu\n", (unsigned)info->coverage[i].id,
		       (unsigned long long)info->coverage[i].value);
	for (size_t i = 0; i < info->dropped_count; i++)
		printf("dropped %u %llu\n", (unsigned)info->dropped[i].id, (unsigned long long)info->dropped[i].value);
}

int main(int argc, char **argv)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_function_info function;
	struct locus_file_info file;
	const struct locus_info *info;
	struct locus_error error = {.text = ""};
	if (argc != 2)
		return 2;
	enum locus_status status = locus_open(argv[1], NULL, &locus, &error);
	if (status != LOCUS_OK)
		return fail("open", status, &error);
	status = locus_verify(locus, LOCUS_VERIFY_FULL, &error);
	if (status != LOCUS_OK)
		return fail("verify", status, &error);
	status = locus_scratch_new(locus, &scratch, &error);
	struct locus_identity identity = locus_identity(locus);
	for (size_t i = 0; i < sizeof(identity.bytes); i++)
		printf("%02x", identity.bytes[i]);
	printf(" format %u, %llu bytes\n", (unsigned)locus_format_version(locus),
	       (unsigned long long)locus_file_size(locus));
	if (status == LOCUS_OK)
		status = locus_info(locus, &info, &error);
	if (status == LOCUS_OK)
		print_info(info);
	for (uint32_t i = 0; status == LOCUS_OK && i < locus_interval_count(locus); i++) {
		status = locus_frames(locus, scratch, i, &result, &error);
		if (status != LOCUS_OK)
			break;
		print_result(&result);
		status = print_alternates(locus, scratch, result.interval.start, &error);
	}
	for (uint32_t i = 1; status == LOCUS_OK && i <= locus_function_count(locus); i++) {
		status = locus_function_at(locus, scratch, i, &function, &error);
		if (status != LOCUS_OK)
			break;
		printf("function %u %u:%u %u ", (unsigned)i, (unsigned)function.decl_file_id,
		       (unsigned)function.decl_line, (unsigned)function.language);
		print_string(function.name);
		print_string(function.linkage);
		putchar('\n');
	}
	for (uint32_t i = 1; status == LOCUS_OK && i <= locus_file_count(locus); i++) {
		status = locus_file_at(locus, scratch, i, &file, &error);
		if (status != LOCUS_OK)
			break;
		printf("file %u ", (unsigned)i);
		print_string(file.directory);
		print_string(file.name);
		putchar('\n');
	}
	if (status != LOCUS_OK)
		return fail("read", status, &error);
	locus_scratch_free(scratch);
	locus_close(locus);
	return 0;
}
