/*
 * The program is copied as it is, and what must change is added at its end. libelf reads the headers, and writes the
 * changed ones in the class and byte order of the program.
 */
#include "convert/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "convert/elf/embed_record.h"
#include "spec/format.h"
#include "writer/output.h"

struct embedding {
	int program_fd;
	struct locus_output output;
	Elf *elf;
	GElf_Ehdr ehdr;
	GElf_Shdr *shdrs; /* the section headers, with room for the new one */
	size_t count;     /* with the new one */
	size_t names;     /* index of the section of names */
	size_t ours;
	char *name_bytes;
	size_t name_size;
	struct embed_record before; /* the program, all of whose bytes stay, except its header */
	uint64_t record_offset;     /* where the record of the program as it was goes */
	const void *made;
	size_t made_size;
};

/* libelf says of its own errors alone which they are. errno is 0 before the calls that this explains. */
static enum locus_status fail_elf(struct locus_error *error)
{
	if (errno == ENOMEM)
		return locus_fail_memory(error);
	return locus_fail(error, LOCUS_ERR_BAD_ELF, "damaged ELF file: %s", elf_errmsg(-1));
}

static enum locus_status open_program(struct embedding *e, const char *program, struct locus_error *error)
{
	e->program_fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (e->program_fd < 0)
		return locus_fail_system(error, LOCUS_ERR_IO, "open the program");
	errno = 0;
	elf_version(EV_CURRENT);
	e->elf = elf_begin(e->program_fd, ELF_C_READ_MMAP, NULL);
	return e->elf ? LOCUS_OK : fail_elf(error);
}

/* Copies the section headers and the section of names, both with room for what is added. */
static enum locus_status read_sections(struct embedding *e, struct locus_error *error)
{
	size_t count;
	if (elf_kind(e->elf) != ELF_K_ELF) /* it was converted, so what is packed in it is an ELF file */
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				  "a program that is compressed as a whole cannot carry symbols: unpack it");
	if (!gelf_getehdr(e->elf, &e->ehdr) || elf_getshdrnum(e->elf, &count) != 0 ||
	    elf_getshdrstrndx(e->elf, &e->names) != 0)
		return fail_elf(error);
	if (e->names == 0 || e->names >= count)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "the program has no table of sections to add one to");
	if (e->ehdr.e_shentsize != gelf_fsize(e->elf, ELF_T_SHDR, 1, EV_CURRENT)) /* libelf does not look */
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "section headers have an unknown size of %u bytes",
				  (unsigned)e->ehdr.e_shentsize);
	if (count + 1 >= SHN_LORESERVE)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "the program has too many sections to add one");

	/* The table is copied with room for one header more. */
	e->shdrs = calloc(count + 1, sizeof(*e->shdrs));
	if (!e->shdrs)
		return locus_fail_memory(error);
	for (size_t i = 0; i < count; i++)
		if (!gelf_getshdr(elf_getscn(e->elf, i), &e->shdrs[i]))
			return fail_elf(error);
	e->count = e->ours = count;

	/* The names are copied too, with room for one more. */
	Elf_Data *names = elf_rawdata(elf_getscn(e->elf, e->names), NULL);
	if (!names || !names->d_buf)
		return fail_elf(error);
	if (e->shdrs[e->names].sh_type != SHT_STRTAB)
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "the names of sections are in no table of strings");
	e->name_bytes = malloc(names->d_size + sizeof(EMBED_SECTION));
	if (!e->name_bytes)
		return locus_fail_memory(error);
	memcpy(e->name_bytes, names->d_buf, names->d_size);
	e->name_size = names->d_size;
	return LOCUS_OK;
}

static void reach(uint64_t *end, uint64_t offset, uint64_t size)
{
	if (offset + size > *end)
		*end = offset + size;
}

/* Where all that the headers tell of ends. */
static uint64_t end_of_known(const struct embedding *e)
{
	uint64_t end = 0;
	GElf_Phdr phdr;
	reach(&end, e->ehdr.e_shoff, e->count * e->ehdr.e_shentsize);
	reach(&end, e->ehdr.e_phoff, (uint64_t)e->ehdr.e_phnum * e->ehdr.e_phentsize);
	for (size_t i = 0; i < e->count; i++)
		if (e->shdrs[i].sh_type != SHT_NOBITS)
			reach(&end, e->shdrs[i].sh_offset, e->shdrs[i].sh_size);
	for (int i = 0; i < e->ehdr.e_phnum && gelf_getphdr(e->elf, i, &phdr); i++)
		reach(&end, phdr.p_offset, phdr.p_filesz);
	return end;
}

/*
 * Refuses a program that something was appended to, as an archive or a signature: whoever reads that looks for it at
 * the end of the file, or where the headers say that the program ends. patchelf leaves zeros there.
 */
