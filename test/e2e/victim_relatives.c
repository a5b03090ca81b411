/*
 * Children that run in the memory of their parent, or in a copy of it: beside
 * it, and under the same process id.
 *
 * usage: victim_relatives CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "victim_signal.h"

#define CHILDREN 100
#define STALLS	 100

static char stack[1 << 18] __attribute__((aligned(16)));

static atomic_int handled;

static void count(int sig)
{
	(void)sig;
	handled++;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_over, is_unwanted;

static void *want(void *none)
{
	while (!is_unwanted) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return none;
}

static __attribute__((noinline)) void contend(int depth)
{
	if (depth) {
		contend(depth - 1);
		KEEP_FRAME();
		return;
	}
	pthread_mutex_lock(&lock);
	await_waiter(&lock);
	pthread_mutex_unlock(&lock);
}

static int contend_beside(void *none)
{
	int holds = 0;

	(void)none;
	while (!is_over)
		contend(holds++ % 50);
	return holds > STALLS ? 0 : 1;
}

static __attribute__((noinline)) void stall(int depth)
{
	if (depth)
		stall(depth - 1);
	else
		spin(8 * NS_PER_MS);
	KEEP_FRAME();
}

static void say_end_of(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	if (WIFSIGNALED(status))
		printf("child: killed by %d\n", WTERMSIG(status));
	else
		printf("child: exit %d\n", WEXITSTATUS(status));
}

/* The child has the thread-local memory of its parent, who is ticked. */
static void beside(void)
{
	pthread_t thread;
	pid_t child;

	loop_for(10 * NS_PER_MS);
	pthread_create(&thread, NULL, want, NULL);
	child = clone(contend_beside, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		      NULL);
	for (int i = 0; i < STALLS; i++) {
		wait_for_nothing(1);
		stall(i % 60);
	}
	is_over = true;
	say_end_of(child);
	is_unwanted = true;
	pthread_join(thread, NULL);
}

static int exec_without_handlers(void *none)
{
	(void)none;
	signal(SIGUSR2, SIG_DFL);
	execl("/bin/true", "true", NULL);
	return 9;
}

static void still_handles(void)
{
	for (int i = 0; i < 5; i++)
		raise(SIGUSR2);
	printf("handled %d\n", handled);
}

/* A guest that is the first process of a namespace, as its parent is. */
static void clone_shares(void)
{
	signal(SIGUSR2, count);
	loop_for(10 * NS_PER_MS);
	say_end_of(clone(exec_without_handlers, stack + sizeof(stack),
			 CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD,
			 NULL));
	still_handles();
}

static void vfork_shares(void)
{
	pid_t child;

	signal(SIGUSR2, count);
	loop_for(10 * NS_PER_MS);
	if (unshare(CLONE_NEWPID))
		abort();
	child = vfork();
	if (!child)
		_exit(exec_without_handlers(NULL));
	say_end_of(child);
	still_handles();
}

static int end(void *none)
{
	(void)none;
	_exit(0);
}

int prctl(int option, ...);

static int forbid_nothing_and_end(void *none)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = { .len = 1, .filter = &allow };

	(void)none;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 9;
	_exit(0);
}

/* What its guest does to itself is none of the parent's, who stalls then. */
static void stall_after(int (*guest)(void *))
{
	loop_for(10 * NS_PER_MS);
	say_end_of(clone(guest, stack + sizeof(stack),
			 CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD,
			 NULL));
	for (int i = 0; i < 5; i++) {
		wait_for_nothing(1);
		stall(i);
	}
}

static void guest_ends(void)
{
	stall_after(end);
}

static void guest_is_shut_in(void)
{
	stall_after(forbid_nothing_and_end);
}

static void *change_always(void *none)
{
	while (!is_over)
		signal(SIGUSR2, SIG_IGN);
	return none;
}

static bool ends(pid_t child)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, child, 0),
			      .events = POLLIN };
	bool does = poll(&end, 1, 5000) == 1;

	close(end.fd);
	if (!does)
		kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return does;
}

/* Each is the first process of its namespace, in a copy of its parent. */
static void make_copies(pid_t (*make)(void))
{
	pthread_t thread[2];
	int ended = 0;
	bool goes_on = true;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, change_always, NULL);
	for (int i = 0; goes_on && i < CHILDREN; i++) {
		pid_t child = make();

		if (!child) {
			signal(SIGUSR2, SIG_DFL);
			_exit(0);
		}
		goes_on = child > 0 && ends(child);
		ended += goes_on;
	}
	is_over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("process %d: %d of its children ended\n", getpid(), ended);
}

static pid_t clone_first(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
}

static void clone_copies(void)
{
	make_copies(clone_first);
}

/* From its own namespace, that a new one can be made of. */
static pid_t fork_first(void)
{
	static int own = -1;

	if (own < 0)
		own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	if (setns(own, CLONE_NEWPID) || unshare(CLONE_NEWPID))
		return -1;
	return fork();
}

static void fork_copies(void)
{
	make_copies(fork_first);
}

static const struct signal_case cases[] = {
	{ "beside", beside },
	{ "clone_shares", clone_shares },
	{ "vfork_shares", vfork_shares },
	{ "guest_ends", guest_ends },
	{ "guest_is_shut_in", guest_is_shut_in },
	{ "clone_copies", clone_copies },
	{ "fork_copies", fork_copies },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
