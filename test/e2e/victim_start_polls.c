/*
 * A program whose start polls, as a client library does for its answers. Then
 * it has a loop, or waits until it is ended.
 *
 * usage: victim_start_polls WHAT [POLLS, 2]
 * prints "waits", or how long the stall of its loop took: "run NS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define STALL_MS 60

static void start_up(int polls)
{
	int ends[2];
	struct pollfd fd;

	if (pipe(ends))
		exit(2);
	fd = (struct pollfd){ ends[0], POLLIN, 0 };
	for (int i = 0; i < polls; i++)
		poll(&fd, 1, 1);
}

static void callback_spins(void)
{
	uint64_t begun_ns = now_ns();

	spin(STALL_MS * NS_PER_MS);
	printf("run %llu\n", (unsigned long long)(now_ns() - begun_ns));
}

static int loop_fd; /* an epoll descriptor, nothing in it */

static void loop(void (*callback)(void), int turns, int ms)
{
	struct epoll_event event;

	for (int i = 0; i < turns; i++) {
		epoll_wait(loop_fd, &event, 1, ms);
		if (i == turns / 2 && callback)
			callback();
	}
}

/* A sibling of what the start called, so that its frames lie as deep. */
static void turns(void)
{
	loop(callback_spins, 20, 40);
}

static sem_t answer;

static void *give_answer(void *unused)
{
	usleep(300000);
	sem_post(&answer);
	return unused;
}

static void callback_waits(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, give_answer, NULL);
	while (sem_wait(&answer))
		;
	pthread_join(thread, NULL);
}

/* As an interpreter does that has come to know the function that waits. */
static void loop_deeper(void)
{
	char room[4096];

	__asm__ volatile("" : : "r"(room) : "memory");
	loop(callback_waits, 3, 40);
	KEEP_FRAME();
}

static void moves(void)
{
	loop(NULL, 8, 40);
	loop_deeper();
}

static void is_idle(void)
{
	loop(NULL, 20, 60000);
}

/* After its start the main thread waits until the program is ended. */

static void *do_nothing(void *unused)
{
	for (;;)
		usleep(10000);
	return unused;
}

static void waits_in_pause(void)
{
	pause();
}

static void waits_in_sigwait(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &sig);
}

static void waits_in_join(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, do_nothing, NULL);
	pthread_join(thread, NULL);
}

static void waits_in_accept(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	listen(fd, 1);
	accept(fd, NULL, NULL);
}

static void waits_in_sem(void)
{
	sem_t sem;

	sem_init(&sem, 0, 0);
	sem_wait(&sem);
}

static void waits_in_cond(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&cond, &lock);
}

static void waits_in_child(void)
{
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	wait(NULL);
}

static const struct {
	const char *name;
	void (*goes_on)(void);
} things[] = {
	{ "turns", turns },
	{ "moves", moves },
	{ "idle", is_idle },
	{ "pause", waits_in_pause },
	{ "sigwait", waits_in_sigwait },
	{ "join", waits_in_join },
	{ "accept", waits_in_accept },
	{ "sem", waits_in_sem },
	{ "cond", waits_in_cond },
	{ "child", waits_in_child },
};

int main(int argc, char **argv)
{
	size_t count = sizeof(things) / sizeof(things[0]), i = 0;

	if (argc < 2)
		return 2;
	while (i < count && strcmp(argv[1], things[i].name))
		i++;
	if (i == count)
		return 2;
	loop_fd = epoll_create1(0);
	start_up(argc > 2 ? atoi(argv[2]) : 2);
	if (i) {
		puts("waits");
		fflush(stdout);
	}
	things[i].goes_on();
	return 0;
}
