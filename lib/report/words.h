/*
 * Numbers and names in words, for people. Strings live in the arena. Not
 * signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/threshold.h"
#include "report/arena.h"

/* Rounded: 7.9ms, 61s, 2.5h. */
const char *words_duration(struct arena *arena, uint64_t ns);

/* As it is: 10ms, 1.5s. */
const char *words_duration_exact(struct arena *arena, uint64_t ns);

/* 10ms, or with those by name 10ms,worker*=100ms,logger=off. */
const char *words_thresholds(struct arena *arena,
			     const struct thresholds *thresholds);

/* "1 stall", "12 stalls" */
const char *words_count(struct arena *arena, uint64_t count, const char *noun);

/* 83.2%, and - where there is no whole. */
const char *words_share(struct arena *arena, uint64_t part, uint64_t whole);

/* The number, and - for 0. */
const char *words_number(struct arena *arena, uint64_t number);

/*
 * A name that the program, or the file, has chosen, for a line of a terminal:
 * as pen_name() writes it, but nothing where it is empty.
 */
const char *words_name(struct arena *arena, const char *name);

/* 2026-01-02 03:04:05 UTC */
const char *words_moment(struct arena *arena, uint64_t realtime_ns);

#endif
