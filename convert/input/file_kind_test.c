/* What is said of files that are no ELF files: by their first bytes, whole and cut off, or their words. */
#include "convert/input/file_kind.h"

#include "base/toolkit_test.h"

static const char other[] = "not an ELF file";

static void expect(const void *data, size_t size, const char *expected)
{
	uint8_t *exact = exact_copy(data, size);
	const char *text = file_kind_text(exact, size);
	if (strcmp(text, expected) != 0)
		fail_msg("%.*s: %s", (int)size, (const char *)data, text);
	free(exact);
}

static void first_bytes(void **state)
{
	static const struct {
		const char *magic;
		size_t size;
		const char *expected;
	} cases[] = {
		{"!<arch>\ndebian-binary", 21,
		 "not an ELF file, but a Debian package: unpack it (dpkg-deb -x) and convert what is in it"},
		{"!<thin>\n", 8,
		 "not an ELF file, but a thin archive: it is converted member by member, not read as one file"},
		{"\xed\xab\xee\xdb", 4,
		 "not an ELF file, but an RPM package: unpack it (rpm2cpio) and convert what is in it"},
		{"\0asm", 4, "not an ELF file, but a WebAssembly module"},
		{"BC\xc0\xde", 4,
		 "not an ELF file, but LLVM bitcode, which is no machine code yet: convert what is linked from it"},
		{"\xde\xc0\x17\x0b", 4,
		 "not an ELF file, but LLVM bitcode, which is no machine code yet: convert what is linked from it"},
		{"\xfe\xed\xfa\xce", 4, "not an ELF file, but a macOS program or library (Mach-O)"},
		{"\xfe\xed\xfa\xcf", 4, "not an ELF file, but a macOS program or library (Mach-O)"},
		{"\xce\xfa\xed\xfe", 4, "not an ELF file, but a macOS program or library (Mach-O)"},
		{"\xcf\xfa\xed\xfe", 4, "not an ELF file, but a macOS program or library (Mach-O)"},
		{"\xca\xfe\xba\xbe", 4,
		 "not an ELF file, but a macOS program for several machines (Mach-O), or a Java class"},
		{"MZ", 2, "not an ELF file, but a Windows program or library (PE)"},
		{"PK\3\4", 4, "not an ELF file, but a zip archive: unpack it and convert what is in it"},
		{"BZh", 3, "not an ELF file, but compressed with bzip2: unpack it first"},
		{"\x8cLCS", 4, "not an ELF file, but a .locus file, which is made from one"},
		{"#!", 2, "not an ELF file, but a script"},
	};
	static const char archive[] =
		"not an ELF file, but a static archive: it is converted member by member, not read as one file";
	(void)state;
	expect("", 0, "not an ELF file: it is empty");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		expect(cases[i].magic, cases[i].size, cases[i].expected);
		/* A Debian package is a static archive too, and the longer beginning says so. */
		for (size_t size = 1; size < cases[i].size; size++)
			expect(cases[i].magic, size, i == 0 && size >= 8 ? archive : other);
	}
}

/* A text with one of a linker's commands among its first 4096 bytes, without a NUL there. */
static void linker_scripts(void **state)
{
	static const char script[] = "not an ELF file, but a linker script: convert the library that it names";
	static const char *const words[] = {"GNU ld script", "OUTPUT_FORMAT", "GROUP", "INPUT", "SECTIONS"};
	enum { LOOKED_AT = 4096 };
	char text[LOOKED_AT + 8];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		size_t size = strlen(words[i]);
		expect(words[i], size, script);
		expect(words[i], size - 1, other);
		for (size_t end = LOOKED_AT; end <= LOOKED_AT + 1; end++) {
			memset(text, ' ', sizeof(text));
			memcpy(text + end - size, words[i], size);
			expect(text, sizeof(text), end == LOOKED_AT ? script : other);
		}
	}
	memset(text, ' ', sizeof(text));
	memcpy(text, "INPUT", 5);
	text[LOOKED_AT] = 0;
	expect(text, sizeof(text), script);
	text[LOOKED_AT - 1] = 0;
	expect(text, sizeof(text), other);
	expect("INPUT\1", 6, script);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_bytes),
		cmocka_unit_test(linker_scripts),
	};
	return cmocka_run_group_tests_name("file_kind", tests, NULL, NULL);
}
