/*
 * Values of options. Owns what each option accepts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/option_value.h"

#include <string.h>

#include "base/format.h"
#include "base/quantity.h"
#include "base/signal_name.h"

#define MAX_TIME_NS (3600 * NS_PER_S)

#define USUAL_LOG_LINES 60
#define MAX_LOG_LINES	1000000

#define MIN_MEMORY (UINT64_C(256) << 10)
#define MAX_MEMORY (UINT64_C(4) << 30)

/* One of words, which end in NULL: its place, or -1. */
static int place_of(const char *value, const char *const *words)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(value, words[i]))
			return i;
	}
	return -1;
}

static bool read_bool(const char *value, bool *out)
{
	static const char *const words[] = { "off", "on",    "no",   "yes", "0",
					     "1",   "false", "true", NULL };
	int place = place_of(value, words);

	if (place < 0)
		return false;
	*out = place % 2;
	return true;
}

static bool copy_text(char *out, size_t size, const char *value)
{
	size_t length = strlen(value);

	if (length >= size)
		return false;
	memcpy(out, value, length + 1);
	return true;
}

/* Every % is followed by a letter that stands for something. */
static bool is_pattern(const char *value)
{
	const char *percent = strchr(value, '%');

	while (percent && percent[1] && strchr("ephtn%", percent[1]))
		percent = strchr(percent + 2, '%');
	return !percent;
}

const char *read_output(struct options *out, const char *value)
{
	if (*value && is_pattern(value) &&
	    copy_text(out->output, sizeof(out->output), value))
		return NULL;
	return "a path of less than 1024 bytes, in which %e %p %h %t %n and "
	       "%% stand for something";
}

const char *read_stall(struct options *out, const char *value)
{
	if (thresholds_read(&out->thresholds, value))
		return NULL;
	return "a time with its unit from 100us on, as in 10ms or 1.5s; or "
	       "off; and behind that for threads of some names, as in "
	       "10ms,worker*=100ms,logger=off";
}

const char *read_mutex(struct options *out, const char *value)
{
	return read_bool(value, &out->mutex) ? NULL : "on or off";
}

const char *read_waiters(struct options *out, const char *value)
{
	return read_bool(value, &out->waiters) ? NULL : "on or off";
}

static const char *read_time(const char *value, uint64_t *time_ns)
{
	uint64_t ns;

	if (!quantity_time(value, &ns) || ns > MAX_TIME_NS)
		return "a time with its unit, as in 50us or 1ms; or 0";
	*time_ns = ns;
	return NULL;
}

const char *read_min_wait(struct options *out, const char *value)
{
	return read_time(value, &out->min_wait_ns);
}

const char *read_charge(struct options *out, const char *value)
{
	out->charge_go = !strcmp(value, "go");
	return out->charge_go || !strcmp(value, "exact") ? NULL : "exact or go";
}

const char *read_rate(struct options *out, const char *value)
{
	return read_time(value, &out->rate_ns);
}

const char *read_signal(struct options *out, const char *value)
{
	int signal = signal_for_ticks(value);

	if (!signal && strcmp(value, "auto"))
		return "auto, SIGUSR1, SIGUSR2, SIGPROF, SIGRTMIN+n, "
		       "SIGRTMAX-n, or the number of such a signal";
	out->signal = signal;
	return NULL;
}

const char *read_depth(struct options *out, const char *value)
{
	uint64_t depth;

	if (!quantity_count(value, &depth) || depth < 1 || depth > MAX_DEPTH)
		return "a number of frames from 1 to 128";
	out->depth = (unsigned)depth;
	return NULL;
}

const char *read_unwind(struct options *out, const char *value)
{
	static const char *const words[] = {
		[UNWIND_AUTO] = "auto",
		[UNWIND_LIBUNWIND] = "libunwind",
		[UNWIND_FP] = "fp",
		NULL,
	};
	int place = place_of(value, words);

	if (place < 0)
		return "auto, libunwind or fp";
	out->unwind = (enum unwind_choice)place;
	return NULL;
}

/* FILE,5/min: the number, and where its comma is; no number: the end. */
static const char *log_limit(const char *value, uint64_t *per_minute)
{
	const char *comma = strrchr(value, ','), *unit;
	char number[16];
	size_t length;

	*per_minute = USUAL_LOG_LINES;
	if (!comma)
		return value + strlen(value);
	unit = strchrnul(comma, '/');
	length = (size_t)(unit - comma - 1);
	if (strcmp(unit, "/min") || length >= sizeof(number))
		return NULL;
	memcpy(number, comma + 1, length);
	number[length] = '\0';
	return quantity_count(number, per_minute) && *per_minute &&
			       *per_minute <= MAX_LOG_LINES
		       ? comma
		       : NULL;
}

const char *read_log(struct options *out, const char *value)
{
	bool is_off = !strcmp(value, "off");
	uint64_t per_minute;
	const char *end = log_limit(value, &per_minute);
	size_t length;

	if (!end || end == value || !is_pattern(value) ||
	    end - value >= (ptrdiff_t)sizeof(out->log))
		return "off, stderr, or a path of less than 1024 bytes, with a "
		       "limit as in stderr,5/min";
	length = (size_t)(end - value);
	memcpy(out->log, value, length);
	out->log[length] = '\0';
	out->log_per_minute = is_off ? 0 : (uint32_t)per_minute;
	return NULL;
}

const char *read_memory(struct options *out, const char *value)
{
	uint64_t bytes;

	if (!quantity_size(value, &bytes) || bytes < MIN_MEMORY ||
	    bytes > MAX_MEMORY)
		return "a size with its unit from 256K to 4G, as in 8M";
	out->memory_bytes = bytes;
	return NULL;
}

const char *read_children(struct options *out, const char *value)
{
	return read_bool(value, &out->children) ? NULL : "yes or no";
}

const char *read_only(struct options *out, const char *value)
{
	if (copy_text(out->only, sizeof(out->only), value))
		return NULL;
	return "the name of a program, of less than 64 bytes";
}

const char *read_quiet(struct options *out, const char *value)
{
	bool quiet;

	if (!strcmp(value, "auto"))
		out->quiet = QUIET_AUTO;
	else if (read_bool(value, &quiet))
		out->quiet = quiet ? QUIET_YES : QUIET_NO;
	else
		return "auto, yes or no";
	return NULL;
}

const char *read_keep(struct options *out, const char *value)
{
	static const char *const words[] = { "auto", "all", NULL };
	int place = place_of(value, words);

	if (place < 0)
		return "auto or all";
	out->keep_all = place;
	return NULL;
}

const char *read_help(struct options *out, const char *value)
{
	return read_bool(value, &out->help) ? NULL : "1 or 0";
}
