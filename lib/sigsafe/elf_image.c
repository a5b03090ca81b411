/*
 * An ELF object as it lies in memory: headers, segments, build-id.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/elf_image.h"

#include <string.h>

#include "sigsafe/memory.h"

/* Are [offset, offset + bytes) in the first page? */
static bool is_in_page(uint64_t offset, uint64_t bytes)
{
	return offset <= PAGE_BYTES && bytes <= PAGE_BYTES - offset;
}

struct elf_image elf_image_at(const void *start, uintptr_t bias)
{
	struct elf_image image = { .start = start, .bias = bias };
	const Elf64_Ehdr *header = start;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phoff % _Alignof(Elf64_Phdr) ||
	    !is_in_page(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr)))
		return image;
	image.segment = (const void *)(image.start + header->e_phoff);
	image.segments = header->e_phnum;
	return image;
}

static bool holds(const struct elf_image *image, const Elf64_Phdr *segment,
		  uintptr_t address)
{
	return address - image->bias - segment->p_vaddr < segment->p_memsz;
}

const Elf64_Phdr *elf_image_segment(const struct elf_image *image,
				    uintptr_t address, uint32_t flags)
{
	for (unsigned i = 0; i < image->segments; i++) {
		const Elf64_Phdr *segment = &image->segment[i];

		if (segment->p_type == PT_LOAD &&
		    (segment->p_flags & flags) == flags &&
		    holds(image, segment, address))
			return segment;
	}
	return NULL;
}

const Elf64_Phdr *elf_image_first(const struct elf_image *image, uint32_t flags)
{
	for (unsigned i = 0; i < image->segments; i++)
		if (image->segment[i].p_type == PT_LOAD &&
		    (image->segment[i].p_flags & flags) == flags)
			return &image->segment[i];
	return NULL;
}

static size_t padded(size_t bytes, size_t alignment)
{
	return (bytes + alignment - 1) / alignment * alignment;
}

/* The build-id among the notes in [at, end) of the first page. */
static const uint8_t *find_note(const struct elf_image *image, size_t at,
				size_t end, size_t alignment, uint32_t *bytes)
{
	while (end - at >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const void *)(image->start + at);
		size_t name = at + sizeof(*note);
		size_t content = name + padded(note->n_namesz, alignment);

		if (content > end || note->n_descsz > end - content)
			return NULL;
		if (note->n_type == NT_GNU_BUILD_ID &&
		    note->n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(image->start + name, ELF_NOTE_GNU,
			   sizeof(ELF_NOTE_GNU)) == 0) {
			*bytes = note->n_descsz;
			return image->start + content;
		}
		at = min_u64(content + padded(note->n_descsz, alignment), end);
	}
	return NULL;
}

const uint8_t *elf_image_build_id(const struct elf_image *image,
				  uint32_t *bytes)
{
	for (unsigned i = 0; i < image->segments; i++) {
		const Elf64_Phdr *segment = &image->segment[i];
		uint64_t at = image->bias + segment->p_vaddr -
			      (uintptr_t)image->start;
		const uint8_t *id;

		if (segment->p_type != PT_NOTE || at % 4 ||
		    !is_in_page(at, segment->p_filesz))
			continue;
		id = find_note(image, at, at + segment->p_filesz,
			       segment->p_align == 8 ? 8 : 4, bytes);
		if (id)
			return id;
	}
	return NULL;
}
