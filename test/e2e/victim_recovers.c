/*
 * An event loop whose callback follows a null pointer, jumps out of the handler
 * of that, and computes for 400 ms: in the same run, after a while.
 *
 * usage: victim_recovers siglongjmp|longjmp|setcontext
 * prints "done"
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include "victim_place.h"

static sigjmp_buf with_mask;
static jmp_buf without;
static volatile int *volatile nowhere;

static void jump_with_mask(int sig)
{
	(void)sig;
	siglongjmp(with_mask, 1);
}

static void jump_without(int sig)
{
	(void)sig;
	longjmp(without, 1);
}

static void handle(void (*handler)(int))
{
	const struct sigaction act = { .sa_handler = handler,
				       .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &act, NULL);
}

static void callback_siglongjmp(void)
{
	handle(jump_with_mask);
	if (!sigsetjmp(with_mask, 1))
		*nowhere = 0;
}

static void callback_longjmp(void)
{
	handle(jump_without);
	if (!setjmp(without))
		*nowhere = 0;
}

static ucontext_t there;

static void go_there(int sig)
{
	(void)sig;
	setcontext(&there);
}

static void callback_setcontext(void)
{
	volatile bool is_back = false;

	handle(go_there);
	getcontext(&there);
	if (is_back)
		return;
	is_back = true;
	*nowhere = 0;
}

static const struct place places[] = {
	{ "siglongjmp", callback_siglongjmp },
	{ "longjmp", callback_longjmp },
	{ "setcontext", callback_setcontext },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct place *place = place_asked(places, argc, argv);

	be_a_loop();
	spin(2 * NS_PER_MS);
	place->callback();
	spin(400 * NS_PER_MS);
	turn();
	puts("done");
	return 0;
}
