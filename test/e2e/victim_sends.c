/*
 * A thread sends the process a signal that kills it, while the first thread,
 * which gets it, waits for events; and would then end the process in another
 * way, or be heard of.
 *
 * usage: victim_sends NUMBER kill|group|queue|call
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
	default:
		syscall(SYS_kill, getpid(), sig);
	}
}

static void *send_and_exit(void *how)
{
	send(how);
	puts("still there");
	fflush(stdout);
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
