/*
 * A host that blocks signals in a thread that is a loop, and where that mask
 * goes: into new threads, children and programs, through jumps and contexts;
 * and what becomes of a signal that is sent to it meanwhile.
 *
 * usage: victim_signal_inherited CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "victim_coroutine.h"
#include "victim_signal.h"

/* A signal that nobody has a use for, so that a timer might. */
#define ANY 62

static atomic_int count;

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static sigset_t all_but(int first, int last)
{
	sigset_t set;

	sigfillset(&set);
	for (int sig = first; sig && sig <= last; sig++)
		sigdelset(&set, sig);
	return set;
}

static sigset_t only(int first, int last)
{
	sigset_t set;

	sigemptyset(&set);
	for (int sig = first; sig <= last; sig++)
		sigaddset(&set, sig);
	return set;
}

static void set_mask(sigset_t set)
{
	if (sigprocmask(SIG_SETMASK, &set, NULL))
		abort();
}

static void block_all(void)
{
	set_mask(all_but(0, 0));
}

static void block_none(void)
{
	set_mask(only(1, 0));
}

/* A loop that blocks every signal. */
static void loop_blocked(void)
{
	loop_for(10 * NS_PER_MS);
	block_all();
	loop_for(10 * NS_PER_MS);
}

static void *be_born(void *depth)
{
	pthread_t thread;

	say_mask("born");
	loop_for(10 * NS_PER_MS);
	say_mask("later");
	if (depth && !pthread_create(&thread, NULL, be_born, NULL))
		pthread_join(thread, NULL);
	return NULL;
}

static void threads(void)
{
	loop_blocked();
	be_born(&count);
	set_mask(only(SIGUSR1, SIGUSR1));
	be_born(&count);
	set_mask(only(ANY, ANY));
	be_born(&count);
	block_none();
	be_born(&count);
}

/* The program below says what it was given. */
static void executed(void)
{
	say_mask("executed");
	loop_for(10 * NS_PER_MS);
	say_mask("later");
}

static char *const again[] = { "again", "executed", NULL };

static void end(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	printf("status %x\n", (unsigned int)status);
}

/* What it returned is said after what the child has to say. */
static void spawn(void)
{
	pid_t child;
	int err;

	err = posix_spawn(&child, "/proc/self/exe", NULL, NULL, again, environ);
	end(child);
	printf("spawn %d\n", err);
	err = posix_spawnp(&child, "/proc/self/exe", NULL, NULL, again,
			   environ);
	end(child);
	printf("spawnp %d\n", err);
}

static void run_shell(void)
{
	static const char command[] =
		"exec /proc/$PPID/exe executed 2>&1 # of the program itself";
	char line[512];
	FILE *pipe;

	printf("system %d\n", system(command));
	pipe = popen(command, "r");
	while (fgets(line, sizeof(line), pipe))
		fputs(line, stdout);
	printf("popen %d\n", pclose(pipe));
}

static void execute_in_child(pid_t child)
{
	if (child) {
		end(child);
		return;
	}
	/* The first one fails. */
	execl("/nonexistent", "none", NULL);
	execv("/proc/self/exe", again);
	_exit(1);
}

static void start_others(void)
{
	say_mask("mask");
	spawn();
	run_shell();
	fflush(stdout);
	execute_in_child(fork());
	execute_in_child(vfork());
	say_mask("mask");
}

static void programs(void)
{
	loop_blocked();
	start_others();
	set_mask(all_but(ANY, ANY));
	start_others();
	set_mask(only(SIGUSR1, SIGUSR1));
	start_others();
	block_none();
	start_others();
}

static void exec_fails(void)
{
	loop_blocked();
	printf("%d\n", execl("/nonexistent", "none", NULL));
	say_mask("mask");
	loop_for(10 * NS_PER_MS);
	execv("/proc/self/exe", again);
}

static void jump(void (*before)(void), void (*after)(void))
{
	static sigjmp_buf landing;

	before();
	if (!sigsetjmp(landing, 1)) {
		after();
		say_mask("before");
		siglongjmp(landing, 1);
	}
	say_mask("after");
	loop_for(10 * NS_PER_MS);
	say_mask("later");
}

static ucontext_t main_context, side_context;

static void on_the_side(void)
{
	say_mask("side");
	block_none();
	swapcontext(&side_context, &main_context);
	say_mask("side");
	loop_for(10 * NS_PER_MS);
	block_none();
	setcontext(&main_context);
}

static void switch_contexts(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));

	make_coroutine(&side_context, stack, sizeof(stack), on_the_side, NULL);
	for (int i = 0; i < 2; i++) {
		swapcontext(&main_context, &side_context);
		say_mask("main");
		loop_for(10 * NS_PER_MS);
	}
}

