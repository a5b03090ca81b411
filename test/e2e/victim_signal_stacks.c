/*
 * Alternate stacks, and stacks with little room: what the program is told and
 * where its handlers run, while ticks come.
 *
 * usage: victim_signal_stacks CASE; without one it names its cases
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "victim_alternate.h"
#include "victim_coroutine.h"

static void change_to_all(void)
{
	const stack_t small = { .ss_sp = memory, .ss_size = 1000 };
	const stack_t odd = { .ss_sp = memory, .ss_flags = 77, .ss_size = 9 };
	const stack_t once = { .ss_sp = memory,
			       .ss_flags = (int)AUTODISARM,
			       .ss_size = sizeof(memory) };
	const stack_t on = { .ss_sp = memory,
			     .ss_flags = SS_ONSTACK,
			     .ss_size = sizeof(memory) };
	stack_t same = mine;
	stack_t *volatile answer = &same;

	change("asked", NULL);
	change("small", &small);
	change("odd", &odd);
	change("nowhere", (const stack_t *)8);
	printf("answer nowhere: %d\n", sigaltstack(NULL, (stack_t *)8));
	change("asked", NULL);
	change("mine", &mine);
	change("asked", NULL);
	change("none", &none);
	change("none", &none);
	change("once", &once);
	change("asked", NULL);
	change("on", &on);
	printf("in place: %d\n", sigaltstack(&same, answer));
	say_stack("in place", &same);
	change("none", &none);
}

static void answers(void)
{
	change_to_all();
	loop_for(10 * NS_PER_MS);
	change_to_all();
	loop_for(10 * NS_PER_MS);
	change("asked", NULL);
	change("mine", &mine);
	loop_for(10 * NS_PER_MS);
	change_to_all();
	loop_for(10 * NS_PER_MS);
	change("asked", NULL);
}

static void by_number(void)
{
	stack_t old;

	loop_for(10 * NS_PER_MS);
	printf("%ld\n", syscall(SYS_sigaltstack, NULL, &old));
	say_stack("asked", &old);
	printf("%ld\n", syscall(SYS_sigaltstack, 8, &old));
}

static long inline_sigaltstack(const stack_t *new, stack_t *old)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_sigaltstack), "D"(new), "S"(old)
			 : "rcx", "r11", "memory");
	return result;
}

/* What it is told is not the same; but nothing goes wrong. */
static void round_the_hook(void)
{
	stack_t old;

	for (int i = 0; i < 20; i++) {
		loop_for(10 * NS_PER_MS);
		inline_sigaltstack(&mine, &old);
		loop_for(10 * NS_PER_MS);
		inline_sigaltstack(&old, NULL);
		loop_for(10 * NS_PER_MS);
		inline_sigaltstack(&none, NULL);
		loop_for(10 * NS_PER_MS);
	}
	puts("done");
}

static void raise_both_ways(void)
{
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	raise(SIGUSR2);
	change("behind", NULL);
	handle(SIGUSR2, on_signal, 0);
	raise(SIGUSR2);
	change("behind", NULL);
	handle(SIGUSR2, on_signal, SA_ONSTACK | (int)SA_RESETHAND);
	raise(SIGUSR2);
	say_action(SIGUSR2);
}

static void handlers(void)
{
	const stack_t once = { .ss_sp = memory,
			       .ss_flags = (int)AUTODISARM,
			       .ss_size = sizeof(memory) };

	loop_for(10 * NS_PER_MS);
	raise_both_ways();
	change("mine", &mine);
	raise_both_ways();
	change("once", &once);
	raise_both_ways();
	change("none", &none);
	raise_both_ways();
	loop_for(10 * NS_PER_MS);
}

/* The handler becomes a part of what it interrupted: it changes registers. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	uc->uc_mcontext.gregs[REG_RIP] += 2;
	uc->uc_mcontext.gregs[REG_RBX] += 1;
	uc->uc_mcontext.fpregs->_xmm[0].element[0] += 1;
	/* And uses them itself. */
	__asm__ volatile("pxor %%xmm1, %%xmm1\n\tpxor %%xmm2, %%xmm2" ::
				 : "xmm1", "xmm2");
}

static void registers(void)
{
	uint64_t plain = 0;
	uint64_t kept = 5, changed = 0, sum = 0;

	loop_for(10 * NS_PER_MS);
	handle(SIGILL, on_trap, SA_ONSTACK);
	for (int i = 0; i < 1000; i++)
		/* What lies below the stack pointer is kept, too. */
		__asm__ volatile("movq %1, %%xmm0\n\t"
				 "movq %3, %%xmm1\n\t"
				 "movq %%rbx, -120(%%rsp)\n\t"
				 "movq %0, %%rbx\n\t"
				 "ud2\n\t"
				 "movq %%rbx, %0\n\t"
				 "movq -120(%%rsp), %%rbx\n\t"
				 "movq %%xmm0, %1\n\t"
				 "movq %%xmm1, %%rax\n\t"
				 "addq %%rax, %2\n\t"
				 : "+r"(plain), "+r"(changed), "+r"(sum)
				 : "r"(kept)
				 : "rax", "xmm0", "xmm1", "memory", "cc");
	printf("changed %llu and %llu, kept %llu\n", (unsigned long long)plain,
	       (unsigned long long)changed, (unsigned long long)sum);
}

