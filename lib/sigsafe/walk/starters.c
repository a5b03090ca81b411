/*
 * The objects that the program starts with. Owns the list of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/starters.h"

#include <string.h>

#include "base/units.h"

/* Of these it is remembered that they stay; others are read as if not. */
#define MAX_STARTERS 256u

/* Written by starters_note(), in the constructor. */
static const struct link_map *starters[MAX_STARTERS];
static unsigned count;

bool starters_have(const struct link_map *map)
{
	for (unsigned i = 0; i < count; i++)
		if (starters[i] == map)
			return true;
	return false;
}

/* The part behind the last slash: the loader finds most by that alone. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* glibc has made an address of what the file has there. */
static const char *strings_of(const struct link_map *map)
{
	const Elf64_Dyn *entry = map->l_ld;

	while (entry->d_tag != DT_NULL && entry->d_tag != DT_STRTAB)
		entry++;
	return (const char *)entry->d_un.d_ptr;
}

/* Where in the list the object of that name is, if behind last; or last. */
static unsigned place_of(const char *name, unsigned last, unsigned listed)
{
	for (unsigned i = last + 1; i < listed; i++)
		if (strcmp(last_part(starters[i]->l_name), name) == 0)
			return i;
	return last;
}

/* The last one that map needs by name, but not before last. */
static unsigned last_needed(const struct link_map *map, unsigned last,
			    unsigned listed)
{
	const char *strings = strings_of(map);

	for (const Elf64_Dyn *entry = map->l_ld; entry->d_tag != DT_NULL;
	     entry++)
		if (entry->d_tag == DT_NEEDED)
			last = place_of(last_part(strings + entry->d_un.d_val),
					last, listed);
	return last;
}

void starters_note(const struct link_map *program)
{
	unsigned listed = 0, last = 0;

	for (const struct link_map *map = program; map && listed < MAX_STARTERS;
	     map = map->l_next)
		starters[listed++] = map;
	for (unsigned i = 0; i <= last && i < listed; i++)
		last = last_needed(starters[i], last, listed);
	count = listed ? last + 1 : 0;
}
