/*
 * A host that sets dispositions in every way there is, and says what it saw.
 *
 * usage: victim_signal_actions CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>

#include "victim_signal.h"

static volatile sig_atomic_t count, depth, deepest;
static sigjmp_buf landing;

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static void on_info(int sig, siginfo_t *info, void *context)
{
	(void)context;
	count++;
	printf("%d code %d value %d from self %d\n", sig, info->si_code,
	       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0,
	       info->si_pid == getpid());
}

static void on_nested(int sig)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (count++ < 3)
		raise(sig);
	depth--;
}

static void on_masked(int sig)
{
	printf("enter %d\n", sig);
	if (sig == SIGUSR1)
		raise(SIGUSR2);
	printf("leave %d\n", sig);
}

static void on_jump(int sig)
{
	siglongjmp(landing, sig);
}

static void send_both_ways(void)
{
	kill(getpid(), SIGUSR1);
	pthread_kill(pthread_self(), SIGUSR1);
	raise(SIGUSR1);
	printf("count %d\n", (int)count);
}

static void handler_first(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	act.sa_sigaction = on_info;
	sigaction(SIGUSR1, &act, NULL);
	loop_for(20 * NS_PER_MS);
	send_both_ways();
	loop_for(20 * NS_PER_MS);
	say_action(SIGUSR1);
}

static void loop_first(void)
{
	loop_for(20 * NS_PER_MS);
	printf("was %s\n", handler_name(signal(SIGUSR1, on_count)));
	send_both_ways();
	loop_for(20 * NS_PER_MS);
	printf("was %s\n", handler_name(signal(SIGUSR1, SIG_DFL)));
	loop_for(20 * NS_PER_MS);
	say_action(SIGUSR1);
	raise(SIGUSR1);
}

static void ignored(void)
{
	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, SIG_IGN);
	send_both_ways();
	loop_for(20 * NS_PER_MS);
	say_action(SIGUSR1);
}

static void defaulted(void)
{
	loop_for(10 * NS_PER_MS);
	puts("and now");
	raise(SIGUSR1);
}

static void nested(void)
{
	loop_for(10 * NS_PER_MS);
	set_action(SIGUSR1, on_nested, SA_NODEFER, 0);
	raise(SIGUSR1);
	printf("deepest %d\n", (int)deepest);
	count = deepest = 0;
	set_action(SIGUSR1, on_nested, 0, 0);
	raise(SIGUSR1);
	printf("deepest %d\n", (int)deepest);
}

static void masked(void)
{
	loop_for(10 * NS_PER_MS);
	set_action(SIGUSR2, on_masked, 0, 0);
	set_action(SIGUSR1, on_masked, 0, SIGUSR2);
	raise(SIGUSR1);
	set_action(SIGUSR1, on_masked, 0, 0);
	raise(SIGUSR1);
}

static void round_trips(void)
{
	static const int flags[] = { 0, SA_RESTART | SA_ONSTACK,
				     SA_NOCLDSTOP | SA_NOCLDWAIT,
				     (int)SA_RESETHAND | SA_NODEFER };

	loop_for(10 * NS_PER_MS);
	for (int sig = 1; sig <= 65; sig++) {
		say_action(sig);
		for (size_t i = 0; i < 4; i++) {
			set_action(sig, on_count, flags[i], 1 + sig % 64);
			say_action(sig);
			set_action(sig, SIG_DFL, flags[i], 1 + sig % 64);
			say_action(sig);
		}
	}
	loop_for(10 * NS_PER_MS);
}

static void reset_all(void)
{
	loop_for(10 * NS_PER_MS);
	for (int sig = 0; sig <= 65; sig++)
		printf("%d was %s\n", sig, handler_name(signal(sig, SIG_DFL)));
	loop_for(20 * NS_PER_MS);
	raise(SIGUSR1);
}

static void handle_all(void)
{
	loop_for(10 * NS_PER_MS);
	for (int sig = 1; sig <= 64; sig++) {
		bool refused = signal(sig, on_count) == SIG_ERR;

		count = 0;
		if (!refused)
			raise(sig);
		printf("%d refused %d count %d\n", sig, refused, (int)count);
	}
	loop_for(20 * NS_PER_MS);
	raise(SIGUSR1);
	printf("count %d\n", (int)count);
}

static void queued(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	loop_for(10 * NS_PER_MS);
	act.sa_sigaction = on_info;
	for (int i = 0; i < 3; i++) {
		sigaction(SIGRTMAX - i, &act, NULL);
		sigqueue(getpid(), SIGRTMAX - i,
			 (union sigval){ .sival_int = i });
	}
	loop_for(10 * NS_PER_MS);
}

static void jumps(void)
{
	volatile int landed = 0;

	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, on_jump);
	for (volatile int i = 0; i < 100; i++) {
		if (sigsetjmp(landing, 1) == 0)
			raise(SIGUSR1);
		else
			landed++;
	}
	loop_for(10 * NS_PER_MS);
	printf("landed %d\n", landed);
}

static void on_alternate_stack(int sig)
{
	stack_t stack;

	(void)sig;
	sigaltstack(NULL, &stack);
	printf("on it %d\n", !!(stack.ss_flags & SS_ONSTACK));
}

static void alternate(void)
{
	static char memory[65536];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	loop_for(10 * NS_PER_MS);
	sigaltstack(&stack, NULL);
	set_action(SIGUSR1, on_alternate_stack, SA_ONSTACK, 0);
	raise(SIGUSR1);
	set_action(SIGUSR1, on_alternate_stack, 0, 0);
	raise(SIGUSR1);
}

static bool is_of_shim(void *address)
{
	Dl_info object;

	return dladdr(address, &object) &&
	       strstr(object.dli_fname, "libstallshim");
}

/* Of the shim's frames one is allowed. */
static void on_trace(int sig)
{
	void *frame[64];
	int frames = backtrace(frame, 64), of_shim = 0;

	for (int i = 0; i < frames; i++)
		of_shim += is_of_shim(frame[i]);
	printf("%d: %d frames and %d too many\n", sig, frames - of_shim,
	       of_shim > 1 ? of_shim - 1 : 0);
}

