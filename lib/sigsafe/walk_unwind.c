/*
 * Unwind tables: the accessors libunwind reads through, and the walk.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk_unwind.h"

#include "sigsafe/memory.h"
#include "sigsafe/object.h"
#include "sigsafe/unwind_calls.h"
#include "sigsafe/unwind_table.h"

/* What the accessors are handed: the walk's registers and readable memory. */
struct subject {
	const struct registers *registers;
	struct memory memory;
	struct object object; /* the last frame's, and its table or NULL */
	const struct unwind_table *table;
};

struct unwind_library walk_unwind_library;

/* Most frames are in the same object as the frame before. */
static bool move_to(struct subject *subject, uintptr_t pc)
{
	struct object *object = &subject->object;

	if (pc - object->start < object->end - object->start)
		return true;
	if (!object_find(pc, object)) {
		object->start = object->end = 0;
		return false;
	}
	subject->table = unwind_table_of(object, &subject->memory);
	return true;
}

static int find_proc_info(unw_addr_space_t space, unw_word_t pc,
			  unw_proc_info_t *info, int need_unwind_info,
			  void *argument)
{
	struct subject *subject = argument;
	unw_dyn_info_t found = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	const struct unwind_entry *entry;

	if (!move_to(subject, pc) || !subject->table)
		return -UNW_ENOINFO;
	entry = unwind_table_find(subject->table, pc);
	if (!entry)
		return -UNW_ENOINFO;
	/* A table of this one entry: libunwind would search word by word. */
	found.start_ip = subject->object.start;
	found.end_ip = subject->object.end;
	found.u.rti.segbase = (unw_word_t)subject->table;
	found.u.rti.table_data = (unw_word_t)entry;
	found.u.rti.table_len = sizeof(*entry) / sizeof(unw_word_t);
	return walk_unwind_library.search(space, pc, &found, info,
					  need_unwind_info, argument);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info,
			    void *argument)
{
	(void)space;
	(void)info;
	(void)argument;
}

/* Code made at run time may be announced to another copy of libunwind only. */
static int get_dyn_info_list_addr(unw_addr_space_t space, unw_word_t *address,
				  void *argument)
{
	(void)space;
	(void)address;
	(void)argument;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t space, unw_word_t address,
		      unw_word_t *value, int write, void *argument)
{
	struct subject *subject = argument;

	(void)space;
	if (write || !memory_read(&subject->memory, address, value))
		return -UNW_EINVAL;
	return 0;
}

static int access_reg(unw_addr_space_t space, unw_regnum_t number,
		      unw_word_t *value, int write, void *argument)
{
	const struct subject *subject = argument;

	(void)space;
	if (write || number < 0 || number >= REGISTER_COUNT)
		return -UNW_EBADREG;
	*value = subject->registers->value[number];
	return 0;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t number,
			unw_fpreg_t *value, int write, void *argument)
{
	(void)space;
	(void)number;
	(void)value;
	(void)write;
	(void)argument;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *argument)
{
	(void)space;
	(void)cursor;
	(void)argument;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t address, char *name,
			 size_t size, unw_word_t *offset, void *argument)
{
	(void)space;
	(void)address;
	(void)name;
	(void)size;
	(void)offset;
	(void)argument;
	return -UNW_ENOINFO;
}

unw_accessors_t walk_unwind_accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = get_dyn_info_list_addr,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = access_fpreg,
	.resume = resume,
	.get_proc_name = get_proc_name,
};

enum walk_state walk_unwind_on(struct walk *walk, const struct registers *from)
{
	const struct unwind_library *library = &walk_unwind_library;
	struct subject subject = { .registers = from };
	enum walk_state state = WALK_GOES_ON;
	struct unwind_escape escape;
	unw_cursor_t cursor;

	/* Where the shim was called, they lie next to the first frames. */
	memory_begin(&subject.memory, from);
	unwind_calls_begin(&escape);
	if (__builtin_setjmp(escape.jump))
		return WALK_CUT;
	if (library->init(&cursor, library->space, &subject) < 0)
		return WALK_CUT;
	while (state == WALK_GOES_ON) {
		unw_word_t pc = 0;
		int stepped = library->step(&cursor);

		if (stepped < 0)
			return WALK_CUT;
		if (!stepped || library->get(&cursor, UNW_REG_IP, &pc) || !pc)
			return WALK_COMPLETE;
		state = walk_add(walk, machine_code_address(pc), false);
	}
	return state;
}

enum walk_state walk_unwind(struct walk *walk, const struct registers *from)
{
	enum walk_state state = walk_add(walk, from->value[REGISTER_PC], true);

	return state == WALK_GOES_ON ? walk_unwind_on(walk, from) : state;
}
