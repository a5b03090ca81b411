/*
 * syscall(2) under ticks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_raw.h"

#include <sys/syscall.h>

#include "hook.h"
#include "hook_block.h"
#include "hook_ioctl.h"
#include "hook_settings.h"
#include "hook_transfer.h"
#include "hook_unwound.h"

enum way {
	WAY_OF_NO_INTEREST,
	WAY_BLOCK,
	WAY_MOVE,
	WAY_READ,
	WAY_RECEIVE, /* flags: argument 3 */
	WAY_SEND,    /* the same */
	WAY_WRITE,
	WAY_COUNT,
	WAY_PARTS_AT,	   /* buffers: as below; place and flags: 3 and 5 */
	WAY_PARTS,	   /* buffers: arguments 1 and 2 */
	WAY_SEND_PARTS,	   /* message and flags: arguments 1 and 2 */
	WAY_RECEIVE_PARTS, /* the same */
};

/* By number. */
static const struct raw {
	uint8_t way;
	bool sends;
	uint8_t call; /* enum blocking_call: as which it blocks */
} raws[] = {
#ifdef SYS_pause
	[SYS_pause] = { WAY_BLOCK, false, CALL_PAUSE },
#endif
	[SYS_nanosleep] = { WAY_BLOCK, false, CALL_NANOSLEEP },
	[SYS_clock_nanosleep] = { WAY_BLOCK, false, CALL_CLOCK_NANOSLEEP },
	[SYS_rt_sigtimedwait] = { WAY_BLOCK, false, CALL_SIGTIMEDWAIT },
	[SYS_rt_sigsuspend] = { WAY_BLOCK, false, CALL_SIGSUSPEND },
	[SYS_semop] = { WAY_BLOCK, false, CALL_SEMOP },
	[SYS_semtimedop] = { WAY_BLOCK, false, CALL_SEMTIMEDOP },
	[SYS_msgrcv] = { WAY_BLOCK, false, CALL_MSGRCV },
	[SYS_msgsnd] = { WAY_BLOCK, false, CALL_MSGSND },
	[SYS_io_uring_enter] = { WAY_BLOCK, false, CALL_IO_URING_ENTER },
	[SYS_io_getevents] = { WAY_BLOCK, false, CALL_IO_GETEVENTS },
	[SYS_io_pgetevents] = { WAY_BLOCK, false, CALL_IO_PGETEVENTS },
	[SYS_getrandom] = { WAY_BLOCK, false, CALL_GETRANDOM },
	[SYS_splice] = { WAY_BLOCK, false, CALL_SPLICE },
	[SYS_copy_file_range] = { WAY_BLOCK, false, CALL_COPY_FILE_RANGE },
	[SYS_fallocate] = { WAY_BLOCK, false, CALL_FALLOCATE },
	/* To check a program ends with EAGAIN, to test one with EINTR. */
	[SYS_bpf] = { WAY_BLOCK, false, CALL_BPF },
	[SYS_ioctl] = { WAY_BLOCK, false, CALL_IOCTL },
	[SYS_close] = { WAY_BLOCK, false, CALL_CLOSE },
#ifdef SYS_dup2
	[SYS_dup2] = { WAY_BLOCK, false, CALL_CLOSE },
#endif
	[SYS_dup3] = { WAY_BLOCK, false, CALL_CLOSE },
	[SYS_read] = { WAY_READ, false, CALL_READ },
	[SYS_readv] = { WAY_MOVE, false, CALL_READ },
	[SYS_preadv2] = { WAY_MOVE, false, CALL_NONE },
	[SYS_recvmmsg] = { WAY_MOVE, false, CALL_RECVMMSG },
	[SYS_accept] = { WAY_MOVE, false, CALL_NONE },
	[SYS_accept4] = { WAY_MOVE, false, CALL_NONE },
	[SYS_connect] = { WAY_MOVE, true, CALL_CONNECT },
	[SYS_sendmmsg] = { WAY_MOVE, true, CALL_SENDMMSG },
	[SYS_recvfrom] = { WAY_RECEIVE, false, CALL_RECVFROM },
	[SYS_recvmsg] = { WAY_RECEIVE_PARTS, false, CALL_NONE },
	[SYS_write] = { WAY_WRITE, true, CALL_NONE },
	[SYS_writev] = { WAY_PARTS, true, CALL_NONE },
	[SYS_pwritev2] = { WAY_PARTS_AT, true, CALL_NONE },
	[SYS_sendto] = { WAY_SEND, true, CALL_NONE },
	[SYS_sendmsg] = { WAY_SEND_PARTS, true, CALL_NONE },
	[SYS_sendfile] = { WAY_COUNT, true, CALL_NONE },
};

