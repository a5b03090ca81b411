/*
 * An event loop that computes where there is little room left on the stack.
 *
 * usage: victim_small_stacks PLACE
 * prints "done" once the loop has turned again
 *
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "victim_coroutine.h"
#include "victim_place.h"
#include "victim_rival.h"

#define PAGE_BYTES ((size_t)4096)

/* So many bytes, and an unreadable page below them. */
static char *guarded(size_t bytes)
{
	char *pages = mmap(NULL, PAGE_BYTES + bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages, PAGE_BYTES, PROT_NONE))
		exit(3);
	return pages + PAGE_BYTES;
}

/* More than half of a page is in use: what is left takes no signal's frame. */
static __attribute__((noinline, noclone)) void use_half_of_page(uint64_t ns)
{
	volatile char used[2200];

	memset((char *)used, 1, sizeof(used));
	spin(ns);
	used[0] = 2;
}

static ucontext_t home, coroutine;

static __attribute__((noinline)) void in_coroutine(void)
{
	use_half_of_page(60 * NS_PER_MS);
	KEEP_FRAME();
}

static void run_on(char *stack, size_t bytes, void (*function)(void))
{
	make_coroutine(&coroutine, stack, bytes, function, &home);
	swapcontext(&home, &coroutine);
}

static void run_coroutine(void (*function)(void), size_t bytes)
{
	run_on(guarded(bytes), bytes, function);
}

static void callback_coroutine(void)
{
	run_coroutine(in_coroutine, PAGE_BYTES);
}

/*
 * Fibres as hand-written libraries make them: what must be kept is pushed, the
 * stack pointers are exchanged. Below a fibre's first function is nothing.
 */
void *fibre_switch(void **from, void *to);

__asm__(".text\n"
	".globl fibre_switch\n"
	".type fibre_switch, @function\n"
	"fibre_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size fibre_switch, . - fibre_switch\n");

static void *outside, *inside;

static __attribute__((noinline)) void in_fibre(void)
{
	for (;;) {
		use_half_of_page(60 * NS_PER_MS);
		fibre_switch(&inside, outside);
	}
}

static void callback_fibre(void)
{
	void **top = (void **)(guarded(PAGE_BYTES) + PAGE_BYTES);

	/* Six registers, the first function, and where it would return to. */
	top[-2] = (void *)in_fibre;
	inside = &top[-8];
	for (int i = 0; i < 3; i++)
		fibre_switch(&outside, inside);
}

/* Locks and waits are called with little room, too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile bool is_held;

static void *hold(void *none)
{
	pthread_mutex_lock(&lock);
	is_held = true;
	await_waiter(&lock);
	spin(5 * NS_PER_MS);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&other_lock);
	pthread_mutex_unlock(&other_lock);
	return none;
}

static __attribute__((noinline)) void in_locking_coroutine(void)
{
	turn();
	pthread_mutex_lock(&other_lock);
	pthread_mutex_lock(&lock);
	/* Not of this: who has waited for it leaves the mark of a waiter. */
	await_waiter(&other_lock);
	spin(20 * NS_PER_MS);
	pthread_mutex_unlock(&other_lock);
	pthread_mutex_unlock(&lock);
	turn();
	KEEP_FRAME();
}

static void contend_in(void (*function)(void))
{
	pthread_t holder;

	pthread_create(&holder, NULL, hold, NULL);
	while (!is_held)
		sched_yield();
	run_coroutine(function, PAGE_BYTES);
	pthread_join(holder, NULL);
}

static void callback_locks(void)
{
	contend_in(in_locking_coroutine);
}

/* What is left takes the frames of a hook, and nothing else of the shim's. */
static __attribute__((noinline)) void in_full_coroutine(void)
{
	volatile char used[2900];

	memset((char *)used, 1, sizeof(used));
	in_locking_coroutine();
	used[0] = 2;
}

static void callback_full(void)
{
	contend_in(in_full_coroutine);
}

/* A stack whose pages the handler of faults makes as they are met. */
#define GROWN_BYTES (4 * PAGE_BYTES)

static char *grown;
static size_t used_bytes;
static atomic_bool is_over;

static void make_page(int sig, siginfo_t *info, void *context)
{
	char *page =
		(char *)((uintptr_t)info->si_addr / PAGE_BYTES * PAGE_BYTES);

	(void)sig;
	(void)context;
	if (page < grown || page >= grown + GROWN_BYTES ||
	    mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE))
		_exit(4);
}

static __attribute__((noinline)) void in_grown_coroutine(void)
{
	volatile char *used = __builtin_alloca(used_bytes);

	used[0] = 1;
	pthread_mutex_lock(&lock);
	await_waiter(&lock);
	pthread_mutex_unlock(&lock);
	KEEP_FRAME();
}

/* So that any call of the shim's is once the first on a page. */
static void *run_grown(void *none)
{
	char room[4 * PAGE_BYTES];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction act = { .sa_sigaction = make_page,
				 .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct rival wants = { &lock, &is_over };
	pthread_t waiter;

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &act, NULL);
	grown = guarded(GROWN_BYTES);
	pthread_create(&waiter, NULL, want_lock, &wants);
	for (; used_bytes < PAGE_BYTES + 256; used_bytes += 16) {
		mprotect(grown, GROWN_BYTES - PAGE_BYTES, PROT_NONE);
		run_on(grown, GROWN_BYTES, in_grown_coroutine);
	}
	atomic_store(&is_over, true);
	pthread_join(waiter, NULL);
	return none;
}

/* In a thread that is no loop: the shim gives it no alternate stack. */
static void callback_grown(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_grown, NULL);
	pthread_join(thread, NULL);
}

/* The program's own alternate stack: Rust's is twice as large. */
static __attribute__((noinline)) void on_small_stack(int sig)
{
	volatile char used[500];

	(void)sig;
	memset((char *)used, 1, sizeof(used));
	spin(60 * NS_PER_MS);
}

static void callback_alternate(void)
{
	const stack_t stack = { .ss_sp = guarded(PAGE_BYTES),
				.ss_size = PAGE_BYTES };
	struct sigaction act = { .sa_handler = on_small_stack,
				 .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR2, &act, NULL);
	/* In it, and while it is not used. */
	raise(SIGUSR2);
	run_coroutine(in_coroutine, PAGE_BYTES);
}

/* The smallest thread that libc allows. */
static __attribute__((noinline)) void in_small_thread(void)
{
	spin(60 * NS_PER_MS);
	KEEP_FRAME();
}

static void *run_small_thread(void *none)
{
	turn();
	turn();
	in_small_thread();
	turn();
	return none;
}

static void callback_threads(void)
{
	pthread_attr_t attr;
	pthread_t thread[8];

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], &attr, run_small_thread, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

static const struct place places[] = {
	{ "coroutine", callback_coroutine },
	{ "fibre", callback_fibre },
	{ "locks", callback_locks },
	{ "full", callback_full },
	{ "grown", callback_grown },
	{ "alternate", callback_alternate },
	{ "threads", callback_threads },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct place *place = place_asked(places, argc, argv);

	be_a_loop();
	/* libc binds functions at their first call, which takes half a page. */
	use_half_of_page(0);
	place->callback();
	turn();
	puts("done");
	return 0;
}