static void jumps(void)
{
	loop_blocked();
	jump(block_all, block_none);
	jump(block_none, block_all);
	block_all();
	switch_contexts();
	say_mask("at last");
}

/* Changes that leave or make a mask of nearly every signal. */
static void parts(void)
{
	static const int ranges[][2] = { { ANY, ANY },	 { 35, 50 },
					 { 35, 63 },	 { SIGUSR1, ANY },
					 { SIGUSR1, 1 }, { ANY - 1, ANY } };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		sigset_t part = only(ranges[i][0], ranges[i][1]), old;

		loop_blocked();
		sigprocmask(SIG_UNBLOCK, &part, NULL);
		say_mask("unblocked");
		loop_for(5 * NS_PER_MS);
		sigprocmask(SIG_BLOCK, &part, &old);
		say_set("old", &old);
		say_mask("blocked");
		set_mask(all_but(ranges[i][0], ranges[i][1]));
		say_mask("set");
		loop_for(5 * NS_PER_MS);
		say_mask("later");
	}
}

static void on_context(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	say_mask("in the handler");
	say_set("interrupted", &((ucontext_t *)context)->uc_sigmask);
	sigdelset(&((ucontext_t *)context)->uc_sigmask, SIGHUP);
}

static void handler(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };
	sigset_t term = only(SIGTERM, SIGTERM);

	act.sa_sigaction = on_context;
	sigaction(SIGTERM, &act, NULL);
	loop_blocked();
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	kill(getpid(), SIGTERM);
	say_mask("then");
	loop_for(10 * NS_PER_MS);
	say_mask("later");
}

/* As any other process would: by no function that says for whom it is. */
static void send(int sig, int value)
{
	if (value)
		sigqueue(getpid(), sig, (union sigval){ .sival_int = value });
	else
		kill(getpid(), sig);
}

static void sent(void)
{
	sigset_t set = only(ANY, ANY);
	siginfo_t info;

	loop_blocked();
	for (int i = 0; i < 3; i++)
		send(ANY, i);
	say_pending();
	loop_for(10 * NS_PER_MS);
	say_pending();
	for (int i = 0; i < 3; i++) {
		int sig = sigwaitinfo(&set, &info);

		printf("%d code %d value %d\n", sig, info.si_code,
		       info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
	}
	say_pending();
	send(ANY, 5);
	loop_for(10 * NS_PER_MS);
	signal(ANY, on_count);
	printf("count %d\n", count);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("count %d\n", count);
	say_mask("mask");
}

static void *wait_for_any(void *unused)
{
	sigset_t all = all_but(0, 0);
	int sig = 0;

	count = 1;
	printf("sigwait %d: ", sigwait(&all, &sig));
	printf("%d\n", sig);
	count = 2;
	return unused;
}

/* Several threads block it, one waits for it. */
static void *loop_until_got(void *unused)
{
	while (count < 2)
		loop_for(NS_PER_MS);
	say_pending();
	return unused;
}

static void waited_for(void)
{
	pthread_t loop, waiter;

	loop_blocked();
	pthread_create(&loop, NULL, loop_until_got, NULL);
	loop_for(5 * NS_PER_MS);
	pthread_create(&waiter, NULL, wait_for_any, NULL);
	while (count < 1)
		loop_for(NS_PER_MS);
	send(ANY, 0);
	loop_until_got(NULL);
	pthread_join(waiter, NULL);
	pthread_join(loop, NULL);
}

static void sent_to_the_thread(void)
{
	loop_blocked();
	raise(ANY);
	say_pending();
	pthread_kill(pthread_self(), ANY);
	loop_for(10 * NS_PER_MS);
	say_pending();
}

/* Natively it comes as soon as a wait lets it in. */
static void let_in(void)
{
	sigset_t none = only(1, 0);
	const struct timespec second = { .tv_sec = 1 };

	loop_blocked();
	send(ANY, 0);
	loop_for(10 * NS_PER_MS);
	puts("still alive");
	ppoll(NULL, 0, &second, &none);
	puts("alive");
}

static void deadly(void)
{
	loop_blocked();
	send(ANY, 0);
	loop_for(10 * NS_PER_MS);
	puts("still alive");
	block_none();
	puts("alive");
}

static const struct signal_case cases[] = {
	{ "threads", threads },
	{ "programs", programs },
	{ "exec_fails", exec_fails },
	{ "executed", executed },
	{ "jumps", jumps },
	{ "parts", parts },
	{ "handler", handler },
	{ "sent", sent },
	{ "waited_for", waited_for },
	{ "sent_to_the_thread", sent_to_the_thread },
	{ "let_in", let_in },
	{ "deadly", deadly },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
