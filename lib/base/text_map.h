/*
 * The memory map of one text: which address each frame has in it, and the lines
 * behind "--- Memory map: ---".
 *
 * A frame's address is the one it had in the process. Only where a library was
 * mapped where an unloaded one had been does the later module move to a place
 * of its own, as clients know no time: one address, one function.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_TEXT_MAP_H
#define BASE_TEXT_MAP_H

#include "base/format.h"
#include "base/pen.h"

/* Executable pages of a module. */
struct text_module {
	uint64_t start; /* in the text */
	uint64_t end;
	uint64_t offset; /* in the file */
	uint32_t index;	 /* in SECTION_MODULES */
};

struct text_map {
	const struct recording *rec;
	struct text_module *module; /* by start */
	uint32_t modules;
	uint64_t *bias; /* by index in SECTION_MODULES: text minus offset */
	uint32_t *page; /* 64 KiB pages outside of every module */
	size_t pages;
};

size_t text_map_scratch_bytes(const struct recording *rec);

/*
 * Knows the modules of rec from here on. scratch is 8-aligned and the map's for
 * its life. Signal-safe, as all below.
 */
void text_map_begin(struct text_map *map, const struct recording *rec,
		    void *scratch);

/* The module a frame is in, or NULL: in none, or in none that is known. */
const struct module_record *frame_module(const struct recording *rec,
					 uint64_t frame);

/* The last part of its path. */
const char *module_name(const struct module_record *module);

/* The address of a frame; it will have its place in the map. */
uint64_t text_map_address(struct text_map *map, uint64_t frame);

/* Writes the map's lines. No address may be asked for afterwards. */
void text_map_write(struct text_map *map, struct pen *pen);

#endif
