/* A walk over an archive, and going to a member by the place of its header, believed only where such a member is. */
#include "base/toolkit_test.h"
#include "convert/input/archive.h"

/* Two members with long names, and one with a short name. */
static const char packed[] = "!<arch>\n"
			     "//              0           0     0     644     42        `\n"
			     "the-first-of-the-long-names.o/\n"
			     "the-2nd.o/\n"
			     "/0              0           0     0     644     4         `\n"
			     "1111"
			     "/31             0           0     0     644     4         `\n"
			     "2222"
			     "short.o/        0           0     0     644     4         `\n"
			     "3333";

enum { SIZE = sizeof(packed) - 1, MEMBERS = 3 };

static const char *const names[MEMBERS] = {"the-first-of-the-long-names.o", "the-2nd.o", "short.o"};

static struct archive opened(void)
{
	struct archive archive;
	assert_true(archive_open(&archive, (const uint8_t *)packed, SIZE));
	return archive;
}

static void walk(size_t headers[MEMBERS])
{
	struct archive archive = opened();
	struct archive_member member;
	bool any;
	for (int i = 0; i < MEMBERS; i++) {
		assert_int_equal(archive_next(&archive, &member, &any, NULL), LOCUS_OK);
		assert_true(any && archive_member_is(&member, names[i]) && member.data[0] == '1' + i);
		headers[i] = member.header;
	}
	assert_int_equal(archive_next(&archive, &member, &any, NULL), LOCUS_OK);
	assert_false(any);
}

static void each_member_is_found_at_its_header(void **state)
{
	size_t headers[MEMBERS];
	(void)state;
	walk(headers);
	for (int i = 0; i < MEMBERS; i++) {
		struct archive archive = opened();
		struct archive_member member;
		assert_true(archive_member_at(&archive, headers[i], names[i], &member));
		assert_int_equal(member.data[0], '1' + i);
		assert_int_equal(member.header, headers[i]);
	}
}

static void no_member_is_found_elsewhere_or_by_another_name(void **state)
{
	size_t headers[MEMBERS];
	(void)state;
	walk(headers);
	for (size_t at = 0; at < SIZE + 100; at++)
		for (int i = 0; i < MEMBERS; i++) {
			struct archive archive = opened();
			struct archive_member member;
			assert_int_equal(archive_member_at(&archive, at, names[i], &member), at == headers[i]);
		}
}

/*
 * The first member is read on the way to any other: if it is damaged, or there is none, nothing is found by its place.
 */
static void no_member_is_found_behind_damage(void **state)
{
	size_t headers[MEMBERS];
	struct archive archive;
	struct archive_member member;
	uint8_t damaged[SIZE];
	(void)state;
	walk(headers);
	memcpy(damaged, packed, SIZE);
	damaged[headers[0] + 59] ^= 1; /* the end of its header */
	assert_true(archive_open(&archive, damaged, SIZE));
	assert_false(archive_member_at(&archive, headers[2], names[2], &member));

	/* The long names are no member. */
	assert_true(archive_open(&archive, (const uint8_t *)packed, headers[0]));
	assert_false(archive_member_at(&archive, headers[0], names[0], &member));
}

/* ---- Members of every form ---- */

struct part {
	const char *name, *size; /* fields of the header */
	const char *data;        /* as it stands, padding included */
};

static void put_part(struct bytes *b, const struct part *part)
{
	char header[80];
	int size = snprintf(header, sizeof(header), "%-16s%-12s%-6s%-6s%-8s%-10s`\n", part->name, "0", "0", "0", "644",
			    part->size);
	assert_int_equal(size, 60);
	put_bytes(b, header, 60);
	put_bytes(b, part->data, strlen(part->data));
}

