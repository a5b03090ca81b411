/*
 * Pointers that lead nowhere, given to the functions of signals: some fail with
 * EFAULT, some are followed by libc itself.
 *
 * usage: victim_signal_pointers [CASE]
 * prints for each argument what came of it; without CASE the names of cases
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "victim_signal.h"

static sigset_t set;
static int sink;
static void *nowhere;
static const struct timespec moment = { .tv_nsec = 1000000 };

#define CALLS(X)                                                               \
	X(sigprocmask(SIG_BLOCK, nowhere, NULL))                               \
	X(sigprocmask(SIG_BLOCK, &set, nowhere))                               \
	X(sigprocmask(SIG_BLOCK, NULL, nowhere))                               \
	X(sigprocmask(99, &set, nowhere))                                      \
	X(-pthread_sigmask(SIG_SETMASK, nowhere, NULL))                        \
	X(-pthread_sigmask(SIG_SETMASK, &set, nowhere))                        \
	X(sigpending(nowhere))                                                 \
	X(sigsuspend(nowhere))                                                 \
	X(sigtimedwait(nowhere, NULL, &moment))                                \
	X(sigtimedwait(&set, NULL, nowhere))                                   \
	X(sigtimedwait(&set, nowhere, &moment))                                \
	X((raise(SIGUSR2), sigtimedwait(&set, nowhere, &moment)))              \
	X(sigwaitinfo(nowhere, NULL))                                          \
	X((raise(SIGUSR2), sigwaitinfo(&set, nowhere)))                        \
	X(-sigwait(nowhere, &sink))                                            \
	X(signalfd(-1, nowhere, 0))                                            \
	X(sigaction(SIGUSR1, nowhere, NULL))                                   \
	X(sigaction(SIGUSR1, NULL, nowhere))                                   \
	X(ppoll(NULL, 0, nowhere, NULL))                                       \
	X(ppoll(NULL, 0, &moment, nowhere))                                    \
	X(pselect(0, NULL, NULL, NULL, nowhere, NULL))                         \
	X(pselect(0, NULL, NULL, NULL, &moment, nowhere))                      \
	X(select(0, NULL, NULL, NULL, nowhere))                                \
	X(epoll_pwait(0, nowhere, 1, 0, nowhere))

/* In a child: what is natively a crash is to be one. */
static bool is_in_child(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		/* What waits natively, too, is not to do so for long. */
		alarm(1);
		return true;
	}
	waitpid(child, &status, 0);
	if (status)
		printf("ended with %x\n", (unsigned int)status);
	return false;
}

static void is_blocked(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	say_set("blocked", &now);
	_exit(0);
}

static void try_all(void)
{
	loop_for(5 * NS_PER_MS);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
#define X(call)                                                                \
	puts(#call);                                                           \
	if (is_in_child()) {                                                   \
		long got;                                                      \
                                                                               \
		pthread_sigmask(SIG_BLOCK, &set, NULL);                        \
		errno = 0;                                                     \
		got = call;                                                    \
		printf("%ld %s\n", got, strerror(errno));                      \
		is_blocked();                                                  \
	}
	CALLS(X)
#undef X
}

static void unmapped(void)
{
	nowhere = (void *)16;
	try_all();
}

static void read_only(void)
{
	nowhere =
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	try_all();
}

int main(int argc, char **argv)
{
	static const struct signal_case cases[] = {
		{ "unmapped", unmapped },
		{ "read_only", read_only },
		{ NULL, NULL },
	};

	return run_case(cases, argc, argv);
}
