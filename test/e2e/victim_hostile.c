/*
 * What a program may do to its guest.
 *
 * usage: victim_hostile WHAT
 *   cancel    a hundred threads are cancelled in poll, at the time of a tick
 *   nested    a handler that broke a wait waits itself; what is blocked after
 *   slack     sleeps that end just before a tick: how many are cut short
 *   limit     the limit on file sizes becomes 0 while there are results
 *   exits     two threads exit at once
 *   loader    exit while another thread sits in the loader's lock
 *   ages      a select for ages, woken after 100 ms
 *   stranger  a robust mutex unlocked by who does not hold it
 *   told      what two waits tell was left, after a long handler broke them
 *   timeouts  receives with a timeout: how many end early
 * prints what came of it
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "victim.h"

#define TICK_NS NS_PER_MS

static void turn_often(void)
{
	for (int i = 0; i < 3; i++)
		poll(NULL, 0, 0);
}

static void *wait_for_ever(void *arg)
{
	turn_often();
	poll(NULL, 0, -1);
	return arg;
}

static void cancel(void)
{
	for (int i = 0; i < 100; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, wait_for_ever, NULL);
		spin(TICK_NS * 8 / 10 + (uint64_t)i * TICK_NS / 200);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			puts("not cancelled");
	}
	puts("all cancelled");
}

static void wait_in_handler(int sig)
{
	(void)sig;
	poll(NULL, 0, 5);
}

static int count_blocked(void)
{
	sigset_t set;
	int blocked = 0;

	sigprocmask(SIG_BLOCK, NULL, &set);
	for (int sig = 1; sig < NSIG; sig++)
		blocked += sigismember(&set, sig) == 1;
	return blocked;
}

static void *interrupt_later(void *main_thread)
{
	usleep(50000);
	pthread_kill(*(pthread_t *)main_thread, SIGUSR2);
	return NULL;
}

static void nested(void)
{
	struct sigaction action = { .sa_handler = wait_in_handler };
	pthread_t self = pthread_self(), other;

	sigaction(SIGUSR2, &action, NULL);
	turn_often();
	pthread_create(&other, NULL, interrupt_later, &self);
	printf("poll %d", poll(NULL, 0, 5000));
	printf(" %s, blocked %d\n", strerror(errno), count_blocked());
	pthread_join(other, NULL);
}

static volatile uint64_t entered_ns;

/* For longer than the clocks of the kernel and of the test may differ. */
static void take_long(int sig)
{
	(void)sig;
	entered_ns = now_ns();
	spin(200 * NS_PER_MS);
}

#define TOLD_NS (500 * NS_PER_MS)

static bool is_as_of_entry(uint64_t begun_ns, uint64_t left_ns)
{
	uint64_t sum_ns = entered_ns - begun_ns + left_ns;

	return sum_ns > TOLD_NS - 100 * NS_PER_MS &&
	       sum_ns < TOLD_NS + 100 * NS_PER_MS;
}

/* What was left of a wait when the signal came, and not when it had been
 * handled. */
static void told(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 50000 };
	struct timeval want = { .tv_usec = TOLD_NS / 1000 };
	struct timespec nap = { .tv_nsec = TOLD_NS };
	uint64_t begun_ns;
	int got;

	signal(SIGALRM, take_long);
	turn_often();
	setitimer(ITIMER_REAL, &soon, NULL);
	begun_ns = now_ns();
	got = select(0, NULL, NULL, NULL, &want);
	printf("select %d, left %d; ", got,
	       is_as_of_entry(begun_ns, (uint64_t)want.tv_usec * 1000));
	turn_often();
	setitimer(ITIMER_REAL, &soon, NULL);
	begun_ns = now_ns();
	got = nanosleep(&nap, &nap);
	printf("nanosleep %d, left %d\n", got,
	       is_as_of_entry(begun_ns, (uint64_t)nap.tv_nsec));
}

