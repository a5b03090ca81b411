/*
 * A thread becomes an event loop when there is no memory to be had any more,
 * and computes where there is little room left on the stack.
 *
 * usage: victim_exhausted WAY
 * prints "done" once the loop has turned again
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim_coroutine.h"
#include "victim_place.h"

#define PAGE_BYTES ((size_t)4096)
#define JOBS	   20

static ucontext_t home, coroutine;
static pthread_barrier_t exhausted;
static char *stack;

/* Of its page so much is left that no signal's frame has room there. */
static __attribute__((noinline)) void in_coroutine(void)
{
	volatile char used[2600] = { 0 };

	for (;;) {
		used[0]++;
		spin(4 * NS_PER_MS);
		swapcontext(&coroutine, &home);
	}
}

static void *be_an_early_loop(void *none)
{
	be_a_loop();
	return none;
}

static void *be_a_late_loop(void *none)
{
	pthread_barrier_wait(&exhausted);
	be_a_loop();
	for (int i = 0; i < JOBS; i++) {
		turn();
		swapcontext(&home, &coroutine);
	}
	turn();
	return none;
}

static char *map(size_t bytes, int protection)
{
	char *pages = mmap(NULL, bytes, protection,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED)
		exit(3);
	return pages;
}

static unsigned long number_in(const char *path)
{
	unsigned long number;
	FILE *file = fopen(path, "r");

	if (!file || fscanf(file, "%lu", &number) != 1)
		exit(3);
	fclose(file);
	return number;
}

/* The file begins with how many pages are mapped. */
static void limit_address_space(void)
{
	struct rlimit limit;
	pthread_t loop;

	/* With the first comes the memory for what is known of all loops. */
	pthread_create(&loop, NULL, be_an_early_loop, NULL);
	pthread_join(loop, NULL);
	limit.rlim_cur = number_in("/proc/self/statm") * PAGE_BYTES;
	limit.rlim_max = limit.rlim_cur;
	setrlimit(RLIMIT_AS, &limit);
}

/* Every other page is different, as long as there may be more mappings. */
static void use_up_mappings(void)
{
	size_t n = number_in("/proc/sys/vm/max_map_count");
	char *pages = map(2 * n * PAGE_BYTES, PROT_NONE);

	for (size_t i = 0; i < n; i++)
		if (mprotect(pages + 2 * i * PAGE_BYTES, PAGE_BYTES, PROT_READ))
			return;
	exit(3);
}

static const struct place ways[] = {
	{ "limit", limit_address_space },
	{ "mappings", use_up_mappings },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct place *way = place_asked(ways, argc, argv);
	pthread_t loop;

	pthread_barrier_init(&exhausted, NULL, 2);
	pthread_create(&loop, NULL, be_a_late_loop, NULL);
	stack = map(2 * PAGE_BYTES, PROT_READ | PROT_WRITE);
	mprotect(stack, PAGE_BYTES, PROT_NONE);
	make_coroutine(&coroutine, stack + PAGE_BYTES, PAGE_BYTES, in_coroutine,
		       NULL);
	way->callback();
	pthread_barrier_wait(&exhausted);
	pthread_join(loop, NULL);
	puts("done");
	return 0;
}
