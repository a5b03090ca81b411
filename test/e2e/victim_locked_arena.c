/*
 * A loop that stalls, and ends by exit(5) while malloc() would never return:
 * the one arena there is was locked by another thread, which is stopped or was
 * not copied.
 *
 * usage: victim_locked_arena suspended | _Fork | call
 * suspended: a handler keeps that thread for ever. _Fork, call: in a child of
 * _Fork(2), or of the bare system call; the parent makes 8, and tells how many
 * of them hang.
 *
 * SPDX-License-Identifier: MIT
 */
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define STALL_NS   (20 * NS_PER_MS)
#define PIECES	   50
#define CHILDREN   8
#define PATIENCE_S 10
#define STATUS	   5

static volatile sig_atomic_t is_stopped;

static __attribute__((noinline)) void callback(void)
{
	spin(STALL_NS);
	KEEP_FRAME();
}

static void stall(void)
{
	for (int i = 0; i < 10; i++)
		poll(NULL, 0, 1);
	callback();
	poll(NULL, 0, 1);
}

static void stop(int sig)
{
	(void)sig;
	is_stopped = 1;
	for (;;)
		pause();
}

/* Is in the arena for most of the time. */
static void *allocate(void *none)
{
	void *piece[PIECES];

	for (;;) {
		for (size_t i = 0; i < PIECES; i++)
			piece[i] = malloc(2000 + i * 37);
		for (size_t i = 0; i < PIECES; i++)
			free(piece[i]);
	}
	return none;
}

static pthread_t start_allocating(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, allocate, NULL))
		_exit(2);
	return thread;
}

static int end_suspended(void)
{
	pthread_t thread;

	signal(SIGUSR2, stop);
	stall();
	thread = start_allocating();
	poll(NULL, 0, 20);
	pthread_kill(thread, SIGUSR2);
	while (!is_stopped)
		poll(NULL, 0, 1);
	exit(STATUS);
}

/* Has it ended as it should? */
static bool ends(pid_t child)
{
	uint64_t end_ns = now_ns() + PATIENCE_S * NS_PER_S;
	int status = 0;

	while (!waitpid(child, &status, WNOHANG)) {
		if (now_ns() < end_ns) {
			poll(NULL, 0, 1);
			continue;
		}
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == STATUS;
}

static int end_in_children(bool by_call)
{
	int ended = 0;
	pid_t child;

	for (int i = 0; i < 3; i++)
		start_allocating();
	for (int i = 0; i < CHILDREN; i++) {
		child = by_call ? (pid_t)syscall(SYS_fork) : _Fork();
		if (!child) {
			stall();
			exit(STATUS);
		}
		ended += ends(child);
	}
	printf("%d of %d have ended\n", ended, CHILDREN);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 1 << 26);
	if (!strcmp(argv[1], "suspended"))
		return end_suspended();
	return end_in_children(!strcmp(argv[1], "call"));
}
