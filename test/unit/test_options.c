/*
 * The options: what is read, what is refused, and what is said about it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/likeness.h"
#include "base/options.h"
#include "base/quantity.h"
#include "base/signal_name.h"

static char heard[4096];

static void hear(void *ctx, const char *sentence)
{
	(void)ctx;
	strcat(heard, sentence);
	strcat(heard, "\n");
}

/* Reads an environment of one variable. */
static int read_one(struct options *options, const char *variable)
{
	char *environment[] = { (char *)(uintptr_t)variable, NULL };

	heard[0] = '\0';
	return options_read(options, environment, hear, NULL);
}

#define assert_heard(text)                                                     \
	cr_assert(strstr(heard, text), "\"%s\" is not in \"%s\"", text, heard)

Test(options, defaults_are_those_of_the_table)
{
	char *empty[] = { NULL };
	struct options o;

	cr_assert_eq(options_read(&o, empty, hear, NULL), 0);
	cr_assert_str_eq(o.output, "stallshim.%e.%p");
	cr_assert_eq(o.thresholds.others_ns, 10 * NS_PER_MS);
	cr_assert(o.mutex && o.waiters && o.children);
	cr_assert_eq(o.min_wait_ns, 0);
	cr_assert_eq(o.rate_ns, 0);
	cr_assert_eq(o.log_per_minute, 0);
	cr_assert_eq(o.signal, 0);
	cr_assert_eq(o.depth, 64);
	cr_assert_eq(o.unwind, UNWIND_AUTO);
	cr_assert_eq(o.memory_bytes, 8 << 20);
	cr_assert_str_eq(o.only, "");
	cr_assert_eq(o.quiet, QUIET_AUTO);
	cr_assert(!o.keep_all && !o.help);
}

Test(options, each_value_is_read)
{
	char *environment[] = { "PATH=/bin",
				"STALLSHIM_OUTPUT=/tmp/%h.%%",
				"STALLSHIM_STALL=1.5s",
				"STALLSHIM_MUTEX=off",
				"STALLSHIM_WAITERS=no",
				"STALLSHIM_MIN_WAIT=250us",
				"STALLSHIM_RATE=2ms",
				"STALLSHIM_CHARGE=go",
				"STALLSHIM_SIGNAL=SIGRTMIN+3",
				"STALLSHIM_DEPTH=128",
				"STALLSHIM_UNWIND=fp",
				"STALLSHIM_MEMORY=512K",
				"STALLSHIM_CHILDREN=no",
				"STALLSHIM_ONLY=redis*",
				"STALLSHIM_QUIET=yes",
				"STALLSHIM_KEEP=all",
				"STALLSHIM_HELP=1",
				NULL };
	struct options o;

	cr_assert_eq(options_read(&o, environment, hear, NULL), 0, "%s", heard);
	cr_assert_str_eq(o.output, "/tmp/%h.%%");
	cr_assert_eq(o.thresholds.others_ns, 1500 * NS_PER_MS);
	cr_assert(!o.mutex && !o.waiters && !o.children);
	cr_assert_eq(o.min_wait_ns, 250 * NS_PER_US);
	cr_assert_eq(o.rate_ns, 2 * NS_PER_MS);
	cr_assert(o.charge_go);
	cr_assert_eq(o.signal, SIGRTMIN + 3);
	cr_assert_eq(o.depth, MAX_DEPTH);
	cr_assert_eq(o.unwind, UNWIND_FP);
	cr_assert_eq(o.memory_bytes, 512 << 10);
	cr_assert_str_eq(o.only, "redis*");
	cr_assert_eq(o.quiet, QUIET_YES);
	cr_assert(o.keep_all && o.help);
}

Test(options, stalls_can_be_switched_off)
{
	struct options o;

	cr_assert_eq(read_one(&o, "STALLSHIM_STALL=off"), 0);
	cr_assert_eq(o.thresholds.others_ns, 0);
	cr_assert_eq(read_one(&o, "STALLSHIM_STALL=0"), 0);
	cr_assert_eq(o.thresholds.others_ns, 0);
}

