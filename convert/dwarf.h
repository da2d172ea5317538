/* A file's DWARF: its units, the values of their attributes, and references from one DIE to another. */
#ifndef DWARF_H
#define DWARF_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/abbrev.h"
#include "convert/abbrevsection.h"
#include "convert/cursor.h"
#include "convert/elf.h"
#include "convert/lineheader.h"
#include "spec/status.h"

struct unit;
struct dwarf_index;

/* One file's debug information. Set up by one thread, then read by any number of them. */
struct dwarf {
	struct elf_file *file;
	struct dwarf *alt;             /* dwz's alternate file; NULL: none */
	struct abbrev_section abbrevs; /* of .debug_abbrev */
	bool split;                    /* a .dwo or .dwp: addresses and ranges are its skeleton's */
	bool refers_across;            /* units refer to each other's DIEs: .debug_info must be there as a whole */
	pthread_mutex_t lock;          /* guards the index and the units opened for references */
	struct dwarf_index *index;
	_Atomic uint64_t range_bytes; /* of the lists of ranges that were read, each as often as it was */
	_Atomic uint64_t line_bytes;  /* of the line tables, likewise */
};

void dwarf_init(struct dwarf *dwarf, struct elf_file *file);
/* Frees the index and its units, not the file or the alternate. */
void dwarf_done(struct dwarf *dwarf);

/*
 * Inflates a section; of .debug_abbrev the declarations are read too. May be called for different sections by different
 * threads, and again.
 */
enum locus_status dwarf_prepare_section(struct dwarf *dwarf, enum debug_section which, struct locus_error *error);
/*
 * Prepares what every unit needs and was not prepared yet, and decides refers_across. To be called once before any unit
 * is opened.
 */
enum locus_status dwarf_prepare(struct dwarf *dwarf, struct locus_error *error);

static inline struct section *dwarf_section(const struct dwarf *dwarf, enum debug_section which)
{
	return &dwarf->file->sections[which];
}

/* Where a unit of a .dwp finds its share of a section. Everything elsewhere. */
struct contribution {
	uint64_t offset;
	uint64_t size;
};

struct unit {
	struct dwarf *dwarf;
	const struct unit *skeleton; /* of a split unit: gives addresses, and ranges before DWARF 5; else NULL */
	enum debug_section where;    /* DEBUG_INFO or DEBUG_TYPES */
	const uint8_t *bytes;        /* from the header to the end */
	uint64_t offset;             /* of the header in its section */
	uint64_t end;
	uint64_t die_offset;  /* of the first DIE */
	uint64_t id;          /* dwo_id or type signature */
	uint64_t type_offset; /* of a type unit's type, from `offset` */
	uint16_t version;
	uint8_t type; /* DW_UT_ */
	struct form_sizes sizes;
	struct abbrev_table abbrevs;
	const uint8_t *abbrev_bytes;    /* what the table was made of, last: units may share one; NULL: nothing */
	struct form_sizes abbrev_sizes; /* and for which sizes */
	struct contribution share[DEBUG_SECTION_COUNT]; /* of a unit in a .dwp; else offset 0 and the whole section */

	/* From the unit's own DIE. */
	uint16_t language;
	const char *name;
	const char *comp_dir;
	const char *dwo_name;
	uint64_t low_pc;
	uint64_t stmt_list; /* UINT64_MAX: none */
	bool has_code;      /* false: types, or what other units share, and nothing else */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t ranges_base;

	struct line_header lines;      /* the file table, where there is a line table that can be read */
	const struct unit *files_unit; /* whose `lines` file indices mean: this one, or its skeleton */
	_Atomic uint32_t *file_ids;    /* by file index: id once it was asked for; 0: not yet */
	uint32_t file_id_count, file_id_room;
};

/*
 * Opens the unit whose header is at `offset` of section `where`: header, abbreviations, own DIE, file table. `bytes`
 * are the whole unit's where the section is not kept, and NULL where it is. `unit` was zeroed or opened before (its
 * memory is reused); `skeleton` is NULL but for split units. Errors are LOCUS_ERR_BAD_DWARF with the offset in the
 * section. ret_next, where not NULL, becomes the offset of the next unit as soon as the header's length is known, also
 * when what follows is damaged; else UINT64_MAX.
 */
enum locus_status unit_open(struct unit *unit, struct dwarf *dwarf, enum debug_section where, uint64_t offset,
			    const uint8_t *bytes, const struct unit *skeleton, uint64_t *ret_next,
			    struct locus_error *error);

/* Only the file table at `offset` of .debug_line, for a table that no unit refers to. dwarf and sizes.address are set.
 */
enum locus_status unit_open_lines(struct unit *unit, uint64_t offset, struct locus_error *error);
/* Makes room for ids of files that were added to the unit's table since it was opened. False: out of memory. */
bool unit_grow_files(struct unit *unit);
void unit_done(struct unit *unit);

/* A cursor over the unit's bytes from `offset` of its section. */
struct cursor unit_cursor(const struct unit *unit, uint64_t offset);

/* The bytes of a section that belong to the unit: all of them, or its share in a .dwp. */
const uint8_t *unit_section(const struct unit *unit, enum debug_section which, uint64_t *ret_size);

/* An attribute's value, as its form gives it. form 0: the attribute is absent. */
struct value {
	uint16_t form;
	uint64_t number;      /* constant, address, offset or index */
	const uint8_t *block; /* of block forms, with `number` bytes, and of DW_FORM_string */
};

/* Reads one value. Unknown forms are an error of the cursor. */
struct value value_read(struct cursor *c, const struct unit *unit, const struct attr_spec *spec);

static inline bool value_present(const struct value *value)
{
	return value->form != 0;
}

/* A constant as an unsigned number. Negative ones are false. */
bool value_unsigned(const struct value *value, uint64_t *ret);

/* DW_FORM_addr, the indexed ones, and expressions that add to one. False: not of that class, or out of range. */
bool value_address(const struct unit *unit, const struct value *value, uint64_t *ret);

/* An offset in a section; DWARF 2 and 3 write it as data4 or data8. */
bool value_offset(const struct value *value, uint64_t *ret);

/*
 * A string, NUL-terminated; NULL: not one, or out of range. *ret_volatile becomes true where it stands among the DIEs,
 * whose memory may go once the unit is done, and false where it lives as long as the file is open.
 */
const char *value_string(const struct unit *unit, const struct value *value, bool *ret_volatile);

/* An address by index into .debug_addr. */
bool unit_address_at(const struct unit *unit, uint64_t index, uint64_t *ret);

/* A DIE somewhere: its unit and offset in the unit's section. */
struct die_ref {
	const struct unit *unit;
	uint64_t offset;
};

/*
 * The DIE a reference leads to: in the unit, across units, into the alternate file, or by signature (RULES D1).
 * False where it leads nowhere. The other unit is opened once and kept with its dwarf.
 */
bool value_die(const struct unit *unit, const struct value *value, struct die_ref *ret);

/* The DIE at `offset` of a section, whichever unit it is in. Only where dwarf->refers_across. */
bool dwarf_die_at(struct dwarf *dwarf, enum debug_section where, uint64_t offset, struct die_ref *ret);

/* The unit of a .dwo or .dwp with `id` (DW_UT_split_compile, or the GNU one), for `skeleton`. LOCUS_ERR_COMPANION: not
 * in it. */
enum locus_status dwarf_split_unit(struct dwarf *dwarf, uint64_t id, const struct unit *skeleton, struct unit *ret,
				   struct locus_error *error);

#endif
