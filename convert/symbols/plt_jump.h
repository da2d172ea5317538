/* Reads the code of an entry of a linkage table: through which slot of the global offset table it jumps. */
#ifndef LOCUS_PLT_JUMP_H
#define LOCUS_PLT_JUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a table from one place on. */
struct plt_code {
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;
	uint64_t got; /* the value that position-independent code of i386 has in %ebx */
};

struct plt_jump {
	bool is_numbered; /* the slot is not named: `target` is the index of a relocation of the table */
	uint64_t target;  /* else the slot's address */
	uint32_t size;    /* bytes of the entry; 0: as many as the table's entries have */
};

/* A machine whose linkage tables are known. */
struct plt_machine {
	uint16_t machine;
	uint8_t class;
	uint8_t data;
	uint32_t step; /* entries may begin at each multiple of this; 0: each ends where the table's entry size says */
	/* False: no entry begins here. */
	bool (*read)(const struct plt_code *code, struct plt_jump *ret);
	/* What code->got is to be from this table on, whose start `code` is. NULL: as it is. */
	uint64_t (*find_got)(const struct plt_code *code);
	/* The type of a relocation whose addend, or slot, has the function that chooses what the slot leads to. */
	uint32_t irelative;
};

/* NULL: it is not known. The parameters are e_machine, EI_CLASS and EI_DATA. */
const struct plt_machine *plt_machine_find(uint16_t machine, uint8_t class, uint8_t data);

#endif
