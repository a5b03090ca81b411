/*
 * An event loop whose callbacks switch to stacks that lie next to the thread's
 * own, and next to gaps. What switches lets the unwinder believe that it has
 * done nothing: so walks are led across, into the gap or what has been there.
 *
 * usage: victim_gaps PLACE
 * prints "done" once the loop has turned again
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/mman.h>

#include "victim_place.h"

#define PAGE_BYTES   ((size_t)4096)
#define STACK_BYTES  (16 * PAGE_BYTES)
#define STACKS	     4
#define THREAD_BYTES (4 * STACK_BYTES)
#define SPIN_NS	     (10 * NS_PER_MS)

static __attribute__((noinline)) void in_gap_job(void)
{
	spin(SPIN_NS);
	KEEP_FRAME();
}

/* Calls function with its stack below top. */
void switch_stack(void *top, void (*function)(void));

__asm__(".text\n"
	".globl switch_stack\n"
	".type switch_stack, @function\n"
	"switch_stack:\n"
	"	.cfi_startproc\n"
	"	pushq %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_offset %rbx, -16\n"
	"	movq %rsp, %rbx\n"
	"	movq %rdi, %rsp\n"
	"	call *%rsi\n"
	"	movq %rbx, %rsp\n"
	"	popq %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size switch_stack, . - switch_stack\n");

static char *map(size_t bytes)
{
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(3);
	return pages;
}

static void stall_on(char *top)
{
	turn();
	switch_stack(top, in_gap_job);
	turn();
}

/* Of a thread without a guard page, its stack the last of these pages. */
static char *below;

static void *switch_below(void *none)
{
	char *top = below + 2 * STACK_BYTES;

	/* All of it seems to be the thread's, and later no more. */
	for (int i = 0; i < 3; i++)
		stall_on(below + STACK_BYTES);
	for (int i = 0; i < 3; i++)
		stall_on(top);
	munmap(top, STACK_BYTES);
	for (int i = 0; i < 3; i++)
		stall_on(top);
	return none;
}

static void run_below(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	below = map(STACKS * STACK_BYTES + THREAD_BYTES);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, below + STACKS * STACK_BYTES,
			      THREAD_BYTES);
	if (pthread_create(&thread, &attr, switch_below, NULL))
		exit(4);
	pthread_join(thread, NULL);
}

/* Where the kernel has put them. */
static void *switch_beside(void *none)
{
	char *stack[STACKS];

	for (int i = 0; i < STACKS; i++)
		stack[i] = map(STACK_BYTES);
	for (int i = 0; i < STACKS; i++)
		stall_on(stack[i] + STACK_BYTES);
	for (int i = 0; i < STACKS; i += 2)
		munmap(stack[i], STACK_BYTES);
	for (int i = 1; i < STACKS; i += 2)
		stall_on(stack[i] + STACK_BYTES);
	return none;
}

static void run_beside(void)
{
	pthread_attr_t attr;
	pthread_t thread[2];

	pthread_attr_init(&attr);
	pthread_attr_setguardsize(&attr, 0);
	pthread_attr_setstacksize(&attr, THREAD_BYTES);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], &attr, switch_beside, NULL))
			exit(4);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

/* In a frame of the thread's own stack, which has been deeper before. */
static __attribute__((noinline)) void switch_within(void)
{
	char area[(STACKS + 1) * STACK_BYTES];
	char *first = area + (-(uintptr_t)area & (PAGE_BYTES - 1));

	for (size_t i = 0; i < STACKS; i++)
		if (mprotect(first + i * STACK_BYTES, PAGE_BYTES, PROT_NONE))
			exit(5);
	for (size_t i = 1; i < STACKS; i++)
		stall_on(first + i * STACK_BYTES);
	for (size_t i = 0; i < STACKS; i++)
		mprotect(first + i * STACK_BYTES, PAGE_BYTES,
			 PROT_READ | PROT_WRITE);
}

static __attribute__((noinline)) void go_deep(size_t pages)
{
	char used[PAGE_BYTES];

	__asm__ volatile("" ::"r"(used) : "memory");
	if (pages)
		go_deep(pages - 1);
	for (size_t i = 0; !pages && i < 10; i++) {
		turn();
		spin(SPIN_NS);
	}
	KEEP_FRAME();
}

static void run_within(void)
{
	go_deep(2 * STACKS * STACK_BYTES / PAGE_BYTES);
	switch_within();
}

static void run(const char *place)
{
	if (strcmp(place, "below") == 0)
		run_below();
	else if (strcmp(place, "beside") == 0)
		run_beside();
	else if (strcmp(place, "within") == 0)
		run_within();
	else
		exit(2);
}

int main(int argc, char **argv)
{
	loop_fd = epoll_create1(EPOLL_CLOEXEC);
	turn();
	turn();
	run(argc > 1 ? argv[1] : "");
	turn();
	puts("done");
	return 0;
}
