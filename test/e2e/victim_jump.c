/*
 * A loop whose callback is blocked until a signal handler jumps out of the
 * call, and then computes. With "killed" it kills itself in the end, having
 * computed in a later callback.
 *
 * usage: victim_jump CALL [killed]
 * prints how long it was blocked by its own clock, in ns
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <unistd.h>

#include "victim.h"

#define BLOCKED_MS  60
#define COMPUTES_NS (60 * NS_PER_MS)

static sigjmp_buf way_out;

static volatile uint64_t blocked_ns;

static void jump(int sig)
{
	(void)sig;
	blocked_ns += now_ns();
	siglongjmp(way_out, 1);
}

static void sleep_long(void)
{
	usleep(10000000);
}

static int semaphores;

static void wait_for_semaphore(void)
{
	struct sembuf down = { .sem_op = -1 };

	semop(semaphores, &down, 1);
}

static __attribute__((noinline, noclone)) void
callback_blocks(void (*call)(void))
{
	struct itimerval once = { .it_value.tv_usec = BLOCKED_MS * 1000 };

	if (sigsetjmp(way_out, 1))
		return;
	setitimer(ITIMER_REAL, &once, NULL);
	blocked_ns = -now_ns();
	call();
}

static __attribute__((noinline, noclone)) void callback_computes(void)
{
	spin(COMPUTES_NS);
}

static void turn(void)
{
	for (int i = 0; i < 5; i++)
		poll(NULL, 0, 1);
}

int main(int argc, char **argv)
{
	bool sleeps_long = argc > 1 && !strcmp(argv[1], "usleep");

	semaphores = semget(IPC_PRIVATE, 1, 0600);
	signal(SIGALRM, jump);
	turn();
	callback_blocks(sleeps_long ? sleep_long : wait_for_semaphore);
	callback_computes();
	turn();
	semctl(semaphores, 0, IPC_RMID);
	printf("%ju\n", (uintmax_t)blocked_ns);
	if (argc == 2)
		return 0;
	callback_computes();
	return kill(getpid(), SIGKILL);
}
