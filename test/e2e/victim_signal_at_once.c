/*
 * Signals that become deliverable at one instant, to handlers with SA_ONSTACK:
 * where they run, and what they may do there, while ticks come.
 *
 * usage: victim_signal_at_once CASE; without one it names its cases
 *
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "victim_alternate.h"
#include "victim_coroutine.h"

#define LARGE_BYTES (1u << 20)
#define MANY	    25 /* real-time ones, too */

static char *large;

static void have_large(int flags)
{
	stack_t stack = { .ss_flags = flags, .ss_size = LARGE_BYTES };

	large = mmap(NULL, LARGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (large == MAP_FAILED)
		abort();
	stack.ss_sp = large;
	sigaltstack(&stack, NULL);
}

static sigset_t both(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGALRM);
	return set;
}

static void send_both(void)
{
	const sigset_t set = both();

	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static __attribute__((noinline)) int deep(int left)
{
	volatile char frame[1024];

	frame[0] = (char)left;
	return left ? deep(left - 1) + frame[0] : 0;
}

/* More than ours has. */
static void go_deep(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	stack_t now;
	uintptr_t here = (uintptr_t)&now;

	sigaltstack(NULL, &now);
	printf("%d of %d: on mine %d, flags %x, interrupted on mine %d\n", sig,
	       info->si_signo, here - (uintptr_t)large < LARGE_BYTES,
	       (unsigned int)now.ss_flags,
	       (uintptr_t)uc->uc_mcontext.gregs[REG_RSP] - (uintptr_t)large <
		       LARGE_BYTES);
	deep(400);
}

static void send_both_often(void)
{
	loop_for(10 * NS_PER_MS);
	for (int i = 0; i < 10; i++) {
		send_both();
		wait_for_nothing(1);
	}
}

static void on_own(void)
{
	have_large(0);
	handle(SIGUSR2, go_deep, SA_ONSTACK | SA_RESTART);
	handle(SIGALRM, go_deep, SA_ONSTACK | SA_RESTART);
	send_both_often();
	/* The first of the two is on the interrupted one, or the second. */
	handle(SIGUSR2, go_deep, SA_RESTART);
	send_both_often();
	handle(SIGALRM, go_deep, SA_RESTART);
	handle(SIGUSR2, go_deep, SA_ONSTACK | SA_RESTART);
	send_both_often();
	handle(SIGALRM, go_deep, SA_ONSTACK | (int)SA_RESETHAND);
	loop_for(10 * NS_PER_MS);
	send_both();
	say_action(SIGALRM);
}

static void on_none(void)
{
	handle(SIGUSR2, go_deep, SA_ONSTACK | SA_RESTART);
	handle(SIGALRM, go_deep, SA_ONSTACK | SA_RESTART);
	send_both_often();
}

static volatile int sum;

static void count(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	if (uc->uc_stack.ss_sp != large)
		puts("not mine");
	sum += sig;
	printf("%d with %d\n", sig, info->si_value.sival_int);
	deep(30);
}

/* Each twice, in the order in which they were sent. */
static void many(void)
{
	sigset_t set;

	have_large(0);
	sigemptyset(&set);
	for (int i = 0; i < MANY; i++) {
		handle(SIGRTMIN + i, count, SA_ONSTACK);
		sigaddset(&set, SIGRTMIN + i);
	}
	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 2 * MANY; i++)
		sigqueue(getpid(), SIGRTMIN + i % MANY,
			 (union sigval){ .sival_int = i });
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("sum %d\n", sum);
	loop_for(10 * NS_PER_MS);
}

static void once(void)
{
	have_large((int)AUTODISARM);
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	handle(SIGALRM, on_signal, SA_ONSTACK);
	loop_for(10 * NS_PER_MS);
	raise(SIGUSR2);
	change("behind", NULL);
	handle(SIGUSR2, go_deep, SA_ONSTACK);
	handle(SIGALRM, go_deep, SA_ONSTACK);
	send_both();
	change("behind", NULL);
}

/* A scheduler takes the processor away by one signal; the other comes, too. */
static ucontext_t home, worker;
static volatile int broken;

static void take_away(int sig, siginfo_t *info, void *context)
{
	volatile int kept[64];

	(void)info;
	(void)context;
	for (int i = 0; i < 64; i++)
		kept[i] = i * sig;
	swapcontext(&worker, &home);
	for (int i = 0; i < 64; i++)
		broken += kept[i] != i * sig;
}

