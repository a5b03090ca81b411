/*
 * Start and end of a program that does nothing: true, by posix_spawn.
 *
 * SPDX-License-Identifier: MIT
 */
#include <spawn.h>
#include <sys/wait.h>

#include "bench.h"

extern char **environ;

int main(void)
{
	char *argv[] = { "true", NULL };
	uint64_t begun_ns = bench_now_ns(), starts = 0;

	do {
		int status;
		pid_t pid;

		if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0)
			bench_die("true");
		if (waitpid(pid, &status, 0) < 0 || status != 0)
			bench_die("waitpid");
		starts++;
	} while (bench_now_ns() - begun_ns < RUN_NS);
	bench_print(begun_ns, starts);
	return 0;
}
