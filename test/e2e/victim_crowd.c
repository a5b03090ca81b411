/*
 * Many threads, none of them a loop, that contend in pairs for locks, each in a
 * coroutine of one page that uses most of it.
 *
 * prints "done"
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "victim.h"
#include "victim_coroutine.h"

#define PAGE_BYTES ((size_t)4096)
#define THREADS	   64
#define LEFT_BYTES 1300
#define RUN_NS	   (1500 * NS_PER_MS)

struct member {
	pthread_t thread;
	pthread_mutex_t *lock;
	ucontext_t home, coroutine;
};

static struct member members[THREADS];
static pthread_mutex_t locks[THREADS / 2];
static atomic_bool is_over;
static __thread struct member *self;

static void hold_a_while(void)
{
	for (volatile int i = 0; i < 200; i++)
		;
}

static __attribute__((noinline)) void contend(void)
{
	while (!atomic_load(&is_over)) {
		pthread_mutex_lock(self->lock);
		hold_a_while();
		pthread_mutex_unlock(self->lock);
	}
	KEEP_FRAME();
}

static void in_coroutine(void)
{
	volatile char used[PAGE_BYTES - LEFT_BYTES];

	memset((char *)used, 1, sizeof(used));
	contend();
	used[0] = 2;
}

/* An unreadable page below it. */
static char *guarded_page(void)
{
	char *pages = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages, PAGE_BYTES, PROT_NONE))
		exit(3);
	return pages + PAGE_BYTES;
}

static void *run_member(void *member)
{
	self = member;
	make_coroutine(&self->coroutine, guarded_page(), PAGE_BYTES,
		       in_coroutine, &self->home);
	swapcontext(&self->home, &self->coroutine);
	return NULL;
}

/* libc binds functions at their first call, which takes half a page. */
static void bind(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char byte;

	memset(&byte, 1, sizeof(byte));
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	bind();
	for (int i = 0; i < THREADS; i++) {
		members[i].lock = &locks[i / 2];
		if (!(i % 2))
			pthread_mutex_init(members[i].lock, NULL);
		pthread_create(&members[i].thread, NULL, run_member,
			       &members[i]);
	}
	spin(RUN_NS);
	atomic_store(&is_over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(members[i].thread, NULL);
	puts("done");
	return 0;
}