static void work(void)
{
	for (;;) {
		send_both();
		swapcontext(&worker, &home);
	}
}

static void swaps(void)
{
	static char stack[1 << 18];

	handle(SIGUSR2, take_away, SA_ONSTACK);
	handle(SIGALRM, take_away, SA_ONSTACK);
	loop_for(10 * NS_PER_MS);
	make_coroutine(&worker, stack, sizeof(stack), work, NULL);
	for (int i = 0; i < 60; i++) {
		swapcontext(&home, &worker);
		spin(3 * NS_PER_MS);
		wait_for_nothing(1);
	}
	printf("broken %d\n", broken);
}

static sigjmp_buf landing;
static volatile int recovered, handled;
static char *volatile nowhere = (char *)8;

static void recover(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	recovered++;
	siglongjmp(landing, 1);
}

static void touch(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	if (!sigsetjmp(landing, 1))
		*nowhere = 1;
	handled++;
}

/* As collectors of garbage do it. */
static void faults(void)
{
	have_large(0);
	handle(SIGSEGV, recover, SA_ONSTACK | SA_NODEFER);
	handle(SIGUSR2, touch, SA_ONSTACK);
	handle(SIGALRM, touch, SA_ONSTACK);
	send_both_often();
	printf("recovered %d, handled %d\n", recovered, handled);
}

/* At any instruction: two timers, and a child that sends two more. */
#define STORM_NS (2 * NS_PER_S)

static volatile long in_place, elsewhere;

static void note_place(int sig, siginfo_t *info, void *context)
{
	char here;

	(void)sig;
	(void)info;
	(void)context;
	if ((uintptr_t)&here - (uintptr_t)large < LARGE_BYTES)
		in_place++;
	else
		elsewhere++;
}

static pid_t start_sender(void)
{
	pid_t to = getpid(), child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint64_t i = 0; getppid() == to; i++) {
		kill(to, i % 2 ? SIGUSR2 : SIGALRM);
		spin(10000 + i * 997 % 20000);
	}
	_exit(0);
}

static void start_timer(int sig, long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = sig };
	const struct itimerspec every = { .it_value.tv_nsec = ns,
					  .it_interval.tv_nsec = ns };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		puts("no timer");
}

static void storm(void)
{
	const int sigs[] = { SIGUSR2, SIGALRM, SIGRTMIN, SIGRTMIN + 1 };
	uint64_t begun_ns = now_ns();
	pid_t sender;

	have_large(0);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++)
		handle(sigs[i], note_place, SA_ONSTACK | SA_RESTART);
	loop_for(10 * NS_PER_MS);
	sender = start_sender();
	start_timer(SIGRTMIN, 70000);
	start_timer(SIGRTMIN + 1, 90000);
	while (now_ns() - begun_ns < STORM_NS) {
		spin(3 * NS_PER_MS);
		poll(NULL, 0, 0);
	}
	kill(sender, SIGKILL);
	waitpid(sender, NULL, 0);
	printf("some in place: %d, elsewhere %ld\n", in_place > 1000,
	       elsewhere);
	/* More are pending, or come at once. */
	fflush(stdout);
	_exit(0);
}

static volatile int in_child;

static void count_in_child(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	in_child++;
}

static int be_child(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2000; i++)
		syscall(SYS_kill, syscall(SYS_getpid), SIGUSR2);
	return 7;
}

/*
 * The thread's memory is one; its alternate stack is the parent's alone, and so
 * are its waits and ticks.
 */
static void in_parents_memory(void)
{
	static char stack[1 << 18];
	int status = 0;
	pid_t child;

	handle(SIGUSR2, count_in_child, SA_ONSTACK);
	loop_for(10 * NS_PER_MS);
	child = clone(be_child, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		      NULL);
	do {
		spin(3 * NS_PER_MS);
		wait_for_nothing(1);
	} while (waitpid(child, &status, WNOHANG) == 0);
	printf("status %x, handled %d\n", (unsigned int)status, in_child);
}

static const struct signal_case cases[] = {
	{ "on_own", on_own }, { "on_none", on_none },
	{ "many", many },     { "once", once },
	{ "swaps", swaps },   { "faults", faults },
	{ "storm", storm },   { "in_parents_memory", in_parents_memory },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
