/*
 * Signals over fork, vfork, exec and the end of a process: what the host and
 * its parent see.
 *
 * usage: victim_signal_process CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "victim_signal.h"

static atomic_int count;

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static void say_status(const char *what, int status)
{
	if (WIFSIGNALED(status))
		printf("%s: killed by %d\n", what, WTERMSIG(status));
	else
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
}

static void say_end_of(const char *what, pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	say_status(what, status);
}

static void die_of(int sig)
{
	loop_for(10 * NS_PER_MS);
	puts("and now");
	raise(sig);
	puts("alive");
}

static void interrupt(void)
{
	die_of(SIGINT);
}

static void terminate(void)
{
	die_of(SIGTERM);
}

/* With a core, as far as the system and its user let it. */
static void quit(void)
{
	die_of(SIGQUIT);
}

static void hang_up(void)
{
	die_of(SIGHUP);
}

/* The main thread sleeps; another one, blocking nothing, is hit. */
static void *spin_for_ever(void *unused)
{
	for (;;)
		loop_for(NS_PER_S);
	return unused;
}

static void terminate_from_outside(void)
{
	pthread_t thread;
	pid_t child;
	char ready;
	int fd[2];

	if (pipe(fd))
		_exit(3);
	child = fork();
	if (child) {
		if (read(fd[0], &ready, 1) == 1)
			loop_for(30 * NS_PER_MS);
		kill(child, SIGTERM);
		say_end_of("child", child);
		return;
	}
	pthread_create(&thread, NULL, spin_for_ever, NULL);
	/* By then it is a loop. */
	loop_for(10 * NS_PER_MS);
	if (write(fd[1], "", 1) == 1)
		spin_for_ever(NULL);
}

static pid_t forked(void (*act)(void))
{
	pid_t child = fork();

	if (child)
		return child;
	act();
	_exit(0);
}

static void child_signals_itself(void)
{
	loop_for(10 * NS_PER_MS);
	raise(SIGUSR1);
	loop_for(10 * NS_PER_MS);
}

static void child_goes_back_to_default(void)
{
	signal(SIGUSR1, SIG_DFL);
	child_signals_itself();
}

static void child_goes_back_everywhere(void)
{
	for (int sig = 1; sig <= 64; sig++)
		signal(sig, SIG_DFL);
	child_signals_itself();
}

static void forks(void)
{
	loop_for(10 * NS_PER_MS);
	say_end_of("default", forked(child_signals_itself));
	signal(SIGUSR1, on_count);
	say_end_of("inherited", forked(child_signals_itself));
	say_end_of("reset", forked(child_goes_back_to_default));
	say_end_of("all reset", forked(child_goes_back_everywhere));
	signal(SIGUSR1, SIG_IGN);
	say_end_of("ignored", forked(child_signals_itself));
	loop_for(10 * NS_PER_MS);
	say_action(SIGUSR1);
}

static void pause_for_ever(void)
{
	for (;;)
		pause();
}

static pid_t killed_from_outside(int sig)
{
	pid_t child = forked(pause_for_ever);

	loop_for(10 * NS_PER_MS);
	kill(child, sig);
	return child;
}

static void kills(void)
{
	static const int sigs[] = { SIGUSR1, SIGUSR2, SIGTERM, SIGKILL,
				    SIGHUP };

	loop_for(10 * NS_PER_MS);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++)
		say_end_of("child", killed_from_outside(sigs[i]));
}

/* What a careful spawner does between vfork and exec. */
static pid_t spawned(const char *script)
{
	sigset_t all, none;
	pid_t child;

	sigfillset(&all);
	sigemptyset(&none);
	child = vfork();
	if (child)
		return child;
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int sig = 1; sig <= 64; sig++)
		signal(sig, sig == SIGUSR2 ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", script, NULL);
	_exit(127);
}

static void vforks(void)
{
	loop_for(10 * NS_PER_MS);
	say_end_of("before", spawned("kill -USR2 $$; kill -USR1 $$"));
	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, on_count);
	signal(SIGUSR2, on_count);
	signal(SIGTERM, on_count);
	say_end_of("after", spawned("kill -USR2 $$; kill -USR1 $$"));
	loop_for(10 * NS_PER_MS);
	raise(SIGUSR1);
	raise(SIGUSR2);
	raise(SIGTERM);
	printf("count %d\n", count);
	for (int sig = SIGUSR1; sig <= SIGTERM; sig++)
		say_action(sig);
}

/* The child's first act that concerns signals is its own vfork child's. */
static void child_spawns_first(void)
{
	say_end_of("grandchild", spawned("kill -USR2 $$; kill -USR1 $$"));
	raise(SIGUSR2);
	printf("count %d\n", count);
	fflush(stdout);
}

