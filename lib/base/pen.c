/*
 * The pen: how numbers, names, durations and dates are written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/pen.h"

#include <string.h>

struct unit {
	const char *name;
	uint64_t ns;
	uint64_t from_ns; /* smaller values are told in the next unit */
};

#define NS_PER_MIN (60 * NS_PER_S)
#define NS_PER_H   (60 * NS_PER_MIN)

static const struct unit units[] = {
	{ "h", NS_PER_H, 2 * NS_PER_H }, { "min", NS_PER_MIN, 2 * NS_PER_MIN },
	{ "s", NS_PER_S, NS_PER_S },	 { "ms", NS_PER_MS, NS_PER_MS },
	{ "us", NS_PER_US, NS_PER_US },	 { "ns", 1, 0 },
};

#define FIRST_DECIMAL_UNIT 2 /* in units[]: seconds */

void pen_flush(struct pen *pen)
{
	if (pen->used)
		pen->out->write(pen->out->ctx, pen->bytes, pen->used);
	pen->used = 0;
}

static void pen_byte(struct pen *pen, char byte)
{
	if (pen->used == sizeof(pen->bytes))
		pen_flush(pen);
	pen->bytes[pen->used++] = byte;
}

void pen_text(struct pen *pen, const char *text)
{
	while (*text)
		pen_byte(pen, *text++);
}

static void pen_escaped(struct pen *pen, char c)
{
	unsigned value = (unsigned char)c;

	pen_byte(pen, '\\');
	pen_byte(pen, (char)('0' + (value >> 6)));
	pen_byte(pen, (char)('0' + (value >> 3 & 7)));
	pen_byte(pen, (char)('0' + (value & 7)));
}

/* What would move a terminal's cursor, or what stands beside it in a line. */
static bool moves_others(uint32_t c)
{
	return (c >= 0x80 && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/*
 * The length of the character of UTF-8 (RFC 3629) at name, of which limit bytes
 * may be read; 0 where there is none of several bytes that can be shown.
 */
static size_t wide_length(const char *name, size_t limit)
{
	static const uint32_t least[] = { 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)name;
	size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
	uint32_t c = byte[0] & (0x7fu >> length);

	if (byte[0] < 0xc0 || byte[0] > 0xf7 || length > limit)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (byte[i] & 0x3f);
	}
	if (c < least[length - 2] || c > 0x10ffff ||
	    (c >= 0xd800 && c < 0xe000) || moves_others(c))
		return 0;
	return length;
}

static bool is_plain(unsigned char c, unsigned char first_plain)
{
	return c >= first_plain && c < 0x7f && c != '\\';
}

static void pen_foreign(struct pen *pen, const char *name, size_t limit,
			unsigned char first_plain)
{
	size_t i = 0;

	if (!limit || !*name)
		pen_byte(pen, '-');
	while (i < limit && name[i]) {
		size_t wide = wide_length(name + i, limit - i);

		if (!wide && !is_plain((unsigned char)name[i], first_plain)) {
			pen_escaped(pen, name[i++]);
			continue;
		}
		do
			pen_byte(pen, name[i++]);
		while (wide && --wide);
	}
}

void pen_word(struct pen *pen, const char *name, size_t limit)
{
	pen_foreign(pen, name, limit, ' ' + 1);
}

void pen_name(struct pen *pen, const char *name, size_t limit)
{
	pen_foreign(pen, name, limit, ' ');
}

/* At least so many digits. */
static void pen_decimal(struct pen *pen, uint64_t value, unsigned at_least)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value || n < at_least);
	while (n)
		pen_byte(pen, digits[--n]);
}

void pen_number(struct pen *pen, const char *before, uint64_t value,
		const char *after)
{
	pen_text(pen, before);
	pen_decimal(pen, value, 1);
	pen_text(pen, after);
}