/* No timeout of a socket ends early, wherever between the jiffies it began. */
static void timeouts(void)
{
	const struct timeval timeout = { .tv_usec = 20000 };
	int pair[2], early = 0;
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	for (unsigned int i = 0; i < 30; i++) {
		uint64_t begun_ns;

		poll(NULL, 0, 1);
		spin(NS_PER_MS + i % 10 * NS_PER_MS / 5);
		begun_ns = now_ns();
		if (recv(pair[0], &byte, 1, 0) != -1 || errno != EAGAIN)
			puts("received");
		early += now_ns() - begun_ns < 20 * NS_PER_MS;
	}
	printf("early %d\n", early);
}

static void slack(void)
{
	int cut_short = 0;

	for (int i = 0; i < 500; i++) {
		struct timespec want = {
			.tv_nsec = (long)(TICK_NS - 100000 +
					  (unsigned)i % 10 * 10000),
		};

		poll(NULL, 0, 0);
		cut_short += nanosleep(&want, NULL) != 0;
	}
	printf("cut short %d\n", cut_short);
}

static void stall(void)
{
	turn_often();
	spin(20 * NS_PER_MS);
	turn_often();
}

static void limit(void)
{
	struct rlimit none = { 0, 0 };

	stall();
	puts("limited");
	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &none);
}

static __attribute__((noreturn)) void *exit_too(void *arg)
{
	exit(*(int *)arg);
}

static void exits(void)
{
	int status = 7;
	pthread_t thread;

	stall();
	pthread_create(&thread, NULL, exit_too, &status);
	exit(status);
}

static atomic_bool in_loader;

static int stay(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	atomic_store(&in_loader, true);
	while (atomic_load(&in_loader))
		pause();
	return 0;
}

static void *sit_in_loader(void *arg)
{
	dl_iterate_phdr(stay, NULL);
	return arg;
}

static void loader(void)
{
	pthread_t thread;

	stall();
	pthread_create(&thread, NULL, sit_in_loader, NULL);
	while (!atomic_load(&in_loader))
		;
	puts("exits");
}

static void *write_later(void *fd)
{
	usleep(100000);
	if (write(*(int *)fd, "x", 1) != 1)
		puts("cannot write");
	return NULL;
}

static void ages(void)
{
	struct timeval timeout = { .tv_sec = 18446744074l };
	pthread_t thread;
	fd_set in;
	int fds[2];

	if (pipe(fds))
		return;
	turn_often();
	pthread_create(&thread, NULL, write_later, &fds[1]);
	FD_ZERO(&in);
	FD_SET(fds[0], &in);
	printf("ready %d\n", select(fds[0] + 1, &in, NULL, NULL, &timeout));
	pthread_join(thread, NULL);
}

static pthread_mutex_t robust;
static atomic_int holds, waiter;

static void unlock_by_holder(void)
{
	pthread_mutex_unlock(&robust);
}

static void *hold(void *arg)
{
	pthread_mutex_lock(&robust);
	atomic_store(&holds, 1);
	while (atomic_load(&holds) == 1)
		;
	unlock_by_holder();
	return arg;
}

static void *want(void *arg)
{
	atomic_store(&waiter, gettid());
	pthread_mutex_lock(&robust);
	pthread_mutex_unlock(&robust);
	return arg;
}

static void unlock_by_stranger(void)
{
	printf("unlock by a stranger: %s\n",
	       strerror(pthread_mutex_unlock(&robust)));
}

static void stranger(void)
{
	pthread_mutexattr_t attr;
	pthread_t holder, other;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	pthread_create(&holder, NULL, hold, NULL);
	while (!atomic_load(&holds))
		;
	pthread_create(&other, NULL, want, NULL);
	while (!atomic_load(&waiter) || !sleeps(atomic_load(&waiter)))
		;
	spin(20 * NS_PER_MS);
	unlock_by_stranger();
	atomic_store(&holds, 2);
	pthread_join(holder, NULL);
	pthread_join(other, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} things[] = {
	{ "cancel", cancel }, { "nested", nested },
	{ "slack", slack },   { "limit", limit },
	{ "exits", exits },   { "loader", loader },
	{ "ages", ages },     { "stranger", stranger },
	{ "told", told },     { "timeouts", timeouts },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		if (argc > 1 && !strcmp(argv[1], things[i].name))
			things[i].run();
	return 0;
}
