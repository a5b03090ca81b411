/*
 * .eh_frame: finds and reads the entries for a program counter.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/eh_frame.h"

#include <dwarf.h>

#include "sigsafe/walk/cfa_program.h"
#include "sigsafe/walk/object.h"
#include "sigsafe/walk/unwind_table.h"

/* What a CIE tells of the FDEs that refer to it. */
struct common {
	struct bytes instructions;
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding; /* of a FDE's addresses */
	bool has_augmentation;
	bool is_signal_frame;
};

/* The content of the entry at `at`; empty: the last one, or of 64-bit DWARF. */
static struct bytes entry_at(uintptr_t at, const struct bytes *object)
{
	struct bytes rest = *object;
	uint32_t length;

	rest.is_bad = at < object->at || at >= object->end;
	if (rest.is_bad)
		return rest;
	rest.at = at;
	length = (uint32_t)bytes_number(&rest, sizeof(length));
	return bytes_part(&rest, length);
}

static void read_augmentation(struct bytes *data, const char *letters,
			      struct common *common)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			common->encoding = bytes_u8(data);
			break;
		case 'P':
			bytes_pointer(data, bytes_u8(data) & 0x7f);
			break;
		case 'L':
			bytes_u8(data);
			break;
		case 'S':
			common->is_signal_frame = true;
			break;
		default:
			data->is_bad = true;
			return;
		}
	}
}

/* More than any compiler writes. */
#define MAX_LETTERS 8

static bool read_string(struct bytes *bytes, char letters[MAX_LETTERS])
{
	for (unsigned i = 0; i < MAX_LETTERS; i++) {
		letters[i] = (char)bytes_u8(bytes);
		if (!letters[i])
			return !bytes->is_bad;
	}
	return false;
}

/* False: not what compilers for this machine write. */
static bool read_common(struct bytes entry, struct common *common)
{
	uint64_t id = bytes_number(&entry, 4);
	uint8_t version = bytes_u8(&entry);
	char letters[MAX_LETTERS];
	uint64_t column;

	if (!read_string(&entry, letters))
		return false;

	*common = (struct common){ .code_factor = bytes_uleb(&entry) };
	common->data_factor = bytes_sleb(&entry);
	column = version == 1 ? bytes_u8(&entry) : bytes_uleb(&entry);
	if (entry.is_bad || id || (version != 1 && version != 3) ||
	    column != RETURN_COLUMN)
		return false;
	common->has_augmentation = *letters == 'z';
	if (common->has_augmentation) {
		struct bytes data = bytes_part(&entry, bytes_uleb(&entry));

		read_augmentation(&data, letters + 1, common);
		if (data.is_bad)
			return false;
	} else if (*letters) {
		return false;
	}
	common->instructions = entry;
	return !entry.is_bad;
}

/* False: pc is not the entry's. */
static bool read_function(struct bytes entry, const struct bytes *object,
			  uintptr_t pc, struct cfa_program *program)
{
	uintptr_t back = entry.at;
	struct common common;
	uint64_t size;

	back -= bytes_number(&entry, 4);
	if (entry.is_bad || !read_common(entry_at(back, object), &common))
		return false;
	program->start = bytes_pointer(&entry, common.encoding);
	size = bytes_pointer(&entry, common.encoding & 0x0f);
	if (common.has_augmentation)
		bytes_skip(&entry, bytes_uleb(&entry));
	program->common = common.instructions;
	program->function = entry;
	program->code_factor = common.code_factor;
	program->data_factor = common.data_factor;
	program->encoding = common.encoding;
	program->is_signal_frame = common.is_signal_frame;
	program->end = program->start + size;
	return !entry.is_bad && pc - program->start < size;
}

/* Not inlined: its room is free again when the program runs. */
__attribute__((noinline)) static bool
find_program(struct memory *memory, uintptr_t pc, struct cfa_program *program)
{
	struct unwind_entry found;
	struct bytes whole = { .memory = memory };
	struct object object;
	uintptr_t at;

	if (!object_find(pc, &object))
		return false;
	memory_expect_lasting(memory, object_stays(&object));
	if (!unwind_table_find(memory, &object, pc, &found))
		return false;
	at = (uintptr_t)object.unwind_table + (uintptr_t)(intptr_t)found.rule;
	whole.at = object.start;
	whole.end = object.end;
	return read_function(entry_at(at, &whole), &whole, pc, program);
}

cold unwind_row eh_frame_row_in(struct memory *memory, uintptr_t pc,
				struct function *function)
{
	struct cfa_program program;
	unwind_row row = ROW_STRANGE;

	*function = (struct function){ 0 };
	if (find_program(memory, pc, &program)) {
		*function = (struct function){ program.start, program.end };
		row = cfa_program_row(&program, pc);
	}
	memory_expect_lasting(memory, false);
	return row;
}

cold unwind_row eh_frame_row(struct memory *memory, uintptr_t pc)
{
	struct function function;

	return eh_frame_row_in(memory, pc, &function);
}
