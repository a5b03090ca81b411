/*
 * Processes that come from one another.
 *
 * usage: victim_family HOW
 *   fork      the parent contends; so does its child, then _exits
 *   quiet     the child does nothing of note
 *   loop      a thousand forks from a loop under ticks, while a lock is busy
 *   vfork     a vfork child execs
 *   spawn     posix_spawn and system
 *   daemon    fork, setsid, chdir /, every descriptor closed, then contends
 * prints what it did; exit status 0 if all children ended as they should
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"
#include "victim_rival.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int waiter_tid;

static void *wait_for_lock(void *arg)
{
	atomic_store(&waiter_tid, gettid());
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* One thread waits for a lock that this function holds. */
static __attribute__((noinline, noclone)) void contend(void)
{
	pthread_t waiter;

	atomic_store(&waiter_tid, 0);
	pthread_mutex_lock(&lock);
	pthread_create(&waiter, NULL, wait_for_lock, NULL);
	while (!atomic_load(&waiter_tid) || !sleeps(atomic_load(&waiter_tid)))
		;
	pthread_mutex_unlock(&lock);
	pthread_join(waiter, NULL);
}

static bool ends_well(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && status == 0;
}

static bool fork_and(void (*act)(void))
{
	pid_t child = fork();

	if (!child) {
		act();
		_exit(0);
	}
	return ends_well(child);
}

static void do_nothing(void)
{
}

static atomic_bool over;

static bool fork_in_loop(void)
{
	struct rival wants = { &lock, &over };
	pthread_t busy[2];
	bool well = true;

	for (int i = 0; i < 2; i++)
		pthread_create(&busy[i], NULL, want_lock, &wants);
	for (int i = 0; i < 1000; i++) {
		uint64_t until_ns = now_ns() + (i % 10 ? 0 : 3000000);

		poll(NULL, 0, 0);
		while (now_ns() < until_ns)
			;
		well &= fork_and(do_nothing);
	}
	atomic_store(&over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(busy[i], NULL);
	return well;
}

static bool vfork_and_exec(void)
{
	pid_t child = vfork();

	if (!child) {
		execl("/nonexistent/program", "program", (char *)NULL);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	return ends_well(child);
}

static bool spawn_and_system(void)
{
	char *argv[] = { (char *)"true", NULL };
	pid_t child;

	return posix_spawn(&child, "/bin/true", NULL, NULL, argv, NULL) == 0 &&
	       ends_well(child) && system("exit 0") == 0;
}

static void live_as_daemon(void)
{
	pid_t child;

	setsid();
	child = fork();
	if (child) {
		_exit(ends_well(child) ? 0 : 1);
	}
	if (chdir("/"))
		_exit(1);
	closefrom(0);
	/* The host's own files take the numbers. */
	for (int i = 0; i < 3; i++)
		if (open("/dev/null", O_RDWR) != i)
			_exit(1);
	contend();
	exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	bool well = false;

	if (!strcmp(how, "fork")) {
		contend();
		well = fork_and(contend);
	} else if (!strcmp(how, "quiet")) {
		contend();
		well = fork_and(do_nothing);
	} else if (!strcmp(how, "loop")) {
		well = fork_in_loop();
	} else if (!strcmp(how, "vfork")) {
		contend();
		well = vfork_and_exec();
	} else if (!strcmp(how, "spawn")) {
		contend();
		well = spawn_and_system();
	} else if (!strcmp(how, "daemon")) {
		well = fork_and(live_as_daemon);
	}
	puts(well ? "well" : "not well");
	return well ? 0 : 1;
}
