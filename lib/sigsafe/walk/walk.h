/*
 * A walk: the frames of one stack as they are found, leaf first. Decides which
 * frames are kept. Signal-safe.
 *
 * Left out are frames in the shim itself, and where the walk begins in the shim
 * (caller is given) all frames up to the one that returns to caller; and what
 * is called by a function of the shim that continues a call, as the host has
 * not called that.
 *
 * Warm, which is over functions that have been met before, in objects that the
 * program started with and up the thread's own stack by ways it knows, a walk
 * by rows makes no system call, takes no lock and allocates nothing
 * (test/unit/test_walk_quiet.c). Otherwise what it reads is proven or copied by
 * the kernel, by calls that change nothing (sigsafe/os/memory.h):
 *
 *   an object loaded later   a copy each time the walk comes to it from another
 *                            one, to see that it is still the same
 *   a function met first     two proofs on average, for its rules; in an object
 *                            loaded later some ten copies
 *   an object met first      some ten copies, for its name and headers
 *   a stack not its own      a copy for every 256 bytes with frames
 *   the own stack, deeper    a proof a page, 64 a walk at most; once
 *   than any walk before
 *   a way up the own stack   as a stack not its own, up to the next page that
 *   that is new to it        it knows a way to; once
 * (sigsafe/walk/stack_reach.h) code outside of objects  a proof and a copy a
 * frame faults perhaps blocked   two calls, where a hook walks, to open them
 *                            (sigsafe/signals/fault_mask.h)
 *   a hook at a place that   four calls, to walk elsewhere, and once a walk up
 *   is not known to be on    to where the thread began
 * (sigsafe/stacks/own_place.h) the own stack
 *
 * A proof is one system call, a copy two. However bad the stack and the tables,
 * a walk makes less than 22,000 calls (6,250 by rows, 12,500 by libunwind,
 * 2,400 to look up objects, three a frame, and 64 for its stack), twice as many
 * where a filter answers in the kernel's place; reads no more than 600,000
 * words and keeps no more than 128 frames. What rows can't say takes a turn of
 * the walker (sigsafe/walk/walker.h), tried for 500 times in a handler and
 * 2,000 times in a hook.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_WALK_H
#define SIGSAFE_WALK_WALK_H

#include "sigsafe/os/memory.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/record/stack_table.h"

/* Frames left out before a walk that meets no other is given up. */
#define WALK_MAX_LEFT_OUT 64u

enum walk_state {
	WALK_GOES_ON,
	WALK_COMPLETE, /* the outermost frame, or all that are wanted */
	WALK_CUT       /* the next frame could not be found */
};

struct walk {
	struct locator locator;
	uintptr_t awaited; /* return address to begin at; 0: met already */
	unsigned wanted;   /* frames to keep */
	uintptr_t top;	   /* a frame that ends at or above it is the last */
	unsigned depth;	   /* frames kept */
	unsigned seen;	   /* frames kept or left out */
	/* The frame added last returns from a signal handler. */
	bool behind_signal;
	bool has_met_top;
	uintptr_t top_pc;  /* that one's return address, if has_met_top */
	bool lacks_memory; /* something on the way could not be read */
	/* A caller, where code has no rules. The first for others to set. */
	bool may_guess, has_guessed;
	uint64_t hash; /* of the frames kept, as in sigsafe/record/stack_table.h
			*/
	/* The same behind the last signal frame: what is known to be kept. */
	unsigned sure_depth;
	uint64_t sure_hash;
	uint64_t *frame; /* they, as in base/format.h; NULL: not stored */
};

/*
 * caller: 0, or the return address the stack begins with. frame: room for all
 * that are wanted; or NULL.
 */
void walk_begin(struct walk *walk, struct recording *recording,
		uintptr_t caller, unsigned wanted, uint64_t *frame);

/* The shim's own object. Written by walk_leave_out(), in the constructor. */
extern struct walk_own {
	uintptr_t start, end;
} walk_own;

