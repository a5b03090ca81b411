/*
 * A pen: puts numbers, names, durations and dates into words, and hands them
 * on in pieces. Owns its small buffer only; allocates nothing. Signal-safe if
 * where it writes is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_PEN_H
#define BASE_PEN_H

#include "base/text.h"

struct pen {
	const struct text_out *out;
	size_t used; /* bytes not handed on yet */
	char bytes[512];
};

static inline struct pen pen_for(const struct text_out *out)
{
	return (struct pen){ .out = out };
}

/* Hands on what is left: the last thing done with a pen. */
void pen_flush(struct pen *pen);

void pen_text(struct pen *pen, const char *text);

/*
 * A name the host chose, at most limit bytes long, as one word: spaces, control
 * characters, those that turn the direction of writing, bytes that are no UTF-8
 * (RFC 3629), and \ become \ooo (octal), an empty name becomes -.
 */
void pen_word(struct pen *pen, const char *name, size_t limit);

/* The same, but spaces stay: where a name ends at a tab or the line's end. */
void pen_name(struct pen *pen, const char *name, size_t limit);

/* A decimal number between two texts, as in " busy=", 12, "ns". */
void pen_number(struct pen *pen, const char *before, uint64_t value,
		const char *after);

/* Lower-case, at least digits digits, at most 16. */
void pen_hex(struct pen *pen, uint64_t value, unsigned digits);

/* Exactly, in the largest unit up to a second: 10ms, 1.5s, 250us. */
void pen_duration(struct pen *pen, uint64_t ns);

/* For people: three digits at most where there are more: 7.9ms, 61s, 2.5h. */
void pen_duration_rounded(struct pen *pen, uint64_t ns);

/* 10ms; or off for 0. */
void pen_threshold(struct pen *pen, uint64_t stall_ns);

/* As they are read (base/threshold.h): 10ms,worker*=100ms,logger=off. */
void pen_thresholds(struct pen *pen, const struct thresholds *thresholds);

/* What pen_duration_rounded() says, in nanoseconds. */
uint64_t duration_rounded(uint64_t ns);

/* Below limit_ns, and rounded up to it? Then it is to be said exactly. */
static inline bool duration_rounds_up_to(uint64_t ns, uint64_t limit_ns)
{
	return ns < limit_ns && duration_rounded(ns) >= limit_ns;
}

/* A moment since 1970 as 2026-01-02T03:04:05Z. */
void pen_utc(struct pen *pen, uint64_t realtime_ns);

#endif
