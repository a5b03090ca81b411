/*
 * Quantities: a decimal number and its unit, without floating point.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/quantity.h"

#include <string.h>

struct unit {
	const char *name;
	uint64_t worth;
};

/* A number without a unit is refused, except 0, which needs none. */
static const struct unit time_units[] = {
	{ "ns", 1 },	   { "us", NS_PER_US }, { "ms", NS_PER_MS },
	{ "s", NS_PER_S }, { NULL, 0 },
};

static const struct unit size_units[] = {
	{ "K", UINT64_C(1) << 10 },
	{ "M", UINT64_C(1) << 20 },
	{ "G", UINT64_C(1) << 30 },
	{ NULL, 0 },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits from *at on; false where there are none or too many. */
static bool read_digits(const char **at, uint64_t *value)
{
	const char *first = *at;

	*value = 0;
	for (; is_digit(**at); (*at)++) {
		uint64_t digit = (uint64_t)(**at - '0');

		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, digit, value))
			return false;
	}
	return *at > first;
}

static uint64_t worth_of(const char *name, const struct unit *units)
{
	for (; units->name; units++) {
		if (!strcmp(name, units->name))
			return units->worth;
	}
	return 0;
}

#define PARTS UINT64_C(1000000000) /* nine digits behind the point */

/* Reads the digits behind the point, as so many of PARTS. */
static bool read_fraction(const char **at, uint64_t *parts)
{
	uint64_t worth = PARTS / 10;

	*parts = 0;
	if (!is_digit(**at))
		return false;
	for (; is_digit(**at); (*at)++, worth /= 10)
		*parts += (uint64_t)(**at - '0') * worth;
	return true;
}

static bool read_quantity(const char *text, const struct unit *units,
			  uint64_t *value)
{
	uint64_t whole;
	uint64_t parts = 0;
	uint64_t worth;

	if (!read_digits(&text, &whole))
		return false;
	if (*text == '.') {
		text++;
		if (!read_fraction(&text, &parts))
			return false;
	}
	worth = worth_of(text, units);
	if (!worth && (*text || whole || parts))
		return false;
	if (__builtin_mul_overflow(whole, worth, &whole))
		return false;
	return !__builtin_add_overflow(whole, parts * worth / PARTS, value);
}

bool quantity_time(const char *text, uint64_t *ns)
{
	return read_quantity(text, time_units, ns);
}

bool quantity_size(const char *text, uint64_t *bytes)
{
	return read_quantity(text, size_units, bytes);
}

bool quantity_count(const char *text, uint64_t *count)
{
	return read_digits(&text, count) && !*text;
}