Test(options, a_bare_number_is_refused_with_an_example)
{
	struct options o;

	cr_assert_eq(read_one(&o, "STALLSHIM_STALL=20"), 1);
	assert_heard("STALLSHIM_STALL=20 is not understood");
	assert_heard("10ms");
	cr_assert_eq(o.thresholds.others_ns, 10 * NS_PER_MS,
		     "the default is used");
	cr_assert_eq(read_one(&o, "STALLSHIM_MEMORY=8000000"), 1);
	assert_heard("8M");
}

Test(options, an_unknown_name_is_answered_by_a_like_one)
{
	struct options o;

	cr_assert_eq(read_one(&o, "STALLSHIM_STAL=10ms"), 1);
	cr_assert_str_eq(heard,
			 "STALLSHIM_STAL is not an option of stallshim: did "
			 "you mean STALLSHIM_STALL?\n");
	cr_assert_eq(read_one(&o, "STALLSHIM_MINWAIT=0"), 1);
	assert_heard("did you mean STALLSHIM_MIN_WAIT?");
}

Test(options, a_name_like_no_other_is_answered_without_a_guess)
{
	struct options o;

	cr_assert_eq(read_one(&o, "STALLSHIM_FLAMEGRAPHS=1"), 1);
	cr_assert_str_eq(heard, "STALLSHIM_FLAMEGRAPHS is not an option of "
				"stallshim\n");
}

Test(options, other_variables_are_none_of_our_business)
{
	struct options o;

	cr_assert_eq(read_one(&o, "STALLSHIMMY=1"), 0);
	cr_assert_eq(read_one(&o, "STALLSHIM_STALL"), 0, "no variable");
	cr_assert_eq(read_one(&o, ""), 0);
}

/* As by STALLSHIM_LOG=$LOG in a script, where there is no LOG. */
Test(options, an_empty_value_is_as_none)
{
	static char variables[][32] = {
		"STALLSHIM_OUTPUT=",   "STALLSHIM_STALL=",  "STALLSHIM_MUTEX=",
		"STALLSHIM_WAITERS=",  "STALLSHIM_CHARGE=", "STALLSHIM_RATE=",
		"STALLSHIM_MIN_WAIT=", "STALLSHIM_SIGNAL=", "STALLSHIM_DEPTH=",
		"STALLSHIM_UNWIND=",   "STALLSHIM_LOG=",    "STALLSHIM_MEMORY=",
		"STALLSHIM_CHILDREN=", "STALLSHIM_ONLY=",   "STALLSHIM_QUIET=",
		"STALLSHIM_KEEP=",     "STALLSHIM_HELP=",
	};
	char *empty[ARRAY_SIZE(variables) + 1] = { NULL }, *none[] = { NULL };
	struct options o, usual;

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		empty[i] = variables[i];
	heard[0] = '\0';
	cr_assert_eq(options_read(&o, empty, hear, NULL), 0, "%s", heard);
	cr_assert_eq(options_read(&usual, none, hear, NULL), 0);
	cr_assert_eq(memcmp(&o, &usual, sizeof(o)), 0);
	cr_assert_eq(read_one(&o, "STALLSHIM_SLALL="), 1);
	assert_heard("did you mean STALLSHIM_STALL?");
}

