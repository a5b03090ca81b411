/*
 * The shape of a function's frame at one of its calls: where the frame ends,
 * told from the registers at the call alone. So frames can be compared that
 * have returned long since. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_FRAME_SHAPE_H
#define SIGSAFE_WALK_FRAME_SHAPE_H

#include "sigsafe/os/machine.h"

/* Where a function was called from: what its caller's frame is found by. */
struct call_site {
	uintptr_t pc; /* the return address */
	uintptr_t sp; /* once the call has returned */
	uintptr_t fp;
};

/* Of the function it stands in, which is compiled to have a frame pointer. */
#define CALL_SITE_HERE                                                         \
	((struct call_site){ (uintptr_t)__builtin_return_address(0),           \
			     (uintptr_t)__builtin_dwarf_cfa(),                 \
			     *(const uintptr_t *)__builtin_frame_address(0) })

/* As if the function had been interrupted at the call. */
static inline void call_site_registers(const struct call_site *call,
				       struct registers *registers)
{
	*registers = (struct registers){
		.value[REGISTER_PC] = call->pc - 1,
		.value[REGISTER_SP] = call->sp,
		.value[REGISTER_FP] = call->fp,
	};
}

struct frame_shape {
	uintptr_t pc;	    /* the call's return address; 0: none */
	uintptr_t function; /* where its function starts; 0: unknown */
	uint32_t bytes;	    /* from the register to the end; 0: unknown */
	bool by_fp;	    /* the register is the frame pointer */
};

/* Calls lately made, by their return addresses: a thread's own. */
#define FRAME_SHAPES 4

/*
 * The shape at a call that is being made, so that its object stays meanwhile;
 * known: FRAME_SHAPES of them, those found before.
 */
const struct frame_shape *frame_shape_of(struct frame_shape *known,
					 uintptr_t pc);

/*
 * Where the frame that made the call ends: its caller's stack pointer. 0: not
 * known.
 */
static inline uintptr_t frame_end(const struct frame_shape *shape,
				  const struct call_site *call)
{
	if (!shape->bytes)
		return 0;
	return (shape->by_fp ? call->fp : call->sp) + shape->bytes;
}

#endif
