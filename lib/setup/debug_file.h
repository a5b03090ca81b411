/*
 * The separate file that holds the symbols of a stripped one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_DEBUG_FILE_H
#define SETUP_DEBUG_FILE_H

#include "base/format.h"
#include "setup/elf_file.h"

/*
 * Opens the debug file of module, whose file on disk is stripped: by build-id
 * below /usr/lib/debug, else by .gnu_debuglink where gdb would look. One that
 * is of another build is not taken. False: there is none. Not signal-safe:
 * allocates. Pairs with elf_file_close().
 */
bool debug_file_open(struct elf_file *file, const struct module_record *module,
		     const struct elf_file *stripped);

#endif
