/*
 * A loop that stalls once for 50 ms, and then ends by a signal of its own.
 *
 * usage: victim_ended SIGNAL, a number
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "victim.h"

#define STALL_NS (50 * NS_PER_MS)

__attribute__((noinline)) static void callback(void)
{
	spin(STALL_NS);
	/* Not a tail call: its frame is to be seen. */
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };

	if (argc < 2 || setrlimit(RLIMIT_CORE, &no_core))
		return 2;
	for (int i = 0; i < 6; i++)
		poll(NULL, 0, 1);
	callback();
	poll(NULL, 0, 1);
	raise(atoi(argv[1]));
	return 0;
}
