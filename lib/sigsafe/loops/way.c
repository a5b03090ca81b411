/*
 * Ways to waits: where two of them part, and by which calls one goes on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/way.h"

#include "base/format.h"
#include "sigsafe/live.h"
#include "sigsafe/os/machine.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/stacks/spare_stack.h"
#include "sigsafe/walk/stack.h"

/* So far back in a function's code it is looked for what has been loaded. */
#define LOADED_BYTES 1024

cold void way_find(struct wait_way *way, const struct call_site *wait)
{
	way->depth = 0;
	if (way->found == WAYS)
		return;
	way->found++;
	way->depth = stack_calls(wait, UINTPTR_MAX, WAY_DEPTH, way->frame, NULL)
			     .depth;
}

/* The return address that a frame's word stands for; 0: in no known object. */
static uintptr_t return_address(uint64_t frame)
{
	const struct module_record *module =
		live_records(live_recording(), SECTION_MODULES);
	uint32_t number = FRAME_MODULE(frame);

	return number ? module[number].bias + FRAME_OFFSET(frame) : 0;
}

static uintptr_t function_at(uintptr_t pc)
{
	struct frame_shape known[FRAME_SHAPES] = { 0 };

	return pc ? frame_shape_of(known, pc)->function : 0;
}

/*
 * Has the function taken the address of that other one from where a linker has
 * put it? It may have kept it in a register, to call that several times.
 */
static bool has_loaded(struct memory *memory, uintptr_t pc, uintptr_t other)
{
	uintptr_t at = function_at(pc), from;
	uint64_t code, value;

	if (!at || !other)
		return false;
	if (pc - at > LOADED_BYTES)
		at = pc - LOADED_BYTES;
	for (; at < pc && memory_read(memory, at, &code); at++) {
		from = machine_loaded_from(code, at);
		if (from && memory_read(memory, from, &value) && value == other)
			return true;
	}
	return false;
}

/* Is the frame's call one of a fixed function, by which callee was entered? */
static bool is_fixed(struct memory *memory, uint64_t frame, uint64_t callee)
{
	uintptr_t pc = return_address(frame);
	uint64_t code;

	if (!pc || !memory_read(memory, pc - sizeof(code), &code))
		return false;
	return machine_is_direct_call(code) ||
	       has_loaded(memory, pc, function_at(return_address(callee)));
}

static bool are_in_one_function(uint64_t frame, uint64_t other)
{
	uintptr_t function = function_at(return_address(frame));

	return function && function == function_at(return_address(other));
}

/* Two ways, and whether they part as way_beside() asks. */
struct parting {
	const struct wait_way *way;
	const struct call_site *call;
	uint32_t calls; /* the result */
};

static void look(void *argument)
{
	struct parting *parting = argument;
	const uint64_t *other = parting->way->frame;
	uint64_t frame[WAY_DEPTH];
	uint32_t n =
		stack_calls(parting->call, UINTPTR_MAX, WAY_DEPTH, frame, NULL)
			.depth;
	uint32_t i = parting->way->depth;
	struct memory memory;

	/* What has more frames does not begin where the thread does. */
	if (n == WAY_DEPTH || i == WAY_DEPTH)
		return;
	while (n && i && frame[n - 1] == other[i - 1])
		n--, i--;
	if (!n || !i || !are_in_one_function(frame[n - 1], other[i - 1]))
		return;
	memory_begin(&memory, &memory);
	/* The innermost call is the one that is being made. */
	while (--n && is_fixed(&memory, frame[n], frame[n - 1]))
		;
	parting->calls = n ? 0 : i;
}

cold uint32_t way_beside(const struct wait_way *way,
			 const struct call_site *call)
{
	struct parting parting = { way, call, 0 };

	spare_stack_call_by_hook(NULL, look, &parting);
	return parting.calls;
}
