/*
 * A thread becomes an event loop while it is on its own alternate stack: in a
 * handler there, or since it has named as such the stack that it was on.
 *
 * usage: victim_begun_on little|leaves|named [thread]
 * little: little of it is left, and a page below it can't be touched
 * leaves: the handler goes to a coroutine on another stack, and comes back
 * prints what sigaltstack(2) tells, and "done" if its frames are as they were
 *
 * SPDX-License-Identifier: MIT
 */
#include <alloca.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "victim_coroutine.h"
#include "victim_place.h"

#define BYTES	   ((size_t)65536)
#define PAGE_BYTES ((size_t)4096)
#define LEFT_BYTES 1300
#define TIMES	   5

static ucontext_t home, coroutine;
static char *stack, *other;
static bool is_kept = true;

static void say_flags(const char *where)
{
	stack_t now;

	sigaltstack(NULL, &now);
	printf("%s: flags %d, its own %d\n", where, now.ss_flags,
	       now.ss_sp == stack);
}

static __attribute__((noinline, noclone)) void compute(void)
{
	for (int i = 0; i < TIMES; i++) {
		turn();
		spin(4 * NS_PER_MS);
	}
	KEEP_FRAME();
}

/* With so much in its frame that is to stay, calls what is given. */
static __attribute__((noinline, noclone)) void
keep_frame(void (*function)(void), size_t bytes)
{
	volatile char *kept = alloca(bytes);

	for (size_t i = 0; i < bytes; i++)
		kept[i] = 0x5a;
	function();
	for (size_t i = 0; i < bytes; i++)
		is_kept = is_kept && kept[i] == 0x5a;
}

static __attribute__((noinline)) void in_little(void)
{
	compute();
	KEEP_FRAME();
}

static void on_little(int sig)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	(void)sig;
	keep_frame(in_little, here - (uintptr_t)stack - LEFT_BYTES);
}

static void in_coroutine(void)
{
	for (;;) {
		compute();
		swapcontext(&coroutine, &home);
	}
}

/* Each turn may be the one by which it becomes a loop. */
static void leave(void)
{
	compute();
	say_flags("in it");
	swapcontext(&home, &coroutine);
}

static void on_leaving(int sig)
{
	(void)sig;
	keep_frame(leave, 3000);
}

static void handle(void (*handler)(int))
{
	const stack_t own = { .ss_sp = stack, .ss_size = BYTES };
	struct sigaction act = { .sa_handler = handler,
				 .sa_flags = SA_ONSTACK };

	sigaltstack(&own, NULL);
	sigaction(SIGUSR2, &act, NULL);
	for (int i = 0; i < TIMES; i++) {
		raise(SIGUSR2);
		say_flags("after it");
		compute();
	}
}

static void little(void)
{
	handle(on_little);
}

static void leaves(void)
{
	make_coroutine(&coroutine, other, BYTES, in_coroutine, NULL);
	handle(on_leaving);
}

static void go_home(void)
{
	swapcontext(&coroutine, &home);
}

static void name_own(void)
{
	const stack_t own = { .ss_sp = stack, .ss_size = BYTES };

	compute();
	printf("named: %d\n", sigaltstack(&own, NULL));
	say_flags("on it");
	keep_frame(go_home, 3000);
	swapcontext(&coroutine, &home);
}

static void named(void)
{
	make_coroutine(&coroutine, stack, BYTES, name_own, NULL);
	swapcontext(&home, &coroutine);
	/* A tick now must not come to its top, where frames are. */
	compute();
	say_flags("off it");
	swapcontext(&home, &coroutine);
}

static const struct place places[] = {
	{ "little", little },
	{ "leaves", leaves },
	{ "named", named },
	{ NULL, NULL },
};

static char *guarded(void)
{
	char *pages = mmap(NULL, PAGE_BYTES + BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages, PAGE_BYTES, PROT_NONE))
		exit(3);
	return pages + PAGE_BYTES;
}

/* Their first call takes half a page; and this thread is to be no loop yet. */
static void *bind_functions(void *none)
{
	turn();
	spin(0);
	return none;
}

static void *run(void *place)
{
	((const struct place *)place)->callback();
	return NULL;
}

int main(int argc, char **argv)
{
	const struct place *place = place_asked(places, argc, argv);
	pthread_t thread;

	loop_fd = epoll_create1(EPOLL_CLOEXEC);
	stack = guarded();
	other = guarded();
	pthread_create(&thread, NULL, bind_functions, NULL);
	pthread_join(thread, NULL);
	if (argc > 2) {
		pthread_create(&thread, NULL, run, (void *)place);
		pthread_join(thread, NULL);
	} else {
		run((void *)place);
	}
	puts(is_kept ? "done" : "overwritten");
	return 0;
}
