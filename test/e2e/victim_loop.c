/*
 * An event loop that does one kind of thing in its callback.
 *
 * usage: victim_loop WHAT [WAIT]
 * prints, for callbacks that take time, how long the run was by its own clock:
 * "run NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"
#include "victim_raw_waits.h"
#include "victim_uring_waits.h"

static int epoll_fd;
static uint64_t run_begun_ns;

/* The waits, each with a timeout of ms, nothing to wait for. */

static int wait_epoll(int ms)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, ms);
}

static int wait_epoll_pwait(int ms)
{
	struct epoll_event event;

	return epoll_pwait(epoll_fd, &event, 1, ms, NULL);
}

static int wait_epoll_pwait2(int ms)
{
	struct timespec timeout = { .tv_nsec = ms * 1000000l };
	struct epoll_event event;

	return epoll_pwait2(epoll_fd, &event, 1, &timeout, NULL);
}

static int wait_poll(int ms)
{
	return poll(NULL, 0, ms);
}

static int wait_ppoll(int ms)
{
	struct timespec timeout = { .tv_nsec = ms * 1000000l };

	return ppoll(NULL, 0, &timeout, NULL);
}

static int wait_select(int ms)
{
	struct timeval timeout = { .tv_usec = ms * 1000 };

	return select(0, NULL, NULL, NULL, &timeout);
}

static int wait_pselect(int ms)
{
	struct timespec timeout = { .tv_nsec = ms * 1000000l };

	return pselect(0, NULL, NULL, NULL, &timeout, NULL);
}

static const struct wait {
	const char *name;
	int (*wait)(int ms);
} waits[] = { { "epoll_wait", wait_epoll },
	      { "poll", wait_poll },
	      { "epoll_pwait", wait_epoll_pwait },
	      { "ppoll", wait_ppoll },
	      { "epoll_pwait2", wait_epoll_pwait2 },
	      { "select", wait_select },
	      { "pselect", wait_pselect },
#define X(name) { #name, name },
	      RAW_WAITS(X) URING_WAITS(X)
#undef X
};

static int (*wait_ms)(int ms) = wait_epoll;

/* Waits, and begins the run that the callback after it is part of. */
static void turn(int ms)
{
	wait_ms(ms);
	run_begun_ns = now_ns();
}

static void tell_run(void)
{
	printf("run %llu\n", (unsigned long long)(now_ns() - run_begun_ns));
}

static void warm_up(void)
{
	for (int i = 0; i < 5; i++)
		turn(1);
}

/* Not so many thresholds: a tick on the very end sees what follows it. */
static void callback_spin(void)
{
	spin(52 * NS_PER_MS);
	tell_run();
}

static void callback_usleep(void)
{
	usleep(200000);
	tell_run();
}

static void callback_nanosleep(void)
{
	struct timespec left, want = { .tv_nsec = 200000000 };

	if (nanosleep(&want, &left))
		puts("cut short");
	tell_run();
}

static void callback_sleep(void)
{
	if (sleep(1))
		puts("cut short");
	tell_run();
}

static void callback_clock_nanosleep(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		puts("cut short");
	tell_run();
}

static void callback_thrd_sleep(void)
{
	struct timespec left, want = { .tv_nsec = 200000000 };

	if (thrd_sleep(&want, &left))
		puts("cut short");
	tell_run();
}

/* It is the child that sleeps; the loop waits for it to be done. */
static void callback_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		usleep(200000);
		_exit(0);
	}
	if (waitpid(child, NULL, 0) != child)
		puts("no child");
	tell_run();
}

static void callback_endless(void)
{
	puts("endless");
	fflush(stdout);
	for (;;)
		spin(NS_PER_MS);
}

/* A loop, or a program that has only just begun to be one: who knows? */
static void hang_at_first(void)
{
	turn(1);
	callback_endless();
}

static void callback_sleeps_for_ever(void)
{
	puts("endless");
	fflush(stdout);
	for (;;)
		sleep(1000);
}

/* In its very first run, before it has shown that it is a loop. */
static void stall_first(void)
{
	turn(1);
	callback_spin();
	turn(1);
}

static void wait_once_and_compute(void)
{
	turn(1);
	spin(100 * NS_PER_MS);
}

