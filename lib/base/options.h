/*
 * The options: one table of STALLSHIM_* variables that drives parsing, help and
 * documentation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/threshold.h"

enum unwind_choice {
	UNWIND_AUTO,
	UNWIND_LIBUNWIND,
	UNWIND_FP
};
enum quiet_choice {
	QUIET_AUTO,
	QUIET_YES,
	QUIET_NO
};

struct options {
	char output[1024];	      /* STALLSHIM_OUTPUT, not yet expanded */
	char log[1024];		      /* STALLSHIM_LOG, not yet expanded */
	uint32_t log_per_minute;      /* lines in it; 0: no log */
	struct thresholds thresholds; /* STALLSHIM_STALL */
	bool mutex;		      /* STALLSHIM_MUTEX */
	bool waiters;		      /* STALLSHIM_WAITERS */
	uint64_t min_wait_ns;	      /* STALLSHIM_MIN_WAIT */
	uint64_t rate_ns;	      /* STALLSHIM_RATE; 0: every event */
	bool charge_go;		      /* STALLSHIM_CHARGE=go */
	int signal;		      /* STALLSHIM_SIGNAL; 0: auto */
	unsigned depth;		      /* STALLSHIM_DEPTH, 1 to MAX_DEPTH */
	enum unwind_choice unwind;
	uint64_t memory_bytes; /* STALLSHIM_MEMORY */
	bool children;	       /* STALLSHIM_CHILDREN */
	char only[64];	       /* STALLSHIM_ONLY; "": every program */
	enum quiet_choice quiet;
	bool keep_all; /* STALLSHIM_KEEP=all */
	bool help;     /* STALLSHIM_HELP=1 */
};

/* Hears one whole sentence, without newline, about a bad name or value. */
typedef void options_complain(void *ctx, const char *sentence);

/*
 * Fills *out from the STALLSHIM_* variables of environment (NULL-terminated,
 * as environ), defaults where there are none or where one is bad; an empty one
 * is none. Returns the number of complaints. Signal-safe: neither allocates nor
 * changes errno.
 */
int options_read(struct options *out, char *const *environment,
		 options_complain *complain, void *ctx);

/*
 * Sets one option by the name it was written with, STALLSHIM_MIN_WAIT or
 * --min-wait, of which length bytes count; no value: its usual one. Returns the
 * name of its variable, or NULL after a complaint about the name or the value.
 * Signal-safe.
 */
const char *option_set(struct options *out, const char *name, size_t length,
		       const char *value, options_complain *complain,
		       void *ctx);

/* The table as help text, handed to write in pieces. Signal-safe. */
void options_help(void (*write)(void *ctx, const char *text), void *ctx);

#endif
