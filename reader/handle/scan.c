/* Reads the primitive encodings of FORMAT.md 2 from a run of bytes. */
#include "reader/handle/scan.h"

/* FORMAT.md 2.2: at most ten bytes, no bit above 2^64, and no needless last byte of 0. */
uint64_t locus_scan_long_varint(struct locus_scan *scan)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64 && scan->at != scan->end; shift += 7) {
		uint8_t byte = *scan->at++;
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			return shift && !byte ? locus_scan_fail(scan) : value;
	}
	return locus_scan_fail(scan);
}
