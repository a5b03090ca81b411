/*
 * The decoder: what the parts of decoding share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_DECODER_H
#define REPORT_DECODER_H

#include <string.h>

#include "report/process.h"
#include "report/words.h"

struct decoder {
	struct process *process;
	const struct recording *rec;
	uint64_t now_ns;
	struct module *modules; /* by index in SECTION_MODULES */
	struct lock **lock;	/* by index in SECTION_LOCKS; NULL: none */
	struct stack **stack;	/* by place in the arena; NULL: not met yet */
};

static inline char *decode_string(struct decoder *d, const char *text)
{
	return arena_string(&d->process->arena, text, strlen(text));
}

/* A thread's or a program's name. */
static inline const char *decode_name(struct decoder *d, const char *text)
{
	return words_name(&d->process->arena, text);
}

static inline void *decode_alloc(struct decoder *d, size_t count, size_t size)
{
	return arena_alloc(&d->process->arena, count, size);
}

static inline uint64_t time_since(uint64_t then_ns, uint64_t now_ns)
{
	return now_ns - min_u64(then_ns, now_ns);
}

/*
 * The stack at a place of the arena, decoded once however often it is asked
 * for; NULL where there is none.
 */
struct stack *decode_stack(struct decoder *d, uint32_t place);

/* The name of a call as base/cause.h has it; "" for CALL_NONE. */
const char *decode_call(struct decoder *d, uint32_t call);

/* The module of a frame, or NULL: none, so that its offset is the address. */
struct module *decode_module(struct decoder *d, uint64_t frame);

/* The locks that were waited for, and the law. */
void decode_locks(struct decoder *d);

/* The waits that had not ended; the locks have been decoded. */
void decode_open_waits(struct decoder *d);

/* The threads that are loops, or did not come back to their wait. */
void decode_loops(struct decoder *d);

/* The timeline. */
void decode_stalls(struct decoder *d);

#endif