static long call_now(long number, const long *a)
{
	return real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static long transfer(struct transfer what, const long *a)
{
	bool begun;
	long result;

	CLOSES_WAIT_UNWOUND;
	begun = hook_transfer_begin(what);
	do
		result = call_now(what.number, a);
	while (hook_transfer_again(begun));
	return begun ? hook_transfer_end(result) : result;
}

/* As which it is told that no tick comes; CALL_NONE: one may. */
static enum blocking_call call_of(const struct raw *raw, const long *a)
{
	switch (raw->call) {
	case CALL_CLOSE:
		return call_of_close((int)a[raw == &raws[SYS_close] ? 0 : 1]);
	case CALL_READ:
		return call_of_read((int)a[0]);
	case CALL_CONNECT:
		return call_of_connect((int)a[0]);
	case CALL_RECVFROM:
		return call_of_receive(CALL_RECVFROM, (int)a[0], (int)a[3]);
	case CALL_RECVMMSG:
		return call_of_recvmmsg((int)a[0], (unsigned int)a[2],
					(int)a[3]);
	case CALL_SENDMMSG:
		return call_of_sendmmsg((int)a[0], (int)a[3]);
	case CALL_GETRANDOM:
		return call_of_getrandom((size_t)a[1]);
	case CALL_SPLICE:
		return call_of_splice((unsigned int)a[5]);
	case CALL_IOCTL:
		return hook_call_of_ioctl((unsigned long)a[1]);
	default:
		return raw->call;
	}
}

static enum transfer_kind kind_of(enum way way, const long *a)
{
	switch (way) {
	case WAY_RECEIVE:
		return kind_to_receive((int)a[3]);
	case WAY_SEND:
		return kind_to_send((int)a[3]);
	case WAY_READ:
		return TRANSFER_READ;
	case WAY_WRITE:
		return TRANSFER_ALL;
	case WAY_COUNT:
		return TRANSFER_COUNT;
	case WAY_PARTS:
		return TRANSFER_PARTS;
	case WAY_PARTS_AT:
		return kind_of_write_at(a[3], (int)a[5]);
	case WAY_SEND_PARTS:
	case WAY_RECEIVE_PARTS:
		return kind_of_parts(way == WAY_SEND_PARTS, (int)a[2]);
	default:
		return TRANSFER_ONCE;
	}
}

static ssize_t move_vector(int fd, const struct iovec *parts, int n)
{
	return real.syscall(SYS_writev, fd, (long)parts, n, 0, 0, 0);
}

static ssize_t write_on(int fd, const struct iovec *parts, int n)
{
	return real.syscall(SYS_pwritev2, fd, (long)parts, n, -1, -1, 0);
}

static ssize_t move_out(int fd, struct msghdr *message, int flags)
{
	return real.syscall(SYS_sendmsg, fd, (long)message, flags, 0, 0, 0);
}

static ssize_t move_in(int fd, struct msghdr *message, int flags)
{
	return real.syscall(SYS_recvmsg, fd, (long)message, flags, 0, 0, 0);
}

static long move_parts(enum way way, struct transfer what, const long *a,
		       const void *caller)
{
	const struct iovec *parts = (const struct iovec *)a[1];
	bool begun;
	long got;

	CLOSES_WAIT_UNWOUND;
	if (way == WAY_PARTS_AT) {
		begun = hook_transfer_begin(what);
		do
			got = call_now(what.number, a);
		while (hook_transfer_again(begun));
		return hook_end_write(begun, write_on, parts, (int)a[2], got);
	}
	if (way == WAY_PARTS)
		return hook_write_parts(move_vector, what, parts, (int)a[2]);
	return hook_move_message(way == WAY_SEND_PARTS ? move_out : move_in,
				 what, (struct msghdr *)a[1], (int)a[2],
				 caller);
}

static long make(const struct raw *raw, long number, const long *a,
		 const void *caller)
{
	const struct transfer what = {
		.sends = raw->sends,
		.kind = kind_of(raw->way, a),
		.fd = (int)a[0],
		.number = (int)number,
		.function = (uintptr_t)real.syscall,
	};

	if (raw->way == WAY_BLOCK)
		return call_now(number, a);
	if (what.kind == TRANSFER_PARTS)
		return move_parts(raw->way, what, a, caller);
	return transfer(what, a);
}

bool raw_call(long number, const long *a, const void *caller, long *result)
{
	const struct raw *raw = &raws[number];
	struct block block;

	if (number < 0 || number >= (long)ARRAY_SIZE(raws) || !raw->way)
		return false;
	block = hook_block_begin(call_of(raw, a), caller);
	*result = make(raw, number, a, caller);
	watch_block_end(&block);
	return true;
}
