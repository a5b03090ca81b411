/*
 * Thresholds by name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/threshold.h"

#include <string.h>

#include "base/quantity.h"
#include "base/wildcard.h"

/* A faster timer would itself be the load of a loop that is late. */
#define MIN_STALL_NS (100 * NS_PER_US)
#define MAX_STALL_NS (3600 * NS_PER_S)

uint64_t threshold_of(const struct thresholds *thresholds, const char *name)
{
	for (uint32_t i = 0; i < thresholds->count; i++) {
		if (wildcard_matches(thresholds->named[i].pattern, name))
			return thresholds->named[i].stall_ns;
	}
	return thresholds->others_ns;
}

bool threshold_is_any(const struct thresholds *thresholds)
{
	uint64_t any_ns = thresholds->others_ns;

	for (uint32_t i = 0; i < thresholds->count; i++)
		any_ns |= thresholds->named[i].stall_ns;
	return any_ns;
}

static bool read_time(const char *value, uint64_t *stall_ns)
{
	if (!strcmp(value, "off"))
		value = "0";
	return quantity_time(value, stall_ns) &&
	       (!*stall_ns || *stall_ns >= MIN_STALL_NS) &&
	       *stall_ns <= MAX_STALL_NS;
}

/* PATTERN=TIME; equals: where its = is. */
static bool read_named(struct thresholds *out, const char *word,
		       const char *equals)
{
	struct named_threshold *named = &out->named[out->count];
	size_t length = (size_t)(equals - word);

	if (!length || length >= PATTERN_BYTES || out->count == MAX_THRESHOLDS)
		return false;
	memcpy(named->pattern, word, length);
	named->pattern[length] = '\0';
	out->count++;
	return read_time(equals + 1, &named->stall_ns);
}

/* Only the first word can be for all others. */
static bool read_word(struct thresholds *out, const char *word, bool is_first)
{
	const char *equals = strchr(word, '=');

	if (equals)
		return read_named(out, word, equals);
	return is_first && read_time(word, &out->others_ns);
}

bool thresholds_read(struct thresholds *out, const char *value)
{
	struct thresholds read = { .others_ns = out->others_ns };
	char word[PATTERN_BYTES + 32];
	bool is_first = true, is_last;

	do {
		const char *comma;
		size_t length;

		while (*value == ' ')
			value++;
		comma = strchrnul(value, ',');
		length = (size_t)(comma - value);

		if (length >= sizeof(word))
			return false;
		memcpy(word, value, length);
		word[length] = '\0';
		if (!read_word(&read, word, is_first))
			return false;
		is_first = false;
		is_last = !*comma;
		value = comma + 1;
	} while (!is_last);
	*out = read;
	return true;
}