Test(options, each_bad_value_is_refused)
{
	static const char *const bad[] = {
		"STALLSHIM_OUTPUT=a%q",		"STALLSHIM_OUTPUT=a%",
		"STALLSHIM_STALL=10us",		"STALLSHIM_STALL=-10ms",
		"STALLSHIM_STALL=10 ms",	"STALLSHIM_STALL=2000000s",
		"STALLSHIM_STALL=.5s",		"STALLSHIM_STALL=1.s",
		"STALLSHIM_MUTEX=maybe",	"STALLSHIM_MIN_WAIT=1",
		"STALLSHIM_SIGNAL=SIGKILL",	"STALLSHIM_SIGNAL=9",
		"STALLSHIM_SIGNAL=SIGSEGV",	"STALLSHIM_SIGNAL=SIGSTOP",
		"STALLSHIM_SIGNAL=32",		"STALLSHIM_SIGNAL=33",
		"STALLSHIM_SIGNAL=65",		"STALLSHIM_SIGNAL=SIGRTMIN-1",
		"STALLSHIM_SIGNAL=SIGRTMIN+",	"STALLSHIM_SIGNAL=SIGRTMAX+1",
		"STALLSHIM_SIGNAL=SIGRTMAX-31", "STALLSHIM_DEPTH=0",
		"STALLSHIM_DEPTH=129",		"STALLSHIM_UNWIND=magic",
		"STALLSHIM_MEMORY=1K",		"STALLSHIM_MEMORY=99999999999G",
		"STALLSHIM_KEEP=none",		"STALLSHIM_QUIET=2",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct options o;

		cr_assert_eq(read_one(&o, bad[i]), 1, "%s", bad[i]);
		assert_heard("is not understood: give ");
	}
}

Test(options, a_value_of_any_length_leaves_the_advice_readable)
{
	char variable[9000] = "STALLSHIM_STALL=";
	struct options o;

	memset(variable + strlen(variable), '7', 8000);
	cr_assert_eq(read_one(&o, variable), 1);
	assert_heard("777... is not understood: give a time");
	strcpy(variable, "STALLSHIM_");
	memset(variable + strlen(variable), 'X', 8000);
	strcat(variable, "=");
	cr_assert_eq(read_one(&o, variable), 1);
	cr_assert_lt(strlen(heard), 600);
}

Test(options, reading_leaves_errno_alone)
{
	struct options o;

	errno = EDOM;
	read_one(&o, "STALLSHIM_STALL=99999999999999999999999s");
	read_one(&o, "STALLSHIM_NONE=1");
	cr_assert_eq(errno, EDOM);
}

Test(options, a_flag_names_its_variable)
{
	struct options o = { 0 };

	heard[0] = '\0';
	cr_assert_str_eq(
		option_set(&o, "--min-wait=1ms", 10, "1ms", hear, NULL),
		"STALLSHIM_MIN_WAIT");
	cr_assert_eq(o.min_wait_ns, NS_PER_MS);
	cr_assert_null(option_set(&o, "--dept", 6, "3", hear, NULL));
	assert_heard("--dept is not an option of stallshim: did you mean "
		     "--depth?");
	cr_assert_null(option_set(&o, "--depth", 7, "x", hear, NULL));
	assert_heard("--depth=x is not understood");
}

static void gather(void *ctx, const char *text)
{
	strcat(ctx, text);
}

Test(options, help_shows_each_variable_with_its_default)
{
	char help[8192] = "";

	options_help(gather, help);
	cr_assert(strstr(help, "STALLSHIM_STALL=10ms\n        "));
	cr_assert(strstr(help, "STALLSHIM_KEEP=auto\n        "));
	for (const char *line = help; *line; line = strchr(line, '\n') + 1)
		cr_assert_leq(strchr(line, '\n') - line, 80, "%s", line);
}

Test(quantity, units_are_worth_what_they_say)
{
	uint64_t n;

	cr_assert(quantity_time("10ms", &n) && n == 10000000);
	cr_assert(quantity_time("1.5s", &n) && n == 1500000000);
	cr_assert(quantity_time("0.25us", &n) && n == 250);
	cr_assert(quantity_time("7ns", &n) && n == 7);
	cr_assert(quantity_time("0", &n) && n == 0);
	cr_assert(quantity_size("1.5K", &n) && n == 1536);
	cr_assert(quantity_size("2G", &n) && n == UINT64_C(2) << 30);
	cr_assert(quantity_count("128", &n) && n == 128);
}

