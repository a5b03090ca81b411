/*
 * A library with functions of libunwind's names, none of which may be called.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#define IMPOSTOR(name)                                                         \
	_Noreturn void name(void);                                             \
	_Noreturn void name(void)                                              \
	{                                                                      \
		abort();                                                       \
	}

IMPOSTOR(_Ux86_64_create_addr_space)
IMPOSTOR(_Ux86_64_dwarf_search_unwind_table)
IMPOSTOR(_Ux86_64_flush_cache)
IMPOSTOR(_Ux86_64_get_accessors)
IMPOSTOR(_Ux86_64_get_reg)
IMPOSTOR(_Ux86_64_init_remote)
IMPOSTOR(_Ux86_64_is_fpreg)
IMPOSTOR(_Ux86_64_is_signal_frame)
IMPOSTOR(_Ux86_64_set_caching_policy)
IMPOSTOR(_Ux86_64_step)
