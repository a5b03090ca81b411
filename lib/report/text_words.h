/*
 * The words of a comment line of a text: key=value, with spaces between.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_TEXT_WORDS_H
#define REPORT_TEXT_WORDS_H

#include "base/units.h"

#define MAX_WORDS 32 /* a loop's line has the most: 18 */

struct text_words {
	size_t count;
	struct {
		const char *key;
		const char *value;
	} word[MAX_WORDS];
};

/* Takes line apart, in place, without its last full stop. */
struct text_words text_words_of(char *line);

/* The value of key, "" where there is none. */
const char *text_word(const struct text_words *words, const char *key);

/* The number in front of a value; its unit is ns or none. */
uint64_t text_number(const struct text_words *words, const char *key);

/* Puts the \ooo of a name back into bytes, in place. */
char *text_unescape(char *name);

#endif
