/*
 * Calls with a time-out, made while every signal is blocked, and all real-time
 * signals are sent meanwhile: one of them is the shim's own. None may break the
 * call, and all must be pending after it.
 *
 * usage: victim_put_off loop|idle
 * prints a line for each call. loop: it is made in a loop's run
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "victim.h"

#define CALL_MS 400
#define LATE_MS 650
#define STEP_MS 11 /* between two signals: there are 31 */

static const struct timespec call_time = { .tv_nsec = CALL_MS * 1000000L };
static struct timespec left;

static struct timespec deadline(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += call_time.tv_nsec;
	t.tv_sec += t.tv_nsec / 1000000000L;
	t.tv_nsec %= 1000000000L;
	return t;
}

static long call_usleep(void)
{
	return usleep(CALL_MS * 1000);
}

static long call_nanosleep(void)
{
	return nanosleep(&call_time, &left);
}

static long call_thrd_sleep(void)
{
	return thrd_sleep(&call_time, &left);
}

static long call_clock_nanosleep(void)
{
	struct timespec t = deadline(CLOCK_MONOTONIC);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static long call_raw_nanosleep(void)
{
	return syscall(SYS_nanosleep, &call_time, &left);
}

static long call_semtimedop(void)
{
	struct sembuf take = { .sem_op = -1 };
	int set = semget(IPC_PRIVATE, 1, 0600);
	long got = semtimedop(set, &take, 1, &call_time);
	int error = errno;

	semctl(set, 0, IPC_RMID);
	errno = error;
	return got;
}

static long call_sem_timedwait(void)
{
	struct timespec t = deadline(CLOCK_REALTIME);
	sem_t sem;

	sem_init(&sem, 0, 0);
	return sem_timedwait(&sem, &t);
}

static long call_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	return sigtimedwait(&set, NULL, &call_time);
}

static long call_raw_sigtimedwait(void)
{
	const uint64_t set = UINT64_C(1) << (SIGTERM - 1);

	return syscall(SYS_rt_sigtimedwait, &set, NULL, &call_time,
		       sizeof(set));
}

static long call_futex(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &call_time,
		       NULL, 0);
}

static long call_poll(void)
{
	return poll(NULL, 0, CALL_MS);
}

/* Nothing comes, and there is no room: until the socket's time-out. */
static int socket_with_timeouts(void)
{
	const struct timeval t = { .tv_usec = CALL_MS * 1000 };
	static char much[1 << 12];
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ||
	    setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) ||
	    setsockopt(fds[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)))
		abort();
	while (send(fds[0], much, sizeof(much), MSG_DONTWAIT) > 0)
		;
	while (send(fds[0], much, 1, MSG_DONTWAIT) > 0)
		;
	errno = 0;
	return fds[0];
}

static long call_recv(void)
{
	char c;

	return recv(socket_with_timeouts(), &c, 1, 0);
}

static long call_read(void)
{
	char c;

	return read(socket_with_timeouts(), &c, 1);
}

static long call_raw_read(void)
{
	char c;

	return syscall(SYS_read, socket_with_timeouts(), &c, 1);
}

static long call_send(void)
{
	return send(socket_with_timeouts(), "xyz", 3, 0);
}

static struct iovec part = { (char[8]){ 0 }, 8 };

static long call_writev(void)
{
	return writev(socket_with_timeouts(), &part, 1);
}

static long call_recvmsg(void)
{
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	return recvmsg(socket_with_timeouts(), &message, 0);
}

static void turn(void)
{
	for (int i = 0; i < 4; i++)
		poll(NULL, 0, 1);
}

static void send_all(pid_t to)
{
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
		usleep(STEP_MS * 1000);
		kill(to, sig);
	}
}

static int pending(void)
{
	sigset_t set;
	int n = 0;

	sigpending(&set);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		n += sigismember(&set, sig);
	return n;
}

static void make(const char *name, long (*call)(void), bool is_loop)
{
	pid_t self = getpid(), sender;
	sigset_t all;
	uint64_t begun_ns;
	long got;
	int error;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (is_loop)
		turn();
	sender = fork();
	if (!sender) {
		send_all(self);
		_exit(0);
	}
	begun_ns = now_ns();
	errno = 0;
	got = call();
	error = errno;
	begun_ns = now_ns() - begun_ns;
	waitpid(sender, NULL, 0);
	printf("%s: %ld %s, %s, %d pending\n", name, got, strerror(error),
	       begun_ns < CALL_MS * NS_PER_MS	? "too short"
	       : begun_ns > LATE_MS * NS_PER_MS ? "too long"
						: "in time",
	       pending());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		long (*call)(void);
	} calls[] = {
#define X(name) { #name, call_##name },
		X(usleep) X(nanosleep) X(thrd_sleep) X(clock_nanosleep)
			X(raw_nanosleep) X(semtimedop) X(sem_timedwait)
				X(sigtimedwait) X(raw_sigtimedwait) X(futex)
					X(poll) X(recv) X(read) X(raw_read)
						X(send) X(writev) X(recvmsg)
#undef X
	};

	if (argc < 2)
		return 2;
	/* Each in a process of its own, in which no signal has come yet. */
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!fork()) {
			make(calls[i].name, calls[i].call,
			     !strcmp(argv[1], "loop"));
			exit(0);
		}
		wait(NULL);
	}
	return 0;
}
