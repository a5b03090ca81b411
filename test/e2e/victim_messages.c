/*
 * Receiving that waits for all of its bytes, in a loop's run, where the kernel
 * ends it before: behind descriptors, before another's credentials, before an
 * urgent byte.
 *
 * usage: victim_messages [NAME]
 * prints a line for each call (victim_calls.h)
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include "victim_calls.h"
#include "victim_stream.h"

#define PIECE 10 /* bytes */

static char piece[PIECE];
static char to[8 * PIECE];
static struct iovec into[] = { { to, PIECE + 1 }, { to + PIECE + 1, 69 } };

/* These come later: a piece of a kind, and another one. */
static void send_piece(void)
{
	fail_if(write(far, piece, PIECE) != PIECE);
}

static void send_last(void)
{
	usleep(5000);
	send_piece();
	shutdown(far, SHUT_WR);
}

static void send_descriptor(void)
{
	struct iovec part = { piece, PIECE };
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	*head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS };
	*(int *)(void *)CMSG_DATA(head) = STDIN_FILENO;
	fail_if(sendmsg(far, &message, 0) != PIECE);
	send_last();
}

static void send_by_child(void)
{
	pid_t child;

	send_piece();
	child = fork();
	if (!child) {
		send_piece();
		_exit(0);
	}
	fail_if(waitpid(child, NULL, 0) != child);
	send_last();
}

static void send_urgent(void)
{
	/* Not every kernel has them for local sockets. */
	if (send(far, piece, PIECE, MSG_OOB) != PIECE)
		send_piece();
	send_last();
}

/* The urgent byte is alone, in front of which the rest has been received. */
static void send_urgent_late(void)
{
	send_piece();
	usleep(5000);
	if (send(far, piece, 1, MSG_OOB) != 1)
		send_piece();
	send_last();
}

static long recv_all(void)
{
	return recv(near, to, sizeof(to), MSG_WAITALL);
}

static long raw_recv_all(void)
{
	return syscall(SYS_recvfrom, near, to, sizeof(to), MSG_WAITALL, NULL,
		       NULL);
}

/* What came with it: descriptors, credentials; tells and closes them. */
static void tell_control(struct msghdr *message)
{
	struct cmsghdr *head;

	for (head = CMSG_FIRSTHDR(message); head;
	     head = CMSG_NXTHDR(message, head)) {
		printf("(control %d, %zu bytes) ", head->cmsg_type,
		       head->cmsg_len);
		if (head->cmsg_type == SCM_RIGHTS)
			close(*(int *)(void *)CMSG_DATA(head));
	}
	printf("(flags %x) ", (unsigned int)message->msg_flags);
}

static long receive_message(size_t room, bool raw)
{
	char control[256];
	struct msghdr message = { .msg_iov = into,
				  .msg_iovlen = 2,
				  .msg_control = room ? control : NULL,
				  .msg_controllen = room };
	long got =
		raw ? syscall(SYS_recvmsg, near, &message, MSG_WAITALL)
		    : recvmsg(near, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);

	tell_control(&message);
	return got;
}

static long recvmsg_all(void)
{
	return receive_message(0, false);
}

static long recvmsg_control(void)
{
	return receive_message(256, false);
}

static long raw_recvmsg_all(void)
{
	return receive_message(0, true);
}

static long raw_recvmsg_control(void)
{
	return receive_message(256, true);
}

static long tcp_peek(void)
{
	be_tcp();
	send_piece();
	begin();
	return recv(near, to, PIECE + 1, MSG_PEEK | MSG_WAITALL);
}

/* More than what is there at first, but no more than comes then. */
#define LEAST(family, name, call)                                              \
	static long family##_##name(void)                                      \
	{                                                                      \
		int least = PIECE + 1;                                         \
		struct msghdr message = { .msg_iov = into, .msg_iovlen = 2 };  \
                                                                               \
		(void)message;                                                 \
		be_##family();                                                 \
		fail_if(setsockopt(near, SOL_SOCKET, SO_RCVLOWAT, &least,      \
				   sizeof(least)));                            \
		send_piece();                                                  \
		begin();                                                       \
		return call;                                                   \
	}
