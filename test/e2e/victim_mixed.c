/*
 * An event loop with one stall that has several causes, one of them by far the
 * heaviest.
 *
 * usage: victim_mixed WHAT
 *   locks    waits 15 ms for cache_lock, which alice holds, then 300 ms for
 *            index_lock, which bob holds
 *   holders  waits for cache_lock both times
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "victim.h"

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;

static void turn(int times)
{
	static int epoll_fd = -1;
	struct epoll_event event;

	if (epoll_fd < 0)
		epoll_fd = epoll_create1(0);
	while (times--)
		epoll_wait(epoll_fd, &event, 1, 1);
}

struct holder {
	const char *name;
	pthread_mutex_t *lock;
	useconds_t us;
	void (*release)(pthread_mutex_t *lock);
	bool has_it;
	pthread_t thread;
};

static __attribute__((noinline, noclone)) void
release_briefly(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	__asm__ volatile("");
}

static __attribute__((noinline, noclone)) void
release_at_last(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	__asm__ volatile("");
}

static void *hold(void *arg)
{
	struct holder *self = arg;

	prctl(PR_SET_NAME, self->name);
	pthread_mutex_lock(self->lock);
	__atomic_store_n(&self->has_it, true, __ATOMIC_RELEASE);
	await_waiter(self->lock);
	usleep(self->us);
	self->release(self->lock);
	return NULL;
}

/* Behind a holder, in the middle of a callback. */
static __attribute__((noinline, noclone)) void
wait_behind(struct holder *holder)
{
	pthread_create(&holder->thread, NULL, hold, holder);
	while (!__atomic_load_n(&holder->has_it, __ATOMIC_ACQUIRE))
		sched_yield();
	pthread_mutex_lock(holder->lock);
	pthread_mutex_unlock(holder->lock);
}

static void callback_locks(pthread_mutex_t *second)
{
	struct holder alice = { .name = "alice",
				.lock = &cache_lock,
				.us = 15000,
				.release = release_briefly };
	struct holder bob = { .name = "bob",
			      .lock = second,
			      .us = 300000,
			      .release = release_at_last };

	wait_behind(&alice);
	wait_behind(&bob);
	turn(2);
	pthread_join(alice.thread, NULL);
	pthread_join(bob.thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	turn(4);
	if (!strcmp(what, "locks"))
		callback_locks(&index_lock);
	else if (!strcmp(what, "holders"))
		callback_locks(&cache_lock);
	else
		return 2;
	turn(2);
	return 0;
}
