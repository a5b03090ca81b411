/*
 * A loop whose program or thread ends in a callback that has computed for 30
 * ms. At the same time another loop is stalled, which sleeps.
 *
 * usage: victim_log_ends HOW
 *   exec         becomes another program
 *   execs FILE   by a file that is no program, 20 times, and goes on
 *   exit, _exit, quick_exit
 *   exit_group   by syscall(2)
 *   abort, assert
 *   thread       the thread ends, and then main returns
 *   a number     raises this signal
 * prints how long the run was by its own clock: "run NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

#define STALL_NS (30 * NS_PER_MS)
#define EXECS	 20

static const char *how, *no_program;
static atomic_bool is_asleep;

static void turn(unsigned times)
{
	while (times--)
		poll(NULL, 0, 1);
}

static void tell_run(uint64_t begun_ns)
{
	printf("run %ju\n", (uintmax_t)(now_ns() - begun_ns));
	fflush(stdout);
}

static void fail_to_exec(void)
{
	for (int i = 0; i < EXECS; i++) {
		execl(no_program, "program", (char *)NULL);
		spin(NS_PER_MS);
	}
}

static void end(void)
{
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	else if (!strcmp(how, "exit"))
		exit(3);
	else if (!strcmp(how, "_exit"))
		_exit(3);
	else if (!strcmp(how, "quick_exit"))
		quick_exit(3);
	else if (!strcmp(how, "exit_group"))
		syscall(SYS_exit_group, 3);
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "assert"))
		assert(!"reached");
	else if (strcmp(how, "thread"))
		raise(atoi(how));
}

static __attribute__((noinline, noclone)) void callback(void)
{
	uint64_t begun_ns = now_ns();

	spin(STALL_NS);
	if (!strcmp(how, "execs")) {
		fail_to_exec();
		tell_run(begun_ns);
		turn(2);
		_exit(3);
	}
	tell_run(begun_ns);
	end();
}

static void *loop(void *unused)
{
	prctl(PR_SET_NAME, "ends");
	turn(5);
	while (!is_asleep)
		turn(1);
	turn(1);
	callback();
	return unused;
}

static void *sleep_long(void *unused)
{
	prctl(PR_SET_NAME, "sleeps");
	turn(5);
	is_asleep = true;
	usleep(30000000);
	return unused;
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };
	pthread_t thread[2];

	if (argc < 2 || setrlimit(RLIMIT_CORE, &no_core))
		return 2;
	how = argv[1];
	no_program = argc > 2 ? argv[2] : "";
	pthread_create(&thread[0], NULL, sleep_long, NULL);
	pthread_create(&thread[1], NULL, loop, NULL);
	pthread_join(thread[1], NULL);
	return 3;
}
