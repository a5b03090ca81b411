/*
 * What a recording has lost: the reasons and their counts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/lost.h"
#include "base/atomic.h"
#include "base/timeline.h"

static const char *const texts[] = {
#define X(name, text) text,
	LOST_REASONS(X)
#undef X
};

const char *lost_text(enum lost_reason reason)
{
	return texts[reason];
}

/* Relaxed: a count says nothing about anything else. */
uint64_t lost_count(const struct recording *rec, enum lost_reason reason)
{
	if (reason == LOST_EVENT)
		return timeline_missing(rec);
	return load_relaxed(&rec->lost[reason]);
}

uint64_t lost_total(const struct recording *rec)
{
	uint64_t total = 0;
	unsigned reason;

	for (reason = 0; reason < LOST_COUNT; reason++)
		total += lost_count(rec, reason);
	return total;
}

enum lost_reason lost_most(const struct recording *rec)
{
	enum lost_reason most = 0;
	unsigned reason;

	for (reason = 0; reason < LOST_COUNT; reason++) {
		if (lost_count(rec, reason) > lost_count(rec, most))
			most = reason;
	}
	return most;
}
