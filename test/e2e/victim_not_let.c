/*
 * An event loop whose calls are over, or would be, while it is not let run.
 *
 * usage: victim_not_let stop_read | stop_sleep | starve_read | starve_usleep
 *   stop_    the process is stopped for STOP_NS, 30 ms after the call began
 *   starve_  others have the processor; the call is over after a millisecond
 * prints a line for each run of a callback: victim_runs.h
 *
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "victim_runs.h"

#define STOP_NS (300 * NS_PER_MS)
#define BURNERS 4
#define TURNS	10

/* After 30 ms for STOP_NS; `then`, if any, in the middle of that. */
static pid_t stop_me_soon(void (*then)(int), int argument)
{
	pid_t self = getpid();
	pid_t child = fork();

	if (child)
		return child;
	pause_ns(30 * NS_PER_MS);
	kill(self, SIGSTOP);
	pause_ns(STOP_NS / 2);
	if (then)
		then(argument);
	pause_ns(STOP_NS / 2);
	kill(self, SIGCONT);
	_exit(0);
}

static void stopped_read(void)
{
	int ends[2];

	if (pipe(ends))
		abort();
	stop_me_soon(write_a_byte, ends[1]);
	read_a_byte(ends[0]);
	wait(NULL);
}

static void stopped_sleep(void)
{
	stop_me_soon(NULL, 0);
	pause_ns(100 * NS_PER_MS);
	wait(NULL);
}

/* All the others on this processor take what they can get of it. */
static void be_starved(pid_t burner[BURNERS])
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		abort();
	for (int i = 0; i < BURNERS; i++) {
		burner[i] = fork();
		if (burner[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	if (setpriority(PRIO_PROCESS, 0, 19))
		abort();
}

static void starved_usleep(void)
{
	usleep(1000);
}

static int question[2], answer[2];

static void starved_read(void)
{
	write_a_byte(question[1]);
	read_a_byte(answer[0]);
}

/* Where nobody starves; forked before that. */
static pid_t start_helper(void)
{
	pid_t child;

	if (pipe(question) || pipe(answer))
		abort();
	child = fork();
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		read_a_byte(question[0]);
		pause_ns(NS_PER_MS);
		write_a_byte(answer[1]);
	}
}

/* Its calls are over after a millisecond; it is not let run, though. */
static void starve_in(void (*call)(void))
{
	pid_t burner[BURNERS], helper = start_helper();
	int epoll_fd = epoll_create1(0);

	be_starved(burner);
	for (int i = 0; i < 5; i++)
		turn(epoll_fd);
	for (int i = 0; i < TURNS; i++)
		run(epoll_fd, call);
	for (int i = 0; i < BURNERS; i++)
		kill(burner[i], SIGKILL);
	kill(helper, SIGKILL);
}

int main(int argc, char **argv)
{
	static const struct way {
		const char *name;
		void (*run)(void (*callback)(void));
		void (*callback)(void);
	} ways[] = {
		{ "stop_read", run_one, stopped_read },
		{ "stop_sleep", run_one, stopped_sleep },
		{ "starve_read", starve_in, starved_read },
		{ "starve_usleep", starve_in, starved_usleep },
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (argc < 2 || strcmp(argv[1], ways[i].name))
			continue;
		ways[i].run(ways[i].callback);
		return 0;
	}
	return 2;
}
