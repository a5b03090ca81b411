/*
 * An ELF object as it lies in memory: headers, segments, build-id.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/elf_image.h"

#include <string.h>

/* No linker writes longer notes; what loops in bad ones ends here. */
#define MAX_NOTE_BYTES PAGE_BYTES

/* Are [offset, offset + bytes) in the first page? */
static bool is_in_page(uint64_t offset, uint64_t bytes)
{
	return offset <= PAGE_BYTES && bytes <= PAGE_BYTES - offset;
}

struct elf_image elf_image_at(struct memory *memory, uintptr_t start,
			      uintptr_t bias)
{
	struct elf_image image = { .memory = memory, .bias = bias };
	const uint8_t *view = memory_view(memory, start, sizeof(Elf64_Ehdr));
	Elf64_Ehdr header;

	if (!view)
		return image;
	memcpy(&header, view, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_phentsize != sizeof(Elf64_Phdr) ||
	    !is_in_page(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)))
		return image;
	image.headers = start + header.e_phoff;
	image.segments = header.e_phnum;
	return image;
}

static bool read_segment(const struct elf_image *image, unsigned i,
			 Elf64_Phdr *segment)
{
	const uint8_t *view;

	if (i >= image->segments)
		return false;
	view = memory_view(image->memory, image->headers + i * sizeof(*segment),
			   sizeof(*segment));
	if (view)
		memcpy(segment, view, sizeof(*segment));
	return view;
}

static bool holds(const struct elf_image *image, const Elf64_Phdr *segment,
		  uintptr_t address)
{
	return address - image->bias - segment->p_vaddr < segment->p_memsz;
}

bool elf_image_load_segment(const struct elf_image *image, uintptr_t address,
			    uint32_t flags, Elf64_Phdr *found)
{
	for (unsigned i = 0; read_segment(image, i, found); i++)
		if (found->p_type == PT_LOAD &&
		    (found->p_flags & flags) == flags &&
		    holds(image, found, address))
			return true;
	return false;
}

bool elf_image_text(const struct elf_image *image, uint64_t but,
		    Elf64_Phdr *found)
{
	for (unsigned i = 0; read_segment(image, i, found); i++)
		if (found->p_type == PT_LOAD && found->p_flags & PF_X &&
		    found->p_vaddr != but)
			return true;
	return false;
}

bool elf_image_segment(const struct elf_image *image, uint32_t type,
		       Elf64_Phdr *found)
{
	for (unsigned i = 0; read_segment(image, i, found); i++)
		if (found->p_type == type)
			return true;
	return false;
}

static size_t padded(size_t bytes, size_t alignment)
{
	return (bytes + alignment - 1) / alignment * alignment;
}

static bool is_build_id(const struct elf_image *image, const Elf64_Nhdr *note,
			uintptr_t name)
{
	const uint8_t *view;

	if (note->n_type != NT_GNU_BUILD_ID ||
	    note->n_namesz != sizeof(ELF_NOTE_GNU))
		return false;
	view = memory_view(image->memory, name, sizeof(ELF_NOTE_GNU));
	return view && memcmp(view, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0;
}

/* The build-id among the notes in [at, end). */
static uintptr_t find_note(const struct elf_image *image, uintptr_t at,
			   uintptr_t end, size_t alignment, uint32_t *bytes)
{
	while (end - at >= sizeof(Elf64_Nhdr)) {
		const uint8_t *view =
			memory_view(image->memory, at, sizeof(Elf64_Nhdr));
		uintptr_t name = at + sizeof(Elf64_Nhdr);
		uintptr_t content;
		Elf64_Nhdr note;

		if (!view)
			return 0;
		memcpy(&note, view, sizeof(note));
		content = name + padded(note.n_namesz, alignment);
		if (content > end || note.n_descsz > end - content)
			return 0;
		if (is_build_id(image, &note, name)) {
			*bytes = note.n_descsz;
			return content;
		}
		at = min_u64(content + padded(note.n_descsz, alignment), end);
	}
	return 0;
}

/* Some notes are in the file only; or these bytes are another object's. */
static bool is_loaded(const struct elf_image *image, uintptr_t at, size_t bytes)
{
	Elf64_Phdr segment;

	return bytes && elf_image_load_segment(image, at, PF_R, &segment) &&
	       holds(image, &segment, at + bytes - 1);
}

uintptr_t elf_image_build_id(const struct elf_image *image, uint32_t *bytes)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; read_segment(image, i, &segment); i++) {
		uintptr_t at = image->bias + segment.p_vaddr;
		uintptr_t id;

		if (segment.p_type != PT_NOTE || at % 4 ||
		    segment.p_filesz > MAX_NOTE_BYTES ||
		    !is_loaded(image, at, segment.p_filesz))
			continue;
		id = find_note(image, at, at + segment.p_filesz,
			       segment.p_align == 8 ? 8 : 4, bytes);
		if (id)
			return id;
	}
	return 0;
}
