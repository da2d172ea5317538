/* Formats are recognised by their first bytes; linker scripts, which have no magic number, by their commands. */
#include "convert/input/file_kind.h"

#include <stdbool.h>
#include <string.h>

struct kind {
	const char *magic;
	size_t magic_size;
	const char *text;
};

#define KIND(magic, text)                      \
	{                                      \
		magic, sizeof(magic) - 1, text \
	}

static const struct kind kinds[] = {
	KIND("!<arch>\ndebian-binary",
	     "not an ELF file, but a Debian package: unpack it (dpkg-deb -x) and convert what is in it"),
	KIND("!<arch>\n",
	     "not an ELF file, but a static archive: it is converted member by member, not read as one file"),
	KIND("!<thin>\n",
	     "not an ELF file, but a thin archive: it is converted member by member, not read as one file"),
	KIND("\xed\xab\xee\xdb", "not an ELF file, but an RPM package: unpack it (rpm2cpio) and convert what is in it"),
	KIND("\0asm", "not an ELF file, but a WebAssembly module"),
	KIND("BC\xc0\xde",
	     "not an ELF file, but LLVM bitcode, which is no machine code yet: convert what is linked from it"),
	KIND("\xde\xc0\x17\x0b",
	     "not an ELF file, but LLVM bitcode, which is no machine code yet: convert what is linked from it"),
	KIND("\xfe\xed\xfa\xce", "not an ELF file, but a macOS program or library (Mach-O)"),
	KIND("\xfe\xed\xfa\xcf", "not an ELF file, but a macOS program or library (Mach-O)"),
	KIND("\xce\xfa\xed\xfe", "not an ELF file, but a macOS program or library (Mach-O)"),
	KIND("\xcf\xfa\xed\xfe", "not an ELF file, but a macOS program or library (Mach-O)"),
	KIND("\xca\xfe\xba\xbe", "not an ELF file, but a macOS program for several machines (Mach-O), or a Java class"),
	KIND("MZ", "not an ELF file, but a Windows program or library (PE)"),
	KIND("PK\3\4", "not an ELF file, but a zip archive: unpack it and convert what is in it"),
	KIND("BZh", "not an ELF file, but compressed with bzip2: unpack it first"),
	KIND("\x8cLCS", "not an ELF file, but a .locus file, which is made from one"),
	KIND("#!", "not an ELF file, but a script"),
};

/* Linkers accept scripts as libraries: glibc's libc.so is one. */
static bool is_linker_script(const uint8_t *bytes, size_t size)
{
	static const char *const words[] = {"GNU ld script", "OUTPUT_FORMAT", "GROUP", "INPUT", "SECTIONS"};
	enum { LOOKED_AT = 4096 };
	size = size < LOOKED_AT ? size : LOOKED_AT;
	if (memchr(bytes, 0, size))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(bytes, size, words[i], strlen(words[i])))
			return true;
	return false;
}

const char *file_kind_text(const uint8_t *bytes, size_t size)
{
	if (!size)
		return "not an ELF file: it is empty";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= kinds[i].magic_size && memcmp(bytes, kinds[i].magic, kinds[i].magic_size) == 0)
			return kinds[i].text;
	if (is_linker_script(bytes, size))
		return "not an ELF file, but a linker script: convert the library that it names";
	return "not an ELF file";
}