/* What a walk finds, as text: each member's name with its data, or size where that is elsewhere; and why it ended. */
static void show(const uint8_t *bytes, size_t size, char *text, size_t room)
{
	struct archive archive;
	struct archive_member member;
	struct locus_error error = {.text = ""};
	bool any = true;
	size_t at = 0;
	text[0] = 0;
	if (!archive_open(&archive, bytes, size)) {
		snprintf(text, room, "no archive");
		return;
	}
	while (any) {
		enum locus_status status = archive_next(&archive, &member, &any, &error);
		if (status != LOCUS_OK) {
			snprintf(text + at, room - at, "%s at %llu", error.text, (unsigned long long)error.offset);
			return;
		}
		if (any && member.data)
			at += (size_t)snprintf(text + at, room - at, "%.*s=%.*s ", (int)member.name_size, member.name,
					       (int)member.size, (const char *)member.data);
		else if (any)
			at += (size_t)snprintf(text + at, room - at, "%.*s@%zu ", (int)member.name_size, member.name,
					       member.size);
	}
}

/* From memory that ends where the archive does. */
static void expect(const char *name, const struct bytes *b, const char *expected)
{
	char text[512];
	uint8_t *bytes = malloc(b->size);
	assert_non_null(bytes);
	memcpy(bytes, b->data, b->size);
	show(bytes, b->size, text, sizeof(text));
	if (strcmp(text, expected) != 0)
		fail_msg("%s: '%s', not '%s'", name, text, expected);
	free(bytes);
}

#define DAMAGED "the archive is damaged or truncated at "

static const struct form {
	const char *name, *magic;
	struct part parts[4];
	const char *expected;
} forms[] = {
	{"empty", "!<arch>\n", {{0}}, ""},
	{"empty and thin", "!<thin>\n", {{0}}, ""},
	{"cut magic", "!<arch>", {{0}}, "no archive"},
	{"another magic", "!<arcX>\n", {{0}}, "no archive"},
	{"another magic, and more", "!<arcX>\n", {{"a.o/", "0", ""}}, "no archive"},
	{"odd sizes are padded", "!<arch>\n", {{"a.o/", "3", "xyz\n"}, {"b.o/", "2", "12"}}, "a.o=xyz b.o=12 "},
	{"but for the last", "!<arch>\n", {{"a.o/", "3", "xyz"}}, "a.o=xyz "},
	{"a size of 0", "!<arch>\n", {{"a.o/", "0", ""}, {"b.o/", "0", ""}}, "a.o= b.o= "},
	{"a name without a slash", "!<arch>\n", {{"a.o", "1", "x\n"}}, "a.o=x "},
	{"a name of 15 bytes", "!<arch>\n", {{"123456789012345/", "1", "x\n"}}, "123456789012345=x "},
	{"a name of 16 bytes", "!<arch>\n", {{"1234567890123456", "1", "x\n"}}, "1234567890123456=x "},
	{"a name with a space", "!<arch>\n", {{"a b/", "1", "x\n"}}, "a b=x "},
	{"a name of one byte", "!<arch>\n", {{"a", "0", ""}, {"b/", "0", ""}}, "a= b= "},
	{"symbol tables are no files",
	 "!<arch>\n",
	 {{"/", "4", "1234"}, {"/SYM64/", "2", "12"}, {"__.SYMDEF", "2", "12"}, {"__.SYMDEF SORTED", "2", "12"}},
	 ""},
	{"what is named nearly so is",
	 "!<arch>\n",
	 {{"__.SYMDE", "0", ""}, {"/SYM65/", "0", ""}, {"//x", "0", ""}, {"a__.SYMDEF", "0", ""}},
	 "__.SYMDE= /SYM65= //x= a__.SYMDEF= "},
	{"BSD's names before the data", "!<arch>\n", {{"#1/5", "9", "ab.o!rest\n"}}, "ab.o!=rest "},
	{"all of the data is a name", "!<arch>\n", {{"#1/4", "4", "ab.o"}, {"b", "1", "1"}}, "ab.o= b=1 "},
	{"a name longer than the data", "!<arch>\n", {{"#1/5", "4", "ab.o"}}, DAMAGED "8"},
	{"no number of bytes",
	 "!<arch>\n",
	 {{"#1/", "0", ""}, {"#1/x", "0", ""}, {"#2/5", "6", "123456"}},
	 "#1= #1/x= #2/5=123456 "},
	{"GNU's long names",
	 "!<arch>\n",
	 {{"//", "20", "long-1.o/\nlong-9.o/\n"}, {"/0", "1", "x\n"}, {"/10", "1", "y\n"}, {"/15", "1", "z\n"}},
	 "long-1.o=x long-9.o=y 9.o=z "},
	{"a name at the end of the long ones", "!<arch>\n", {{"//", "4", "a.o/"}, {"/4", "0", ""}}, DAMAGED "72"},
	{"a name behind the long ones", "!<arch>\n", {{"//", "4", "a/\n\n"}, {"/99", "0", ""}}, DAMAGED "72"},
	{"a long name without an end", "!<arch>\n", {{"//", "4", "a.o/"}, {"/0", "0", ""}}, DAMAGED "72"},
	{"a long name without a slash", "!<arch>\n", {{"//", "4", "a.o\n"}, {"/0", "0", ""}}, DAMAGED "72"},
	{"no long name", "!<arch>\n", {{"//", "4", "a/\n\n"}, {"/3", "0", ""}}, DAMAGED "72"},
	{"no long names", "!<arch>\n", {{"/0", "0", ""}}, DAMAGED "8"},
	{"a size that is none", "!<arch>\n", {{"a.o/", "x", ""}}, DAMAGED "8"},
	{"no size", "!<arch>\n", {{"a.o/", "", ""}}, DAMAGED "8"},
	{"two sizes", "!<arch>\n", {{"a.o/", "1 1", "11"}}, DAMAGED "8"},
	{"a size one too large", "!<arch>\n", {{"a.o/", "2", "11"}, {"b.o/", "3", "11"}}, "a.o=11 " DAMAGED "70"},
	{"a large size", "!<arch>\n", {{"a.o/", "9999999999", "11"}}, DAMAGED "8"},
	{"thin", "!<thin>\n", {{"a.o/", "100", ""}, {"b.o/", "7", ""}}, "a.o@100 b.o@7 "},
	{"tables of a thin one are in it",
	 "!<thin>\n",
	 {{"/", "3", "123\n"}, {"/SYM64/", "4", "1234"}, {"//", "8", "d/a.o/\n\n"}, {"/0", "9", ""}},
	 "d/a.o@9 "},
	{"a member of another archive",
	 "!<thin>\n",
	 {{"//", "6", "in.a/\n"}, {"/0:7306", "9", ""}, {"/0:", "9", ""}},
	 "in.a@9 in.a@9 "},
	{"and must be whole", "!<thin>\n", {{"/SYM64/", "4", "123"}}, DAMAGED "8"},
	{"files of a thin one are not", "!<thin>\n", {{"/x", "3", ""}, {"/SYM6", "3", ""}}, "/x@3 /SYM6@3 "},
	{"no name before data that is elsewhere", "!<thin>\n", {{"#1/3", "5", ""}}, DAMAGED "8"},
};