Test(quantity, what_does_not_fit_is_refused)
{
	uint64_t n;

	cr_assert(quantity_time("18446744073709551615ns", &n));
	cr_assert_not(quantity_time("18446744073709551616ns", &n));
	cr_assert_not(quantity_time("18446744073.710s", &n));
	cr_assert_not(quantity_size("17179869184G", &n));
	cr_assert_not(quantity_count("12x", &n));
	cr_assert_not(quantity_count("", &n));
}

Test(signal_name, names_and_numbers_agree)
{
	cr_assert_eq(signal_for_ticks("SIGUSR1"), SIGUSR1);
	cr_assert_eq(signal_for_ticks("10"), SIGUSR1);
	cr_assert_eq(signal_for_ticks("SIGPROF"), SIGPROF);
	cr_assert_eq(signal_for_ticks("SIGRTMIN"), SIGRTMIN);
	cr_assert_eq(signal_for_ticks("SIGRTMAX"), SIGRTMAX);
	cr_assert_eq(signal_for_ticks("SIGRTMAX-2"), SIGRTMAX - 2);
	cr_assert_eq(signal_for_ticks("SIGRTMAX-30"), SIGRTMIN);
}

Test(likeness, counts_the_edits)
{
	cr_assert_eq(word_distance("stall", "stall"), 0);
	cr_assert_eq(word_distance("stal", "stall"), 1);
	cr_assert_eq(word_distance("satll", "stall"), 1, "swapped");
	cr_assert_eq(word_distance("reprot", "report"), 1, "swapped");
	cr_assert_eq(word_distance("mutex", "mute"), 1);
	cr_assert_eq(word_distance("", "abc"), 3);
	cr_assert_gt(word_distance("0123456789012345678901234567890123456789",
				   "0123456789012345678901234567890123456789"),
		     MAX_LIKE_DISTANCE);
}

Test(options, a_log_has_a_place_and_a_limit)
{
	struct options o;

	cr_assert_eq(read_one(&o, "STALLSHIM_LOG=stderr"), 0);
	cr_assert_str_eq(o.log, "stderr");
	cr_assert_eq(o.log_per_minute, 60);
	cr_assert_eq(read_one(&o, "STALLSHIM_LOG=/var/log/%e.log,5/min"), 0);
	cr_assert_str_eq(o.log, "/var/log/%e.log");
	cr_assert_eq(o.log_per_minute, 5);
	cr_assert_eq(read_one(&o, "STALLSHIM_LOG=off"), 0);
	cr_assert_eq(o.log_per_minute, 0);
}

Test(options, a_log_without_sense_is_refused)
{
	static const char *const bad[] = {
		"STALLSHIM_LOG=,5/min",	 "STALLSHIM_LOG=a,5",
		"STALLSHIM_LOG=a,/min",	 "STALLSHIM_LOG=a,0/min",
		"STALLSHIM_LOG=a,x/min", "STALLSHIM_LOG=a,5/hour",
		"STALLSHIM_LOG=%q",
	};
	struct options o;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cr_assert_eq(read_one(&o, bad[i]), 1, "%s", bad[i]);
		assert_heard("off, stderr, or a path");
		cr_assert_eq(o.log_per_minute, 0);
	}
}

Test(options, thresholds_go_by_name)
{
	struct options o;

	cr_assert_eq(read_one(&o, "STALLSHIM_STALL=20ms,worker*=100ms"), 0);
	cr_assert_eq(o.thresholds.others_ns, 20 * NS_PER_MS);
	cr_assert_eq(o.thresholds.count, 1);
	cr_assert_eq(read_one(&o, "STALLSHIM_STALL=worker*=100"), 1);
	assert_heard("STALLSHIM_STALL=worker*=100 is not understood: give a "
		     "time with its unit from 100us on");
	assert_heard("10ms,worker*=100ms,logger=off");
	cr_assert_eq(o.thresholds.others_ns, 10 * NS_PER_MS);
}
