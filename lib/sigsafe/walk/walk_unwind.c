/*
 * Unwind tables: the accessors libunwind reads through, and the walk.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/walk_unwind.h"

#include "sigsafe/walk/object.h"
#include "sigsafe/walk/return_address.h"
#include "sigsafe/walk/stack_reach.h"
#include "sigsafe/walk/unwind_calls.h"
#include "sigsafe/walk/unwind_table.h"
#include "sigsafe/walk/walk_guess.h"

/* The return address and the frame pointer that was saved. */
#define FRAME_RECORD_BYTES (2 * sizeof(uintptr_t))

/* What the accessors are handed: the walk's registers and memory. */
struct subject {
	const struct registers *registers;
	struct memory stack;
	struct memory tables;
	struct object object; /* the last frame's */
	bool lacks_rules;     /* that frame's code */
	uintptr_t sp, fp;     /* of it */
	uintptr_t least_sp;   /* that the next one can have */
	struct skip_search search;
};

struct unwind_library walk_unwind_library;

static bool is_in(const struct object *object, uintptr_t address)
{
	return address - object->part_start <
	       object->part_end - object->part_start;
}

/* Most frames are in the same object as the frame before. */
static bool move_to(struct subject *subject, uintptr_t pc)
{
	struct object *object = &subject->object;

	if (is_in(object, pc))
		return true;
	if (!object_find(pc, object)) {
		object->part_start = object->part_end = 0;
		return false;
	}
	memory_expect_lasting(&subject->tables, object_stays(object));
	return true;
}

static int find_rules(unw_addr_space_t space, unw_word_t pc,
		      unw_proc_info_t *info, int need_unwind_info,
		      struct subject *subject)
{
	unw_dyn_info_t found = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	struct unwind_entry entry;
	uintptr_t at;

	if (!move_to(subject, pc))
		return -UNW_ENOINFO;
	at = unwind_table_find(&subject->tables, &subject->object, pc, &entry);
	if (!at)
		return -UNW_ENOINFO;
	/* A table of this one entry: libunwind would search word by word. */
	found.start_ip = subject->object.start;
	found.end_ip = subject->object.end;
	found.u.rti.segbase = (unw_word_t)subject->object.unwind_table;
	found.u.rti.table_data = at;
	found.u.rti.table_len = sizeof(entry) / sizeof(unw_word_t);
	return walk_unwind_library.search(space, pc, &found, info,
					  need_unwind_info, subject);
}

static int find_proc_info(unw_addr_space_t space, unw_word_t pc,
			  unw_proc_info_t *info, int need_unwind_info,
			  void *argument)
{
	struct subject *subject = argument;
	int found = find_rules(space, pc, info, need_unwind_info, subject);

	subject->lacks_rules = found < 0;
	return found;
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
	struct memory *memory;

	(void)space;
	memory = is_in(&subject->object, address) ? &subject->tables
						  : &subject->stack;
	if (write || !memory_read(memory, address, value))
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

static enum walk_state cut(struct walk *walk, const struct subject *subject)
{
	walk->lacks_memory |=
		subject->stack.has_failed || subject->tables.has_failed;
	return WALK_CUT;
}

static void begin(struct subject *subject, const struct registers *from)
{
	struct stack_reach reach;

	subject->registers = from;
	subject->object = (struct object){ .start = 0 };
	subject->least_sp = 0;
	subject->search = SKIP_SEARCH;
	/* Where the shim was called, they lie next to the first frames. */
	memory_begin(&subject->stack, from);
	stack_reach_begin(&reach, &subject->stack, from->value[REGISTER_SP]);
	memory_begin(&subject->tables, from);
}

/*
 * A caller found by the frame pointer, which may be no such thing, or that of a
 * caller further up. Most code that is made at run time keeps frame pointers.
 */
static bool guess_is_good(struct walk *walk, struct subject *subject,
			  uintptr_t caller_pc)
{
	if (!walk->has_guessed)
		walk->has_guessed =
			subject->object.part_end ||
			walk_guess_may_skip(&subject->search, &subject->stack,
					    subject->sp, subject->fp);
	/* libunwind goes on as if such a frame were no larger than this. */
	subject->least_sp = subject->fp + FRAME_RECORD_BYTES;
	return return_address_follows_call(caller_pc);
}

/* Notes the frame that is left. */
static int step(struct subject *subject, unw_cursor_t *cursor)
{
	const struct unwind_library *library = &walk_unwind_library;
	unw_word_t sp = 0, fp = 0;

	library->get(cursor, UNW_REG_SP, &sp);
	library->get(cursor, REGISTER_FP, &fp);
	subject->sp = max_u64(sp, subject->least_sp);
	subject->fp = fp;
	return library->step(cursor);
}

static enum walk_state step_up(struct walk *walk, struct subject *subject)
{
	const struct unwind_library *library = &walk_unwind_library;
	enum walk_state state = WALK_GOES_ON;
	struct unwind_escape escape;
	unw_cursor_t cursor;

	unwind_calls_begin(&escape);
	if (__builtin_setjmp(escape.jump))
		return WALK_CUT;
	if (library->init(&cursor, library->space, subject) < 0)
		return WALK_CUT;
	while (state == WALK_GOES_ON) {
		int stepped = step(subject, &cursor);
		unw_word_t pc = 0;

		/* Rules say that a frame is outermost; to have none does not.
		 */
		if (!stepped && !subject->lacks_rules)
			return WALK_COMPLETE;
		if (stepped <= 0 || library->get(&cursor, UNW_REG_IP, &pc))
			return cut(walk, subject);
		if (!pc)
			return WALK_COMPLETE;
		if (subject->lacks_rules && !walk->behind_signal &&
		    !guess_is_good(walk, subject, machine_code_address(pc)))
			return cut(walk, subject);
		state = walk_add(walk, machine_code_address(pc), false);
	}
	return state;
}

enum walk_state walk_unwind_on(struct walk *walk, const struct registers *from)
{
	struct subject subject;
	enum walk_state state;

	begin(&subject, from);
	walk->locator.memory = &subject.stack;
	state = step_up(walk, &subject);
	walk->locator.memory = NULL;
	return state;
}

enum walk_state walk_unwind(struct walk *walk, const struct registers *from)
{
	enum walk_state state = walk_add(walk, from->value[REGISTER_PC], true);

	return state == WALK_GOES_ON ? walk_unwind_on(walk, from) : state;
}
