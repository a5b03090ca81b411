/*
 * A thread that unlocks where SIGSEGV and SIGBUS are blocked, or ignored, while
 * frames of its stack are lost for a moment (victim_lost_frames.h).
 *
 * usage: victim_walk_blocked HOW
 * HOW: see `hows`
 * prints "done" at its end
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim_coroutine.h"
#include "victim_lost_frames.h"

#define LOSSES	10
#define BETWEEN 12 /* by so many walks their ways are known again */

static bool loses;
static sigset_t all, none, all_but_usr2;

/* To be called where the faults are blocked. */
static __attribute__((noinline)) void hold_blocked(void)
{
	if (loses)
		mprotect(lost.start, lost.bytes, PROT_NONE);
	hold();
	if (loses)
		mprotect(lost.start, lost.bytes, PROT_READ | PROT_WRITE);
	KEEP_FRAME();
}

static void block(void)
{
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void unblock(void)
{
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void by_mask(void)
{
	block();
	hold_blocked();
	unblock();
	hold();
}

static void block_one(int sig)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, sig);
	pthread_sigmask(SIG_BLOCK, &one, NULL);
}

static void block_segv(void)
{
	block_one(SIGSEGV);
}

static void by_system_call(void)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	hold_blocked();
	unblock();
	hold();
}

static void hold_in_handler(int sig)
{
	(void)sig;
	hold_blocked();
}

static void handle(sigset_t mask)
{
	const struct sigaction act = { .sa_handler = hold_in_handler,
				       .sa_mask = mask };

	sigaction(SIGUSR2, &act, NULL);
}

static void fill_handlers_mask(void)
{
	handle(all);
}

static void put_off(void)
{
	handle(none);
	block_one(SIGUSR2);
}

static void by_handler(void)
{
	hold();
	raise(SIGUSR2);
}

static void by_suspend(void)
{
	hold();
	raise(SIGUSR2);
	sigsuspend(&all_but_usr2);
}

static void by_poll(void)
{
	hold();
	raise(SIGUSR2);
	ppoll(NULL, 0, NULL, &all_but_usr2);
}

static void block_behind(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	memcpy(&uc->uc_sigmask, &all, 8);
}

static void handle_by_blocking(void)
{
	const struct sigaction act = { .sa_sigaction = block_behind,
				       .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR2, &act, NULL);
}

static void by_return(void)
{
	hold();
	raise(SIGUSR2);
	hold_blocked();
	unblock();
}

static void by_jump(void)
{
	static sigjmp_buf before;

	block();
	if (!sigsetjmp(before, 1)) {
		unblock();
		hold();
		siglongjmp(before, 1);
	}
	hold_blocked();
	unblock();
}

static sigjmp_buf in_handler;

static void jump_into_handler(int sig)
{
	(void)sig;
	hold();
	siglongjmp(in_handler, 1);
}

static void wait_in_handler(int sig)
{
	(void)sig;
	if (!sigsetjmp(in_handler, 1)) {
		raise(SIGUSR1);
		sigsuspend(&none);
	}
	hold_blocked();
}

static void handle_in_handler(void)
{
	const struct sigaction inner = { .sa_handler = jump_into_handler },
			       outer = { .sa_handler = wait_in_handler,
					 .sa_mask = all };

	sigaction(SIGUSR1, &inner, NULL);
	sigaction(SIGUSR2, &outer, NULL);
}

static ucontext_t back;

/* In a context of its own, which returns to `back`. */
static void call_in_context(void (*work)(void))
{
	static char room[64 << 10];
	static ucontext_t there;

	make_coroutine(&there, room, sizeof(room), work, &back);
	swapcontext(&back, &there);
}

static void work_open(void)
{
	unblock();
	hold();
}

/* A context's function returns, to one in which they are blocked. */
static void by_context(void)
{
	block();
	call_in_context(work_open);
	hold_blocked();
	unblock();
}

/* By a context that is filled by hand. */
static void set_by_context(const sigset_t *mask)
{
	static ucontext_t to;
	volatile bool is_there = false;

	getcontext(&to);
	if (is_there)
		return;
	is_there = true;
	memcpy(&to.uc_sigmask, mask, 8);
	setcontext(&to);
}

static void by_given_context(void)
{
	hold();
	set_by_context(&all);
	hold_blocked();
	set_by_context(&none);
}

static void work_and_block_back(void)
{
	hold();
	memcpy(&back.uc_sigmask, &all, 8);
}

static void by_linked_context(void)
{
	call_in_context(work_and_block_back);
	hold_blocked();
	set_by_context(&none);
}

/* The child's mask is not its parent's, though the memory is. */
static void by_vfork(void)
{
	pid_t child;

	block();
	child = vfork();
	if (!child) {
		unblock();
		hold();
		_exit(0);
	}
	hold_blocked();
	waitpid(child, NULL, 0);
	unblock();
}

static void ignore(void)
{
	signal(SIGSEGV, SIG_IGN);
	signal(SIGBUS, SIG_IGN);
}

static void nothing(void)
{
}

static const struct how {
	const char *name;
	void (*in_main)(void), (*before)(void), (*hold)(void);
} hows[] = {
	{ "mask", nothing, nothing, by_mask },
	{ "one", nothing, block_segv, hold_blocked },
	{ "call", nothing, nothing, by_system_call },
	{ "born", block, nothing, hold_blocked },
	{ "attributes", nothing, nothing, hold_blocked },
	{ "handler", nothing, fill_handlers_mask, by_handler },
	{ "suspend", nothing, put_off, by_suspend },
	{ "poll", nothing, put_off, by_poll },
	{ "return", nothing, handle_by_blocking, by_return },
	{ "jump", nothing, nothing, by_jump },
	{ "inner", nothing, handle_in_handler, by_handler },
	{ "context", nothing, nothing, by_context },
	{ "given", nothing, nothing, by_given_context },
	{ "linked", nothing, nothing, by_linked_context },
	{ "vfork", nothing, nothing, by_vfork },
	{ "ignored", nothing, ignore, hold_blocked },
};

static const struct how *how;

static __attribute__((noinline)) void never_return(void)
{
	note_what_is_lost(__builtin_frame_address(0));
	for (int i = 0; i < LOSSES * BETWEEN; i++) {
		loses = i % BETWEEN == BETWEEN - 1;
		how->hold();
	}
	end_here();
}

static void *work(void *argument)
{
	how->before();
	go_far_down(never_return);
	KEEP_FRAME();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;

	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		if (argc > 1 && strcmp(argv[1], hows[i].name) == 0)
			how = &hows[i];
	if (!how)
		return 2;
	sigfillset(&all);
	sigemptyset(&none);
	all_but_usr2 = all;
	sigdelset(&all_but_usr2, SIGUSR2);
	how->in_main();
	pthread_attr_init(&attr);
	if (strcmp(how->name, "attributes") == 0)
		pthread_attr_setsigmask_np(&attr, &all);
	run_to_its_end(&attr, work);
	return 0;
}
