/*
 * Thresholds by name, and the patterns of names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/threshold.h"
#include "base/wildcard.h"

#define USUAL_NS (10 * NS_PER_MS)

static struct thresholds read_from(const char *value)
{
	struct thresholds thresholds = { .others_ns = USUAL_NS };

	cr_assert(thresholds_read(&thresholds, value), "%s", value);
	return thresholds;
}

Test(threshold, each_name_has_its_own)
{
	struct thresholds t = read_from("20ms,worker*=1.5s,logger=off");

	cr_assert_eq(threshold_of(&t, "main"), 20 * NS_PER_MS);
	cr_assert_eq(threshold_of(&t, "worker"), 1500 * NS_PER_MS);
	cr_assert_eq(threshold_of(&t, "worker-7"), 1500 * NS_PER_MS);
	cr_assert_eq(threshold_of(&t, "logger"), 0);
	cr_assert_eq(threshold_of(&t, "logger2"), 20 * NS_PER_MS);
}

Test(threshold, the_first_that_matches_counts)
{
	struct thresholds t = read_from("a*=1ms,*b=2ms,*=off");

	cr_assert_eq(threshold_of(&t, "ab"), NS_PER_MS);
	cr_assert_eq(threshold_of(&t, "bb"), 2 * NS_PER_MS);
	cr_assert_eq(threshold_of(&t, "bc"), 0);
}

Test(threshold, others_keep_theirs_where_none_is_given)
{
	struct thresholds t = read_from("worker=1s");

	cr_assert_eq(t.others_ns, USUAL_NS);
	cr_assert(threshold_is_any(&t));
}

Test(threshold, one_name_may_be_all_that_is_watched)
{
	struct thresholds t = read_from("off,worker=1s");

	cr_assert_eq(threshold_of(&t, "main"), 0);
	cr_assert(threshold_is_any(&t));
	t = read_from("off,worker=off");
	cr_assert_not(threshold_is_any(&t));
}

Test(threshold, blanks_before_a_word_are_none_of_it)
{
	struct thresholds t = read_from("20ms, worker*=1s,  a b=off");

	cr_assert_eq(threshold_of(&t, "main"), 20 * NS_PER_MS);
	cr_assert_eq(threshold_of(&t, "worker-7"), NS_PER_S);
	cr_assert_eq(threshold_of(&t, "a b"), 0);
}

Test(threshold, what_is_not_understood_changes_nothing)
{
	static const char *const bad[] = {
		"",
		"10",
		"10ms,",
		",10ms",
		"a=",
		"=10ms",
		"a=10",
		"10ms,20ms",
		"a=10us",
		"a=1ms,b",
		"a=5000s",
		"a=1ms,,b=1ms",
		"a==1ms",
		"a=1ms,20ms",
		"a=1ms b=2ms",
		"a-name-of-more-letters-than-there-is-room-for=1ms",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct thresholds t = { .others_ns = USUAL_NS };

		cr_assert_not(thresholds_read(&t, bad[i]), "%s", bad[i]);
		cr_assert_eq(t.others_ns, USUAL_NS);
		cr_assert_eq(t.count, 0);
	}
}

Test(threshold, there_is_room_for_sixteen_names)
{
	struct thresholds t = { .others_ns = USUAL_NS };
	char list[256] = "1ms";

	for (int i = 0; i < MAX_THRESHOLDS; i++)
		strcat(list, ",n=1ms");
	cr_assert(thresholds_read(&t, list));
	cr_assert_eq(t.count, MAX_THRESHOLDS);
	strcat(list, ",n=1ms");
	cr_assert_not(thresholds_read(&t, list));
}

/* A short word of the letters a, b and those that stand for others. */
static void random_word(char *word, const char *letters)
{
	size_t length = (size_t)random() % 8;

	for (size_t i = 0; i < length; i++)
		word[i] = letters[(size_t)random() % strlen(letters)];
	word[length] = '\0';
}

Test(wildcard, matches_as_fnmatch_does)
{
	char pattern[9], name[9];

	srandom(1);
	for (int i = 0; i < 300000; i++) {
		random_word(pattern, "ab*?");
		random_word(name, "ab");
		cr_assert_eq(wildcard_matches(pattern, name),
			     !fnmatch(pattern, name, 0), "%s %s", pattern,
			     name);
	}
}

Test(wildcard, takes_other_signs_as_they_are)
{
	cr_assert(wildcard_matches("[a]\\", "[a]\\"));
	cr_assert_not(wildcard_matches("[a]", "a"));
}
