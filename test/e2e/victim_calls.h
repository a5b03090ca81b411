/*
 * What the victims that make every call a tick could break share: a table of
 * calls, made one after the other by a loop in its run, each told of in a line:
 * what it returned, errno, and whether it lasted as long as it should.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_CALLS_H
#define E2E_VICTIM_CALLS_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "victim.h"

#define CALL_MS 100

struct call {
	const char *name;
	long (*make)(void);
	void (*later)(void); /* by another thread, CALL_MS after begin() */
};

static pthread_t calling_thread;
static unsigned call_timeout_ms; /* CALL_MS, or longer if something comes */
static _Atomic uint64_t call_begun_ns; /* set by begin(); 0: not yet */

/* What make() prepares before does not count. Ticks come from here on. */
static inline void begin(void)
{
	for (int i = 0; i < 3; i++)
		poll(NULL, 0, 0);
	call_begun_ns = now_ns();
	errno = 0;
}

static inline void sleep_until(uint64_t until_ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(until_ns / NS_PER_S),
		.tv_nsec = (long)(until_ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

/* What comes before it does not count: a busy machine takes its time. */
static inline void *do_later(void *later)
{
	while (!call_begun_ns)
		sleep_until(now_ns() + NS_PER_MS);
	sleep_until(call_begun_ns + CALL_MS * NS_PER_MS);
	(*(void (**)(void))later)();
	return NULL;
}

static inline void on_host_signal(int sig)
{
	(void)sig;
}

/* A signal of the host's, whose handler breaks calls. */
static inline void interrupt_call(void)
{
	pthread_kill(calling_thread, SIGUSR2);
}

static inline const char *lasted(uint64_t ns, uint64_t least_ms,
				 uint64_t most_ms)
{
	return ns < least_ms * NS_PER_MS  ? "too short"
	       : ns > most_ms * NS_PER_MS ? "too long"
					  : "in time";
}

static inline void make_call(const struct call *call)
{
	pthread_t other;
	uint64_t ns;
	long got;
	int error;

	call_timeout_ms = call->later ? 50 * CALL_MS : CALL_MS;
	call_begun_ns = 0;
	if (call->later)
		pthread_create(&other, NULL, do_later,
			       (void *)(uintptr_t)&call->later);
	got = call->make();
	error = errno;
	ns = now_ns() - call_begun_ns;
	if (call->later)
		pthread_join(other, NULL);
	printf("%s: %ld %s, %s\n", call->name, got,
	       got < 0 ? strerror(error)
	       : error ? "leaves errno"
		       : "fine",
	       lasted(ns, CALL_MS * 8 / 10,
		      call->later ? call_timeout_ms / 2 : CALL_MS * 5 / 2));
}

/* Those whose name is or begins with the argument; all without one. */
static inline int make_calls(const struct call *calls, int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_host_signal };
	const char *wanted = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	calling_thread = pthread_self();
	sigaction(SIGUSR2, &act, NULL);
	for (; calls->name; calls++)
		if (!strncmp(calls->name, wanted, strlen(wanted)))
			make_call(calls);
	return 0;
}

#endif