/* A frame that a walk has come to. */
struct walk_frame {
	uintptr_t pc;
	bool exact;
	/* By walk_meet(). */
	bool is_wanted;
	struct place place;
	uint64_t key; /* of its row (sigsafe/walk/row_cache.h); 0: not to be
			 kept */
};

static inline bool walk_is_own(uintptr_t pc)
{
	return pc - walk_own.start < walk_own.end - walk_own.start;
}

/* Of a function of the shim that continues a call which a tick has broken. */
#define CONTINUES_A_CALL                                                       \
	cold __attribute__((noclone, section("stallshim_continues")))

/* Where these lie. Written by walk_leave_out_called(). */
extern struct walk_own walk_continues;

static inline bool walk_is_continued(uintptr_t pc)
{
	return pc - walk_continues.start <
	       walk_continues.end - walk_continues.start;
}

/* Points behind the instruction: a return address does, if not exact. */
static inline uint64_t walk_word(struct place place, bool exact)
{
	return exact ? (place.word + 1) | FRAME_EXACT : place.word;
}

/*
 * Adding a frame in two steps, for a walk that looks up its row in between:
 * where it is, and then whether it is kept. Inlined: they are most of a walk.
 */
static inline void walk_meet(struct walk *walk, struct walk_frame *frame)
{
	unsigned behind = !frame->exact;
	uintptr_t pc = frame->pc;

	walk->seen++;
	if (walk->awaited == pc)
		walk->awaited = 0;
	frame->is_wanted = !walk->awaited;
	if (walk_is_own(pc)) {
		/* Never in the table of modules, and never unloaded. */
		frame->is_wanted = false;
		frame->place = (struct place){ .word = 0 };
		frame->key =
			frame_pack(MAX_MODULES, pc - walk_own.start - behind);
		return;
	}
	frame->place = modules_locate(&walk->locator, pc, behind);
	frame->key = frame->place.module && walk->locator.last.is_sure
			     ? frame->place.word - behind
			     : 0;
}

static inline enum walk_state walk_keep(struct walk *walk,
					const struct walk_frame *frame,
					bool returns_from_signal)
{
	uint64_t word;

	walk->behind_signal = false;
	if (walk->seen > walk->depth + WALK_MAX_LEFT_OUT)
		return WALK_CUT;
	if (!frame->is_wanted) {
		if (unlikely(walk_is_continued(frame->pc))) {
			walk->depth = walk->sure_depth;
			walk->hash = walk->sure_hash;
		}
		return WALK_GOES_ON;
	}
	/* Code made at run time, or no code at all. */
	if (!frame->place.is_in_object &&
	    !memory_is_readable((const void *)(frame->pc - !frame->exact), 1))
		return WALK_CUT;
	walk->behind_signal = returns_from_signal;
	/* That code's address was put there by the kernel, not by a call. */
	word = walk_word(frame->place, frame->exact || returns_from_signal);
	walk->hash = stack_hash_add(walk->hash, word);
	if (walk->frame)
		walk->frame[walk->depth] = word;
	walk->depth++;
	if (unlikely(returns_from_signal)) {
		walk->sure_depth = walk->depth;
		walk->sure_hash = walk->hash;
	}
	return walk->depth < walk->wanted ? WALK_GOES_ON : WALK_COMPLETE;
}

/*
 * Adds the next frame, by its return address; or by its program counter, if
 * exact or if the frame added before it returns from a signal handler.
 */
enum walk_state walk_add(struct walk *walk, uintptr_t pc, bool exact);

/* Is its program counter the way back from a signal handler? */
bool walk_returns_from_signal(const struct walk_frame *frame);

/* A frame that is kept whatever it is: the one a stack has at least. */
uint64_t walk_first_frame(struct recording *recording, uintptr_t pc,
			  bool exact);

/*
 * Where the shim itself lies: frames there are left out. Called once, at the
 * start; not called where the shim is linked into a program.
 */
void walk_leave_out(uintptr_t start, uintptr_t end);

/* Where its functions lie that continue a call; or not called, as above. */
void walk_leave_out_called(uintptr_t start, uintptr_t end);

#endif
