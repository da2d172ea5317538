/* libdw inflates all compressed sections at once when it opens a file. */
#include "convert/cross_check/libdw_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/fail.h"
#include "convert/elf/links.h"
#include "convert/elf/section_content.h"

/* What a section inflates to that is compressed as GNU did it first: behind "ZLIB", its size in big-endian order. */
static uint64_t gnu_inflated_size(Elf *elf, size_t names, Elf_Scn *scn)
{
	GElf_Shdr header;
	const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
	Elf_Data *data = name && strncmp(name, ".zdebug", strlen(".zdebug")) == 0 ? elf_rawdata(scn, NULL) : NULL;
	struct cursor c = {.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__};
	if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4) != 0)
		return 0;
	c.p = (const uint8_t *)data->d_buf + 4;
	c.end = c.p + 8;
	return cursor_u64(&c);
}

static bool take_inflated(const struct elf_file *file, const char *shown)
{
	GElf_Chdr compressed;
	size_t names = 0;
	uint64_t size = 0;
	budget_at("inflated sections", shown, "file", 0);
	elf_getshdrstrndx(file->elf, &names);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn)) != NULL;) {
		size = gelf_getchdr(scn, &compressed) ? compressed.ch_size : gnu_inflated_size(file->elf, names, scn);
		if (!budget_take(size) || !budget_spend(1))
			return false;
	}
	return true;
}

bool libdw_lacked_memory(void)
{
	return errno == ENOMEM;
}

/* Whether the section is compressed with zstd, which libelf inflates from elfutils 0.189 on. */
static bool is_zstd(Elf_Scn *scn)
{
	GElf_Chdr compressed;
	return gelf_getchdr(scn, &compressed) && compressed.ch_type == ELFCOMPRESS_ZSTD;
}

static enum locus_status fail_for_zstd(const char *shown, struct locus_error *error)
{
	return locus_fail(
		error, LOCUS_ERR_UNSUPPORTED,
		"%s%sits sections are compressed with zstd, which libdw reads from elfutils 0.189 on: compare "
		"a copy that 'objcopy --decompress-debug-sections' makes",
		shown ? shown : "", shown ? ": " : "");
}

/* Says why libdw does not take the file. Where it can inflate no section, it says that there are none. */
static enum locus_status fail(const struct elf_file *file, const char *shown, struct locus_error *error)
{
	if (libdw_lacked_memory())
		return locus_fail_memory(error);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn)) != NULL;)
		if (is_zstd(scn))
			return fail_for_zstd(shown, error);
	return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw cannot read %s: %s", shown ? shown : "it",
			  dwarf_errmsg(-1));
}

/* libdw leaves out a section that it cannot inflate. If memory was out, that shows when it is asked once more. */
static enum locus_status explain_packed(const struct dwarf_sections *sections, const char *shown,
					struct locus_error *error)
{
	GElf_Chdr compressed;
	bool is_gnu = !gelf_getchdr(sections->packed, &compressed);

	errno = 0;
	int result = is_gnu ? elf_compress_gnu(sections->packed, 0, 0) : elf_compress(sections->packed, 0, 0);
	if (result >= 0 || libdw_lacked_memory())
		return locus_fail_memory(error);
	const char *why = elf_errmsg(-1);
	if (is_zstd(sections->packed))
		return fail_for_zstd(shown, error);
	return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw cannot inflate %s%ssection debug_%s: %s",
			  shown ? shown : "its ", shown ? ": " : "", sections->packed_name, why);
}

static void begin_mapped(struct libdw_file *file, const struct elf_file *elf)
{
	file->fd = open(elf->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	file->is_open = file->fd >= 0;
	file->dwarf = file->is_open ? dwarf_begin(file->fd, DWARF_C_READ) : NULL;
}

static void begin_copy(struct libdw_file *file, const struct elf_file *elf)
{
	file->copy = malloc(elf->bytes.size);
	if (!file->copy)
		return;
	memcpy(file->copy, elf->bytes.data, elf->bytes.size);
	file->elf = elf_memory(file->copy, elf->bytes.size);
	file->dwarf = file->elf ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL) : NULL;
}

enum locus_status libdw_file_open(struct libdw_file *file, const struct elf_file *elf, const char *shown,
				  bool is_alternate_known, struct unit_loads *loads, struct locus_error *error)
{
	struct alternate_link link;
	if (!is_alternate_known && links_alternate(elf, &link))
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				  "%s%sit refers to an alternate file that is not known, and libdw would open that",
				  shown ? shown : "", shown ? ": " : "");
	if (!take_inflated(elf, shown))
		return locus_fail_memory(error);

	errno = 0;
	if (file->is_copied)
		begin_copy(file, elf);
	else
		begin_mapped(file, elf);
	if (!file->dwarf)
		return fail(elf, shown, error);
	dwarf_new_oom_handler(file->dwarf, file->end);
	dwarf_sections_find(&file->sections, file->dwarf);
	if (file->sections.packed)
		return explain_packed(&file->sections, shown, error);
	if (file->sections.is_divided) /* as gcc's .dwo files with types of DWARF 5 */
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				  "%s%sits units are in several sections, of which libdw reads the first alone",
				  shown ? shown : "", shown ? ": " : "");
	if (!unit_loads_count(loads, file->dwarf, &file->sections, shown))
		return locus_fail_memory(error);
	return loads->unread_form
		       ? locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw cannot read addresses of form 0x%llx",
				    (unsigned long long)loads->unread_form)
		       : LOCUS_OK;
}

void libdw_file_let_go(struct libdw_file *file)
{
	if (!file->is_open)
		return;
	elf_cntl(dwarf_getelf(file->dwarf), ELF_C_FDDONE);
	close(file->fd);
	file->is_open = false;
}

void libdw_file_close(struct libdw_file *file)
{
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	free(file->copy);
	if (file->is_open)
		close(file->fd);
	*file = (struct libdw_file){0};
}