/* As crash handlers, and debuggers in them, print it. */
static void traced(void)
{
	void *first[1];

	/* Loads the unwinder. */
	backtrace(first, 1);
	set_action(SIGUSR1, on_trace, 0, 0);
	set_action(SIGUSR2, on_trace, SA_ONSTACK, 0);
	for (int i = 0; i < 2; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
		loop_for(10 * NS_PER_MS);
	}
}

static void on_restore(int sig)
{
	count++;
	signal(sig, SIG_DFL);
}

static void send_to_itself(int sig, int how)
{
	switch (how) {
	case 0:
		kill(getpid(), sig);
		break;
	case 1:
		killpg(0, sig);
		break;
	case 2:
		sigqueue(getpid(), sig, (union sigval){ .sival_int = how });
		break;
	case 3:
		syscall(SYS_kill, getpid(), sig);
		break;
	case 4:
		syscall(SYS_tgkill, getpid(), getpid(), sig);
		break;
	default:
		raise(sig);
	}
	printf("%d by %d: count %d\n", sig, how, count);
}

/* The default is back before its own sending it has returned. */
static void sends_for_once(void)
{
	static const int sigs[] = { SIGHUP,  SIGINT,  SIGTERM,
				    SIGUSR1, SIGSEGV, SIGBUS };

	setpgid(0, 0);
	loop_for(10 * NS_PER_MS);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		for (int how = 0; how < 6; how++) {
			set_action(sigs[i], on_count, (int)SA_RESETHAND, 0);
			send_to_itself(sigs[i], how);
			set_action(sigs[i], on_restore, 0, 0);
			send_to_itself(sigs[i], how);
		}
	}
	loop_for(10 * NS_PER_MS);
	kill(getpid(), SIGTERM);
	puts("goes on");
}

static const struct signal_case cases[] = {
	{ "handler_first", handler_first },
	{ "loop_first", loop_first },
	{ "ignored", ignored },
	{ "defaulted", defaulted },
	{ "nested", nested },
	{ "masked", masked },
	{ "round_trips", round_trips },
	{ "sends_for_once", sends_for_once },
	{ "reset_all", reset_all },
	{ "handle_all", handle_all },
	{ "queued", queued },
	{ "traced", traced },
	{ "jumps", jumps },
	{ "alternate", alternate },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
