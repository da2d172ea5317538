/* Return addresses, as stacks have them. */
#ifndef LOCUS_RETURN_ADDRESS_H
#define LOCUS_RETURN_ADDRESS_H

#include <stdint.h>

/* Values of e_machine. */
enum { MACHINE_UNKNOWN = 0, MACHINE_MIPS = 8, MACHINE_ARM = 40 };

/*
 * The address of the last byte of the call behind which a return address is: by that the call is looked up (RULES H2).
 * `machine` is e_machine: on ARM and MIPS bit 0 of a return address says which instructions it returns to, and is no
 * part of it. 0 for the address 0, before which no byte is.
 */
static inline uint64_t return_address_call(uint64_t address, uint16_t machine)
{
	uint64_t start = machine == MACHINE_ARM || machine == MACHINE_MIPS ? address & ~UINT64_C(1) : address;

	return start ? start - 1 : 0;
}

#endif
