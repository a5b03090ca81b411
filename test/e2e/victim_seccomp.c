/*
 * A loop with stalls and a thread it contends with, then shut in by seccomp, in
 * which any call that is not its own kills it: it goes on computing and, if it
 * may, waiting, for many ticks.
 *
 * usage: victim_seccomp HOW
 *   strict   prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
 *   filter   by prctl; a few calls are allowed, all others kill
 *   raw      the same filter, by syscall(SYS_seccomp)
 *   dispatch no filter: any call is given to a handler, which ends the program
 *   probe    only asks whether there are filters, then stalls some more
 *   refused  the same after filters that the kernel refuses
 * prints "done", and exits with 7
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

static int epoll_fd;
static struct epoll_event event;
static bool is_strict;

static __attribute__((noinline, noclone)) void stall_before(void)
{
	for (int i = 0; i < 3; i++) {
		epoll_wait(epoll_fd, &event, 1, 0);
		spin(5 * NS_PER_MS);
	}
	epoll_wait(epoll_fd, &event, 1, 0);
}

static void *stall_elsewhere(void *arg)
{
	stall_before();
	/* In a run, with a timer, when the main thread is shut in. */
	pthread_barrier_wait(arg);
	spin(20 * NS_PER_MS);
	/* The status is that of the thread that ends last. */
	if (is_strict)
		syscall(SYS_exit, 7);
	pthread_barrier_wait(arg);
	return NULL;
}

#define ALLOW(name)                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(read),
	ALLOW(write),
	ALLOW(exit),
	ALLOW(exit_group),
	ALLOW(futex),
	ALLOW(epoll_wait),
	ALLOW(rt_sigreturn),
	ALLOW(rt_sigaction),
	ALLOW(rt_sigprocmask),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static struct sock_fprog filter = {
	.len = sizeof(code) / sizeof(code[0]),
	.filter = code,
};

/* By prctl, by seccomp, and one that leads nowhere. */
static bool is_refused(void)
{
	struct sock_filter no_code[] = { BPF_STMT(0x7f, 0) };
	const struct sock_fprog bad = { .len = 1, .filter = no_code };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &bad) == -1 &&
	       errno == EINVAL &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &bad) == -1 &&
	       errno == EINVAL &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, ~0ul, &filter) ==
		       -1 &&
	       errno == EINVAL &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 8) == -1 &&
	       errno == EFAULT && !prctl(PR_GET_SECCOMP);
}

static void on_signal(int sig)
{
	(void)sig;
}

static void say_done(void)
{
	if (write(1, "done\n", 5) != 5)
		syscall(SYS_exit, 1);
}

static void stall_after(void)
{
	sigset_t all;

	for (int i = 0; i < 5; i++) {
		epoll_wait(epoll_fd, &event, 1, 1);
		spin(5 * NS_PER_MS);
	}
	sigfillset(&all);
	if (signal(SIGUSR1, on_signal) == SIG_ERR ||
	    signal(SIGUSR2, SIG_DFL) != on_signal ||
	    sigprocmask(SIG_BLOCK, &all, NULL))
		_exit(4);
}

static volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;

static void on_call(int sig)
{
	(void)sig;
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	_exit(5);
}

static bool dispatch(void)
{
	signal(SIGSYS, on_call);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0,
		  &selector))
		return false;
	for (int i = 0; i < 5; i++) {
		epoll_wait(epoll_fd, &event, 1, 1);
		selector = SYSCALL_DISPATCH_FILTER_BLOCK;
		spin(5 * NS_PER_MS);
		selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	}
	return true;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_barrier_t barrier;
	pthread_t thread;

	is_strict = !strcmp(how, "strict");
	epoll_fd = epoll_create1(0);
	signal(SIGUSR2, on_signal);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, stall_elsewhere, &barrier);
	stall_before();
	pthread_barrier_wait(&barrier);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 2;
	if (is_strict) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			return 3;
		/* Not even the time is to be had. */
		for (volatile int i = 0; i < 50000000; i++)
			;
		say_done();
		syscall(SYS_exit, 7);
	} else if (!strcmp(how, "filter")) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
			return 3;
		stall_after();
	} else if (!strcmp(how, "raw")) {
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
			return 3;
		stall_after();
	} else if (!strcmp(how, "dispatch")) {
		if (!dispatch())
			return 3;
	} else if (!strcmp(how, "refused")) {
		if (!is_refused())
			return 3;
		stall_after();
	} else {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != -1 ||
		    errno != EFAULT)
			return 3;
		stall_after();
	}
	pthread_barrier_wait(&barrier);
	say_done();
	_exit(7);
}
