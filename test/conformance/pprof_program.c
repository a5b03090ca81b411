/*
 * A program for the pprof clients to look at: a lock held while two threads
 * want it, a callback that stalls its loop, and, if asked, a stall in code that
 * is in no file.
 *
 * usage: pprof_program [jit]
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int wanting; /* threads that are about to want the lock */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void compute_for(uint64_t ms)
{
	uint64_t end_ms = now_ms() + ms;

	while (now_ms() < end_ms)
		;
}

static void want_the_lock(void)
{
	atomic_fetch_add(&wanting, 1);
	pthread_mutex_lock(&cache_lock);
	pthread_mutex_unlock(&cache_lock);
}

static void *use_the_cache(void *unused)
{
	want_the_lock();
	return unused;
}

/* They want it from the beginning on, and get it 30 ms later at the soonest. */
static void hold_the_lock(void)
{
	pthread_t user[2];

	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < 2; i++)
		pthread_create(&user[i], NULL, use_the_cache, NULL);
	while (atomic_load(&wanting) < 2)
		;
	compute_for(30);
	pthread_mutex_unlock(&cache_lock);
	for (int i = 0; i < 2; i++)
		pthread_join(user[i], NULL);
}

static void stall_the_loop(void)
{
	compute_for(60);
}

static atomic_int released;

static void *release_soon(void *unused)
{
	compute_for(60);
	atomic_store(&released, 1);
	return unused;
}

/* Stalls in code made at run time: f: cmpl $0, (%rdi); je f; ret */
static void stall_in_made_code(void)
{
	static const uint8_t code[] = { 0x83, 0x3f, 0, 0x74, 0xfb, 0xc3 };
	void *made =
		mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*until_not_zero)(atomic_int *);
	pthread_t releaser;

	memcpy(made, code, sizeof(code));
	memcpy(&until_not_zero, &made, sizeof(made));
	pthread_create(&releaser, NULL, release_soon, NULL);
	until_not_zero(&released);
	pthread_join(releaser, NULL);
}

static void wait_for_nothing(int epoll)
{
	struct epoll_event event;

	epoll_wait(epoll, &event, 1, 1);
}

int main(int argc, char **argv)
{
	int epoll = epoll_create1(0);

	hold_the_lock();
	wait_for_nothing(epoll);
	wait_for_nothing(epoll);
	if (argc > 1 && !strcmp(argv[1], "jit"))
		stall_in_made_code();
	else
		stall_the_loop();
	wait_for_nothing(epoll);
	return 0;
}
