/*
 * A loaded object (program, library, vDSO), found by an address in it through
 * _dl_find_object (glibc 2.35): no lock, and true at this instant, for what
 * libc loads behind everybody's back too. Signal-safe.
 *
 * That an address of a stack is in an object does not mean that it stays
 * loaded: what is no frame at all can look like one, and lead to what another
 * thread unloads just now. So all that is read of an object, or of what the
 * loader knows of it, is read as sigsafe/os/memory.h says. Those that the
 * program starts with are never unloaded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_OBJECT_H
#define SIGSAFE_WALK_OBJECT_H

#include <dlfcn.h>
#include <link.h>

#include "base/format.h"
#include "sigsafe/os/memory.h"

struct object {
	uintptr_t start, end; /* of its mappings */
	/*
	 * The address is in this part of them. Only a program may have more
	 * than one, and other objects in between.
	 */
	uintptr_t part_start, part_end;
	const struct link_map *map; /* the loader's; may go away with it */
	const void *unwind_table;   /* its .eh_frame_hdr, or NULL */
};

/* A string of the loader's is copied in pieces of so many bytes. */
#define OBJECT_PIECE_BYTES 64u

/*
 * _dl_find_object() as it is to be called, from now on; NULL: not at all. The
 * one that the name is bound to may be the program's: it has locks of its own,
 * and knows what it likes. Called once, at the start.
 */
typedef int object_finder(void *address, struct dl_find_object *found);
void object_find_by(object_finder *libcs);

/* Is there a _dl_find_object() to be called? */
bool object_can_be_found(void);

/* The object at address; false: there is none. */
bool object_find(uintptr_t address, struct object *object);

/* Is it one that the program started with? Those are never unloaded. */
bool object_stays(const struct object *object);

/*
 * Its absolute path, or [vdso]; what could not be read of it is left out. Takes
 * 200 bytes of the stack.
 */
void object_path(const struct object *object, char path[PATH_BYTES]);

/*
 * Its file's, as in base/identity.h; false: unknown. Takes 250 bytes of the
 * stack and these copies by the kernel.
 */
#define OBJECT_IDENTITY_COPIES 2u

bool object_identity(const struct object *object, uint64_t *identity);

/*
 * Fills all of record but `ready`, as far as it could be read; the executable
 * segment is address's. Returns where in the object its build-id lies, from its
 * start; 0: it has none. memory: to read by.
 */
uint32_t object_describe(const struct object *object, uintptr_t address,
			 struct module_record *record, struct memory *memory);

/*
 * Notes the program, its extent, the objects it starts with, and what gives the
 * names of objects that have none or a relative one. Called once, at the start.
 */
void object_note_program(void);

#endif
