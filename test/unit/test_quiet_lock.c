/*
 * The lock that signal handlers and forked children can live with.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/units.h"
#include "machine_fixture.h"
#include "sigsafe/os/quiet_lock.h"

#define THREADS 4
#define TURNS	20000

/* As that of a process; and of its child. */
#define MEMORY		1
#define MEMORY_OF_CHILD 2

static struct quiet_lock lock;
static unsigned counter; /* guarded by lock, and by nothing else */

static kernel_sigset mask_now(void)
{
	kernel_sigset mask;

	cr_assert_eq(sys_sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	return mask;
}

static void *count(void *unused)
{
	for (int i = 0; i < TURNS; i++) {
		quiet_lock(&lock, MEMORY);
		counter++;
		quiet_unlock(&lock);
	}
	return unused;
}

Test(quiet_lock, lets_one_in_at_a_time, .timeout = 60)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, count, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	cr_assert_eq(counter, THREADS * TURNS);
	cr_assert_eq(lock.holder, 0);
}

Test(quiet_lock, blocks_every_signal_but_one_while_it_is_held)
{
	const kernel_sigset usr2 = SIGNAL_BIT(SIGUSR2);

	NOT_EMULATED(OWN_SIGNALS);
	sys_sigprocmask(SIG_SETMASK, &usr2, NULL);
	quiet_lock(&lock, MEMORY);
	/* The kernel keeps SIGKILL and SIGSTOP open, whoever asks. */
	cr_assert_eq(mask_now(), QUIET_MASK & ~UNMASKABLE);
	quiet_unlock(&lock);
	cr_assert_eq(mask_now(), usr2);
}

Test(quiet_lock, a_child_forked_while_it_is_held_can_take_it, .timeout = 30)
{
	int status;
	pid_t child;

	quiet_lock(&lock, MEMORY);
	child = fork();
	if (!child) {
		quiet_lock(&lock, MEMORY_OF_CHILD);
		quiet_unlock(&lock);
		_exit(lock.holder == 0 ? 0 : 1);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	quiet_unlock(&lock);
}