static void forks_then_vforks(void)
{
	signal(SIGUSR2, on_count);
	say_end_of("child", forked(child_spawns_first));
}

static int give_up_signals(void *unused)
{
	(void)unused;
	signal(SIGUSR1, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	return 7;
}

/* What the child does to a disposition it does to its parent's. */
static void shares_dispositions(void)
{
	static char stack[1 << 18] __attribute__((aligned(16)));

	loop_for(10 * NS_PER_MS);
	say_end_of("child", clone(give_up_signals, stack + sizeof(stack),
				  CLONE_VM | CLONE_SIGHAND | SIGCHLD, NULL));
	loop_for(20 * NS_PER_MS);
	raise(SIGTERM);
}

/* The child has no handlers, its own or others', and is a loop. */
static void clears_handlers(void)
{
	struct clone_args how = { .flags = CLONE_CLEAR_SIGHAND,
				  .exit_signal = SIGCHLD };
	pid_t child;

	loop_for(10 * NS_PER_MS);
	child = (pid_t)syscall(SYS_clone3, &how, sizeof(how));
	if (!child) {
		loop_for(20 * NS_PER_MS);
		_exit(7);
	}
	say_end_of("child", child);
}

#define FLAG_AC (1UL << 18)

/* Accesses that are not aligned are forbidden while ticks come. */
static void aligned_only(void)
{
	uint64_t begun_ns = now_ns();
	unsigned long flags;

	loop_for(10 * NS_PER_MS);
	flags = __builtin_ia32_readeflags_u64();
	__builtin_ia32_writeeflags_u64(flags | FLAG_AC);
	while (now_ns() - begun_ns < 30 * NS_PER_MS)
		;
	flags = __builtin_ia32_readeflags_u64();
	__builtin_ia32_writeeflags_u64(flags & ~FLAG_AC);
	printf("forbidden: %d\n", (flags & FLAG_AC) != 0);
}

static void systems(void)
{
	loop_for(10 * NS_PER_MS);
	say_status("system", system("kill -INT $$"));
	printf("then %s\n", handler_name(signal(SIGINT, SIG_DFL)));
	signal(SIGINT, on_count);
	say_status("system", system("exit 3"));
	say_action(SIGINT);
	raise(SIGINT);
	printf("count %d\n", count);
	signal(SIGINT, SIG_DFL);
	loop_for(10 * NS_PER_MS);
	raise(SIGINT);
}

static void aborts(void)
{
	loop_for(10 * NS_PER_MS);
	set_action(SIGABRT, on_count, (int)SA_RESETHAND, 0);
	say_end_of("child", forked(abort));
	signal(SIGABRT, on_count);
	abort();
}

/* The program below says what it was given. */
static void executed(void)
{
	sigset_t mask;

	for (int sig = 1; sig <= 64; sig++)
		say_action(sig);
	sigemptyset(&mask);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	say_set("mask", &mask);
}

static void executes(void)
{
	sigset_t set;

	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, on_count);
	signal(SIGHUP, SIG_IGN);
	signal(SIGRTMAX - 2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	execl("/proc/self/exe", "again", "executed", NULL);
}

/* The first process of a namespace is spared what it does not handle. */
static void be_first_process(int to_parent)
{
	loop_for(5 * NS_PER_MS);
	if (write(to_parent, "", 1) != 1)
		abort();
	printf("sleep: %d\n", usleep(200000));
	wait_for_nothing(200);
	_exit(0);
}

static void becomes_first(void)
{
	static const int spared[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1 };
	int ready[2];
	char none;
	pid_t child;

	loop_for(10 * NS_PER_MS);
	if (unshare(CLONE_NEWPID) || pipe(ready)) {
		perror("unshare");
		return;
	}
	child = fork();
	if (!child)
		be_first_process(ready[1]);
	if (read(ready[0], &none, 1) != 1)
		abort();
	/* In its sleep, and in its wait. */
	for (int i = 0; i < 12; i++) {
		usleep(30000);
		kill(child, spared[i % 4]);
	}
	say_end_of("child", child);
}

static const struct signal_case cases[] = {
	{ "interrupt", interrupt },
	{ "terminate", terminate },
	{ "hang_up", hang_up },
	{ "quit", quit },
	{ "terminate_from_outside", terminate_from_outside },
	{ "forks", forks },
	{ "kills", kills },
	{ "vforks", vforks },
	{ "forks_then_vforks", forks_then_vforks },
	{ "shares_dispositions", shares_dispositions },
	{ "clears_handlers", clears_handlers },
	{ "aligned_only", aligned_only },
	{ "systems", systems },
	{ "aborts", aborts },
	{ "executed", executed },
	{ "executes", executes },
	{ "becomes_first", becomes_first },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
