/*
 * An event loop whose callback takes 60 ms in a place where walks have been
 * seen to hang or to see nothing.
 *
 * usage: victim_walk_places PLACE [LIBRARY]
 * prints "done" once the loop has turned again
 *
 * SPDX-License-Identifier: MIT
 */
/* So that walks by frame pointers get through as well. */
#pragma GCC optimize("no-omit-frame-pointer")

#include <dlfcn.h>
#include <iconv.h>
#include <link.h>
#include <nss.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim_coroutine.h"
#include "victim_place.h"

#define PAGE_BYTES 4096
#define HEAP_BYTES (UINT64_C(256) << 20)

static const char *library;

/* Another thread holds the loader's lock until the callback is over. */
static atomic_bool is_locked, is_over;

static int wait_for_callback(struct dl_phdr_info *info, size_t size, void *none)
{
	(void)info;
	(void)size;
	(void)none;
	is_locked = true;
	while (!is_over)
		sched_yield();
	return 1;
}

static void *hold_loaders_lock(void *none)
{
	dl_iterate_phdr(wait_for_callback, none);
	return none;
}

__attribute__((noinline)) static void callback_loader(void)
{
	pthread_t holder;

	pthread_create(&holder, NULL, hold_loaders_lock, NULL);
	while (!is_locked)
		sched_yield();
	spin(60 * NS_PER_MS);
	is_over = true;
	pthread_join(holder, NULL);
}

__attribute__((noinline)) static void callback_constructor(void)
{
	if (!dlopen(library, RTLD_NOW))
		exit(2);
}

static ucontext_t home, coroutine;

__attribute__((noinline)) static void in_coroutine(void)
{
	spin(60 * NS_PER_MS);
	KEEP_FRAME();
}

/* One page, and an unreadable one below it. */
__attribute__((noinline)) static void callback_coroutine(void)
{
	char *pages = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages, PAGE_BYTES, PROT_NONE);
	make_coroutine(&coroutine, pages + PAGE_BYTES, PAGE_BYTES, in_coroutine,
		       &home);
	swapcontext(&home, &coroutine);
}

/* Its page tables take a while to copy: what saves a database's data does. */
__attribute__((noinline)) static void callback_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void grow(void)
{
	volatile char *heap = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)heap, HEAP_BYTES, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < HEAP_BYTES; i += PAGE_BYTES)
		heap[i] = 1;
}

static void handler_spin(int sig)
{
	(void)sig;
	spin(60 * NS_PER_MS);
	KEEP_FRAME();
}

__attribute__((noinline)) static void callback_handler(void)
{
	raise(SIGUSR2);
	KEEP_FRAME();
}

static void allocate(void)
{
	uint64_t begun_ns = now_ns();

	while (now_ns() - begun_ns < 60 * NS_PER_MS)
		for (size_t i = 1; i < 1000; i++) {
			void *block = malloc(i * 97);

			/* Or the compiler leaves both calls out. */
			__asm__ volatile("" : : "r"(block) : "memory");
			free(block);
		}
}

static void *allocate_too(void *argument)
{
	allocate();
	return argument;
}

/* A thread alone would take no lock of the allocator's. */
__attribute__((noinline)) static void callback_malloc(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, allocate_too, NULL))
		exit(2);
	allocate();
	pthread_join(other, NULL);
}

/* What libc loads behind everybody's back. */
__attribute__((noinline)) static void callback_gconv(void)
{
	if (iconv_open("STALLING", "UTF-8") != (iconv_t)-1)
		exit(2);
	KEEP_FRAME();
}

__attribute__((noinline)) static void callback_nss(void)
{
	if (__nss_configure_lookup("passwd", "stalling") || getpwnam("nobody"))
		exit(2);
	KEEP_FRAME();
}

static const struct place places[] = {
	{ "loader", callback_loader },
	{ "constructor", callback_constructor },
	{ "coroutine", callback_coroutine },
	{ "fork", callback_fork },
	{ "handler", callback_handler },
	{ "malloc", callback_malloc },
	{ "gconv", callback_gconv },
	{ "nss", callback_nss },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct place *place = place_asked(places, argc, argv);

	library = argc > 2 ? argv[2] : "";
	signal(SIGUSR2, handler_spin);
	if (place->callback == callback_fork)
		grow();
	be_a_loop();
	place->callback();
	turn();
	puts("done");
	return 0;
}
