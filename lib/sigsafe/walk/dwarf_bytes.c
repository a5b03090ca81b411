/*
 * Bytes in the encodings of DWARF.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/dwarf_bytes.h"

#include <dwarf.h>

#define LEB_MORE 0x80u
#define LEB_SIGN 0x40u

/* Bits above the 64th are dropped. */
static uint64_t leb(struct bytes *bytes, unsigned *shift, uint8_t *last)
{
	uint64_t number = 0;

	*shift = 0;
	do {
		*last = bytes_u8(bytes);
		if (*shift < 64)
			number |= (uint64_t)(*last & ~LEB_MORE) << *shift;
		*shift += 7;
	} while (*last & LEB_MORE);
	return number;
}

uint64_t bytes_uleb(struct bytes *bytes)
{
	unsigned shift;
	uint8_t last;

	return leb(bytes, &shift, &last);
}

int64_t bytes_sleb(struct bytes *bytes)
{
	unsigned shift;
	uint8_t last;
	uint64_t number = leb(bytes, &shift, &last);

	if (shift < 64 && last & LEB_SIGN)
		number |= ~UINT64_C(0) << shift;
	return (int64_t)number;
}

static uint64_t offset(struct bytes *bytes, uint8_t format)
{
	switch (format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return bytes_number(bytes, 8);
	case DW_EH_PE_udata4:
		return bytes_number(bytes, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)bytes_number(bytes, 4);
	case DW_EH_PE_udata2:
		return bytes_number(bytes, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)bytes_number(bytes, 2);
	case DW_EH_PE_uleb128:
		return bytes_uleb(bytes);
	case DW_EH_PE_sleb128:
		return (uint64_t)bytes_sleb(bytes);
	default:
		bytes->is_bad = true;
		return 0;
	}
}

uint64_t bytes_pointer(struct bytes *bytes, uint8_t encoding)
{
	uintptr_t here = bytes->at;
	uint64_t pointer = offset(bytes, encoding & 0x0f);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return pointer;
	case DW_EH_PE_pcrel:
		return here + pointer;
	default:
		bytes->is_bad = true;
		return 0;
	}
}
