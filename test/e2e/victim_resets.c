/*
 * Calls that have moved some bytes when the other end goes away: the error is
 * the next call's, and so is SIGPIPE.
 *
 * usage: victim_resets [NAME]
 * prints a line for each call (victim_calls.h)
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/syscall.h>
#include <sys/uio.h>

#include "victim_calls.h"
#include "victim_stream.h"

#define MANY (8 << 20)

static char many[MANY];
static volatile int pipe_signals;

static void on_pipe_signal(int sig)
{
	(void)sig;
	pipe_signals++;
}

static void send_some(void)
{
	fail_if(write(far, "0123456789", 10) != 10);
}

static void end_far(void)
{
	close(far);
	far = -1;
}

/* Nobody is told that it has ended in good order. */
static void reset(void)
{
	struct linger at_once = { .l_onoff = 1 };

	setsockopt(far, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	end_far();
}

/* A few bytes more, read by nobody, and then. */
static void send_and_reset(void)
{
	send_some();
	usleep(20000);
	reset();
}

static void read_no_more(void)
{
	shutdown(far, SHUT_RD);
}

/* Not of all: it may come as fast as it is read. */
static void drain_and_end(void)
{
	ssize_t left = MANY / 2, got = 1;

	for (; got > 0 && left > 0; left -= got)
		got = recv(far, many, (size_t)left, MSG_DONTWAIT);
	end_far();
}

/*
 * What the call came to, and what comes of the next. How much a stream takes
 * before it is full differs from run to run.
 */
static long told(long got, bool sends)
{
	int error = errno, signals = pipe_signals, left = 0;
	socklen_t bytes = sizeof(left);
	char c;
	long next =
		sends ? send(near, "x", 1, 0) : recv(near, &c, 1, MSG_DONTWAIT);

	printf("(%d signals, next %ld %s, %d signals, ", signals, next,
	       next < 0 ? strerror(errno) : "", pipe_signals);
	getsockopt(near, SOL_SOCKET, SO_ERROR, &left, &bytes);
	printf("left %d) ", left);
	pipe_signals = 0;
	errno = error;
	return sends && got > 0 ? got < MANY : got;
}

static char to[64];
static struct iovec into[] = { { to, 5 }, { to + 5, 40 } };
static struct iovec from[] = { { many, MANY / 2 }, { many, MANY / 2 } };

static long recv_all(void)
{
	return recv(near, to, 45, MSG_WAITALL);
}

static long raw_recv_all(void)
{
	return syscall(SYS_recvfrom, near, to, 45, MSG_WAITALL, NULL, NULL);
}

static long recvmsg_all(void)
{
	struct msghdr all = { .msg_iov = into, .msg_iovlen = 2 };

	return recvmsg(near, &all, MSG_WAITALL);
}

static long write_many(void)
{
	return write(near, many, MANY);
}

static long raw_write_many(void)
{
	return syscall(SYS_write, near, many, MANY);
}

static long send_many(void)
{
	return send(near, many, MANY, 0);
}

static long writev_many(void)
{
	return writev(near, from, 2);
}

static long sendmsg_many(void)
{
	struct msghdr all = { .msg_iov = from, .msg_iovlen = 2 };

	return sendmsg(near, &all, 0);
}

#define RECEIVES(X)                                                            \
	X(recv_all)                                                            \
	X(raw_recv_all)                                                        \
	X(recvmsg_all)
#define SENDS(X)                                                               \
	X(write_many)                                                          \
	X(raw_write_many)                                                      \
	X(send_many)                                                           \
	X(writev_many)                                                         \
	X(sendmsg_many)

#define CALL(family, name, sends)                                              \
	static long family##_##name(void)                                      \
	{                                                                      \
		long got;                                                      \
                                                                               \
		be_##family();                                                 \
		if (!(sends))                                                  \
			send_some();                                           \
		begin();                                                       \
		got = name();                                                  \
		return told(got, sends);                                       \
	}
#define RECEIVE(name) CALL(unix, name, false) CALL(tcp, name, false)
#define SEND(name)    CALL(unix, name, true) CALL(tcp, name, true)
RECEIVES(RECEIVE)
SENDS(SEND)

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_pipe_signal,
				 .sa_flags = SA_RESTART };
	static const struct call calls[] = {
#define X(name)                                                                \
	{ "reset tcp " #name, tcp_##name, reset },                             \
		{ "fed and reset tcp " #name, tcp_##name, send_and_reset },    \
		{ "ended tcp " #name, tcp_##name, end_far },                   \
		{ "ended unix " #name, unix_##name, end_far },
		RECEIVES(X)
#undef X
#define X(name)                                                                \
	{ "reset tcp " #name, tcp_##name, reset },                             \
		{ "ended unix " #name, unix_##name, end_far },                 \
		{ "drained unix " #name, unix_##name, drain_and_end },         \
		{ "refused unix " #name, unix_##name, read_no_more },
			SENDS(X)
#undef X
				{ NULL, NULL, NULL },
	};

	sigaction(SIGPIPE, &act, NULL);
	return make_calls(calls, argc, argv);
}
