/*
 * What is asked of a transfer's descriptor.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/transfer.h"

uint64_t transfer_timeout_ns(const struct transfer *mine)
{
	struct timeval t;
	socklen_t bytes = sizeof(t);

	if (sys6(SYS_getsockopt, mine->fd, SOL_SOCKET,
		 mine->sends ? SO_SNDTIMEO : SO_RCVTIMEO, (long)&t,
		 (long)&bytes, 0) ||
	    (!t.tv_sec && !t.tv_usec))
		return 0;
	return clock_span_ns(t.tv_sec, t.tv_usec * (int64_t)NS_PER_US);
}

int transfer_option(const struct transfer *mine, int option, int otherwise)
{
	int value = otherwise;
	socklen_t bytes = sizeof(value);

	sys6(SYS_getsockopt, mine->fd, SOL_SOCKET, option, (long)&value,
	     (long)&bytes, 0);
	return value;
}

/* As the kernel's families of sockets have it. */
int transfer_error_of_timeout(const struct transfer *mine)
{
	if (mine->number != SYS_connect)
		return EAGAIN;
	switch (transfer_option(mine, SO_DOMAIN, AF_UNIX)) {
	case AF_UNIX:
		return EAGAIN;
	case AF_VSOCK:
	case AF_TIPC:
		return ETIMEDOUT;
	default:
		return EINPROGRESS;
	}
}

bool transfer_blocks(const struct transfer *mine)
{
	long flags = sys2(SYS_fcntl, mine->fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

static mode_t look_at_file(const struct transfer *mine, dev_t *device)
{
	struct stat file;

	if (sys2(SYS_fstat, mine->fd, &file))
		return 0;
	*device = file.st_rdev;
	return file.st_mode;
}

/* As Linux's Documentation/admin-guide/devices.txt numbers them. */
#define MEMORY_DEVICES 1
#define LOG_OF_KERNEL  11

/* /dev/zero, /dev/urandom: what is read ends early by a signal only. */
bool transfer_has_bytes_always(const struct transfer *mine)
{
	dev_t device;

	return S_ISCHR(look_at_file(mine, &device)) &&
	       major(device) == MEMORY_DEVICES &&
	       minor(device) != LOG_OF_KERNEL;
}

/* Of what is neither a file nor a device, as an eventfd, no type is told. */
bool transfer_is_from_others(const struct transfer *mine)
{
	dev_t device;
	mode_t mode = look_at_file(mine, &device);

	return (S_ISSOCK(mode) || S_ISFIFO(mode) || !(mode & S_IFMT)) &&
	       transfer_blocks(mine);
}

/*
 * A file that is sent: was it the tick that ended it? A pipe takes what it has
 * room for, whatever is asked. Of a stream the kernel would now find an error,
 * and keep it to itself; asked for by sending nothing (which ends no message,
 * if more is to come) it brings no SIGPIPE.
 */
bool transfer_would_send_on(const struct transfer *mine)
{
	int type = transfer_option(mine, SO_TYPE, 0);
	dev_t device;

	if (!type)
		return !S_ISFIFO(look_at_file(mine, &device));
	return type != SOCK_STREAM ||
	       !sys6(SYS_sendto, mine->fd, (long)"", 0,
		     MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE, 0, 0);
}
