/*
 * The memory map of one text. Owns nothing: its tables lie in the caller's
 * scratch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/text_map.h"
#include "base/atomic.h"
#include "base/heap_sort.h"

#define PAGE	   UINT64_C(4096)
#define TEXTS	   2  /* that a module has at most */
#define ANON_SHIFT 16 /* JIT code is shown in whole pages of 64 KiB */

/* Where modules move to: below what the kernel hands out to programs. */
#define ELSEWHERE(index) ((UINT64_C(1) << 44) + ((uint64_t)(index) << 30))

static uint32_t module_capacity(const struct recording *rec)
{
	return rec->section[SECTION_MODULES].capacity;
}

/* There are no more different pages than frames. */
static uint32_t page_capacity(const struct recording *rec)
{
	return rec->section[SECTION_STACKS].capacity;
}

size_t text_map_scratch_bytes(const struct recording *rec)
{
	return module_capacity(rec) *
		       (TEXTS * sizeof(struct text_module) + sizeof(uint64_t)) +
	       page_capacity(rec) * sizeof(uint32_t);
}

static const struct module_record *module_at(const struct recording *rec,
					     uint32_t index)
{
	const struct module_record *m = section_records(rec, SECTION_MODULES);

	/* Pairs with the release that makes a module ready. */
	if (!index || index >= module_capacity(rec) ||
	    !load_acquire(&m[index].ready))
		return NULL;
	return &m[index];
}

const char *module_name(const struct module_record *module)
{
	const char *path = module->path, *base = path;
	const char *last = path + PATH_BYTES - 1;

	/* In a live recording nothing is sure, not even the string's end. */
	for (; path < last && *path; path++) {
		if (*path == '/' && path[1])
			base = path + 1;
	}
	return base;
}

const struct module_record *frame_module(const struct recording *rec,
					 uint64_t frame)
{
	return module_at(rec, FRAME_MODULE(frame));
}

static bool is_taken(const struct text_map *map, uint64_t start, uint64_t end)
{
	uint32_t i;

	for (i = 0; i < map->modules; i++) {
		if (start < map->module[i].end && map->module[i].start < end)
			return true;
	}
	return false;
}

static struct text_module pages_of(uint64_t start, uint64_t end,
				   uint64_t offset, uint32_t index)
{
	return (struct text_module){
		.start = start & ~(PAGE - 1),
		.end = (end + PAGE - 1) & ~(PAGE - 1),
		.offset = offset & ~(PAGE - 1),
		.index = index,
	};
}

/* Unknown, or none: then there is nothing to say of it. */
static void add(struct text_map *map, struct text_module pages, uint64_t moved)
{
	if (pages.start == pages.end)
		return;
	pages.start += moved;
	pages.end += moved;
	map->module[map->modules++] = pages;
}

static void place(struct text_map *map, uint32_t index,
		  const struct module_record *m)
{
	struct text_module text =
		pages_of(m->text_start, m->text_end, m->text_offset, index);
	struct text_module apart =
		pages_of(m->apart_start, m->apart_end, m->apart_offset, index);
	uint64_t moved = 0;

	if (is_taken(map, text.start, text.end) ||
	    is_taken(map, apart.start, apart.end))
		moved = ELSEWHERE(index) - text.start;
	map->bias[index] = m->bias + moved;
	add(map, text, moved);
	add(map, apart, moved);
}

static bool module_is_before(const void *a, const void *b)
{
	const struct text_module *left = a;
	const struct text_module *right = b;

	return left->start < right->start;
}

void text_map_begin(struct text_map *map, const struct recording *rec,
		    void *scratch)
{
	uint32_t n = module_capacity(rec);
	uint32_t i;

	*map = (struct text_map){ .rec = rec, .module = scratch };
	map->bias = (uint64_t *)(map->module + TEXTS * n);
	map->page = (uint32_t *)(map->bias + n);
	for (i = 1; i < n; i++) {
		const struct module_record *m = module_at(rec, i);

		if (m)
			place(map, i, m);
	}
	/* The main program first, as it lies lowest: clients expect that. */
	heap_sort(map->module, map->modules, sizeof(*map->module),
		  module_is_before);
}

static bool page_is_before(const void *a, const void *b)
{
	return *(const uint32_t *)a < *(const uint32_t *)b;
}

