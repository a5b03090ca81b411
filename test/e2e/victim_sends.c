/*
 * A thread sends the process a signal that kills it, while the first thread,
 * which gets it, waits for events; and would then end the process in another
 * way, or be heard of.
 *
 * usage: victim_sends NUMBER kill|group|queue|call|blocked
 * blocked: the thread has it blocked, and waits until another one has got it
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

static int sig;

static void send_blocked(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), sig);
	do
		sigpending(&set);
	while (sigismember(&set, sig));
}

static void send(const char *how)
{
	const union sigval value = { .sival_int = 1 };

	switch (*how) {
	case 'k':
		kill(getpid(), sig);
		break;
	case 'g':
		setpgid(0, 0);
		killpg(0, sig);
		break;
	case 'q':
		sigqueue(getpid(), sig, value);
		break;
	case 'b':
		send_blocked();
		break;
	default:
		syscall(SYS_kill, getpid(), sig);
	}
}

static void *send_and_exit(void *how)
{
	send(how);
	if (*(const char *)how != 'b')
		write(1, "still there\n", 12);
	_exit(3);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	sig = atoi(argv[argc - 2]);
	poll(NULL, 0, 1);
	poll(NULL, 0, 1);
	pthread_create(&thread, NULL, send_and_exit, argv[argc - 1]);
	for (;;)
		poll(NULL, 0, 10);
}
