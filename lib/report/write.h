/*
 * The report of one process, for people: its parts in the order they stand in.
 * Not signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include <stdio.h>

#include "report/profile.h"
#include "report/symbols.h"

struct report {
	FILE *out;
	struct process *process;
	const struct symbols *symbols;
	size_t top;	   /* items shown of each list */
	bool shows_small;  /* also those of less than a hundredth */
	bool shows_stacks; /* of each stall in the timeline */
};

/* All stacks of the process have been named. */
void write_report(const struct report *report);

/* Which process it was, and how it ended. */
void write_head(const struct report *report);

/* Loops, stalls, and the code that stalled them. */
void write_stalls(const struct report *report);

/* How long the runs of each loop took. */
void write_runs(const struct report *report);

/* A sentence on what is not like most in a thread. */
void write_remarks(const struct report *report);

/* The stalls in order of time. */
void write_timeline(const struct report *report,
		    const struct culprits *culprits);

/* Locks, who made others wait, and who waited. */
void write_locks(const struct report *report);

/* What was lost, and what has no name. */
void write_gaps(const struct report *report);

/*
 * The call at place in words: "parse_config (server.c:88)", and where it has no
 * name "app+0x1234, under parse_config (server.c:88)".
 */
const char *headline_text(const struct report *report,
			  const struct stack *stack, uint32_t place);

/* The stack, a call a line, the one at marked with a >. */
void write_stack(const struct report *report, const struct stack *stack,
		 uint32_t marked);

/* The heaviest stack, a call a line, the function to blame marked. */
void write_blamed_stack(const struct report *report, const struct blame *blame);

/* "... and 7 more, 12ms in all" where not all were shown. */
void write_rest(const struct report *report, const struct profile *profile,
		size_t shown);

#endif
