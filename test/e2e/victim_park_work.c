/*
 * Threads that wait for work by calls that are no lock's, idle in a pool, and
 * in the callbacks of a loop. What they wait for comes over a channel.
 *
 * usage: victim_park_work WHAT WAY
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <sys/epoll.h>

#include "victim_channel.h"

#define STALL_NS (60 * NS_PER_MS)
#define WORKERS	 2
#define ROUNDS	 5

static const struct way *way;

static __attribute__((noinline)) void take(struct channel *c)
{
	atomic_store(&c->waiter, gettid());
	way->take(c);
	atomic_store(&c->waiter, 0);
	atomic_fetch_add(&c->taken, 1);
}

static void until_awaited(struct channel *c)
{
	int waiter;

	while (!(waiter = atomic_load(&c->waiter)) || !sleeps(waiter))
		sched_yield();
}

static struct channel work, answer;

/* A job asks for something, as a client does: it polls a descriptor. */
static atomic_int jobs;

static __attribute__((noinline)) void job_asks(void)
{
	int ends[2];
	struct pollfd fd = { .events = POLLIN };

	check(!pipe(ends));
	fd.fd = ends[0];
	for (int i = 0; i < 5; i++)
		poll(&fd, 1, 1);
	close(ends[0]);
	close(ends[1]);
	atomic_fetch_add(&jobs, 1);
}

static void *serve(void *unused)
{
	for (;;) {
		take(&work);
		job_asks();
	}
	return unused;
}

static void begin_worker(void)
{
	pthread_t thread;

	atomic_store(&work.waiter, 0);
	pthread_create(&thread, NULL, serve, NULL);
	until_awaited(&work);
}

/* Between its jobs each is idle for longer than the threshold. */
static void run_pool(void)
{
	int before;

	for (int i = 0; i < WORKERS; i++)
		begin_worker();
	for (int i = 0; i < WORKERS * ROUNDS; i++) {
		before = atomic_load(&jobs);
		way->send(&work);
		while (atomic_load(&jobs) == before)
			sched_yield();
		usleep(STALL_NS / 1000);
	}
}

static void answer_late(void)
{
	int before;

	until_awaited(&answer);
	usleep(STALL_NS / 1000);
	before = atomic_load(&answer.taken);
	way->send(&answer);
	while (atomic_load(&answer.taken) == before)
		sched_yield();
}

static __attribute__((noinline)) void prepare(void)
{
	take(&answer);
	KEEP_FRAME();
}

static __attribute__((noinline)) void callback_takes(void)
{
	take(&answer);
	KEEP_FRAME();
}

static int epoll_fd;

static void turn(bool by_callback)
{
	struct epoll_event event;

	for (int i = 0; i < 20; i++)
		epoll_wait(epoll_fd, &event, 1, 1);
	if (by_callback)
		callback_takes();
	else
		take(&answer);
}

/* Before its first wait it has made the call, too, but elsewhere. */
static void *loop_that_asks(void *unused)
{
	struct epoll_event event;

	prepare();
	turn(true);
	turn(false);
	epoll_wait(epoll_fd, &event, 1, 1);
	return unused;
}

/* While a worker is idle by the same calls. */
static void run_asks(void)
{
	pthread_t loop;

	begin_worker();
	pthread_create(&loop, NULL, loop_that_asks, NULL);
	for (int i = 0; i < 3; i++)
		answer_late();
	pthread_join(loop, NULL);
}

static void open_channel(struct channel *c)
{
	way->open(c);
}

static void close_channel(struct channel *c)
{
	if (way->close)
		way->close(c);
}

int main(int argc, char **argv)
{
	sigset_t set;

	if (argc != 3)
		return 2;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(argv[2], ways[i].name))
			way = &ways[i];
	}
	if (!way)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 2);
	sigaddset(&set, SIGRTMIN + 3);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	epoll_fd = epoll_create1(0);
	open_channel(&work);
	open_channel(&answer);
	if (!strcmp(argv[1], "pool"))
		run_pool();
	else if (!strcmp(argv[1], "asks"))
		run_asks();
	else
		return 2;
	close_channel(&work);
	close_channel(&answer);
	exit(0);
}
