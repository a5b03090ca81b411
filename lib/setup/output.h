/*
 * Where results go: STALLSHIM_OUTPUT expanded to a prefix no file bears yet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_OUTPUT_H
#define SETUP_OUTPUT_H

#include "base/units.h"

#define PREFIX_BYTES 1200
#define SUFFIX_BYTES 16 /* ".mutex.txt" and its like */

/* What the % words of STALLSHIM_OUTPUT stand for. */
struct output_values {
	const char *directory; /* absolute: for a relative STALLSHIM_OUTPUT */
	const char *comm;      /* %e */
	const char *host;      /* %h */
	uint64_t pid;	       /* %p */
	uint64_t start_s;      /* %t, seconds since 1970 */
};

/*
 * Expands pattern into prefix, for the attempt-th time (from 0): %n is attempt;
 * without a %n the later ones end in .1, .2, ... False: too long.
 * Signal-safe.
 */
bool output_prefix(char prefix[PREFIX_BYTES], const char *pattern,
		   const struct output_values *values, unsigned attempt);

#endif
