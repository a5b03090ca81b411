/*
 * The loader's records. Owns the places of what is read of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/loader_record.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/walk/elf_image.h"
#include "sigsafe/walk/starters.h"

/* So many objects must have it in the same place, of so many asked. */
#define WITNESSES 2u
#define MAX_ASKED 8u

/* Up to where it is looked for: glibc 2.36 has both before 1200. */
#define MAX_OFFSET 2048u

/* Two words that stand beside each other in each record, known of the object:
 * device and inode number of its file; or place and size of what the loader
 * makes read-only, behind which comes the number of the load. */
struct pair {
	uint64_t first, second;
};

/* False: it is not known of this one. */
typedef bool known_pair(const struct link_map *map, struct pair *pair);

/* In each record, in bytes; 0: unknown. Written by loader_record_start(). */
static size_t inode_at, load_at;

static uint64_t read_word(const struct link_map *map, size_t at)
{
	uint64_t word;

	return at && memory_copy(&word, (const char *)map + at, sizeof(word))
		       ? word
		       : 0;
}

uint64_t loader_record_inode(const struct link_map *map)
{
	return read_word(map, inode_at);
}

uint64_t loader_record_load(const struct link_map *map)
{
	return read_word(map, load_at);
}

static bool file_of(const struct link_map *map, struct pair *pair)
{
	struct stat file;

	if (map->l_name[0] != '/' ||
	    sys4(SYS_newfstatat, AT_FDCWD, map->l_name, &file, 0))
		return false;
	*pair = (struct pair){ file.st_dev, file.st_ino };
	return true;
}

/* As linkers lay out libraries, which begin at 0. */
static bool read_only_part_of(const struct link_map *map, struct pair *pair)
{
	struct memory memory;
	struct elf_image image;
	Elf64_Phdr segment;

	memory_begin(&memory, map);
	memory_expect_lasting(&memory, starters_have(map));
	image = elf_image_at(&memory, map->l_addr, map->l_addr);
	if (!map->l_addr || !elf_image_segment(&image, PT_GNU_RELRO, &segment))
		return false;
	*pair = (struct pair){ segment.p_vaddr, segment.p_memsz };
	return true;
}

/* Where the second word of the pair is in the record; 0: not found. */
static size_t place_in(const struct link_map *map, const struct pair *pair)
{
	uint64_t words[128];
	const size_t last = ARRAY_SIZE(words) - 1;

	for (size_t at = sizeof(*map); at < MAX_OFFSET;
	     at += last * sizeof(*words)) {
		if (!memory_copy(words, (const char *)map + at, sizeof(words)))
			break;
		for (size_t i = 0; i < last; i++)
			if (words[i] == pair->first &&
			    words[i + 1] == pair->second)
				return at + (i + 1) * sizeof(*words);
	}
	return 0;
}

static bool has_at(const struct link_map *map, size_t at,
		   const struct pair *pair)
{
	struct pair there;

	return memory_copy(&there, (const char *)map + at - sizeof(uint64_t),
			   sizeof(there)) &&
	       there.first == pair->first && there.second == pair->second;
}

/* Where enough of them have theirs; 0: not found, or not in one place. */
static size_t common_place(const struct link_map *first, known_pair *known)
{
	unsigned agreed = 0, asked = 0;
	size_t found = 0;
	struct pair pair;

	for (const struct link_map *map = first; map && asked < MAX_ASKED;
	     map = map->l_next) {
		if (!known(map, &pair))
			continue;
		asked++;
		/* The kernel has mapped the loader: it knows no file of it. */
		if (!found)
			found = place_in(map, &pair);
		else if (!has_at(map, found, &pair))
			continue;
		agreed += found != 0;
		if (agreed == WITNESSES)
			return found;
	}
	return 0;
}

/* The numbers of loads grow along the list, but the loader's own is 0. */
static bool has_loads(const struct link_map *first, size_t at)
{
	unsigned seen = 0, asked = 0;
	uint64_t before = 0;

	for (const struct link_map *map = first; map && asked++ < MAX_ASKED;
	     map = map->l_next) {
		uint64_t load = read_word(map, at);

		if (!load)
			continue;
		if (load <= before || load > LOADER_RECORD_MAX_LOAD)
			return false;
		before = load;
		seen++;
	}
	return seen >= WITNESSES;
}

void loader_record_start(const struct link_map *first)
{
	size_t at = common_place(first, read_only_part_of);

	inode_at = common_place(first, file_of);
	load_at = at && has_loads(first, at + sizeof(uint64_t))
			  ? at + sizeof(uint64_t)
			  : 0;
}
