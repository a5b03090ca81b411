/*
 * A host to which signals of faults are sent while it has them blocked: they
 * pend, and come by the kernel's order when it opens them.
 *
 * usage: victim_signal_pending_faults CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>

#include "victim_signal.h"

static const int faults[] = { SIGSEGV, SIGBUS };

static int by_kill(int sig)
{
	return kill(getpid(), sig);
}

static int by_sigqueue(int sig)
{
	return sigqueue(getpid(), sig, (union sigval){ .sival_int = 7 });
}

static int (*senders[])(int sig) = { by_kill, by_sigqueue, raise };

static void pend_ignored(int sig, int (*send)(int sig))
{
	const struct timespec now = { .tv_sec = 0 };
	sigset_t set = set_of(sig, sig);

	signal(sig, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	send(sig);
	say_pending();
	loop_for(10 * NS_PER_MS);
	say_pending();
	printf("%d\n", sigtimedwait(&set, NULL, &now));
	send(sig);
	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	say_pending();
}

/* Each of the signals, sent in each way. */
static void try_all(void (*try)(int sig, int (*send)(int sig)))
{
	loop_for(10 * NS_PER_MS);
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 3; k++)
			try(faults[i], senders[k]);
}

static void ignored(void)
{
	try_all(pend_ignored);
}

/* What pends is gone when it comes to be ignored. */
static void ignore_pending(int sig, int (*send)(int sig))
{
	sigset_t set = set_of(sig, sig);

	signal(sig, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	send(sig);
	say_pending();
	signal(sig, SIG_IGN);
	say_pending();
	signal(sig, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void ignored_later(void)
{
	try_all(ignore_pending);
}

/* What a child ends by in which a fault pends with another one. */
static void die(int sig, int other, void (*open)(void))
{
	sigset_t set = set_of(sig, other);
	pid_t child = fork();
	int status;

	if (!child) {
		loop_for(5 * NS_PER_MS);
		sigprocmask(SIG_BLOCK, &set, NULL);
		kill(getpid(), other);
		kill(getpid(), sig);
		loop_for(10 * NS_PER_MS);
		open();
		puts("goes on");
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("%d, %d: status %x\n", sig, other, (unsigned int)status);
}

static void open_all(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void order(void)
{
	const int others[] = { SIGUSR2, SIGALRM, SIGTERM, SIGABRT,
			       SIGHUP,	SIGUSR1, SIGRTMIN };

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			die(faults[i], others[k], open_all);
}

static const struct timespec second = { .tv_sec = 1 };

static void poll_open(void)
{
	sigset_t none;

	sigemptyset(&none);
	ppoll(NULL, 0, &second, &none);
}

static void select_open(void)
{
	sigset_t none;

	sigemptyset(&none);
	pselect(0, NULL, NULL, NULL, &second, &none);
}

static void epoll_open(void)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	epoll_pwait(epoll_create1(0), &event, 1, 1000, &none);
}

static void suspend_open(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigsuspend(&none);
}

static void opened_by_waits(void)
{
	static void (*const waits[])(void) = { poll_open, select_open,
					       epoll_open, suspend_open };

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < sizeof(waits) / sizeof(*waits); k++)
			die(faults[i], faults[i], waits[k]);
}

static const struct signal_case cases[] = {
	{ "ignored", ignored }, { "ignored_later", ignored_later },
	{ "order", order },	{ "opened_by_waits", opened_by_waits },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
