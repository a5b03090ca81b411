/*
 * Every call that moves data or connections, in a loop's run: with a timeout,
 * woken by data, broken by the host's own signal, and with so much data that it
 * has to wait in the middle.
 *
 * usage: victim_transfers [NAME]
 * prints a line for each call (victim_calls.h)
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "victim_calls.h"

#define MANY (1 << 20)

static char many[MANY];
static int near, far; /* two ends of a socket pair or pipe */

static struct iovec parts[] = {
	{ many, MANY / 2 },
	{ many, 0 },
	{ many + MANY / 2, MANY / 2 - 1000 },
	{ many + MANY - 1000, 1000 },
};
static struct msghdr message;

static void set_timeout(int fd, int which)
{
	struct timeval t = {
		.tv_sec = call_timeout_ms / 1000,
		.tv_usec = call_timeout_ms % 1000 * 1000,
	};

	setsockopt(fd, SOL_SOCKET, which, &t, sizeof(t));
}

static void make_pair(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		abort();
	near = fds[0];
	far = fds[1];
	message = (struct msghdr){ .msg_iov = parts, .msg_iovlen = 4 };
}

static long end_pair(long got)
{
	int error = errno;

	close(near);
	close(far);
	errno = error;
	return got;
}

/* Sends a byte, so that there is something to receive. */
static void send_byte(void)
{
	if (write(far, "x", 1) != 1)
		puts("cannot write");
}

/* The rest of what MSG_WAITALL waits for, in two pieces. */
static void send_the_rest(void)
{
	static const char text[8] = "7654321";

	usleep(1000);
	if (write(far, text, 3) != 3 || usleep(3000) ||
	    write(far, text, 5) != 5)
		puts("cannot write");
}

/* Room for all that is written, but slowly. */
static void drain(void)
{
	char sink[1 << 14];
	ssize_t left = MANY;

	while (left > 0) {
		ssize_t got = recv(far, sink, sizeof(sink), 0);

		if (got < 0)
			got = read(far, sink, sizeof(sink));
		if (got <= 0)
			break;
		left -= got;
		usleep(100);
	}
}

static long idle_read(void)
{
	char c;

	begin();
	return read(near, &c, 1);
}

static long idle_readv(void)
{
	begin();
	return readv(near, parts, 2);
}

static long idle_recv(void)
{
	char c;

	begin();
	return recv(near, &c, 1, 0);
}

static long idle_recvfrom(void)
{
	char c;

	begin();
	return recvfrom(near, &c, 1, 0, NULL, NULL);
}

static long idle_recvmsg(void)
{
	begin();
	return recvmsg(near, &message, 0);
}

static long idle_recvmmsg(void)
{
	struct mmsghdr one = { .msg_hdr = message };

	begin();
	return recvmmsg(near, &one, 1, 0, NULL);
}

static long idle_raw_read(void)
{
	char c;

	begin();
	return syscall(SYS_read, near, &c, 1);
}

static long idle_raw_recvfrom(void)
{
	char c;

	begin();
	return syscall(SYS_recvfrom, near, &c, 1, 0, NULL, NULL);
}

