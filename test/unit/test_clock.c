/*
 * The clock: the kernel's own, whatever libc says.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "sigsafe/os/clock.h"

static unsigned told; /* how often libc was asked */

/* As a library that tells the program another time has it. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	told++;
	*time = (struct timespec){ .tv_sec = clock };
	return 0;
}

/* With 0 from libc, or from the kernel. */
static uint64_t seconds(clockid_t clock)
{
	struct timespec t = { .tv_sec = 0 };

	cr_assert_eq(clock_get(clock, &t), 0);
	return (uint64_t)t.tv_sec;
}

Test(clock, libc_is_not_asked)
{
	uint64_t begun_ns = clock_now_ns();

	cr_assert_gt(begun_ns, NS_PER_S);
	while (clock_now_ns() == begun_ns)
		;
	cr_assert_gt(clock_now_ns(), begun_ns);
	cr_assert_gt(seconds(CLOCK_REALTIME), 1700000000);
	cr_assert_eq(told, 0);
}

Test(clock, a_clock_that_is_not_there_is_an_error_and_no_errno)
{
	struct timespec t;

	errno = 0;
	cr_assert_lt(clock_get(1000, &t), 0);
	cr_assert_eq(errno, 0);
}
