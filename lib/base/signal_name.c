/*
 * Signals by name. Owns the list of those that can carry ticks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/signal_name.h"

#include <signal.h>
#include <string.h>

#include "base/quantity.h"

/* glibc keeps 32 and 33 for itself, so its SIGRTMIN is 34. */
#define FIRST_REALTIME 34
#define LAST_REALTIME  64

static const struct {
	const char *name;
	int number;
} usable[] = {
	{ "SIGUSR1", SIGUSR1 },	  { "SIGUSR2", SIGUSR2 },
	{ "SIGALRM", SIGALRM },	  { "SIGVTALRM", SIGVTALRM },
	{ "SIGPROF", SIGPROF },	  { "SIGURG", SIGURG },
	{ "SIGIO", SIGIO },	  { "SIGPWR", SIGPWR },
	{ "SIGWINCH", SIGWINCH }, { "SIGSTKFLT", SIGSTKFLT },
};

static bool is_realtime(uint64_t number)
{
	return number >= FIRST_REALTIME && number <= LAST_REALTIME;
}

static int checked_number(uint64_t number)
{
	if (is_realtime(number))
		return (int)number;
	for (size_t i = 0; i < ARRAY_SIZE(usable); i++) {
		if ((uint64_t)usable[i].number == number)
			return usable[i].number;
	}
	return 0;
}

/* "", "+3" or "-3", counted from start. */
static int realtime_number(const char *step, char sign, int start)
{
	uint64_t distance = 0;
	uint64_t number;

	if (*step && (*step != sign || !quantity_count(step + 1, &distance)))
		return 0;
	if (distance > LAST_REALTIME - FIRST_REALTIME)
		return 0;
	number = (uint64_t)start + (sign == '+' ? distance : -distance);
	return is_realtime(number) ? (int)number : 0;
}

int signal_for_ticks(const char *text)
{
	uint64_t number;

	if (quantity_count(text, &number))
		return checked_number(number);
	if (!strncmp(text, "SIGRTMIN", 8))
		return realtime_number(text + 8, '+', FIRST_REALTIME);
	if (!strncmp(text, "SIGRTMAX", 8))
		return realtime_number(text + 8, '-', LAST_REALTIME);
	for (size_t i = 0; i < ARRAY_SIZE(usable); i++) {
		if (!strcmp(text, usable[i].name))
			return usable[i].number;
	}
	return 0;
}
