/*
 * Numbers and names in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/words.h"

#include <string.h>
#include <time.h>

#include "base/pen.h"

struct room {
	char *text;
	size_t size;
	size_t length;
};

static void add(void *ctx, const char *bytes, size_t length)
{
	struct room *room = ctx;
	size_t left = room->size - room->length;
	size_t kept = length < left ? length : left;

	memcpy(room->text + room->length, bytes, kept);
	room->length += kept;
}

static const char *words_by_pen(struct arena *arena, uint64_t ns,
				void (*write)(struct pen *pen, uint64_t ns))
{
	char text[32];
	struct room room = { .text = text, .size = sizeof(text) };
	const struct text_out out = { add, &room };
	struct pen pen = pen_for(&out);

	write(&pen, ns);
	pen_flush(&pen);
	return arena_string(arena, room.text, room.length);
}

const char *words_duration(struct arena *arena, uint64_t ns)
{
	return words_by_pen(arena, ns, pen_duration_rounded);
}

const char *words_duration_exact(struct arena *arena, uint64_t ns)
{
	return words_by_pen(arena, ns, pen_duration);
}

const char *words_thresholds(struct arena *arena,
			     const struct thresholds *thresholds)
{
	char text[1024];
	struct room room = { .text = text, .size = sizeof(text) };
	const struct text_out out = { add, &room };
	struct pen pen = pen_for(&out);

	pen_thresholds(&pen, thresholds);
	pen_flush(&pen);
	return arena_string(arena, room.text, room.length);
}

const char *words_count(struct arena *arena, uint64_t count, const char *noun)
{
	return arena_print(arena, "%ju %s%s", (uintmax_t)count, noun,
			   count == 1 ? "" : "s");
}

const char *words_share(struct arena *arena, uint64_t part, uint64_t whole)
{
	if (!whole)
		return "-";
	return arena_print(arena, "%.1f%%",
			   100.0 * (double)part / (double)whole);
}

const char *words_number(struct arena *arena, uint64_t number)
{
	return number ? arena_print(arena, "%ju", (uintmax_t)number) : "-";
}

const char *words_name(struct arena *arena, const char *name)
{
	/* \\ooo takes four bytes; behind them the arena has a zero. */
	size_t size = 4 * strlen(name);
	struct room room = {
		.text = arena_alloc(arena, size + 1, 1),
		.size = size,
	};
	const struct text_out out = { add, &room };
	struct pen pen = pen_for(&out);

	if (!size)
		return "";
	pen_name(&pen, name, SIZE_MAX);
	pen_flush(&pen);
	return room.text;
}

const char *words_moment(struct arena *arena, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	struct tm moment;
	char text[64];

	if (!gmtime_r(&seconds, &moment) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &moment))
		return "at an unknown time";
	return arena_string(arena, text, strlen(text));
}