/* Sorts the pages and keeps one of each. */
static void tidy_pages(struct text_map *map)
{
	size_t kept = 0;
	size_t i;

	heap_sort(map->page, map->pages, sizeof(*map->page), page_is_before);
	for (i = 0; i < map->pages; i++) {
		if (!kept || map->page[i] != map->page[kept - 1])
			map->page[kept++] = map->page[i];
	}
	map->pages = kept;
}

static void add_page(struct text_map *map, uint64_t address)
{
	uint32_t page = (uint32_t)(address >> ANON_SHIFT);

	if (map->pages && map->page[map->pages - 1] == page)
		return;
	if (map->pages == page_capacity(map->rec))
		tidy_pages(map);
	if (map->pages < page_capacity(map->rec))
		map->page[map->pages++] = page;
}

uint64_t text_map_address(struct text_map *map, uint64_t frame)
{
	uint64_t offset = FRAME_OFFSET(frame);

	if (frame_module(map->rec, frame))
		return map->bias[FRAME_MODULE(frame)] + offset;
	add_page(map, offset - 1); /* the address that is looked up */
	return offset;
}

static void write_range(struct pen *pen, uint64_t start, uint64_t end)
{
	pen_hex(pen, start, 1);
	pen_text(pen, "-");
	pen_hex(pen, end, 1);
	pen_text(pen, " r-xp ");
}

/* The brief line: here Go finds the build-id. */
static void write_brief(struct pen *pen, const struct text_module *place,
			const struct module_record *m)
{
	uint32_t i;

	write_range(pen, place->start, place->end);
	pen_name(pen, m->path, PATH_BYTES);
	pen_text(pen, " (@");
	pen_hex(pen, place->offset, 1);
	pen_text(pen, ")");
	for (i = 0; i < m->build_id_bytes && i < BUILD_ID_BYTES; i++) {
		pen_text(pen, i ? "" : " ");
		pen_hex(pen, m->build_id[i], 2);
	}
	pen_text(pen, "\n");
}

/* The line as in /proc/PID/maps: here Perl finds a PIE. */
static void write_full(struct pen *pen, const struct text_module *place,
		       const struct module_record *m)
{
	write_range(pen, place->start, place->end);
	pen_hex(pen, place->offset, 8);
	pen_text(pen, " 00:00 0 ");
	pen_name(pen, m->path, PATH_BYTES);
	pen_text(pen, "\n");
}

/*
 * In brackets: pprof then looks for no file of that name, and never takes it
 * for the program.
 */
static void write_anon_range(struct pen *pen, uint64_t start, uint64_t end)
{
	write_range(pen, start, end);
	pen_text(pen, "[anon]\n");
	write_range(pen, start, end);
	pen_text(pen, "00000000 00:00 0 [anon]\n");
}

/* What of [start, end) is in no module. */
static void write_anon(const struct text_map *map, struct pen *pen,
		       uint64_t start, uint64_t end)
{
	uint32_t i;

	for (i = 0; i < map->modules; i++) {
		const struct text_module *m = &map->module[i];

		if (m->end <= start || m->start >= end)
			continue;
		if (m->start > start)
			write_anon_range(pen, start, m->start);
		start = m->end;
	}
	if (start < end)
		write_anon_range(pen, start, end);
}

static void write_all_anon(struct text_map *map, struct pen *pen)
{
	size_t first;
	size_t i;

	tidy_pages(map);
	for (first = i = 0; i < map->pages; i++) {
		if (i + 1 < map->pages && map->page[i + 1] == map->page[i] + 1)
			continue;
		write_anon(map, pen, (uint64_t)map->page[first] << ANON_SHIFT,
			   ((uint64_t)map->page[i] + 1) << ANON_SHIFT);
		first = i + 1;
	}
}

void text_map_write(struct text_map *map, struct pen *pen)
{
	uint32_t i;

	pen_text(pen, "--- Memory map: ---\n");
	for (i = 0; i < map->modules; i++) {
		const struct text_module *place = &map->module[i];
		const struct module_record *m =
			module_at(map->rec, place->index);

		write_brief(pen, place, m);
		write_full(pen, place, m);
	}
	/* Behind the modules: the first one must be the program. */
	write_all_anon(map, pen);
}
