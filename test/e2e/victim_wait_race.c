/*
 * A loop that waits for ever, and a thread that wakes it by a signal, at random
 * moments around the tick. The handler has no SA_RESTART: every signal must
 * end the wait with EINTR, and nothing else may.
 *
 * usage: victim_wait_race CALL SIGNALS
 * prints: "sent N lost N spurious N"
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"
#include "victim_raw_waits.h"
#include "victim_uring_waits.h"

/* Lost: it did not end the wait for this long. */
#define LOST_NS (2 * NS_PER_S)

static int loop_fd, epoll_fd, pipe_fds[2];
static int patient_fd; /* a socket whose timeout is long */
static sem_t never;
static pid_t child;
static atomic_uint handled;	   /* handlers entered */
static atomic_uint turns, wakeups; /* waits begun, waits ended */
static atomic_uint spurious;
static atomic_bool over;
static atomic_int loop_tid;

static int wait_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, -1);
}

static int wait_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(epoll_fd, &event, 1, -1, &none);
}

static int wait_epoll_pwait2(void)
{
	struct epoll_event event;
	struct timespec long_time = { .tv_sec = 1000 };

	return epoll_pwait2(epoll_fd, &event, 1, &long_time, NULL);
}

static int wait_poll(void)
{
	struct pollfd fd = { .fd = pipe_fds[0], .events = POLLIN };

	return poll(&fd, 1, -1);
}

static int wait_ppoll(void)
{
	struct pollfd fd = { .fd = pipe_fds[0], .events = POLLIN };
	sigset_t none;

	sigemptyset(&none);
	return ppoll(&fd, 1, NULL, &none);
}

static int wait_select(void)
{
	struct timeval long_time = { .tv_sec = 1000 };
	fd_set in;

	FD_ZERO(&in);
	FD_SET(pipe_fds[0], &in);
	return select(pipe_fds[0] + 1, &in, NULL, NULL, &long_time);
}

static int wait_pselect(void)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(pipe_fds[0], &in);
	return pselect(pipe_fds[0] + 1, &in, NULL, NULL, NULL, NULL);
}

static int wait_read(void)
{
	char c;

	return (int)read(pipe_fds[0], &c, 1);
}

static int wait_recv(void)
{
	char c;

	return (int)recv(patient_fd, &c, 1, 0);
}

static int wait_sem(void)
{
	return sem_wait(&never);
}

static int wait_nanosleep(void)
{
	const struct timespec long_time = { .tv_sec = 1000 };

	return nanosleep(&long_time, NULL);
}

static int wait_sigsuspend(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigsuspend(&none);
}

static int wait_child(void)
{
	return waitpid(child, NULL, 0);
}

/* Sleeps of 1000 s, which must tell what is left of that. */

#define LONG_S 1000

static int broken_if(bool is_told)
{
	errno = EINTR;
	return is_told ? -1 : 0;
}

static bool is_left(const struct timespec *left)
{
	return left->tv_sec < LONG_S && left->tv_sec > LONG_S - 60;
}

static int sleep_whole(void)
{
	unsigned left = sleep(LONG_S);

	return broken_if(left < LONG_S && left > LONG_S - 60);
}

static int sleep_us(void)
{
	return usleep(LONG_S * 1000000u);
}

static int sleep_told(void)
{
	struct timespec time = { .tv_sec = LONG_S };
	int got = nanosleep(&time, &time);

	return got < 0 && !is_left(&time) ? 0 : got;
}

static int sleep_by_clock(void)
{
	struct timespec time = { .tv_sec = LONG_S };

	return broken_if(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) ==
				 EINTR &&
			 is_left(&time));
}

static int sleep_in_c11(void)
{
	const struct timespec time = { .tv_sec = LONG_S };

	return broken_if(thrd_sleep(&time, NULL) == -1);
}

