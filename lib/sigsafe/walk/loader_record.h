/*
 * What the loader keeps of an object in its record (struct link_map) behind the
 * part that <link.h> declares: the inode number that its file had when it was
 * opened, where the path may lead to another file by now; and the number of the
 * load, which no other one has, where the record and all the object's addresses
 * may be those of one that has gone.
 *
 * These are l_file_id and l_serial of glibc's include/link.h. Where they lie is
 * found out at the start, from several objects of which it is known what must
 * be there; where that is not found, nothing is known. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_LOADER_RECORD_H
#define SIGSAFE_WALK_LOADER_RECORD_H

#include <link.h>

#include "base/units.h"

/* More loads than this are none. */
#define LOADER_RECORD_MAX_LOAD INT32_MAX

/*
 * 0: unknown, as for what the kernel has mapped; or the map could not be read.
 * One copy by the kernel each.
 */
uint64_t loader_record_inode(const struct link_map *map);
uint64_t loader_record_load(const struct link_map *map);

/*
 * Called once, at the start and after starters_note(), with the head of the
 * loader's list.
 */
void loader_record_start(const struct link_map *first);

#endif
