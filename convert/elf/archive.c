/*
 * The format is that of ar(5): a header of text before each member. Names of more than 15 bytes are in a member of
 * their own (GNU) or before the data (BSD). libelf reads these, but no thin archives.
 */
#include "convert/elf/archive.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { MAGIC_SIZE = 8, HEADER_SIZE = 60, NAME_SIZE = 16, SIZE_AT = 48, SIZE_SIZE = 10, END_AT = 58 };

bool archive_open(struct archive *ret, const uint8_t *bytes, size_t size)
{
	bool is_thin = size >= MAGIC_SIZE && memcmp(bytes, "!<thin>\n", MAGIC_SIZE) == 0;
	bool is_plain = size >= MAGIC_SIZE && memcmp(bytes, "!<arch>\n", MAGIC_SIZE) == 0;
	*ret = (struct archive){.bytes = bytes, .size = size, .next = MAGIC_SIZE, .is_thin = is_thin};
	return is_thin || is_plain;
}

/* A decimal number of at most `size` digits, padded with spaces. False: there is none. */
static bool read_number(const char *text, size_t size, uint64_t *ret)
{
	size_t digits = 0;
	*ret = 0;
	for (; digits < size && text[digits] >= '0' && text[digits] <= '9'; digits++)
		*ret = *ret * 10 + (uint64_t)(text[digits] - '0');
	for (size_t i = digits; i < size; i++)
		if (text[i] != ' ')
			return false;
	return digits > 0;
}

static enum locus_status damaged(const struct archive *archive, struct locus_error *error)
{
	return locus_fail_at(error, LOCUS_ERR_BAD_ELF, archive->next, "the archive is damaged or truncated");
}

/* "/123": the name is in the member of long names, up to "/\n". */
static char *long_name(const struct archive *archive, uint64_t offset)
{
	if (offset >= archive->long_names_size)
		return NULL;
	const char *start = archive->long_names + offset;
	const char *end = memchr(start, '\n', archive->long_names_size - offset);
	return end && end > start && end[-1] == '/' ? strndup(start, (size_t)(end - 1 - start)) : NULL;
}

/* The member's name; BSD has a long one before the data, which it is then taken off. NULL: damaged, or no memory. */
static char *read_name(const struct archive *archive, const char *field, struct archive_member *member)
{
	uint64_t number;
	if (field[0] == '/' && read_number(field + 1, NAME_SIZE - 1, &number))
		return long_name(archive, number);
	if (memcmp(field, "#1/", 3) == 0 && read_number(field + 3, NAME_SIZE - 3, &number)) {
		if (!member->data || number > member->size)
			return NULL;
		char *name = strndup((const char *)member->data, number);
		member->data += number;
		member->size -= number;
		return name;
	}
	size_t size = NAME_SIZE;
	while (size && field[size - 1] == ' ')
		size--;
	return strndup(field, size > 1 && field[size - 1] == '/' ? size - 1 : size);
}

/* Symbol tables, of 32 and 64 bits and BSD's, are no files. */
static bool is_table(const char *name)
{
	return strcmp(name, "/") == 0 || strcmp(name, "/SYM64/") == 0 || strcmp(name, "/SYM64") == 0 ||
	       strncmp(name, "__.SYMDEF", 9) == 0;
}

enum locus_status archive_next(struct archive *archive, struct archive_member *ret, bool *ret_any,
			       struct locus_error *error)
{
	*ret_any = false;
	while (archive->next < archive->size) {
		const char *header = (const char *)archive->bytes + archive->next;
		struct archive_member member = {0};
		uint64_t size, left = archive->size - archive->next;
		if (left < HEADER_SIZE || memcmp(header + END_AT, "`\n", 2) != 0 ||
		    !read_number(header + SIZE_AT, SIZE_SIZE, &size))
			return damaged(archive, error);

		/* Of a thin archive only the tables are in it. */
		bool is_names = memcmp(header, "// ", 3) == 0;
		bool is_inside = !archive->is_thin || is_names || memcmp(header, "/ ", 2) == 0 ||
				 memcmp(header, "/SYM64/", 7) == 0;
		if (is_inside && size > left - HEADER_SIZE)
			return damaged(archive, error);
		member.data = is_inside ? archive->bytes + archive->next + HEADER_SIZE : NULL;
		member.size = size;
		if (is_names) {
			archive->long_names = header + HEADER_SIZE;
			archive->long_names_size = size;
		} else {
			member.name = read_name(archive, header, &member);
			if (!member.name)
				return damaged(archive, error);
		}
		archive->next += HEADER_SIZE + (is_inside ? size + (size & 1) : 0);
		if (is_names || is_table(member.name)) {
			free(member.name);
			continue;
		}
		*ret = member;
		*ret_any = true;
		return LOCUS_OK;
	}
	return LOCUS_OK;
}
