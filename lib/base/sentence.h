/*
 * A sentence: put together in a fixed room, cut where it would not fit.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_SENTENCE_H
#define BASE_SENTENCE_H

#include "base/units.h"

struct sentence {
	char text[512]; /* always ends in a zero byte */
	size_t length;
};

static inline void say_bytes(struct sentence *sentence, const char *bytes,
			     size_t length)
{
	size_t room = sizeof(sentence->text) - 1 - sentence->length;
	size_t kept = length < room ? length : room;

	__builtin_memcpy(sentence->text + sentence->length, bytes, kept);
	sentence->length += kept;
	sentence->text[sentence->length] = '\0';
}

static inline void say_text(struct sentence *sentence, const char *text)
{
	say_bytes(sentence, text, __builtin_strlen(text));
}

#endif