static const struct call {
	const char *name;
	int (*wait)(void);
	bool is_in_run; /* it is no wait for events: a tick comes in a run */
	int (*wait_ms)(int ms); /* in place of wait */
} calls[] = {
	{ "epoll_wait", wait_epoll, false, NULL },
	{ "epoll_pwait", wait_epoll_pwait, false, NULL },
	{ "epoll_pwait2", wait_epoll_pwait2, false, NULL },
	{ "poll", wait_poll, false, NULL },
	{ "ppoll", wait_ppoll, false, NULL },
	{ "select", wait_select, false, NULL },
	{ "pselect", wait_pselect, false, NULL },
#define X(name) { #name, NULL, false, name },
	RAW_WAITS(X) URING_WAITS(X)
#undef X
		{ "nested_epoll_wait", wait_epoll, true, NULL },
	{ "nested_epoll_pwait2", wait_epoll_pwait2, true, NULL },
	{ "nested_poll", wait_poll, true, NULL },
	{ "nested_ppoll", wait_ppoll, true, NULL },
	{ "nested_select", wait_select, true, NULL },
	{ "nested_raw_ppoll", NULL, true, raw_ppoll },
	{ "sleep", sleep_whole, true, NULL },
	{ "usleep", sleep_us, true, NULL },
	{ "nanosleep_told", sleep_told, true, NULL },
	{ "clock_nanosleep", sleep_by_clock, true, NULL },
	{ "thrd_sleep", sleep_in_c11, true, NULL },
	{ "pause", pause, true, NULL },
	{ "nested_raw_io_uring", NULL, true, raw_io_uring },
	{ "read", wait_read, true, NULL },
	{ "recv", wait_recv, true, NULL },
	{ "sem_wait", wait_sem, true, NULL },
	{ "waitpid", wait_child, true, NULL },
	{ "nanosleep", wait_nanosleep, true, NULL },
	{ "sigsuspend", wait_sigsuspend, true, NULL },
};

static void on_signal(int sig)
{
	(void)sig;
	atomic_fetch_add(&handled, 1);
}

/* Each turn ends by one signal: its handler must have run by then. */
static void *loop(void *call)
{
	const struct call *c = call;
	struct epoll_event event;
	unsigned before = 0;

	atomic_store(&loop_tid, gettid());
	while (!atomic_load(&over)) {
		unsigned after;
		int got;

		if (c->is_in_run)
			epoll_wait(loop_fd, &event, 1, 0);
		atomic_fetch_add(&turns, 1);
		got = c->wait_ms ? c->wait_ms(-1) : c->wait();
		after = atomic_load(&handled);
		if (got != -1 || errno != EINTR || after == before)
			atomic_fetch_add(&spurious, 1);
		before = after;
		atomic_fetch_add(&wakeups, 1);
	}
	return NULL;
}

/* Has *counter reached value before the time is out? */
static bool reaches(atomic_uint *counter, unsigned value, uint64_t within_ns)
{
	uint64_t end_ns = now_ns() + within_ns;

	while (atomic_load(counter) < value)
		if (now_ns() > end_ns)
			return false;
	return true;
}

/*
 * Does the wait that this signal is to end go on? Who has been woken and is not
 * let run has lost nothing, however long that lasts.
 */
static bool is_lost(unsigned signal)
{
	while (!reaches(&wakeups, signal, LOST_NS))
		if (sleeps(atomic_load(&loop_tid)))
			return true;
	return false;
}

static const struct call *find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	exit(2);
}

static void prepare(void)
{
	const struct timeval long_time = { .tv_sec = 1000 };
	int fds[2];

	loop_fd = epoll_create1(0);
	epoll_fd = epoll_create1(0);
	if (pipe(pipe_fds) || socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		exit(2);
	patient_fd = fds[0];
	setsockopt(patient_fd, SOL_SOCKET, SO_RCVTIMEO, &long_time,
		   sizeof(long_time));
	sem_init(&never, 0, 0);
}

static void start_child(void)
{
	child = fork();
	if (!child)
		for (;;)
			pause();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	const struct call *call;
	unsigned signals = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
	unsigned lost = 0;
	pthread_t thread;

	prepare();
	if (!strcmp(argv[1], "has_io_uring"))
		return !raw_has_io_uring();
	call = find_call(argv[1]);
	start_child();
	sigaction(SIGUSR2, &action, NULL);
	srandom(4711);
	pthread_create(&thread, NULL, loop, (void *)(uintptr_t)call);
	for (unsigned i = 1; i <= signals; i++) {
		/* From 0.1 to 2.6 ms after the wait began. */
		if (!reaches(&turns, i, LOST_NS))
			return 3;
		/* Before it sleeps a signal is lost natively, too. */
		while (!sleeps(atomic_load(&loop_tid)))
			;
		spin(100000 + (uint64_t)random() % 2500000);
		if (i == signals)
			atomic_store(&over, true);
		pthread_kill(thread, SIGUSR2);
		if (is_lost(i)) {
			lost++;
			pthread_kill(thread, SIGUSR2);
			reaches(&wakeups, i, LOST_NS);
		}
	}
	pthread_join(thread, NULL);
	kill(child, SIGKILL);
	printf("sent %u lost %u spurious %u\n", signals, lost,
	       atomic_load(&spurious));
	return 0;
}