static enum locus_status check_appended(const struct embedding *e, const char *image, size_t size,
					struct locus_error *error)
{
	uint64_t at = end_of_known(e);
	while (at < size && !image[at])
		at++;
	if (at >= size)
		return LOCUS_OK;
	return locus_fail_at(
		error, LOCUS_ERR_UNSUPPORTED, at,
		"what was appended to the program, behind its sections, would not be found any more: embed "
		"first, then append");
}

/* Finds what the program was before it carried symbols. */
static enum locus_status read_program(struct embedding *e, struct locus_error *error)
{
	size_t size;
	const char *image = elf_rawfile(e->elf, &size);
	if (!image)
		return fail_elf(error);
	enum locus_status status = check_appended(e, image, size, error);
	if (status != LOCUS_OK)
		return status;
	if (embed_record_find(e->elf, (const uint8_t *)image, size, &e->before))
		return LOCUS_OK;
	e->before.size = size;
	e->before.header_size = gelf_fsize(e->elf, ELF_T_EHDR, 1, EV_CURRENT);
	memcpy(e->before.header, image, e->before.header_size);
	return LOCUS_OK;
}

/*
 * Finds a .locus section that was added before, which is replaced: of several the last, which is the one that is read.
 * One that stands before too many others to be read is left, and another one added behind these. The section of names
 * may have that name, but is needed as it is.
 */
static bool find_earlier(struct embedding *e)
{
	const size_t first = e->count > LOCUS_EMBEDDED_AMONG ? e->count - LOCUS_EMBEDDED_AMONG : 1;
	for (size_t i = e->count; i-- > first;) {
		const char *name = elf_strptr(e->elf, e->names, e->shdrs[i].sh_name);
		if (name && strcmp(name, EMBED_SECTION) == 0 && i != e->names) {
			e->ours = i;
			return true;
		}
	}
	return false;
}

/* Decides where everything goes that is added: the section, the record, the names, the table of sections. */
static void lay_out(struct embedding *e)
{
	bool is_new = !find_earlier(e);
	GElf_Shdr *ours = &e->shdrs[e->ours], *names = &e->shdrs[e->names];

	if (is_new) {
		*ours = (GElf_Shdr){.sh_name = (GElf_Word)e->name_size};
		memcpy(e->name_bytes + e->name_size, EMBED_SECTION, sizeof(EMBED_SECTION));
		e->name_size += sizeof(EMBED_SECTION);
		e->count++;
	}
	ours->sh_type = SHT_PROGBITS;
	/* What is linked from an object file is another program, and does not get the section. */
	ours->sh_flags = e->ehdr.e_type == ET_REL ? SHF_EXCLUDE : 0;
	ours->sh_addralign = EMBED_ALIGNMENT;
	ours->sh_offset = embed_align(e->before.size);
	ours->sh_size = e->made_size;
	e->record_offset = embed_align(ours->sh_offset + ours->sh_size);
	names->sh_offset = embed_align(e->record_offset + EMBED_RECORD_MAX);
	names->sh_size = e->name_size;
	e->ehdr.e_shoff = embed_align(names->sh_offset + names->sh_size);
	e->ehdr.e_shnum = (GElf_Half)e->count;
}