#define LEASTS(X)                                                              \
	X(least_recv, recv(near, to, sizeof(to), 0))                           \
	X(least_read, read(near, to, sizeof(to)))                              \
	X(least_recvmsg, recvmsg(near, &message, 0))                           \
	X(least_raw_read, syscall(SYS_read, near, to, sizeof(to)))
#define LEAST_OF_BOTH(name, call)                                              \
	LEAST(unix, name, call)                                                \
	LEAST(tcp, name, call)
LEASTS(LEAST_OF_BOTH)

static void send_two(void)
{
	static const char two[2 * PIECE];

	fail_if(write(far, two, sizeof(two)) != sizeof(two));
}

static long recvmsg_nowhere(void)
{
	return recvmsg(near, (struct msghdr *)8, MSG_WAITALL);
}

static void take_credentials(void)
{
	int on = 1;

	fail_if(setsockopt(near, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
}

static void take_nothing(void)
{
}

#define CALL(family, name, take)                                               \
	static long family##_##name##_##take(void)                             \
	{                                                                      \
		be_##family();                                                 \
		take_##take();                                                 \
		send_piece();                                                  \
		begin();                                                       \
		return name();                                                 \
	}
#define RECEIVES(X)                                                            \
	X(recv_all)                                                            \
	X(raw_recv_all)                                                        \
	X(recvmsg_all)                                                         \
	X(recvmsg_control)                                                     \
	X(raw_recvmsg_all)                                                     \
	X(raw_recvmsg_control)
#define RECEIVE(name)                                                          \
	CALL(unix, name, nothing)                                              \
	CALL(unix, name, credentials)                                          \
	CALL(tcp, name, nothing)
RECEIVES(RECEIVE)

static long unix_recvmsg_nowhere(void)
{
	be_unix();
	begin();
	return recvmsg_nowhere();
}

int main(int argc, char **argv)
{
	static const struct call calls[] = {
#define X(name)                                                                \
	{ "pieces unix " #name, unix_##name##_nothing, send_last },            \
		{ "descriptor unix " #name, unix_##name##_nothing,             \
		  send_descriptor },                                           \
		{ "passed unix " #name, unix_##name##_credentials,             \
		  send_last },                                                 \
		{ "urgent unix " #name, unix_##name##_nothing, send_urgent },  \
		{ "late unix " #name, unix_##name##_nothing,                   \
		  send_urgent_late },                                          \
		{ "urgent tcp " #name, tcp_##name##_nothing, send_urgent },    \
		{ "late tcp " #name, tcp_##name##_nothing, send_urgent_late }, \
		{ "broken unix " #name, unix_##name##_nothing,                 \
		  interrupt_call },
		RECEIVES(X)
#undef X
#define X(name)                                                                \
	{ "child unix " #name, unix_##name##_credentials, send_by_child },     \
		{ "passed descriptor unix " #name, unix_##name##_credentials,  \
		  send_descriptor },
			RECEIVES(X)
#undef X
				{ "nowhere", unix_recvmsg_nowhere, send_last },
		{ "pieces tcp peek", tcp_peek, send_piece },
		{ "broken tcp peek", tcp_peek, interrupt_call },
#define X(name, call)                                                          \
	{ "unix " #name, unix_##name, send_two },                              \
		{ "tcp " #name, tcp_##name, send_two },                        \
		{ "broken unix " #name, unix_##name, interrupt_call },         \
		{ "broken tcp " #name, tcp_##name, interrupt_call },
		LEASTS(X)
#undef X
			{ NULL, NULL, NULL },
	};

	return make_calls(calls, argc, argv);
}
