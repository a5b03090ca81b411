/*
 * A loop whose callback waits in futex() directly, as Rust's locks do: for
 * 300 ms, by a length of time and by a moment.
 *
 * prints: "waited well" where each wait lasted as long as it was asked to
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

#define WAIT_NS (300 * NS_PER_MS)

static uint32_t word;

static long futex_wait(int operation, const struct timespec *timeout)
{
	return syscall(SYS_futex, &word, operation, 0, timeout, NULL,
		       FUTEX_BITSET_MATCH_ANY);
}

static bool wait_for(void)
{
	struct timespec timeout = { .tv_nsec = (long)WAIT_NS };

	return futex_wait(FUTEX_WAIT_PRIVATE, &timeout) == -1 &&
	       errno == ETIMEDOUT;
}

static bool wait_until(void)
{
	uint64_t at_ns = now_ns() + WAIT_NS;
	struct timespec timeout = {
		.tv_sec = (time_t)(at_ns / NS_PER_S),
		.tv_nsec = (long)(at_ns % NS_PER_S),
	};

	return futex_wait(FUTEX_WAIT_BITSET_PRIVATE, &timeout) == -1 &&
	       errno == ETIMEDOUT;
}

static bool lasts(bool (*wait)(void))
{
	uint64_t begun_ns = now_ns(), run_ns;
	bool well = wait();

	run_ns = now_ns() - begun_ns;
	printf("run %ju\n", (uintmax_t)run_ns);
	return well && run_ns >= WAIT_NS;
}

int main(void)
{
	bool well;

	for (int i = 0; i < 3; i++)
		poll(NULL, 0, 1);
	well = lasts(wait_for);
	poll(NULL, 0, 1);
	well &= lasts(wait_until);
	poll(NULL, 0, 1);
	puts(well ? "waited well" : "cut short");
	return 0;
}
