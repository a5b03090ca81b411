/*
 * A loop that enters seccomp, where each call kills that natively would not be
 * made: then it takes a signal, or waits for another thread, for the first
 * time.
 *
 * usage: victim_shut_in CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "victim_signal.h"

int prctl(int option, ...);

static volatile sig_atomic_t handled;
static char short_stack[8192];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int ready[2], gone_in[2];

static void on_alarm(int sig)
{
	(void)sig;
	handled = 1;
}

/* In strict mode the clock may not be asked, and no call made but these. */
static void be_strict(int flags)
{
	const struct itimerval soon = { .it_value.tv_usec = 100000 };

	set_action(SIGALRM, on_alarm, flags, 0);
	setitimer(ITIMER_REAL, &soon, NULL);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		_exit(3);
	while (!handled)
		;
	syscall(SYS_exit, write(1, "handled\n", 8) == 8 ? 7 : 1);
}

static void one_shot(void)
{
	be_strict((int)SA_RESETHAND);
}

static void on_short_stack(void)
{
	const stack_t stack = { .ss_sp = short_stack,
				.ss_size = sizeof(short_stack) };

	sigaltstack(&stack, NULL);
	be_strict(SA_ONSTACK);
}

/* What becomes of it its parent must be able to tell. */
static void die_by_default(void)
{
	pid_t self = getpid();

	if (!fork()) {
		usleep(100000);
		puts("to die");
		fflush(stdout);
		kill(self, SIGUSR1);
		_exit(0);
	}
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		_exit(3);
	for (;;)
		;
}

#define KILL(name)                                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static struct sock_filter code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	KILL(gettid),
	KILL(getpid),
	KILL(prctl),
	KILL(sigaltstack),
	KILL(timer_settime),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog filter = {
	.len = sizeof(code) / sizeof(code[0]),
	.filter = code,
};

/* In every thread. */
static void shut_in(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_TSYNC, &filter))
		_exit(3);
}

static void by_raw_prctl(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(3);
	loop_for(20 * NS_PER_MS);
	puts("looped");
}

static void say_end_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	printf("child %x\n", (unsigned)status);
}

static void fork_after(void)
{
	pid_t child;

	shut_in();
	child = fork();
	if (!child)
		_exit(5);
	say_end_of(child);
}

/* A child that begins with it, and only then waits for the first time. */
static void child_at_once(void)
{
	pid_t child = fork();

	if (!child) {
		shut_in();
		signal(SIGUSR1, SIG_IGN);
		loop_for(20 * NS_PER_MS);
		_exit(5);
	}
	say_end_of(child);
}

/* A loop with a timer, which ends after the filter has come. */
static void *hold(void *unused)
{
	char byte;

	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	loop_for(10 * NS_PER_MS);
	if (write(ready[1], "x", 1) != 1 || read(gone_in[0], &byte, 1) != 1)
		abort();
	usleep(30000);
	pthread_rwlock_unlock(&rwlock);
	pthread_mutex_unlock(&mutex);
	usleep(10000);
	sem_post(&sem);
	usleep(10000);
	pthread_barrier_wait(&barrier);
	usleep(10000);
	return unused;
}

static void wait_after(void)
{
	pthread_t thread;
	char byte;

	if (pipe(ready) || pipe(gone_in))
		abort();
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 0);
	pthread_create(&thread, NULL, hold, NULL);
	if (read(ready[0], &byte, 1) != 1)
		abort();
	shut_in();
	if (write(gone_in[1], "x", 1) != 1)
		abort();
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	sem_wait(&sem);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	puts("waited");
}

static const struct signal_case cases[] = {
	{ "one_shot", one_shot },
	{ "on_short_stack", on_short_stack },
	{ "by_raw_prctl", by_raw_prctl },
	{ "fork_after", fork_after },
	{ "child_at_once", child_at_once },
	{ "wait_after", wait_after },
	{ "die_by_default", die_by_default },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	if (argc > 1)
		loop_for(10 * NS_PER_MS);
	return run_case(cases, argc, argv);
}
