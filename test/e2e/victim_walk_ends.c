/*
 * An event loop whose callbacks take 60 ms each in code that unwind rules do
 * not lead out of, or that has none.
 *
 * usage: victim_walk_ends PLACE
 * prints "done" once the loop has turned again
 *
 * SPDX-License-Identifier: MIT
 */
#include <alloca.h>

#include "victim_place.h"

#define SPIN_NS	    (60 * NS_PER_MS)
#define A_WHILE	    1000000
#define STACK_WORDS 512

/*
 * As assemblers make it without directives for unwinding. Each counts down to
 * 0, and:
 *
 *   spin_leaf    does no more than that
 *   spin_saving  uses registers that it saves, the frame pointer for data
 *   spin_roomy   has room for variables, where earlier calls have left theirs
 *   spin_away    is on a stack of its own meanwhile, where nothing leads back
 */
void spin_leaf(long count);
void spin_saving(long count, const void *data);
void spin_roomy(long count);
void spin_away(long count, void *stack_end);

#if defined(__x86_64__)
__asm__(".text\n"
	".type spin_leaf, @function\n"
	"spin_leaf:\n"
	"1:	decq %rdi\n"
	"	jnz 1b\n"
	"	ret\n"
	".size spin_leaf, . - spin_leaf\n"
	".type spin_saving, @function\n"
	"spin_saving:\n"
	"	pushq %rbx\n"
	"	pushq %rbp\n"
	"	movq %rsi, %rbp\n"
	"	movq $0, %rbx\n"
	"1:	decq %rdi\n"
	"	jnz 1b\n"
	"	popq %rbp\n"
	"	popq %rbx\n"
	"	ret\n"
	".size spin_saving, . - spin_saving\n"
	".type spin_roomy, @function\n"
	"spin_roomy:\n"
	"	subq $200, %rsp\n"
	"1:	decq %rdi\n"
	"	jnz 1b\n"
	"	addq $200, %rsp\n"
	"	ret\n"
	".size spin_roomy, . - spin_roomy\n"
	".type spin_away, @function\n"
	"spin_away:\n"
	"	movq %rsp, %rdx\n"
	"	movq %rsi, %rsp\n"
	"1:	decq %rdi\n"
	"	jnz 1b\n"
	"	movq %rdx, %rsp\n"
	"	ret\n"
	".size spin_away, . - spin_away\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".type spin_leaf, %function\n"
	"spin_leaf:\n"
	"1:	subs x0, x0, 1\n"
	"	b.ne 1b\n"
	"	ret\n"
	".size spin_leaf, . - spin_leaf\n"
	".type spin_saving, %function\n"
	"spin_saving:\n"
	"	stp x29, x19, [sp, -16]!\n"
	"	mov x29, x1\n"
	"	mov x19, 0\n"
	"1:	subs x0, x0, 1\n"
	"	b.ne 1b\n"
	"	ldp x29, x19, [sp], 16\n"
	"	ret\n"
	".size spin_saving, . - spin_saving\n"
	".type spin_roomy, %function\n"
	"spin_roomy:\n"
	"	sub sp, sp, 208\n"
	"1:	subs x0, x0, 1\n"
	"	b.ne 1b\n"
	"	add sp, sp, 208\n"
	"	ret\n"
	".size spin_roomy, . - spin_roomy\n"
	".type spin_away, %function\n"
	"spin_away:\n"
	"	mov x2, sp\n"
	"	mov x3, x30\n"
	"	mov sp, x1\n"
	"	mov x30, 0\n"
	"1:	subs x0, x0, 1\n"
	"	b.ne 1b\n"
	"	mov x30, x3\n"
	"	mov sp, x2\n"
	"	ret\n"
	".size spin_away, . - spin_away\n");
#endif

static uint64_t until_ns;

__attribute__((noinline)) static void callback_leaf(void)
{
	while (now_ns() < until_ns)
		spin_leaf(A_WHILE);
	KEEP_FRAME();
}

/* Neither was ever called. */
__attribute__((noinline)) static void pretended_a(void)
{
	spin(1);
	KEEP_FRAME();
}

__attribute__((noinline)) static void pretended_b(void)
{
	pretended_a();
	KEEP_FRAME();
}

/* A list that is in its memory what a chain of frames is. */
struct link {
	struct link *next;
	char *function;
};

/* Has a frame of unknown size, which a frame pointer is needed for. */
__attribute__((noinline)) static void callback_saving(void)
{
	volatile char *room = alloca((size_t)(until_ns % 2 + 1) * 64);
	struct link list[3];

	room[0] = 0;
	for (int i = 0; i < 3; i++) {
		list[i].next = i < 2 ? &list[i + 1] : NULL;
		list[i].function = (char *)(i % 2 ? pretended_a : pretended_b);
		list[i].function += 8;
	}
	while (now_ns() < until_ns)
		spin_saving(A_WHILE, list);
	__asm__ volatile("" : : "r"(list) : "memory");
}

__attribute__((noinline)) static void returned_b(void)
{
	spin(1);
	KEEP_FRAME();
}

__attribute__((noinline)) static void returned_a(void)
{
	returned_b();
	KEEP_FRAME();
}

/* What it has called before leaves frames behind that look like good ones. */
__attribute__((noinline)) static void callback_roomy(void)
{
	do {
		returned_a();
		spin_roomy(10 * A_WHILE);
	} while (now_ns() < until_ns);
	KEEP_FRAME();
}

__attribute__((noinline)) static void callback_away(void)
{
	static uintptr_t stack[STACK_WORDS] __attribute__((aligned(16)));

	while (now_ns() < until_ns)
		spin_away(A_WHILE, stack + STACK_WORDS / 2);
	KEEP_FRAME();
}

/* As code that is hardened does: its return address is in disguise. */
__attribute__((noinline)) static void hide_return(void)
{
	volatile uintptr_t *frame = __builtin_frame_address(0);

	frame[1] ^= UINT64_C(0x123456789000);
	spin(SPIN_NS);
	frame[1] ^= UINT64_C(0x123456789000);
}

__attribute__((noinline)) static void callback_hidden(void)
{
	hide_return();
	KEEP_FRAME();
}

static const struct place places[] = {
	{ "leaf", callback_leaf },     { "saving", callback_saving },
	{ "roomy", callback_roomy },   { "away", callback_away },
	{ "hidden", callback_hidden }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct place *place = place_asked(places, argc, argv);

	be_a_loop();
	until_ns = now_ns() + SPIN_NS;
	place->callback();
	turn();
	puts("done");
	return 0;
}
