/*
 * How much of a coroutine's stack calls take that the shim stands in front of.
 * Each is made twice in one: with all that it meets for the first time, and
 * once more. And of a signal handler's, where that has one of its own.
 *
 * usage: victim_room static|frame|thread|handler
 * Where the stack lies: in the program's data, in a frame of the first thread
 * or of another one; the last for a handler, in such a frame.
 * prints "NAME BYTES" for each
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim.h"
#include "victim_coroutine.h"

#define STACK_BYTES (64u << 10)
#define UNTOUCHED   0x5a

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int epoll_fd, pipe_fd[2];

static void *contend(void *none)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return none;
}

static void *hold(void *none)
{
	pthread_mutex_lock(&mutex);
	sem_post(&semaphore);
	await_waiter(&mutex);
	spin(2 * NS_PER_MS);
	pthread_mutex_unlock(&mutex);
	return none;
}

static void *read_lock(void *none)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	return none;
}

static void *write_late(void *none)
{
	spin(2 * NS_PER_MS);
	if (write(pipe_fd[1], "x", 1) != 1)
		abort();
	return none;
}

static pthread_t other;

static void start(void *(*function)(void *))
{
	pthread_create(&other, NULL, function, NULL);
}

static void join(void)
{
	pthread_join(other, NULL);
}

/* Until another thread sleeps in it: writers keep readers out. */
static void await_reader(void)
{
	const volatile unsigned *readers = &rwlock.__data.__readers;

	while (*readers < 8)
		sched_yield();
	spin(NS_PER_MS);
}

static void prepare_unlock(void)
{
	pthread_mutex_lock(&mutex);
	start(contend);
	await_waiter(&mutex);
	spin(2 * NS_PER_MS);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static void prepare_lock(void)
{
	start(hold);
	sem_wait(&semaphore);
}

static void lock(void)
{
	pthread_mutex_lock(&mutex);
}

static void end_lock(void)
{
	pthread_mutex_unlock(&mutex);
	join();
}

static void prepare_rwlock(void)
{
	pthread_rwlock_wrlock(&rwlock);
	start(read_lock);
	await_reader();
}

static void unlock_rwlock(void)
{
	pthread_rwlock_unlock(&rwlock);
}

static void stall(void)
{
	poll(NULL, 0, 1);
	spin(8 * NS_PER_MS);
}

static void call_poll(void)
{
	poll(NULL, 0, 1);
}

static void call_raw_poll(void)
{
	syscall(SYS_poll, NULL, 0, 1);
}

static void call_select(void)
{
	struct timeval soon = { .tv_usec = 1000 };

	select(0, NULL, NULL, NULL, &soon);
}

static void call_pselect(void)
{
	static const struct timespec soon = { .tv_nsec = 1000000 };

	pselect(0, NULL, NULL, NULL, &soon, NULL);
}

static void call_epoll(void)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, 1);
}

static void prepare_read(void)
{
	poll(NULL, 0, 1);
	start(write_late);
}

static void call_read(void)
{
	char byte;

	if (read(pipe_fd[0], &byte, 1) != 1)
		abort();
}

static void call_raw_read(void)
{
	char byte;

	if (syscall(SYS_read, pipe_fd[0], &byte, 1) != 1)
		abort();
}

static void call_sleep(void)
{
	usleep(2000);
}

static void wait_condition(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec = until.tv_nsec / 2;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&condition, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

static void call_semaphore(void)
{
	static sem_t never;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	sem_timedwait(&never, &until);
}

static void call_futex(void)
{
	static const struct timespec soon = { .tv_nsec = 2000000 };
	static int word;

	syscall(SYS_futex, &word, 0, 0, &soon);
}

static void nothing(void)
{
}

static const struct call {
	const char *name;
	void (*prepare)(void);
	void (*function)(void);
	void (*end)(void);
} calls[] = {
	{ "nothing", nothing, nothing, nothing },
	{ "lock", prepare_lock, lock, end_lock },
	{ "epoll", nothing, call_epoll, nothing },
	{ "poll", nothing, call_poll, nothing },
	{ "raw-poll", nothing, call_raw_poll, nothing },
	{ "select", nothing, call_select, nothing },
	{ "pselect", nothing, call_pselect, nothing },
	{ "epoll-after-stall", stall, call_epoll, nothing },
	{ "poll-after-stall", stall, call_poll, nothing },
	{ "unlock", prepare_unlock, unlock, join },
	{ "unlock-rwlock", prepare_rwlock, unlock_rwlock, join },
	{ "read", prepare_read, call_read, join },
	{ "raw-read", prepare_read, call_raw_read, join },
	{ "sleep", call_poll, call_sleep, nothing },
	{ "condition", call_poll, wait_condition, nothing },
	{ "semaphore", call_poll, call_semaphore, nothing },
	{ "futex", call_poll, call_futex, nothing },
};

static char static_stack[STACK_BYTES] __attribute__((aligned(4096)));
static char *stack = static_stack;
static ucontext_t home, coroutine;
static const struct call *now;

/* Nothing above is below the frame that this is called from. */
static __attribute__((noinline, no_sanitize("address"))) size_t
taken_below(char *here)
{
	size_t untouched = 0;

	while (stack[untouched] == UNTOUCHED)
		untouched++;
	return (size_t)(here - stack) - untouched;
}

static __attribute__((noinline)) void wipe_below(char *here)
{
	for (volatile char *p = stack; p < here - 256; p++)
		*p = UNTOUCHED;
}

static void in_coroutine(void)
{
	for (int again = 0; again < 2; again++) {
		char *here = __builtin_frame_address(0);
		size_t taken;

		now->prepare();
		wipe_below(here);
		now->function();
		taken = taken_below(here);
		now->end();
		printf("%s%s %zu\n", now->name, again ? "-again" : "", taken);
	}
}

static void run_coroutine(void)
{
	make_coroutine(&coroutine, stack, STACK_BYTES, in_coroutine, &home);
	swapcontext(&home, &coroutine);
}

static void in_handler(int sig)
{
	(void)sig;
	in_coroutine();
}

static void run_handler(void)
{
	const stack_t given = { .ss_sp = stack, .ss_size = STACK_BYTES };
	struct sigaction act = { .sa_handler = in_handler,
				 .sa_flags = SA_ONSTACK };

	if (sigaltstack(&given, NULL) || sigaction(SIGUSR2, &act, NULL))
		exit(3);
	raise(SIGUSR2);
}

static void run_all(void (*run)(void))
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		now = &calls[i];
		run();
	}
}

static __attribute__((noinline)) void run_in_frame(void (*run)(void))
{
	char array[STACK_BYTES] __attribute__((aligned(4096)));

	stack = array;
	run_all(run);
	KEEP_FRAME();
}

static void *run_in_thread(void *none)
{
	run_in_frame(run_coroutine);
	return none;
}

int main(int argc, char **argv)
{
	const char *where = argc > 1 ? argv[1] : "";
	pthread_t thread;

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	sem_init(&semaphore, 0, 0);
	if (pipe(pipe_fd))
		return 3;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(where, "static"))
		run_all(run_coroutine);
	else if (!strcmp(where, "frame"))
		run_in_frame(run_coroutine);
	else if (!strcmp(where, "handler"))
		run_in_frame(run_handler);
	else if (!strcmp(where, "thread") &&
		 !pthread_create(&thread, NULL, run_in_thread, NULL))
		pthread_join(thread, NULL);
	else
		return 2;
	return 0;
}
