/*
 * An object. Owns the Dwfl of each: one module, reported without bias.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/object.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/identity.h"
#include "report/function_start.h"
#include "report/regular_file.h"
#include "report/vdso.h"

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static void forget(struct object *object)
{
	if (object->dwfl)
		dwfl_end(object->dwfl);
	object->dwfl = NULL;
	object->module = NULL;
}

/* Reports the file to a Dwfl of its own, which closes it then. */
static bool load(struct object *object, const char *path, int fd)
{
	object->dwfl = dwfl_begin(&callbacks);
	if (!object->dwfl)
		return false;
	dwfl_report_begin(object->dwfl);
	object->module = dwfl_report_elf(object->dwfl, base_name(path), path,
					 fd, 0, true);
	dwfl_report_end(object->dwfl, NULL, NULL);
	if (object->module)
		return true;
	forget(object);
	return false;
}

static bool has_build_id(const struct object *object,
			 const struct module *module)
{
	const unsigned char *bits;
	GElf_Addr where;
	int length = dwfl_module_build_id(object->module, &bits, &where);

	return length > 0 && (uint32_t)length >= module->build_id_bytes &&
	       !memcmp(bits, module->build_id, module->build_id_bytes);
}

/* The file's, as in base/identity.h; 0: it can't be read. */
static uint64_t identity_of_file(const char *path, const struct stat *file)
{
	uint64_t first[IDENTITY_WORDS];
	int fd = regular_file_open(path);
	bool done;

	if (fd < 0)
		return 0;
	done = pread(fd, first, sizeof(first), 0) == sizeof(first);
	close(fd);
	return done ? identity_of(file->st_ino, first) : 0;
}

/*
 * Without a build-id the file's times have to tell: what replaces it, be it
 * renamed or overwritten, has changed its status since the program began. But
 * not if a folder was renamed: there it is another file that tells.
 */
static bool has_changed(const struct module *module)
{
	struct stat file;
	uint64_t changed_ns;

	if (stat(module->path, &file))
		return false;
	changed_ns = (uint64_t)file.st_ctim.tv_sec * NS_PER_S +
		     (uint64_t)file.st_ctim.tv_nsec;
	if (module->mapped_ns && changed_ns >= module->mapped_ns)
		return true;
	return module->identity &&
	       identity_of_file(module->path, &file) != module->identity;
}

/* Whether the file is the module's, by OBJECT_GOOD. */
static enum object_state state_of(const struct object *object,
				  const struct module *module)
{
	GElf_Addr bias;

	if (!dwfl_module_getelf(object->module, &bias))
		return OBJECT_OTHER;
	if (module->build_id_bytes)
		return has_build_id(object, module) ? OBJECT_GOOD
						    : OBJECT_OTHER;
	return has_changed(module) ? OBJECT_CHANGED : OBJECT_GOOD;
}

static bool load_same(struct object *object, const struct module *module,
		      const char *path, int fd)
{
	if (fd < 0)
		return false;
	if (!load(object, path, fd)) {
		close(fd);
		return false;
	}
	object->state = state_of(object, module);
	if (object->state == OBJECT_GOOD)
		return true;
	forget(object);
	return false;
}

static bool load_from_debug_package(struct object *object,
				    const struct module *module)
{
	char path[64 + 2 * BUILD_ID_BYTES];
	int at = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/");
	enum object_state before = object->state;

	if (module->build_id_bytes < 2)
		return false;
	for (uint32_t i = 0; i < module->build_id_bytes; i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at,
			       i == 1 ? "/%02x" : "%02x", module->build_id[i]);
	snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
	if (load_same(object, module, path, regular_file_open(path)))
		return true;
	object->state = before;
	return false;
}

static void find_dwarf(struct object *object, struct arena *arena)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(object->module, &bias);

	if (!dwarf)
		return;
	object->dwarf_bias = bias;
	object->units = units_of(arena, dwarf);
}

struct object *object_open(struct arena *arena, const struct module *module)
{
	struct object *object = arena_alloc(arena, 1, sizeof(*object));
	bool is_vdso = !strcmp(module->path, VDSO_PATH);

	object->state = OBJECT_MISSING;
	object->path = arena_string(arena, module->path, strlen(module->path));
	object->name = arena_string(arena, module->name, strlen(module->name));
	if (load_same(object, module, module->path,
		      is_vdso ? vdso_open()
			      : regular_file_open(module->path)) ||
	    load_from_debug_package(object, module))
		find_dwarf(object, arena);
	return object;
}

void object_close(struct object *object)
{
	forget(object);
}

uint64_t object_bias(const struct object *object, uint64_t text_start,
		     uint64_t text_offset)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(object->module, &bias);
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) ||
		    segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if ((segment.p_offset & -page) == text_offset)
			return text_start - (segment.p_vaddr & -page);
	}
	return text_start - text_offset;
}

/* The symbol around an address if it has one of the two types. */
static const char *symbol_at(const struct object *object, uint64_t address,
			     int type, int other_type, uint64_t *offset)
{
	GElf_Off into;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(object->module, address, &into,
						&symbol, NULL, NULL, NULL);
	int found = GELF_ST_TYPE(symbol.st_info);

	if (!name || !*name || (found != type && found != other_type))
		return NULL;
	/* Without a size it reaches on, over functions that have no symbol. */
	if (!symbol.st_size &&
	    function_starts_behind(object, address - into, address))
		return NULL;
	*offset = into;
	return name;
}

const char *object_function(const struct object *object, uint64_t address,
			    uint64_t *offset)
{
	return symbol_at(object, address, STT_FUNC, STT_GNU_IFUNC, offset);
}

const char *object_variable(const struct object *object, uint64_t address,
			    uint64_t *offset)
{
	return symbol_at(object, address, STT_OBJECT, STT_COMMON, offset);
}

unsigned object_calls(const struct object *object, uint64_t address,
		      struct source_call calls[MAX_INLINED])
{
	if (!object->units)
		return 0;
	return units_calls(object->units, address - object->dwarf_bias, calls);
}
