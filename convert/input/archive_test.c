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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_member_is_found_at_its_header),
		cmocka_unit_test(no_member_is_found_elsewhere_or_by_another_name),
	};
	return cmocka_run_group_tests_name("archive", tests, NULL, NULL);
}