static bool write_at(const struct embedding *e, uint64_t offset, const void *data, size_t size)
{
	const char *bytes = data;
	while (size) {
		ssize_t done = pwrite(e->output.fd, bytes, size, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

/* Copies the program, `buffer` by `buffer`. If it ends before its size, it became shorter: errno says nothing of that.
 */
static enum locus_status copy_by(const struct embedding *e, char *buffer, size_t buffer_size, struct locus_error *error)
{
	for (uint64_t at = 0, size = e->before.size; at < size;) {
		ssize_t got = pread(e->program_fd, buffer, size - at < buffer_size ? (size_t)(size - at) : buffer_size,
				    (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return locus_fail_system(error, LOCUS_ERR_IO, "read the program");
		if (got == 0)
			return locus_fail(error, LOCUS_ERR_IO, "it was written to while it was read: convert it again");
		if (!write_at(e, at, buffer, (size_t)got))
			return locus_fail_system(error, LOCUS_ERR_OUTPUT, "write the program");
		at += (uint64_t)got;
	}
	return LOCUS_OK;
}

static enum locus_status copy_program(const struct embedding *e, struct locus_error *error)
{
	enum { STEP = 1 << 20 };
	char *buffer = malloc(STEP);
	enum locus_status status = buffer ? copy_by(e, buffer, STEP, error) : locus_fail_memory(error);
	free(buffer);
	return status;
}

/* Writes headers in the file's class and byte order. */
static bool write_headers(const struct embedding *e)
{
	int class = gelf_getclass(e->elf);
	size_t ehdr_size = gelf_fsize(e->elf, ELF_T_EHDR, 1, EV_CURRENT);
	size_t shdr_size = gelf_fsize(e->elf, ELF_T_SHDR, 1, EV_CURRENT);
	union {
		Elf32_Ehdr ehdr32;
		Elf64_Ehdr ehdr64;
		Elf32_Shdr shdr32;
		Elf64_Shdr shdr64;
	} native, file;
	Elf_Data from = {.d_buf = &native, .d_version = EV_CURRENT}, to = {.d_buf = &file, .d_version = EV_CURRENT};
	unsigned char data = e->ehdr.e_ident[EI_DATA];

	/* gelf_update_* need a file that is being written; these two convert a single header. */
	for (size_t i = 0; i < e->count; i++) {
		const GElf_Shdr *s = &e->shdrs[i];
		from.d_type = ELF_T_SHDR;
		from.d_size = to.d_size = shdr_size;
		if (class == ELFCLASS64)
			native.shdr64 = *s;
		else
			native.shdr32 = (Elf32_Shdr){s->sh_name,
						     s->sh_type,
						     (Elf32_Word)s->sh_flags,
						     (Elf32_Addr)s->sh_addr,
						     (Elf32_Off)s->sh_offset,
						     (Elf32_Word)s->sh_size,
						     s->sh_link,
						     s->sh_info,
						     (Elf32_Word)s->sh_addralign,
						     (Elf32_Word)s->sh_entsize};
		if (!gelf_xlatetof(e->elf, &to, &from, data) ||
		    !write_at(e, e->ehdr.e_shoff + i * shdr_size, &file, shdr_size))
			return false;
	}
	from.d_type = ELF_T_EHDR;
	from.d_size = to.d_size = ehdr_size;
	if (class == ELFCLASS64) {
		native.ehdr64 = *elf64_getehdr(e->elf);
		native.ehdr64.e_shoff = e->ehdr.e_shoff;
		native.ehdr64.e_shnum = e->ehdr.e_shnum;
	} else {
		native.ehdr32 = *elf32_getehdr(e->elf);
		native.ehdr32.e_shoff = (Elf32_Off)e->ehdr.e_shoff;
		native.ehdr32.e_shnum = e->ehdr.e_shnum;
	}
	return gelf_xlatetof(e->elf, &to, &from, data) && write_at(e, 0, &file, ehdr_size);
}

/* Writes the copy beside its place, where the program itself may be. */
static enum locus_status write_program(struct embedding *e, struct locus_error *error)
{
	const GElf_Shdr *ours = &e->shdrs[e->ours], *names = &e->shdrs[e->names];
	uint64_t end = e->ehdr.e_shoff + e->count * gelf_fsize(e->elf, ELF_T_SHDR, 1, EV_CURRENT);
	if (gelf_getclass(e->elf) == ELFCLASS32 && end > UINT32_MAX)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				  "the program would be too large for its 32-bit headers");

	uint8_t record[EMBED_RECORD_MAX];
	uint64_t record_size = embed_record_put(&e->before, record);
	enum locus_status status = locus_output_create(&e->output, error);
	if (status == LOCUS_OK)
		status = copy_program(e, error);
	if (status != LOCUS_OK)
		return status;
	if (!write_at(e, ours->sh_offset, e->made, e->made_size) ||
	    !write_at(e, e->record_offset, record, record_size) ||
	    !write_at(e, names->sh_offset, e->name_bytes, e->name_size) || !write_headers(e))
		return locus_fail_system(error, LOCUS_ERR_OUTPUT, "write the program");
	return LOCUS_OK;
}

static void embedding_done(struct embedding *e)
{
	elf_end(e->elf);
	locus_output_done(&e->output);
	free(e->shdrs);
	free(e->name_bytes);
	if (e->program_fd >= 0)
		close(e->program_fd);
}

enum locus_status embed(const char *program, const void *made, size_t made_size, const char *output, bool sync,
			struct locus_error *error)
{
	struct embedding e = {.program_fd = -1, .made = made, .made_size = made_size};
	enum locus_status status = locus_output_init(&e.output, output, error);
	if (status == LOCUS_OK)
		status = open_program(&e, program, error);
	if (status == LOCUS_OK)
		status = read_sections(&e, error);
	if (status == LOCUS_OK)
		status = read_program(&e, error);
	if (status == LOCUS_OK) {
		lay_out(&e);
		status = write_program(&e, error);
	}
	if (status == LOCUS_OK)
		status = locus_output_commit(&e.output, sync, error);
	embedding_done(&e);
	return status;
}