/* Nothing comes: it ends by its timeout, or by whatever comes later. */
#define IDLE(name)                                                             \
	static long timed_##name(void)                                         \
	{                                                                      \
		make_pair();                                                   \
		set_timeout(near, SO_RCVTIMEO);                                \
		return end_pair(idle_##name());                                \
	}                                                                      \
	static long woken_##name(void)                                         \
	{                                                                      \
		make_pair();                                                   \
		return end_pair(idle_##name());                                \
	}
#define IDLE_CALLS(X)                                                          \
	X(read)                                                                \
	X(readv)                                                               \
	X(recv)                                                                \
	X(recvfrom)                                                            \
	X(recvmsg)                                                             \
	X(recvmmsg)                                                            \
	X(raw_read)                                                            \
	X(raw_recvfrom)
IDLE_CALLS(IDLE)

static long full_write(void)
{
	begin();
	return write(near, many, MANY);
}

static long full_writev(void)
{
	begin();
	return writev(near, parts, 4);
}

static long full_send(void)
{
	begin();
	return send(near, many, MANY, 0);
}

static long full_sendto(void)
{
	begin();
	return sendto(near, many, MANY, 0, NULL, 0);
}

static long full_sendmsg(void)
{
	begin();
	return sendmsg(near, &message, 0);
}

static long full_sendfile(void)
{
	int file = memfd_create("many", 0);
	long got;

	if (write(file, many, MANY) != MANY)
		abort();
	lseek(file, 0, SEEK_SET);
	begin();
	got = sendfile(near, file, NULL, MANY);
	close(file);
	return got;
}

static long full_raw_write(void)
{
	begin();
	return syscall(SYS_write, near, many, MANY);
}

static long full_raw_writev(void)
{
	begin();
	return syscall(SYS_writev, near, parts, 4);
}

static long full_raw_sendto(void)
{
	begin();
	return syscall(SYS_sendto, near, many, MANY, 0, NULL, 0);
}

static long full_raw_sendmsg(void)
{
	begin();
	return syscall(SYS_sendmsg, near, &message, 0);
}

/* What is in the buffers before differs not: the same is moved natively. */
static long until_full(long (*fill)(void))
{
	make_pair();
	set_timeout(near, SO_SNDTIMEO);
	return end_pair(fill());
}

/* No room at all: nothing is sent until the timeout is over. */
static long while_full(long (*fill)(void))
{
	make_pair();
	while (send(near, many, 1 << 12, MSG_DONTWAIT) > 0)
		;
	while (send(near, many, 1, MSG_DONTWAIT) > 0)
		;
	set_timeout(near, SO_SNDTIMEO);
	return end_pair(fill());
}

static long while_read(long (*fill)(void))
{
	make_pair();
	return end_pair(fill());
}

static long into_pipe(long (*fill)(void))
{
	int fds[2];

	make_pair();
	end_pair(0);
	if (pipe(fds))
		abort();
	near = fds[1];
	far = fds[0];
	return end_pair(fill());
}

#define FULL(name)                                                             \
	static long partly_##name(void)                                        \
	{                                                                      \
		return until_full(full_##name);                                \
	}                                                                      \
	static long stuck_##name(void)                                         \
	{                                                                      \
		return while_full(full_##name);                                \
	}                                                                      \
	static long read_##name(void)                                          \
	{                                                                      \
		return while_read(full_##name);                                \
	}
#define FULL_CALLS(X)                                                          \
	X(write)                                                               \
	X(writev)                                                              \
	X(send)                                                                \
	X(sendto)                                                              \
	X(sendmsg)                                                             \
	X(sendfile)                                                            \
	X(raw_write)                                                           \
	X(raw_writev)                                                          \
	X(raw_sendto)                                                          \
	X(raw_sendmsg)
FULL_CALLS(FULL)

static long pipe_write(void)
{
	return into_pipe(full_write);
}

static long pipe_writev(void)
{
	return into_pipe(full_writev);
}

static long pipe_sendfile(void)
{
	return into_pipe(full_sendfile);
}

/* Some of it is there, and the rest comes later. */
#define WAIT_ALL(name, call)                                                   \
	static long all_##name(void)                                           \
	{                                                                      \
		char to[16] = "";                                              \
		struct iovec two[] = { { to, 5 }, { to + 5, 4 } };             \
		struct msghdr all = { .msg_iov = two, .msg_iovlen = 2 };       \
		long got;                                                      \
                                                                               \
		make_pair();                                                   \
		send_byte();                                                   \
		(void)all;                                                     \
		begin();                                                       \
		got = call;                                                    \
		if (strcmp(to, "x7657654"))                                    \
			printf("%s instead of ", to);                          \
		return end_pair(got);                                          \
	}
WAIT_ALL(recv, recv(near, to, 8, MSG_WAITALL))
WAIT_ALL(recvfrom, recvfrom(near, to, 8, MSG_WAITALL, NULL, NULL))
WAIT_ALL(recvmsg, (two[1].iov_len = 3, recvmsg(near, &all, MSG_WAITALL)))
WAIT_ALL(raw_recvfrom,
	 syscall(SYS_recvfrom, near, to, 8, MSG_WAITALL, NULL, NULL))
WAIT_ALL(raw_recvmsg,
	 (two[1].iov_len = 3, syscall(SYS_recvmsg, near, &all, MSG_WAITALL)))

static struct sockaddr_un listen_at(int backlog)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	/* Abstract: no file. */
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "v%d",
		 getpid());
	near = socket(AF_UNIX, SOCK_STREAM, 0);
	far = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(near, (void *)&address, sizeof(address)) ||
	    listen(near, backlog))
		abort();
	return address;
}

static long timed_accept(void)
{
	listen_at(1);
	set_timeout(near, SO_RCVTIMEO);
	begin();
	return end_pair(accept(near, NULL, NULL));
}

static long timed_accept4(void)
{
	listen_at(1);
	set_timeout(near, SO_RCVTIMEO);
	begin();
	return end_pair(accept4(near, NULL, NULL, SOCK_CLOEXEC));
}

static long stuck_connect(void)
{
	struct sockaddr_un address = listen_at(0);
	int first = socket(AF_UNIX, SOCK_STREAM, 0);
	long got;

	connect(first, (void *)&address, sizeof(address));
	set_timeout(far, SO_SNDTIMEO);
	begin();
	got = connect(far, (void *)&address, sizeof(address));
	close(first);
	return end_pair(got);
}

/* To one who does not answer: what breaks it has begun in vain. */
static long vsock_connect_by(int (*connect_by)(int fd, const void *address,
					       socklen_t bytes))
{
	const struct sockaddr_vm nobody = {
		.svm_family = AF_VSOCK,
		.svm_port = 1,
		.svm_cid = 12345,
	};
	const struct timeval t = {
		.tv_sec = call_timeout_ms / 1000,
		.tv_usec = call_timeout_ms % 1000 * 1000,
	};
	int fd = socket(AF_VSOCK, SOCK_STREAM, 0), error;
	long got;

	setsockopt(fd, AF_VSOCK, SO_VM_SOCKETS_CONNECT_TIMEOUT, &t, sizeof(t));
	begin();
	got = connect_by(fd, &nobody, sizeof(nobody));
	error = errno;
	close(fd);
	errno = error;
	return got;
}

static int connect_by_name(int fd, const void *address, socklen_t bytes)
{
	return connect(fd, address, bytes);
}

static int connect_by_number(int fd, const void *address, socklen_t bytes)
{
	return (int)syscall(SYS_connect, fd, address, bytes);
}

static long vsock_connect(void)
{
	return vsock_connect_by(connect_by_name);
}

static long vsock_raw_connect(void)
{
	return vsock_connect_by(connect_by_number);
}

int main(int argc, char **argv)
{
	static const struct call calls[] = {
#define X(name)                                                                \
	{ "timed " #name, timed_##name, NULL },                                \
		{ "sent " #name, woken_##name, send_byte },                    \
		{ "broken " #name, woken_##name, interrupt_call },             \
		{ "timed broken " #name, timed_##name, interrupt_call },
		IDLE_CALLS(X)
#undef X
#define X(name)                                                                \
	{ "full " #name, partly_##name, NULL },                                \
		{ "stuck " #name, stuck_##name, NULL },                        \
		{ "stuck broken " #name, stuck_##name, interrupt_call },       \
		{ "drained " #name, read_##name, drain },                      \
		{ "full broken " #name, read_##name, interrupt_call },
			FULL_CALLS(X)
#undef X
				{ "pipe write", pipe_write, drain },
		{ "pipe broken write", pipe_write, interrupt_call },
		{ "pipe writev", pipe_writev, drain },
		{ "pipe sendfile", pipe_sendfile, drain },
		{ "all recv", all_recv, send_the_rest },
		{ "all recvfrom", all_recvfrom, send_the_rest },
		{ "all recvmsg", all_recvmsg, send_the_rest },
		{ "all raw_recvfrom", all_raw_recvfrom, send_the_rest },
		{ "all raw_recvmsg", all_raw_recvmsg, send_the_rest },
		{ "all broken recv", all_recv, interrupt_call },
		{ "all broken recvmsg", all_recvmsg, interrupt_call },
		{ "timed accept", timed_accept, NULL },
		{ "timed broken accept", timed_accept, interrupt_call },
		{ "timed accept4", timed_accept4, NULL },
		{ "timed broken accept4", timed_accept4, interrupt_call },
		{ "stuck connect", stuck_connect, NULL },
		{ "stuck broken connect", stuck_connect, interrupt_call },
		{ "vsock connect", vsock_connect, NULL },
		{ "vsock broken connect", vsock_connect, interrupt_call },
		{ "vsock raw connect", vsock_raw_connect, NULL },
		{ NULL, NULL, NULL },
	};

	return make_calls(calls, argc, argv);
}