static sigjmp_buf landing;

static void on_jump(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	siglongjmp(landing, 1);
}

static void jump_out_of_many(void)
{
	volatile int landed = 0;

	for (volatile int i = 0; i < 1000; i++) {
		if (sigsetjmp(landing, 1) == 0)
			raise(SIGUSR2);
		else
			landed++;
	}
	loop_for(10 * NS_PER_MS);
	printf("landed %d\n", landed);
	change("asked", NULL);
}

static void jumps(void)
{
	loop_for(10 * NS_PER_MS);
	handle(SIGUSR2, on_jump, SA_ONSTACK);
	jump_out_of_many();
	change("mine", &mine);
	jump_out_of_many();
}

/* A scheduler that takes the processor away from its coroutines. */
#define WORKERS 3

static ucontext_t home, worker[WORKERS];
static volatile int at_work, switches;

static void on_slice(int sig, siginfo_t *info, void *context)
{
	int from = at_work;

	(void)sig;
	(void)info;
	(void)context;
	at_work = (from + 1) % WORKERS;
	switches++;
	swapcontext(&worker[from], &worker[at_work]);
}

static void work(void)
{
	double product = at_work + 1;

	while (switches < 300) {
		raise(SIGUSR2);
		product *= 1.5;
		wait_for_nothing(0);
		spin(NS_PER_MS * 3 / 2);
		product /= 1.5;
	}
	printf("worker has %g\n", product);
	setcontext(&home);
}

static void swaps(void)
{
	static char stacks[WORKERS][65536];

	loop_for(10 * NS_PER_MS);
	handle(SIGUSR2, on_slice, SA_ONSTACK | SA_NODEFER);
	for (int i = 0; i < WORKERS; i++) {
		make_coroutine(&worker[i], stacks[i], sizeof(stacks[i]), work,
			       NULL);
	}
	swapcontext(&home, &worker[0]);
	loop_for(10 * NS_PER_MS);
	puts("home");
}

static void *ask_in_thread(void *none_at_all)
{
	change("thread", NULL);
	loop_for(10 * NS_PER_MS);
	change("thread, a loop", NULL);
	return none_at_all;
}

static void lives(void)
{
	pthread_t thread;
	pid_t child;

	loop_for(10 * NS_PER_MS);
	pthread_create(&thread, NULL, ask_in_thread, NULL);
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		change("child", NULL);
		change("child", &mine);
		loop_for(10 * NS_PER_MS);
		change("child", &none);
		loop_for(10 * NS_PER_MS);
		change("child", NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (!child)
		_exit(sigaltstack(&mine, NULL) || sigaltstack(&mine, NULL));
	waitpid(child, NULL, 0);
	change("after a vfork", NULL);
	loop_for(10 * NS_PER_MS);
}

static void on_overflow(int sig)
{
	(void)sig;
	if (write(STDOUT_FILENO, "reached\n", 8) != 8)
		abort();
	_exit(1);
}

static volatile bool deeper = true;

static __attribute__((noinline)) int overflow(volatile char *last)
{
	char more[4096];

	more[0] = *last;
	return deeper ? overflow(more) + more[0] : 0;
}

static void *overflow_in_thread(void *unused)
{
	char first = 1;

	loop_for(10 * NS_PER_MS);
	overflow(&first);
	return unused;
}

/* There is no room for the frame of the handler. */
static void overflow_with(int flags)
{
	struct sigaction act = { .sa_handler = on_overflow, .sa_flags = flags };
	pthread_attr_t attr;
	pthread_t thread;
	int status;
	pid_t child = fork();

	if (child) {
		waitpid(child, &status, 0);
		printf("flags %x: status %x\n", (unsigned int)flags,
		       (unsigned int)status & 0x7f);
		return;
	}
	sigaction(SIGSEGV, &act, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, sizeof(memory));
	pthread_create(&thread, &attr, overflow_in_thread, NULL);
	pthread_join(thread, NULL);
	_exit(0);
}

static void overflows(void)
{
	overflow_with(0);
	overflow_with(SA_ONSTACK);
	overflow_with(SA_ONSTACK | SA_NODEFER);
	overflow_with(SA_NODEFER);
}

static const struct signal_case cases[] = {
	{ "answers", answers },
	{ "by_number", by_number },
	{ "round_the_hook", round_the_hook },
	{ "handlers", handlers },
	{ "registers", registers },
	{ "jumps", jumps },
	{ "swaps", swaps },
	{ "lives", lives },
	{ "overflows", overflows },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
