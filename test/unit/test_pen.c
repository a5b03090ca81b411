/*
 * The pen: numbers, names, durations and dates.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/pen.h"

struct page {
	char text[4096];
	size_t length;
};

static struct page page;

static void keep(void *ctx, const char *bytes, size_t length)
{
	struct page *to = ctx;

	memcpy(to->text + to->length, bytes, length);
	to->length += length;
	to->text[to->length] = '\0';
}

static const struct text_out out = { keep, &page };
static struct pen pen;

static void begin(void)
{
	page = (struct page){ .length = 0 };
	pen = pen_for(&out);
}

TestSuite(pen, .init = begin);

/* What was written since the last time. */
static const char *written(void)
{
	static char text[sizeof(page.text)];

	pen_flush(&pen);
	strcpy(text, page.text);
	begin();
	return text;
}

static const char *duration(uint64_t ns)
{
	pen_duration(&pen, ns);
	return written();
}

static const char *rounded(uint64_t ns)
{
	pen_duration_rounded(&pen, ns);
	return written();
}

Test(pen, hands_on_all_bytes_in_order_also_many)
{
	char expected[3001] = "";

	for (unsigned i = 0; i < 1000; i++) {
		char word[4] = { (char)('a' + i % 26), '-', '>', '\0' };

		pen_text(&pen, word);
		strcat(expected, word);
	}
	cr_assert_str_eq(written(), expected);
}

Test(pen, hands_on_nothing_until_there_is_something)
{
	pen_flush(&pen);
	cr_assert_eq(page.length, 0);
}

Test(pen, writes_numbers_of_every_size)
{
	pen_number(&pen, "a=", 0, ",");
	pen_number(&pen, "b=", UINT64_MAX, ".");
	cr_assert_str_eq(written(), "a=0,b=18446744073709551615.");
	pen_hex(&pen, 0, 1);
	pen_text(&pen, " ");
	pen_hex(&pen, 0xab, 8);
	pen_text(&pen, " ");
	pen_hex(&pen, UINT64_MAX, 1);
	cr_assert_str_eq(written(), "0 000000ab ffffffffffffffff");
}

Test(pen, a_word_has_no_space_and_no_line_in_it)
{
	pen_word(&pen, "my app\n\\\t\x7f", SIZE_MAX);
	cr_assert_str_eq(written(), "my\\040app\\012\\134\\011\\177");
}

Test(pen, a_name_keeps_its_spaces_and_its_own_alphabet)
{
	pen_name(&pen, "f(int, char)\r\xc3\xa9", SIZE_MAX);
	cr_assert_str_eq(written(), "f(int, char)\\015\xc3\xa9");
}

Test(pen, a_name_moves_no_cursor_and_turns_no_line)
{
	static const char *const names[][2] = {
		{ "\xc2\x9b"
		  "31mred",
		  "\\302\\23331mred" },
		{ "\x9b"
		  "31mred",
		  "\\23331mred" },
		{ "\xe2\x80\xae"
		  "drow",
		  "\\342\\200\\256drow" },
		{ "cut\xe6\xbc", "cut\\346\\274" },
		{ "\xc1\x9b overlong", "\\301\\233 overlong" },
		{ "\xe6\xbc\xa2 \xf0\x9f\x90\xa2",
		  "\xe6\xbc\xa2 \xf0\x9f\x90\xa2" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		pen_name(&pen, names[i][0], SIZE_MAX);
		cr_assert_str_eq(written(), names[i][1]);
	}
}

Test(pen, a_name_ends_at_its_limit)
{
	pen_word(&pen, "abcdef", 3);
	cr_assert_str_eq(written(), "abc");
}

Test(pen, an_empty_name_is_a_dash)
{
	pen_word(&pen, "", SIZE_MAX);
	cr_assert_str_eq(written(), "-");
}

Test(pen, tells_a_duration_exactly)
{
	cr_assert_str_eq(duration(0), "0ns");
	cr_assert_str_eq(duration(999), "999ns");
	cr_assert_str_eq(duration(1000), "1us");
	cr_assert_str_eq(duration(10 * NS_PER_MS), "10ms");
	cr_assert_str_eq(duration(1500 * NS_PER_US), "1.5ms");
	cr_assert_str_eq(duration(1000000001), "1.000000001s");
	cr_assert_str_eq(duration(3600 * NS_PER_S), "3600s");
}

Test(pen, rounds_a_duration_for_people)
{
	cr_assert_str_eq(rounded(0), "0ns");
	cr_assert_str_eq(rounded(999), "999ns");
	cr_assert_str_eq(rounded(7949999), "7.9ms");
	cr_assert_str_eq(rounded(7950000), "8ms");
	cr_assert_str_eq(rounded(60249999), "60.2ms");
	cr_assert_str_eq(rounded(180400000), "180ms");
	cr_assert_str_eq(rounded(999600000), "1s");
	cr_assert_str_eq(rounded(61002 * NS_PER_MS), "61s");
	cr_assert_str_eq(rounded(119600 * NS_PER_MS), "2min");
	cr_assert_str_eq(rounded(150 * NS_PER_S), "2.5min");
	cr_assert_str_eq(rounded(9000 * NS_PER_S), "2.5h");
	cr_assert_str_eq(rounded(UINT64_MAX), "5124095h");
}

Test(pen, a_rounded_duration_is_what_it_says)
{
	cr_assert_eq(duration_rounded(7949999), 7900000);
	cr_assert_eq(duration_rounded(9960000), 10 * NS_PER_MS);
	cr_assert_eq(duration_rounded(UINT64_MAX),
		     UINT64_C(5124095) * 3600 * NS_PER_S);
}

static const char *utc(uint64_t s)
{
	pen_utc(&pen, s * NS_PER_S);
	return written();
}

Test(pen, dates_follow_the_calendar)
{
	cr_assert_str_eq(utc(0), "1970-01-01T00:00:00Z");
	cr_assert_str_eq(utc(951782399), "2000-02-28T23:59:59Z");
	cr_assert_str_eq(utc(951782400), "2000-02-29T00:00:00Z");
	cr_assert_str_eq(utc(951868800), "2000-03-01T00:00:00Z");
	cr_assert_str_eq(utc(1767225599), "2025-12-31T23:59:59Z");
	cr_assert_str_eq(utc(1767323045), "2026-01-02T03:04:05Z");
	cr_assert_str_eq(utc(4107542400), "2100-03-01T00:00:00Z");
}
