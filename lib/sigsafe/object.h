/*
 * A loaded object (program, library, vDSO), found by an address in it through
 * _dl_find_object (glibc 2.35): no lock, and true at this instant, for what
 * libc loads behind everybody's back too. Signal-safe.
 *
 * What is read of the object is there as long as it is loaded. It stays so:
 * some frame of the stack executes in it, or a lock that is in use lies in it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OBJECT_H
#define SIGSAFE_OBJECT_H

#include "base/format.h"

struct object {
	uintptr_t start, end; /* of its mappings */
	uintptr_t bias;	      /* run-time address - address in its own terms */
	const char *name;     /* as the loader has it; "": the program */
	const void *unwind_table; /* its .eh_frame_hdr, or NULL */
};

/* Does this libc have a _dl_find_object? */
bool object_can_be_found(void);

/* The object at address; false: there is none. */
bool object_find(uintptr_t address, struct object *object);

/* Its absolute path, or [vdso]. */
void object_path(const struct object *object, char path[PATH_BYTES]);

/* Fills all of record but `ready`; the executable segment is address's. */
void object_describe(const struct object *object, uintptr_t address,
		     struct module_record *record);

/*
 * Where in the object its build-id lies, from its start; 0: it has none, or not
 * in its first page.
 */
uint32_t object_build_id_offset(const struct object *object);

/*
 * Notes the extent of the program, and its path and the working directory,
 * which give the names of objects that have none or a relative one. Called
 * once, at the start.
 */
void object_note_program(void);

#endif
