/*
 * Separate debug files: where they are, and whether they are the right ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/debug_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sigsafe/os/sys.h"

#define DEBUG_ROOT "/usr/lib/debug"

/* CRC-32 of IEEE 802.3, four bits at a time. */
static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t length)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	for (; length; length--, bytes++) {
		crc = crc >> 4 ^ table[(crc ^ *bytes) & 15];
		crc = crc >> 4 ^ table[(crc ^ *bytes >> 4) & 15];
	}
	return crc;
}

static bool has_crc(const char *path, uint32_t wanted)
{
	uint8_t bytes[4096];
	uint32_t crc = ~UINT32_C(0);
	long n;
	int fd = (int)sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	while ((n = sys3(SYS_read, fd, bytes, sizeof(bytes))) > 0)
		crc = crc_add(crc, bytes, (size_t)n);
	sys1(SYS_close, fd);
	return n == 0 && ~crc == wanted;
}

static bool open_by_build_id(struct elf_file *file, const struct libelf *lib,
			     const struct module_record *module)
{
	char hex[2 * BUILD_ID_BYTES + 1] = "";
	char path[PATH_MAX];
	int at = 0;

	for (uint32_t i = 0; i < module->build_id_bytes && i < BUILD_ID_BYTES;
	     i++)
		at += sprintf(hex + at, "%02x", module->build_id[i]);
	snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%.2s/%s.debug", hex,
		 hex + 2);
	if (!elf_file_open(file, lib, path))
		return false;
	if (elf_file_is(file, module->build_id, module->build_id_bytes))
		return true;
	elf_file_close(file);
	return false;
}

/* Without a build-id to compare, the whole file is summed up. */
static bool is_right(const struct elf_file *file, const char *path,
		     const struct module_record *module, uint32_t crc)
{
	if (!elf_file_is(file, module->build_id, module->build_id_bytes))
		return false;
	return module->build_id_bytes || has_crc(path, crc);
}

static bool open_by_name(struct elf_file *file,
			 const struct module_record *module,
			 const struct elf_file *stripped)
{
	static const char *const places[] = { "%.*s/%s", "%.*s/.debug/%s",
					      DEBUG_ROOT "%.*s/%s" };
	const char *slash = strrchr(module->path, '/');
	struct elf_debuglink link;
	char path[PATH_MAX];

	if (!slash || !elf_file_debuglink(stripped, &link))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int length = snprintf(path, sizeof(path), places[i],
				      (int)(slash - module->path), module->path,
				      link.name);

		if ((size_t)length >= sizeof(path) ||
		    !elf_file_open(file, stripped->lib, path))
			continue;
		if (is_right(file, path, module, link.crc))
			return true;
		elf_file_close(file);
	}
	return false;
}

bool debug_file_open(struct elf_file *file, const struct module_record *module,
		     const struct elf_file *stripped)
{
	return (module->build_id_bytes &&
		open_by_build_id(file, stripped->lib, module)) ||
	       open_by_name(file, module, stripped);
}