static void members_of_every_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		struct bytes b = {0};
		put_bytes(&b, forms[i].magic, strlen(forms[i].magic));
		for (size_t k = 0; k < COUNT_OF(forms[i].parts) && forms[i].parts[k].name; k++)
			put_part(&b, &forms[i].parts[k]);
		expect(forms[i].name, &b, forms[i].expected);
		bytes_done(&b);
	}
}

static void headers_that_are_cut_or_do_not_end(void **state)
{
	(void)state;
	for (size_t size = 9; size < 68; size++) {
		struct bytes b = {0};
		put_bytes(&b, "!<arch>\n", 8);
		put_part(&b, &(struct part){"a.o/", "0", ""});
		b.size = size;
		expect("cut", &b, DAMAGED "8");
		bytes_done(&b);
	}
	for (size_t at = 66; at < 68; at++) {
		struct bytes b = {0};
		put_bytes(&b, "!<arch>\n", 8);
		put_part(&b, &(struct part){"a.o/", "0", ""});
		b.data[at] ^= 1;
		expect("another end", &b, DAMAGED "8");
		bytes_done(&b);
	}
}

static void names_may_be_as_long_as_paths(void **state)
{
	enum { PATH = 4096 };
	(void)state;
	for (int longer = 0; longer < 2; longer++) {
		for (int is_bsd = 0; is_bsd < 2; is_bsd++) {
			struct archive archive;
			struct archive_member member;
			struct locus_error error;
			struct bytes b = {0};
			char size[16], name[16], text[PATH + 8] = "";
			bool any;
			memset(text, 'n', PATH + (size_t)longer);
			strcat(text, is_bsd ? "" : "/\n");
			snprintf(size, sizeof(size), "%zu", strlen(text));
			snprintf(name, sizeof(name), "#1/%d", PATH + longer);
			put_bytes(&b, "!<arch>\n", 8);
			put_part(&b, &(struct part){is_bsd ? name : "//", size, text});
			put_bytes(&b, "\n", strlen(text) % 2);
			if (!is_bsd)
				put_part(&b, &(struct part){"/0", "0", ""});
			assert_true(archive_open(&archive, b.data, b.size));
			enum locus_status status = archive_next(&archive, &member, &any, &error);
			assert_int_equal(status, longer ? LOCUS_ERR_BAD_ELF : LOCUS_OK);
			assert_true(longer ? strstr(error.text, "the name of member 1 is longer than 4096 bytes") !=
						     NULL
					   : member.name_size == PATH);
			bytes_done(&b);
		}
	}
}

