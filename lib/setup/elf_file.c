/*
 * An ELF file: its sections, its build-id and its debug link. System calls are
 * raw, as read() and its kin are hooks of ours.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/identity.h"
#include "sigsafe/os/sys.h"

bool elf_file_open(struct elf_file *file, const struct libelf *lib,
		   const char *path)
{
	file->lib = lib;
	/* What is a pipe by now must not keep us waiting. */
	file->fd = (int)sys4(SYS_openat, AT_FDCWD, path,
			     O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (file->fd < 0)
		return false;
	file->elf = lib->elf_begin(file->fd, ELF_C_READ, NULL);
	if (file->elf)
		return true;
	sys1(SYS_close, file->fd);
	return false;
}

bool elf_file_view(struct elf_file *file, const struct libelf *lib, void *image,
		   size_t bytes)
{
	file->lib = lib;
	file->fd = -1;
	file->elf = lib->elf_memory(image, bytes);
	return file->elf;
}

void elf_file_close(struct elf_file *file)
{
	file->lib->elf_end(file->elf);
	if (file->fd >= 0)
		sys1(SYS_close, file->fd);
}

Elf_Scn *elf_file_next(const struct elf_file *file, Elf_Scn *scn, uint32_t type)
{
	GElf_Shdr header;

	while ((scn = file->lib->elf_nextscn(file->elf, scn))) {
		if (file->lib->gelf_getshdr(scn, &header) &&
		    header.sh_type == type)
			break;
	}
	return scn;
}

/* The build-id among the notes of one section, or NULL. */
static const uint8_t *build_id_in(const struct elf_file *file, Elf_Data *notes,
				  uint32_t *bytes)
{
	size_t at = 0, next, name, text;
	GElf_Nhdr header;

	while ((next = file->lib->gelf_getnote(notes, at, &header, &name,
					       &text))) {
		const char *base = notes->d_buf;

		if (header.n_type == NT_GNU_BUILD_ID &&
		    header.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(base + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			*bytes = header.n_descsz;
			return (const uint8_t *)base + text;
		}
		at = next;
	}
	return NULL;
}

static const uint8_t *build_id_of(const struct elf_file *file, uint32_t *bytes)
{
	const uint8_t *found = NULL;
	Elf_Scn *scn = NULL;

	while (!found && (scn = elf_file_next(file, scn, SHT_NOTE))) {
		Elf_Data *notes = file->lib->elf_getdata(scn, NULL);

		if (notes)
			found = build_id_in(file, notes, bytes);
	}
	return found;
}

bool elf_file_is(const struct elf_file *file, const uint8_t *build_id,
		 uint32_t bytes)
{
	uint32_t found_bytes = 0;
	const uint8_t *found = build_id_of(file, &found_bytes);

	if (!found || !bytes)
		return !found && !bytes;
	/* The recording keeps no more of a longer one. */
	return found_bytes >= bytes && !memcmp(found, build_id, bytes);
}

static bool has_identity(const struct elf_file *file, const struct stat *status,
			 uint64_t identity)
{
	uint64_t first[IDENTITY_WORDS];

	return sys4(SYS_pread64, file->fd, first, sizeof(first), 0) ==
		       sizeof(first) &&
	       identity_of(status->st_ino, first) == identity;
}

bool elf_file_is_still(const struct elf_file *file, uint64_t realtime_ns,
		       uint64_t identity)
{
	struct stat status;

	if (file->fd < 0)
		return true;
	return sys4(SYS_newfstatat, file->fd, "", &status, AT_EMPTY_PATH) ==
		       0 &&
	       (uint64_t)status.st_ctim.tv_sec * NS_PER_S +
			       (uint64_t)status.st_ctim.tv_nsec <
		       realtime_ns &&
	       (!identity || has_identity(file, &status, identity));
}

static bool is_named(const struct elf_file *file, Elf_Scn *scn,
		     const char *wanted)
{
	const char *name;
	GElf_Shdr header;
	size_t strings;

	if (file->lib->elf_getshdrstrndx(file->elf, &strings) ||
	    !file->lib->gelf_getshdr(file->lib->elf_getscn(file->elf, strings),
				     &header))
		return false;
	/* zlib would take memory of the host's. */
	if (header.sh_flags & SHF_COMPRESSED ||
	    !file->lib->gelf_getshdr(scn, &header))
		return false;
	name = file->lib->elf_strptr(file->elf, strings, header.sh_name);
	return name && !strcmp(name, wanted);
}

/* A name, padded with zeroes to a multiple of 4, then the CRC. */
static bool read_debuglink(const Elf_Data *data, struct elf_debuglink *link)
{
	size_t length;

	if (!data || !data->d_buf || data->d_size < 2 * sizeof(link->crc))
		return false;
	length = data->d_size - sizeof(link->crc);
	link->name = data->d_buf;
	memcpy(&link->crc, link->name + length, sizeof(link->crc));
	return strnlen(link->name, length) < length;
}

Elf_Data *elf_file_data_of(const struct elf_file *file, const char *name,
			   uint64_t *address)
{
	GElf_Shdr header;
	Elf_Scn *scn = NULL;

	while ((scn = elf_file_next(file, scn, SHT_PROGBITS))) {
		if (!is_named(file, scn, name))
			continue;
		if (!file->lib->gelf_getshdr(scn, &header))
			break;
		*address = header.sh_addr;
		return file->lib->elf_getdata(scn, NULL);
	}
	return NULL;
}

bool elf_file_debuglink(const struct elf_file *file, struct elf_debuglink *link)
{
	uint64_t address;

	return read_debuglink(
		elf_file_data_of(file, ".gnu_debuglink", &address), link);
}
