/*
 * What to call the program's own file. Many programs are started by a link:
 * redis-server is one to redis-check-rdb. Where a link of the process's name
 * lies beside the file and leads to it, that name is meant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_PROGRAM_NAME_H
#define SIGSAFE_OS_PROGRAM_NAME_H

#include "base/records.h"

/* The process's name, as it starts; object_note_program() came before. */
void program_name_note(const char comm[NAME_BYTES]);

/* The base name of the module's file, or what the program was started as. */
const char *program_name_of(const struct module_record *module);

#endif
