/*
 * Likeness of words, for "did you mean ...?". Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LIKENESS_H
#define BASE_LIKENESS_H

#include <stddef.h>

/*
 * The least number of letters to add, leave out, change or swap with their
 * neighbour to make one word of the other. Words over 31 letters are like
 * nothing.
 */
unsigned word_distance(const char *a, const char *b);

/* Words further apart than this are not alike. */
#define MAX_LIKE_DISTANCE 3u

/* The distance up to which a word of so many letters is alike: 1 up to that. */
static inline unsigned like_distance(size_t letters)
{
	return letters < 4 ? 1 : letters < 8 ? 2 : MAX_LIKE_DISTANCE;
}

#endif
