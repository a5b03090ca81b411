/*
 * The words of a comment line of a text: the inverse of lib/base/pen.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/text_words.h"

#include <stdlib.h>
#include <string.h>

static bool is_octal(const char *digits)
{
	return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' &&
	       digits[1] <= '7' && digits[2] >= '0' && digits[2] <= '7';
}

char *text_unescape(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		if (*from == '\\' && is_octal(from + 1)) {
			*to++ = (char)((from[1] - '0') << 6 |
				       (from[2] - '0') << 3 | (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return name;
}

struct text_words text_words_of(char *line)
{
	struct text_words words = { .count = 0 };
	size_t length = strlen(line);
	char *word;

	if (length && line[length - 1] == '.')
		line[length - 1] = '\0';
	while (words.count < MAX_WORDS && (word = strsep(&line, " "))) {
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		*equals = '\0';
		words.word[words.count].key = word;
		words.word[words.count].value = text_unescape(equals + 1);
		words.count++;
	}
	return words;
}

const char *text_word(const struct text_words *words, const char *key)
{
	for (size_t i = 0; i < words->count; i++) {
		if (!strcmp(words->word[i].key, key))
			return words->word[i].value;
	}
	return "";
}

uint64_t text_number(const struct text_words *words, const char *key)
{
	return strtoull(text_word(words, key), NULL, 10);
}
