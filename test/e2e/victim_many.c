/*
 * Many messages by one call, parts that are written to a place, and splicing,
 * in a loop's run: with so much that it has to wait in the middle.
 *
 * usage: victim_many [NAME]
 * prints a line for each call (victim_calls.h)
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "victim_calls.h"
#include "victim_stream.h"

#define MANY	(1 << 20)
#define MESSAGE 100000 /* bytes, to send */
#define PIECE	10     /* to receive */
#define COUNT	8

static char many[MANY];
static struct iovec parts[] = { { many, MANY / 2 }, { many, MANY / 2 } };
static struct iovec one[COUNT];
static struct mmsghdr messages[COUNT];
static long bytes_left; /* that the other end reads */

static void be_datagram(void)
{
	int fds[2];

	end_stream();
	fail_if(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
	near = fds[0];
	far = fds[1];
}

static void be_pipe(void)
{
	int fds[2];

	end_stream();
	fail_if(pipe(fds));
	near = fds[1];
	far = fds[0];
}

/* In place of which the kernel says what each has come to. */
static void take_messages(size_t bytes)
{
	for (size_t i = 0; i < COUNT; i++) {
		one[i] = (struct iovec){ many + i * bytes, bytes };
		messages[i] = (struct mmsghdr){
			.msg_hdr = { .msg_iov = &one[i], .msg_iovlen = 1 },
			.msg_len = 77,
		};
	}
	bytes_left = (long)bytes * COUNT;
}

static void tell_messages(void)
{
	for (size_t i = 0; i < COUNT; i++)
		printf("%u ", messages[i].msg_len);
}

/* Room for all that is sent, but slowly. */
static void drain(void)
{
	static char sink[1 << 17];

	while (bytes_left > 0) {
		ssize_t got = read(far, sink, 1 << 17);

		if (got <= 0)
			break;
		bytes_left -= got;
		usleep(200);
	}
}

static void feed_one(void)
{
	fail_if(write(far, many, PIECE) != PIECE);
}

static void feed(void)
{
	for (size_t i = 0; i < COUNT; i++) {
		feed_one();
		usleep(1000);
	}
	shutdown(far, SHUT_WR);
}

static void feed_half_and_end(void)
{
	for (size_t i = 0; i < COUNT / 2; i++) {
		usleep(1000);
		feed_one();
	}
	shutdown(far, SHUT_WR);
}

#define SENDS(X)                                                               \
	X(sendmmsg, sendmmsg(near, messages, COUNT, 0))                        \
	X(raw_sendmmsg, syscall(SYS_sendmmsg, near, messages, COUNT, 0))
/* For all of a message there is room for more than comes at a time. */
#define RECEIVES(X)                                                            \
	X(recvmmsg, 0, recvmmsg(near, messages, COUNT, 0, NULL))               \
	X(raw_recvmmsg, 0,                                                     \
	  syscall(SYS_recvmmsg, near, messages, COUNT, 0, NULL))               \
	X(recvmmsg_for_all, MSG_WAITALL,                                       \
	  recvmmsg(near, messages, COUNT, MSG_WAITALL, NULL))                  \
	X(recvmmsg_all_of_one, MSG_WAITALL,                                    \
	  recvmmsg(near, messages, 1, MSG_WAITALL, NULL))

#define CALL(family, name, call, bytes)                                        \
	static long family##_##name(void)                                      \
	{                                                                      \
		long got;                                                      \
                                                                               \
		be_##family();                                                 \
		take_messages(bytes);                                          \
		begin();                                                       \
		got = call;                                                    \
		tell_messages();                                               \
		return got;                                                    \
	}
#define SEND(name, call)                                                       \
	CALL(unix, name, call, MESSAGE)                                        \
	CALL(datagram, name, call, MESSAGE)
#define RECEIVE(name, flags, call)                                             \
	CALL(unix, name, call, PIECE + (flags & MSG_WAITALL ? 1 : 0))          \
	CALL(datagram, name, call, PIECE)
SENDS(SEND)
RECEIVES(RECEIVE)
RECEIVE(recvmmsg_for_one, MSG_WAITFORONE,
	recvmmsg(near, messages, COUNT, MSG_WAITFORONE, NULL))

#define WRITES(X)                                                              \
	X(pwritev2, pwritev2(near, parts, 2, -1, 0))                           \
	X(pwritev64v2, pwritev64v2(near, parts, 2, -1, 0))                     \
	X(raw_pwritev2, syscall(SYS_pwritev2, near, parts, 2, -1L, -1L, 0))
#define WRITE_TO(family, name, call)                                           \
	static long family##_##name(void)                                      \
	{                                                                      \
		be_##family();                                                 \
		bytes_left = MANY;                                             \
		begin();                                                       \
		return call;                                                   \
	}
#define WRITE(name, call)                                                      \
	WRITE_TO(pipe, name, call)                                             \
	WRITE_TO(unix, name, call)
WRITES(WRITE)

/* A pipe that holds more than the socket takes. */
static int full_pipe(void)
{
	int fds[2];

	fail_if(pipe(fds) || fcntl(fds[1], F_SETPIPE_SZ, MANY) != MANY ||
		write(fds[1], many, MANY) != MANY);
	close(fds[1]);
	bytes_left = MANY;
	return fds[0];
}

static long unix_splice(void)
{
	int from = full_pipe();
	long got;

	be_unix();
	begin();
	got = splice(from, NULL, near, NULL, MANY, 0);
	close(from);
	return got;
}

static long unix_raw_splice(void)
{
	int from = full_pipe();
	long got;

	be_unix();
	begin();
	got = syscall(SYS_splice, from, NULL, near, NULL, MANY, 0);
	close(from);
	return got;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = SIG_IGN };
	static const struct call calls[] = {
#define X(name, call)                                                          \
	{ "unix " #name, unix_##name, drain },                                 \
		{ "datagram " #name, datagram_##name, drain },                 \
		{ "broken datagram " #name, datagram_##name, interrupt_call },
		SENDS(X)
#undef X
#define X(name, flags, call)                                                   \
	{ "unix " #name, unix_##name, feed },                                  \
		{ "datagram " #name, datagram_##name, feed },                  \
		{ "ended unix " #name, unix_##name, feed_half_and_end },       \
		{ "broken unix " #name, unix_##name, interrupt_call },         \
		{ "broken datagram " #name, datagram_##name, interrupt_call },
			RECEIVES(X)
#undef X
#define X(name, call)                                                          \
	{ "pipe " #name, pipe_##name, drain },                                 \
		{ "unix " #name, unix_##name, drain },                         \
		{ "broken pipe " #name, pipe_##name, interrupt_call },
				WRITES(X)
#undef X
					{ "unix for one", unix_recvmmsg_for_one,
					  feed_one },
		{ "datagram for one", datagram_recvmmsg_for_one, feed_one },
		{ "unix splice", unix_splice, drain },
		{ "unix raw_splice", unix_raw_splice, drain },
		{ NULL, NULL, NULL },
	};

	sigaction(SIGPIPE, &act, NULL);
	return make_calls(calls, argc, argv);
}
