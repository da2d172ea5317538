/*
 * The format is that of ar(5): a header of text before each member. Names of more than 15 bytes are in a member of
 * their own (GNU) or before the data (BSD). libelf reads these, but no thin archives.
 */
#include "convert/input/archive.h"

#include <limits.h>
#include <string.h>

#include "base/fail.h"

enum { MAGIC_SIZE = 8, HEADER_SIZE = 60, NAME_SIZE = 16, SIZE_AT = 48, SIZE_SIZE = 10, END_AT = 58 };

bool archive_open(struct archive *ret, const uint8_t *bytes, size_t size)
{
	bool is_thin = size >= MAGIC_SIZE && memcmp(bytes, "!<thin>\n", MAGIC_SIZE) == 0;
	bool is_plain = size >= MAGIC_SIZE && memcmp(bytes, "!<arch>\n", MAGIC_SIZE) == 0;
	*ret = (struct archive){.bytes = bytes, .size = size, .next = MAGIC_SIZE, .number = 1, .is_thin = is_thin};
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

/* A name that lies in the archive; BSD pads one with NULs. */
static void set_name(struct archive_member *member, const char *name, size_t size)
{
	member->name = name;
	member->name_size = strnlen(name, size);
}

static enum locus_status check_name_size(const struct archive *archive, uint64_t size, struct locus_error *error)
{
	if (size <= PATH_MAX)
		return LOCUS_OK;
	return locus_fail_at(error, LOCUS_ERR_BAD_ELF, archive->next,
			     "the archive is damaged: the name of member %llu is longer than %d bytes",
			     (unsigned long long)archive->number, PATH_MAX);
}

/*
 * "/123": the name is at that offset of the member of long names, up to "/\n". The search ends where names are too
 * long.
 */
static enum locus_status read_long_name(const struct archive *archive, uint64_t offset, struct archive_member *member,
					struct locus_error *error)
{
	enum { END_SIZE = 2, MOST = PATH_MAX + END_SIZE };
	if (offset >= archive->long_names_size)
		return damaged(archive, error);
	const char *start = archive->long_names + offset;
	size_t left = archive->long_names_size - offset;
	const char *end = memchr(start, '\n', left < MOST ? left : MOST);
	if (!end && left > MOST)
		return check_name_size(archive, left, error);
	if (!end || end == start || end[-1] != '/')
		return damaged(archive, error);
	set_name(member, start, (size_t)(end - 1 - start));
	return LOCUS_OK;
}

/* BSD puts a long name before the data, which it is taken off here. */
static enum locus_status read_name_before_data(const struct archive *archive, uint64_t size,
					       struct archive_member *member, struct locus_error *error)
{
	enum locus_status status = check_name_size(archive, size, error);
	if (status != LOCUS_OK)
		return status;
	if (!member->data || size > member->size)
		return damaged(archive, error);
	set_name(member, (const char *)member->data, size);
	member->data += size;
	member->size -= size;
	return LOCUS_OK;
}

/* Finds the member's name, from the field of its header. */
static enum locus_status read_name(const struct archive *archive, const char *field, struct archive_member *member,
				   struct locus_error *error)
{
	uint64_t number;
	/* "/6:70" in a thin archive: the member whose header is at 70 of the archive whose name is at 6. */
	const char *colon = memchr(field, ':', NAME_SIZE), *end = colon ? colon : field + NAME_SIZE;
	if (field[0] == '/' && read_number(field + 1, (size_t)(end - (field + 1)), &number))
		return read_long_name(archive, number, member, error);
	if (memcmp(field, "#1/", 3) == 0 && read_number(field + 3, NAME_SIZE - 3, &number))
		return read_name_before_data(archive, number, member, error);
	size_t size = NAME_SIZE;
	while (size && field[size - 1] == ' ')
		size--;
	set_name(member, field, size > 1 && field[size - 1] == '/' ? size - 1 : size);
	return LOCUS_OK;
}

bool archive_member_is(const struct archive_member *member, const char *name)
{
	return strlen(name) == member->name_size && memcmp(member->name, name, member->name_size) == 0;
}

/* Whether the member is a symbol table (32-bit, 64-bit or BSD's) and not a file. */
static bool is_table(const struct archive_member *member)
{
	static const char bsd[] = "__.SYMDEF";
	return archive_member_is(member, "/") || archive_member_is(member, "/SYM64/") ||
	       archive_member_is(member, "/SYM64") ||
	       (member->name_size >= strlen(bsd) && memcmp(member->name, bsd, strlen(bsd)) == 0);
}

/* Counts the name of a member that is a file. */
static enum locus_status count_name(struct archive *archive, const struct archive_member *member,
				    struct locus_error *error)
{
	archive->names_size += member->name_size;
	if (archive->names_size / ARCHIVE_NAMES_RATIO > archive->size)
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, member->header,
				     "the archive is damaged: up to member %llu its names share their bytes, "
				     "and are together longer than %d times the archive",
				     (unsigned long long)archive->number, ARCHIVE_NAMES_RATIO);
	archive->number++;
	return LOCUS_OK;
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

		/* A thin archive contains only its tables: other members are files elsewhere. */
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
			enum locus_status status = read_name(archive, header, &member, error);
			if (status != LOCUS_OK)
				return status;
		}
		member.header = archive->next;
		archive->next += HEADER_SIZE + (is_inside ? size + (size & 1) : 0);
		if (is_names || is_table(&member))
			continue;
		*ret = member;
		*ret_any = true;
		return count_name(archive, &member, error);
	}
	return LOCUS_OK;
}

bool archive_member_at(struct archive *archive, size_t header, const char *name, struct archive_member *ret)
{
	bool any;
	/* The long names stand before the first member, and are found on the way to it. */
	if (archive_next(archive, ret, &any, NULL) != LOCUS_OK || !any)
		return false;
	archive->next = header;
	return archive_next(archive, ret, &any, NULL) == LOCUS_OK && any && ret->header == header &&
	       archive_member_is(ret, name);
}
