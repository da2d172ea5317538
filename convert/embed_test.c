/* What a program is that carries a .locus section, byte by byte; and which programs can carry none. */
#include "convert/embed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/elf/embed_record.h"
#include "convert/elf/make_elf_test.h"

static char directory[] = "/tmp/locus-test-XXXXXX";
static char program_path[64], made_path[64], output_path[64];

/* Where files end for pread, as one does that becomes shorter while it is read. */
static uint64_t readable = UINT64_MAX;

ssize_t pread(int fd, void *ret, size_t size, off_t offset)
{
	uint64_t left = (uint64_t)offset < readable ? readable - (uint64_t)offset : 0;
	return lseek(fd, offset, SEEK_SET) < 0 ? -1 : read(fd, ret, size < left ? size : left);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(program_path, sizeof(program_path), "%s/program", directory);
	snprintf(made_path, sizeof(made_path), "%s/made", directory);
	snprintf(output_path, sizeof(output_path), "%s/output", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(directory);
}

static struct bytes read_file(const char *path)
{
	struct bytes content = {0};
	char buffer[4096];
	size_t got;
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	while ((got = fread(buffer, 1, sizeof(buffer), file)))
		put_bytes(&content, buffer, got);
	fclose(file);
	return content;
}

static int count_files(const char *folder)
{
	int count = 0;
	DIR *files = opendir(folder);
	assert_non_null(files);
	while (readdir(files))
		count++;
	closedir(files);
	return count;
}

/* What is at `made_path`, whose file may be larger than memory. Given back with munmap, where it has a size. */
static void *map_made(size_t *ret_size)
{
	struct stat info;
	int fd = open(made_path, O_RDONLY);
	assert_int_equal(fstat(fd, &info), 0);
	*ret_size = (size_t)info.st_size;
	void *made = *ret_size ? mmap(NULL, *ret_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	assert_true(made != MAP_FAILED);
	close(fd);
	return made;
}

/* Embeds; whatever happens, no file stays open, and an error that was there before is not taken for one of its own. */
static enum locus_status run_embed(struct locus_error *error)
{
	size_t made_size;
	void *made = map_made(&made_size);
	int open_before = count_files("/proc/self/fd");
	errno = EINTR;
	enum locus_status status = embed(program_path, made, made_size, output_path, false, error);
	assert_int_equal(count_files("/proc/self/fd"), open_before);
	if (made)
		munmap(made, made_size);
	return status;
}

/* ---- What is written ---- */

static uint64_t align_8(uint64_t offset)
{
	return (offset + 7) / 8 * 8;
}

static Elf64_Ehdr header_of(const struct bytes *elf)
{
	Elf64_Ehdr ehdr;
	memcpy(&ehdr, elf->data, sizeof(ehdr));
	return ehdr;
}

static Elf64_Shdr *sections_of(const struct bytes *elf)
{
	return (Elf64_Shdr *)(elf->data + header_of(elf).e_shoff);
}

/*
 * The program that carries `made`, put together as convert/embed.h says. `ours` is the index of the section that is
 * replaced; 0: it is a new one. `before` are the bytes that the program had when it carried nothing.
 */
static struct bytes carrier_of(const struct bytes *program, const struct bytes *before, size_t ours,
			       const struct bytes *made)
{
	struct bytes result = {0}, names = {0};
	Elf64_Ehdr old = header_of(program), new = old;
	const Elf64_Shdr *name_section = sections_of(program) + old.e_shstrndx;
	size_t count = old.e_shnum + (ours == 0);
	Elf64_Shdr *shdrs = calloc(count, sizeof(*shdrs));
	memcpy(shdrs, sections_of(program), old.e_shnum * sizeof(*shdrs));
	put_bytes(&names, program->data + name_section->sh_offset, name_section->sh_size);
	if (!ours) {
		ours = old.e_shnum;
		shdrs[ours].sh_name = (uint32_t)names.size;
		put_string(&names, ".locus");
	}
	shdrs[ours] = (Elf64_Shdr){
		.sh_name = shdrs[ours].sh_name,
		.sh_type = SHT_PROGBITS,
		.sh_flags = old.e_type == ET_REL ? SHF_EXCLUDE : 0,
		.sh_addr = shdrs[ours].sh_addr,
		.sh_offset = align_8(before->size),
		.sh_size = made->size,
		.sh_addralign = 8,
	};
	put_bytes(&result, before->data, before->size);
	align(&result, 8);
	put_bytes(&result, made->data, made->size);
	align(&result, 8);
	put_number(&result, before->size, 8);
	put_bytes(&result, before->data, sizeof(Elf64_Ehdr));
	align(&result, 8);
	shdrs[old.e_shstrndx].sh_offset = result.size;
	shdrs[old.e_shstrndx].sh_size = names.size;
	put_bytes(&result, names.data, names.size);
	align(&result, 8);
	new.e_shoff = result.size;
	new.e_shnum = (uint16_t)count;
	put_bytes(&result, shdrs, count * sizeof(*shdrs));
	memcpy(result.data, &new, sizeof(new));
	free(shdrs);
	bytes_done(&names);
	return result;
}

static void check_embeds(const char *name, const struct bytes *program, const struct bytes *made,
			 const struct bytes *expected)
{
	struct locus_error error = {{0}, 0};
	write_file(program_path, program);
	write_file(made_path, made);
	if (run_embed(&error) != LOCUS_OK)
		fail_msg("%s: %s", name, error.text);
	struct bytes got = read_file(output_path);
	if (got.size != expected->size)
		fail_msg("%s: %zu bytes, expected %zu", name, got.size, expected->size);
	for (size_t i = 0; i < got.size; i++)
		if (got.data[i] != expected->data[i])
			fail_msg("%s: byte %zu of %zu differs", name, i, got.size);
	bytes_done(&got);
	unlink(program_path);
	unlink(made_path);
	unlink(output_path);
}

static struct bytes made_of_size(size_t size)
{
	struct bytes made = {0};
	for (size_t i = 0; i < size; i++)
		put_u8(&made, (uint8_t)(i * 7 + i / 256 + 1));
	return made;
}

#define TEXT                                                                              \
	{                                                                                 \
		".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "code", 4, 0, 0 \
	}

static struct bytes make_program(size_t trailing)
{
	struct bytes program = {0};
	const struct elf_part parts[] = {
		TEXT,
		{".locus2", SHT_PROGBITS, 0, 0, "another's", 9, 0, 0},
		{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, "data", 4, 1, 2},
	};
	make_elf(&program, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	for (size_t i = 0; i < trailing; i++)
		put_u8(&program, 0);
	return program;
}

/* Programs of every remainder, and symbols of every remainder, none, and of as much as is copied at once. */
static void any_sizes(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 8, 9, 1 << 20, (1 << 20) + 1};
	(void)state;
	for (size_t trailing = 0; trailing < 9; trailing++)
		for (size_t i = 0; i < COUNT_OF(sizes); i++) {
			if (trailing > 1 && sizes[i] > 9)
				continue;
			char name[64];
			snprintf(name, sizeof(name), "%zu bytes more, %zu of symbols", trailing, sizes[i]);
			struct bytes program = make_program(trailing), made = made_of_size(sizes[i]);
			struct bytes expected = carrier_of(&program, &program, 0, &made);
			check_embeds(name, &program, &made, &expected);
			bytes_done(&program);
			bytes_done(&made);
			bytes_done(&expected);
		}
}

/* What was embedded before is replaced, whether it was larger or smaller: nothing of it stays. */
static void embedded_again(void **state)
{
	enum { LARGE = 5 << 18 };
	static const size_t sizes[] = {3, 16, LARGE};
	(void)state;
	for (size_t first = 0; first < COUNT_OF(sizes); first++)
		for (size_t second = 0; second < COUNT_OF(sizes); second++) {
			/* A large program is not copied at once. */
			struct bytes program = make_program(sizes[first] == LARGE ? LARGE : 0),
				     made = made_of_size(sizes[first]);
			struct bytes next = made_of_size(sizes[second]);
			struct bytes once = carrier_of(&program, &program, 0, &made);
			struct bytes twice = carrier_of(&program, &program, 0, &next);
			check_embeds("again", &once, &next, &twice);
			bytes_done(&program);
			bytes_done(&made);
			bytes_done(&next);
			bytes_done(&once);
			bytes_done(&twice);
		}
}

/* What is linked from an object file must not get its section. */
static void an_object_file(void **state)
{
	static const struct elf_part text = TEXT;
	struct bytes object = {0}, made = made_of_size(20);
	(void)state;
	make_elf(&object, ET_REL, EM_X86_64, &text, 1);
	struct bytes once = carrier_of(&object, &object, 0, &made);
	check_embeds("into an object file", &object, &made, &once);
	check_embeds("into one that has a section", &once, &made, &once);
	bytes_done(&object);
	bytes_done(&made);
	bytes_done(&once);
}

/* A section of that name without a record, as strip leaves it, is taken over; the program's own bytes are all kept. */
static void section_without_a_record(void **state)
{
	const struct elf_part ours = {".locus", SHT_NOTE, SHF_WRITE, 0, "old symbols", 11, 2, 16};
	const struct elf_part orders[][3] = {
		{ours, TEXT, {".data", SHT_PROGBITS, 0, 0, "data", 4, 0, 0}},
		{TEXT, ours, {".data", SHT_PROGBITS, 0, 0, "data", 4, 0, 0}},
		{TEXT, {".data", SHT_PROGBITS, 0, 0, "data", 4, 0, 0}, ours},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		struct bytes program = {0}, made = made_of_size(20);
		make_elf(&program, ET_EXEC, EM_X86_64, orders[i], 3);
		struct bytes expected = carrier_of(&program, &program, i + 1, &made);
		/* These are for what the section was before, and mean nothing any more, but stay. */
		Elf64_Shdr *section = sections_of(&expected) + i + 1;
		section->sh_link = 2;
		section->sh_entsize = 16;
		check_embeds("without a record", &program, &made, &expected);
		bytes_done(&program);
		bytes_done(&made);
		bytes_done(&expected);
	}
}

/*
 * The table of names may come first; it need not begin with the empty name, and a section whose name is outside of it
 * has none. The section for nothing, which has a number of program headers here, is kept and never taken over.
 */
static void odd_tables(void **state)
{
	(void)state;
	struct bytes program = make_program(0), made = made_of_size(5);
	Elf64_Ehdr ehdr = header_of(&program);
	Elf64_Shdr *shdrs = sections_of(&program), names = shdrs[ehdr.e_shstrndx];
	memcpy(program.data + names.sh_offset, ".locus", sizeof(".locus"));
	shdrs[0].sh_info = 1;
	shdrs[ehdr.e_shstrndx] = shdrs[1];
	shdrs[1] = names;
	shdrs[2].sh_name = 0xffff;
	ehdr.e_shstrndx = 1;
	memcpy(program.data, &ehdr, sizeof(ehdr));
	struct bytes expected = carrier_of(&program, &program, 0, &made);
	check_embeds("names first", &program, &made, &expected);
	bytes_done(&program);
	bytes_done(&made);
	bytes_done(&expected);
}

/* Of two sections of that name the last one is read, and so that is replaced. */
static void the_last_of_several(void **state)
{
	const struct elf_part parts[] = {
		{".locus", SHT_PROGBITS, 0, 0, "another's", 9, 0, 0},
		TEXT,
		{".locus", SHT_PROGBITS, 0, 0, "old symbols", 11, 0, 0},
	};
	struct bytes program = {0}, made = made_of_size(20), next = made_of_size(7);
	(void)state;
	make_elf(&program, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	struct bytes once = carrier_of(&program, &program, 3, &made), twice = carrier_of(&program, &program, 3, &next);
	check_embeds("the last of two", &program, &made, &once);
	check_embeds("the last of two, again", &once, &next, &twice);
	bytes_done(&program);
	bytes_done(&made);
	bytes_done(&next);
	bytes_done(&once);
	bytes_done(&twice);
}

/* Readers look at the last 4096 sections only: one before these is none. */
static void one_before_too_many_others(void **state)
{
	enum { READ = 4096 };
	static struct elf_part parts[READ];
	(void)state;
	for (size_t count = READ; count <= READ + 2; count++) {
		struct bytes program = {0}, made = made_of_size(20);
		for (size_t i = 0; i < count - 2; i++)
			parts[i] = (struct elf_part){i ? "" : ".locus", SHT_PROGBITS, 0, 0, "", 0, 0, 0};
		make_elf(&program, ET_EXEC, EM_X86_64, parts, count - 2); /* and those that it adds */
		bool is_read = header_of(&program).e_shnum <= READ + 1;
		struct bytes expected = carrier_of(&program, &program, is_read ? 1 : 0, &made);
		check_embeds("before many others", &program, &made, &expected);
		bytes_done(&program);
		bytes_done(&made);
		bytes_done(&expected);
	}
}

/* The section of names may have that name. It is needed, so that a section of its own is added, the last. */
static void names_of_that_name(void **state)
{
	(void)state;
	struct bytes program = make_program(0), made = made_of_size(5), next = made_of_size(20);
	Elf64_Shdr *shdrs = sections_of(&program);
	shdrs[header_of(&program).e_shstrndx].sh_name = shdrs[2].sh_name;
	char *name = (char *)program.data + shdrs[header_of(&program).e_shstrndx].sh_offset + shdrs[2].sh_name;
	assert_string_equal(name, ".locus2");
	name[6] = '\0';
	shdrs[2].sh_name = 0;
	struct bytes once = carrier_of(&program, &program, 0, &made), twice = carrier_of(&program, &program, 0, &next);
	check_embeds("into one whose names have that name", &program, &made, &once);
	check_embeds("again", &once, &next, &twice);
	bytes_done(&program);
	bytes_done(&made);
	bytes_done(&next);
	bytes_done(&once);
	bytes_done(&twice);
}

/* ---- What is refused ---- */

/* Nothing is half-written: the output is as it was, and what was being made is gone. */
static void check_refused(const char *name, enum locus_status status, const char *text)
{
	struct locus_error error = {{0}, 0};
	struct stat before, after;
	bool there = stat(output_path, &before) == 0;
	int files_before = count_files(directory);
	enum locus_status got = run_embed(&error);
	if (got != status || !strstr(error.text, text))
		fail_msg("%s: status %d: %s", name, got, error.text);
	if (count_files(directory) != files_before)
		fail_msg("%s: left something behind", name);
	assert_int_equal(stat(output_path, &after) == 0, there);
	if (there)
		assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

static void refused_programs(void **state)
{
	enum { NONE = 0xffff };
	static const struct {
		const char *name;
		unsigned names, count; /* what the header says; NONE: what is true */
		bool names_without_bytes, names_of_no_strings, names_outside, wide_headers, text;
		enum locus_status status;
		const char *message;
	} cases[] = {
		{"no sections", NONE, 0, .status = LOCUS_ERR_UNSUPPORTED, .message = "no table of sections"},
		{"no names", 0, NONE, .status = LOCUS_ERR_UNSUPPORTED, .message = "no table of sections"},
		{"names behind the last section", 5, NONE, .status = LOCUS_ERR_UNSUPPORTED,
		 .message = "no table of sections"},
		{"names without bytes", NONE, NONE, .names_without_bytes = true, .status = LOCUS_ERR_BAD_ELF,
		 .message = "damaged ELF file"},
		{"names that are no strings", NONE, NONE, .names_of_no_strings = true, .status = LOCUS_ERR_BAD_ELF,
		 .message = "in no table of strings"},
		{"headers of sections that are too large", NONE, NONE, .wide_headers = true,
		 .status = LOCUS_ERR_BAD_ELF, .message = "unknown size of 128 bytes"},
		{"names outside of the file", NONE, NONE, .names_outside = true, .status = LOCUS_ERR_BAD_ELF,
		 .message = "damaged ELF file"},
		{"what is no ELF file", NONE, NONE, .text = true, .status = LOCUS_ERR_UNSUPPORTED,
		 .message = "compressed as a whole"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes program = make_program(0), made = made_of_size(20);
		Elf64_Ehdr ehdr = header_of(&program);
		Elf64_Shdr *names = sections_of(&program) + ehdr.e_shstrndx;
		assert_int_equal(ehdr.e_shnum, 5);
		if (cases[i].names_without_bytes)
			names->sh_type = SHT_NOBITS;
		if (cases[i].names_of_no_strings)
			names->sh_type = SHT_PROGBITS;
		if (cases[i].wide_headers)
			ehdr.e_shentsize *= 2;
		if (cases[i].names_outside)
			names->sh_offset = program.size + 1;
		if (cases[i].names != NONE)
			ehdr.e_shstrndx = (uint16_t)cases[i].names;
		if (cases[i].count != NONE)
			ehdr.e_shnum = (uint16_t)cases[i].count, ehdr.e_shoff = 0;
		memcpy(program.data, cases[i].text ? "#!/bin/sh\n" : (const char *)&ehdr, cases[i].text ? 10 : 64);
		write_file(program_path, &program);
		write_file(made_path, &made);
		check_refused(cases[i].name, cases[i].status, cases[i].message);
		bytes_done(&program);
		bytes_done(&made);
	}
	unlink(program_path);
	unlink(made_path);
}

/* One section more than this would have an index that ELF keeps for other things. */
/* It would stand in the midst of the program; of one that carries symbols already it would be left out. */
static void what_was_appended_would_not_be_found(void **state)
{
	(void)state;
	struct bytes program = make_program(0), made = made_of_size(20);
	struct bytes carrier = carrier_of(&program, &program, 0, &made);
	struct bytes *const programs[] = {&program, &carrier};
	write_file(made_path, &made);
	for (size_t i = 0; i < COUNT_OF(programs); i++)
		for (size_t zeros = 0; zeros < 10; zeros += 9) {
			struct bytes appended = {0};
			put_bytes(&appended, programs[i]->data, programs[i]->size);
			put_bytes(&appended, "\0\0\0\0\0\0\0\0\0", zeros);
			put_u8(&appended, 'P');
			write_file(program_path, &appended);
			check_refused("appended", LOCUS_ERR_UNSUPPORTED, "what was appended to the program");
			bytes_done(&appended);
		}
	bytes_done(&program);
	bytes_done(&made);
	bytes_done(&carrier);
	unlink(program_path);
	unlink(made_path);
}

static void as_many_sections_as_there_can_be(void **state)
{
	(void)state;
	for (size_t count = SHN_LORESERVE - 2; count < SHN_LORESERVE; count++) {
		struct bytes program = {0}, made = made_of_size(20);
		struct elf_part *parts = calloc(count, sizeof(*parts));
		for (size_t i = 0; i < count; i++)
			parts[i] = (struct elf_part){"", SHT_PROGBITS, 0, 0, "", 0, 0, 0};
		make_elf(&program, ET_EXEC, EM_X86_64, parts, count - 2); /* and those that it adds */
		assert_int_equal(header_of(&program).e_shnum, count);
		if (count == SHN_LORESERVE - 2) {
			struct bytes expected = carrier_of(&program, &program, 0, &made);
			check_embeds("all but one", &program, &made, &expected);
			bytes_done(&expected);
		} else {
			write_file(program_path, &program);
			write_file(made_path, &made);
			check_refused("all", LOCUS_ERR_UNSUPPORTED, "too many sections");
		}
		free(parts);
		bytes_done(&program);
		bytes_done(&made);
	}
	unlink(program_path);
	unlink(made_path);
}

static void files_that_are_not_there(void **state)
{
	(void)state;
	struct bytes made = made_of_size(20), empty = {0};
	write_file(made_path, &made);
	check_refused("no program", LOCUS_ERR_IO, "cannot open the program: No such file");
	assert_int_equal(mkfifo(program_path, 0600), 0);
	check_refused("a pipe that nobody writes to", LOCUS_ERR_BAD_ELF, "damaged ELF file");
	unlink(program_path);
	write_file(program_path, &empty);
	check_refused("an empty program", LOCUS_ERR_UNSUPPORTED, "compressed as a whole");
	unlink(program_path);
	assert_int_equal(mkdir(program_path, 0700), 0);
	check_refused("a folder", LOCUS_ERR_BAD_ELF, "damaged ELF file");
	rmdir(program_path);
	unlink(made_path);
	bytes_done(&made);
}

/* A program that was truncated or replaced in place: pread then gives no bytes, and sets no errno. */
static void a_program_that_becomes_shorter(void **state)
{
	(void)state;
	struct bytes program = make_program(0), made = made_of_size(20);
	write_file(program_path, &program);
	write_file(made_path, &made);
	for (readable = 0; readable < program.size; readable += 50)
		check_refused("shorter", LOCUS_ERR_IO, "it was written to while it was read: convert it again");
	readable = UINT64_MAX;
	unlink(program_path);
	unlink(made_path);
	bytes_done(&program);
	bytes_done(&made);
}

/* What cannot be replaced by a file stays, as the program does that cannot carry symbols. */
static void outputs_that_stay(void **state)
{
	(void)state;
	struct bytes program = make_program(0), appended = make_program(0), made = made_of_size(20);
	write_file(program_path, &program);
	write_file(made_path, &made);
	assert_int_equal(mkfifo(output_path, 0600), 0);
	check_refused("a pipe", LOCUS_ERR_OUTPUT, "the output is not a regular file");
	unlink(output_path);
	put_u8(&appended, 'P');
	write_file(program_path, &appended);
	write_file(output_path, &made);
	check_refused("another file", LOCUS_ERR_UNSUPPORTED, "what was appended to the program");
	unlink(output_path);
	assert_int_equal(link(program_path, output_path), 0);
	check_refused("the program itself", LOCUS_ERR_UNSUPPORTED, "what was appended to the program");
	unlink(output_path);
	unlink(made_path);
	unlink(program_path);
	bytes_done(&program);
	bytes_done(&appended);
	bytes_done(&made);
}

/* The program itself may be replaced. */
static void into_the_program_itself(void **state)
{
	(void)state;
	struct bytes program = make_program(0), made = made_of_size(20);
	struct bytes expected = carrier_of(&program, &program, 0, &made);
	struct locus_error error = {{0}, 0};
	write_file(program_path, &program);
	write_file(made_path, &made);
	assert_int_equal(symlink(program_path, output_path), 0);
	assert_int_equal(run_embed(&error), LOCUS_OK);
	struct bytes got = read_file(program_path);
	assert_int_equal(got.size, expected.size);
	assert_memory_equal(got.data, expected.data, got.size);
	unlink(output_path);
	unlink(made_path);
	unlink(program_path);
	bytes_done(&got);
	bytes_done(&program);
	bytes_done(&made);
	bytes_done(&expected);
}

/* A program without sections but that of their names, of 32 bits. */
static struct bytes small_program(void)
{
	struct {
		Elf32_Ehdr ehdr;
		Elf32_Shdr shdrs[2];
		char names[8];
	} file = {
		.ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_EXEC,
			 .e_machine = EM_386,
			 .e_version = EV_CURRENT,
			 .e_shoff = sizeof(Elf32_Ehdr),
			 .e_ehsize = sizeof(Elf32_Ehdr),
			 .e_shentsize = sizeof(Elf32_Shdr),
			 .e_shnum = 2,
			 .e_shstrndx = 1},
		.shdrs[1] = {.sh_type = SHT_STRTAB,
			     .sh_offset = sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Shdr),
			     .sh_size = 8,
			     .sh_addralign = 1},
	};
	struct bytes program = {0};
	put_bytes(&program, &file, sizeof(file));
	return program;
}

/* The largest file that may be written: a write beyond it fails. */
static void set_largest_file(uint64_t size)
{
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
	signal(SIGXFSZ, size < RLIM_INFINITY ? SIG_IGN : SIG_DFL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Wherever the disk is full, in whatever part. */
static void no_room(void **state)
{
	(void)state;
	struct bytes program = make_program(0), made = made_of_size(20);
	struct bytes expected = carrier_of(&program, &program, 0, &made);
	struct locus_error error = {{0}, 0};
	write_file(program_path, &program);
	write_file(made_path, &made);
	for (size_t size = 0; size < expected.size; size++) {
		set_largest_file(size);
		check_refused("no room", LOCUS_ERR_OUTPUT, "cannot write the program: File too large");
	}
	set_largest_file(expected.size);
	assert_int_equal(run_embed(&error), LOCUS_OK);
	set_largest_file(RLIM_INFINITY);
	unlink(program_path);
	unlink(made_path);
	unlink(output_path);
	bytes_done(&program);
	bytes_done(&made);
	bytes_done(&expected);
}

/* The offsets of 32 bits end at 4 GiB. None that is so large is written here. */
static void offsets_of_32_bits(void **state)
{
	enum { RECORD = 8 + EMBED_HEADER_MAX, NAMES = 16, SECTIONS = 3 * sizeof(Elf32_Shdr) };
	(void)state;
	if (SIZE_MAX == UINT32_MAX) /* what was made is mapped whole, to see that it is as it was */
		skip();
	struct bytes program = small_program(), large = make_program(0), none = {0};
	uint64_t most = (UINT64_C(1) << 32) - align_8(program.size) - RECORD - NAMES - SECTIONS;
	const struct {
		const char *name;
		const struct bytes *program;
		uint64_t size;
		enum locus_status status;
		const char *message;
	} cases[] = {
		{"just below 4 GiB", &program, most - 8, LOCUS_ERR_OUTPUT, "cannot write the program: File too large"},
		{"at 4 GiB", &program, most, LOCUS_ERR_UNSUPPORTED, "too large for its 32-bit headers"},
		{"of 64 bits", &large, most, LOCUS_ERR_OUTPUT, "cannot write the program: File too large"},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		write_file(program_path, cases[i].program);
		write_file(made_path, &none);
		assert_int_equal(truncate(made_path, (off_t)cases[i].size), 0);
		set_largest_file(1 << 21);
		check_refused(cases[i].name, cases[i].status, cases[i].message);
		set_largest_file(RLIM_INFINITY);
	}
	unlink(made_path);
	unlink(program_path);
	bytes_done(&program);
	bytes_done(&large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_sizes),
		cmocka_unit_test(embedded_again),
		cmocka_unit_test(an_object_file),
		cmocka_unit_test(section_without_a_record),
		cmocka_unit_test(odd_tables),
		cmocka_unit_test(the_last_of_several),
		cmocka_unit_test(one_before_too_many_others),
		cmocka_unit_test(names_of_that_name),
		cmocka_unit_test(refused_programs),
		cmocka_unit_test(what_was_appended_would_not_be_found),
		cmocka_unit_test(as_many_sections_as_there_can_be),
		cmocka_unit_test(files_that_are_not_there),
		cmocka_unit_test(a_program_that_becomes_shorter),
		cmocka_unit_test(outputs_that_stay),
		cmocka_unit_test(into_the_program_itself),
		cmocka_unit_test(no_room),
		cmocka_unit_test(offsets_of_32_bits),
	};
	return cmocka_run_group_tests_name("embed", tests, setup, teardown);
}