/* A name ends in two bytes more. Where these may still come it is cut off; else it is too long. */
static void a_long_name_without_an_end_is_cut_off_or_too_long(void **state)
{
	enum { MOST = 4096 + 2 };
	(void)state;
	for (size_t size = MOST; size <= MOST + 1; size++) {
		struct bytes b = {0};
		char text[MOST + 4] = "", number[16], expected[128];
		memset(text, 'n', size);
		snprintf(number, sizeof(number), "%zu", size);
		put_bytes(&b, "!<arch>\n", 8);
		put_part(&b, &(struct part){"//", number, text});
		put_bytes(&b, "\n", size % 2);
		size_t header = b.size;
		put_part(&b, &(struct part){"/0", "0", ""});
		snprintf(expected, sizeof(expected), "the archive is damaged%s at %zu",
			 size == MOST ? " or truncated" : ": the name of member 1 is longer than 4096 bytes", header);
		expect("without an end", &b, expected);
		bytes_done(&b);
	}
}

static void names_that_share_their_bytes_have_bounds(void **state)
{
	enum { SHARED = 1000 };
	(void)state;
	/* 1000 bytes for each header of 60 are four times the archive at the sixth. */
	for (int count = 5; count <= 6; count++) {
		struct archive archive;
		struct archive_member member;
		struct locus_error error;
		struct bytes b = {0};
		char text[SHARED + 4] = "";
		bool any;
		memset(text, 'n', SHARED);
		put_bytes(&b, "!<arch>\n", 8);
		put_part(&b, &(struct part){"//", "1002", strcat(text, "/\n")});
		for (int i = 0; i < count; i++)
			put_part(&b, &(struct part){"/0", "0", ""});
		assert_true(archive_open(&archive, b.data, b.size));
		for (int i = 0; i < 5; i++)
			assert_int_equal(archive_next(&archive, &member, &any, &error), LOCUS_OK);
		enum locus_status status = archive_next(&archive, &member, &any, &error);
		assert_int_equal(status, count == 6 ? LOCUS_ERR_BAD_ELF : LOCUS_OK);
		assert_true(count < 6 || strstr(error.text, "up to member 6 its names share their bytes"));
		bytes_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_member_is_found_at_its_header),
		cmocka_unit_test(no_member_is_found_elsewhere_or_by_another_name),
		cmocka_unit_test(no_member_is_found_behind_damage),
		cmocka_unit_test(members_of_every_form),
		cmocka_unit_test(headers_that_are_cut_or_do_not_end),
		cmocka_unit_test(names_may_be_as_long_as_paths),
		cmocka_unit_test(a_long_name_without_an_end_is_cut_off_or_too_long),
		cmocka_unit_test(names_that_share_their_bytes_have_bounds),
	};
	return cmocka_run_group_tests_name("archive", tests, NULL, NULL);
}
