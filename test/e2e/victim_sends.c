/*
 * A thread sends the process, or the first thread of it, a signal that kills,
 * while that one, which gets it, waits for events; and would then end the
 * process in another way, or be heard of.
 *
 * usage: victim_sends NUMBER kill|group|queue|call|blocked|thread|value|task|
 *	shut|shut-all
 * blocked: the thread has it blocked; shut: the first one has, for 150 ms, to
 * which it is sent; shut-all: both have
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

static int sig;

static pthread_t first;

static void shut(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(how, &set, NULL);
}

static void send_blocked(void)
{
	shut(SIG_BLOCK);
	kill(getpid(), sig);
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
	case 't':
		if (!strcmp(how, "task"))
			tgkill(getpid(), getpid(), sig);
		else
			pthread_kill(first, sig);
		break;
	case 's':
		if (!strcmp(how, "shut-all"))
			kill(getpid(), sig);
		else
			pthread_kill(first, sig);
		break;
	case 'v':
		pthread_sigqueue(first, sig, value);
		break;
	default:
		syscall(SYS_kill, getpid(), sig);
	}
}

static void *send_and_exit(void *how)
{
	send(how);
	/* Of another thread's death the sender may still be heard. */
	if (strchr("kgqc", *(const char *)how))
		write(1, "still there\n", 12);
	_exit(3);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	sig = atoi(argv[argc - 2]);
	first = pthread_self();
	poll(NULL, 0, 1);
	poll(NULL, 0, 1);
	if (*argv[argc - 1] == 's')
		shut(SIG_BLOCK);
	pthread_create(&thread, NULL, send_and_exit, argv[argc - 1]);
	if (*argv[argc - 1] == 's') {
		poll(NULL, 0, 150);
		shut(SIG_UNBLOCK);
	}
	for (;;)
		poll(NULL, 0, 10);
}