void pen_hex(struct pen *pen, uint64_t value, unsigned digits)
{
	unsigned n = digits;

	while (n < 16 && value >> 4 * n)
		n++;
	while (n--)
		pen_byte(pen, "0123456789abcdef"[value >> 4 * n & 15]);
}

static const struct unit *unit_of(uint64_t ns, const struct unit *largest)
{
	while (ns < largest->from_ns)
		largest++;
	return largest;
}

/* ns in unit, with as many decimals as it takes: nine are a nanosecond's. */
static void pen_in_unit(struct pen *pen, uint64_t ns, const struct unit *unit)
{
	uint64_t rest = ns % unit->ns;
	int digits;

	pen_decimal(pen, ns / unit->ns, 1);
	if (rest)
		pen_byte(pen, '.');
	for (digits = 0; rest && digits < 9; digits++) {
		pen_decimal(pen, rest * 10 / unit->ns, 1);
		rest = rest * 10 % unit->ns;
	}
	pen_text(pen, unit->name);
}

void pen_duration(struct pen *pen, uint64_t ns)
{
	pen_in_unit(pen, ns, unit_of(ns, &units[FIRST_DECIMAL_UNIT]));
}

void pen_threshold(struct pen *pen, uint64_t stall_ns)
{
	if (stall_ns)
		pen_duration(pen, stall_ns);
	else
		pen_text(pen, "off");
}

void pen_thresholds(struct pen *pen, const struct thresholds *thresholds)
{
	pen_threshold(pen, thresholds->others_ns);
	for (uint32_t i = 0; i < thresholds->count; i++) {
		pen_byte(pen, ',');
		pen_word(pen, thresholds->named[i].pattern, PATTERN_BYTES);
		pen_byte(pen, '=');
		pen_threshold(pen, thresholds->named[i].stall_ns);
	}
}

/* Seconds are told to 10 ms, so that what is listed can be told apart. */
static uint64_t step_of(uint64_t ns)
{
	const struct unit *unit = unit_of(ns, units);

	if (unit->ns == NS_PER_S && ns < 10 * NS_PER_S)
		return NS_PER_S / 100;
	return ns < 100 * unit->ns && unit->ns > 1 ? unit->ns / 10 : unit->ns;
}

uint64_t duration_rounded(uint64_t ns)
{
	uint64_t step = step_of(ns);
	uint64_t rest = ns % step;
	bool is_up = rest >= (step + 1) / 2 && ns - rest <= UINT64_MAX - step;

	return ns - rest + (is_up ? step : 0);
}

void pen_duration_rounded(struct pen *pen, uint64_t ns)
{
	uint64_t rounded = duration_rounded(ns);

	pen_in_unit(pen, rounded, unit_of(rounded, units));
}

static bool is_leap(unsigned year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_of_month(unsigned month, unsigned year)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30,
					      31, 31, 30, 31, 30, 31 };

	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Counted by hand: gmtime_r() takes a lock and may allocate. */
static void pen_date(struct pen *pen, uint64_t days)
{
	unsigned year = 1970;
	unsigned month = 1;

	for (; days >= (is_leap(year) ? 366 : 365); year++)
		days -= is_leap(year) ? 366 : 365;
	for (; days >= days_of_month(month, year); month++)
		days -= days_of_month(month, year);
	pen_decimal(pen, year, 4);
	pen_byte(pen, '-');
	pen_decimal(pen, month, 2);
	pen_byte(pen, '-');
	pen_decimal(pen, days + 1, 2);
}

void pen_utc(struct pen *pen, uint64_t realtime_ns)
{
	uint64_t s = realtime_ns / NS_PER_S;

	pen_date(pen, s / 86400);
	pen_byte(pen, 'T');
	pen_decimal(pen, s / 3600 % 24, 2);
	pen_byte(pen, ':');
	pen_decimal(pen, s / 60 % 60, 2);
	pen_byte(pen, ':');
	pen_decimal(pen, s % 60, 2);
	pen_byte(pen, 'Z');
}
