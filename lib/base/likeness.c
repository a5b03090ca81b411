/*
 * Likeness of words: the edit distance of Damerau and Levenshtein in its
 * restricted form (no letter is edited twice).
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/likeness.h"

#include <string.h>

#include "base/units.h"

#define MAX_WORD 32

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

unsigned word_distance(const char *a, const char *b)
{
	size_t rows = strlen(a);
	size_t columns = strlen(b);
	unsigned d[MAX_WORD][MAX_WORD]; /* d[i][j]: i letters of a, j of b */

	if (rows >= MAX_WORD || columns >= MAX_WORD)
		return MAX_LIKE_DISTANCE + 1;
	for (size_t i = 0; i <= rows; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= columns; j++)
		d[0][j] = (unsigned)j;

	for (size_t i = 1; i <= rows; i++) {
		for (size_t j = 1; j <= columns; j++) {
			bool same = a[i - 1] == b[j - 1];

			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				       d[i - 1][j - 1] + !same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = min3(d[i][j], d[i - 2][j - 2] + 1,
					       d[i][j]);
		}
	}
	return d[rows][columns];
}