static void start_slowly(void)
{
	spin(100 * NS_PER_MS);
	warm_up();
}

static void poll_busily(void)
{
	uint64_t end_ns = now_ns() + NS_PER_S;

	while (now_ns() < end_ns)
		wait_ms(0);
}

static void do_many_small_things(void)
{
	for (int i = 0; i < 200; i++)
		spin(NS_PER_MS);
	tell_run();
}

static void wait_long(void)
{
	uint64_t begun_ns = now_ns();
	int got = wait_ms(500);

	if (got)
		printf("cut short: %d %d\n", got, errno);
	if (now_ns() - begun_ns < 500 * NS_PER_MS ||
	    now_ns() - begun_ns > 2 * NS_PER_S)
		printf("wrong duration\n");
}

/* The shares of many stalls, one after the other. */
static void stall_often(void)
{
	for (int i = 0; i < 20; i++) {
		spin(15 * NS_PER_MS);
		tell_run();
		turn(1);
	}
}

static void do_nothing(void)
{
}

static void end_at_once(void)
{
	callback_spin();
	turn(1);
	fflush(stdout);
	_exit(3);
}

static void end_by_syscall(void)
{
	callback_spin();
	turn(1);
	fflush(stdout);
	syscall(SYS_exit_group, 6);
}

static void end_quickly(void)
{
	callback_spin();
	turn(1);
	fflush(stdout);
	quick_exit(4);
}

static void become_another(void)
{
	callback_spin();
	turn(1);
	fflush(stdout);
	execl("/nonexistent/program", "program", (char *)NULL);
	execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
}

/* There are no such programs; then it is killed. */
static void fail_to_become_another(void)
{
	char *const arguments[] = { "program", NULL };

	callback_spin();
	turn(1);
	execl("/nonexistent/program", "program", (char *)NULL);
	execlp("no-such-program", "program", (char *)NULL);
	execvp("/", arguments);
	execve("/proc/self/status", arguments, environ);
	fexecve(epoll_fd, arguments, environ);
	execveat(-1, "program", arguments, environ, 0);
	raise(SIGKILL);
}

/* Stalls once, then turns idly until it is killed. */
static void stay(void)
{
	callback_spin();
	for (;;)
		turn(500);
}

static void die(void)
{
	callback_spin();
	turn(1);
	fflush(stdout);
	abort();
}

static const struct {
	const char *name;
	void (*prepare)(void);
	void (*callback)(void);
} things[] = {
	{ "spin", warm_up, callback_spin },
	{ "usleep", warm_up, callback_usleep },
	{ "vfork", warm_up, callback_vfork },
	{ "nanosleep", warm_up, callback_nanosleep },
	{ "sleep", warm_up, callback_sleep },
	{ "clock_nanosleep", warm_up, callback_clock_nanosleep },
	{ "thrd_sleep", warm_up, callback_thrd_sleep },
	{ "endless", warm_up, callback_endless },
	{ "sleep-for-ever", warm_up, callback_sleeps_for_ever },
	{ "first", do_nothing, stall_first },
	{ "hang", do_nothing, hang_at_first },
	{ "once", do_nothing, wait_once_and_compute },
	{ "slow-start", do_nothing, start_slowly },
	{ "busy", warm_up, poll_busily },
	{ "many", warm_up, do_many_small_things },
	{ "wait", warm_up, wait_long },
	{ "often", warm_up, stall_often },
	{ "nothing", warm_up, do_nothing },
	{ "_exit", warm_up, end_at_once },
	{ "quick_exit", warm_up, end_quickly },
	{ "exit_group", warm_up, end_by_syscall },
	{ "exec", warm_up, become_another },
	{ "no-exec", warm_up, fail_to_become_another },
	{ "abort", warm_up, die },
	{ "stay", warm_up, stay },
};

static void choose_wait(const char *name)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (!strcmp(name, waits[i].name))
			wait_ms = waits[i].wait;
}

int main(int argc, char **argv)
{
	epoll_fd = epoll_create1(0);
	if (argc > 2)
		choose_wait(argv[2]);
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (argc < 2 || strcmp(argv[1], things[i].name))
			continue;
		things[i].prepare();
		things[i].callback();
		if (things[i].prepare == warm_up)
			turn(1);
		return 0;
	}
	return 2;
}
