/*
 * Settings of sockets and terminals. What was set before the program began, or
 * by another, is not known of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_settings.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include "hook.h"

/* Since Linux 6.5; headers may be older. */
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif

/* The kernel's struct termios (asm-generic/termbits.h); libc's is longer. */
struct kernel_termios {
	tcflag_t input, output, control, local;
	cc_t line;
	cc_t characters[19];
};

bool hook_some_linger;
bool hook_some_want_more;

static bool lingers(const struct linger *linger)
{
	return linger->l_onoff && linger->l_linger;
}

static bool waits(tcflag_t local, const cc_t *characters)
{
	return !(local & ICANON) && (characters[VTIME] || characters[VMIN] > 1);
}

static void note_option(int option, const void *value)
{
	if (unlikely(option == SO_LINGER) && lingers(value))
		store_relaxed(&hook_some_linger, true);
	if (unlikely(option == SO_RCVLOWAT) && *(const int *)value > 1)
		store_relaxed(&hook_some_want_more, true);
}

HOOK int setsockopt(int fd, int level, int option, const void *value,
		    socklen_t bytes)
{
	int err = real.setsockopt(fd, level, option, value, bytes);

	if (!err && level == SOL_SOCKET)
		note_option(option, value);
	return err;
}

HOOK int tcsetattr(int fd, int when, const struct termios *settings)
{
	int err = real.tcsetattr(fd, when, settings);

	if (!err && waits(settings->c_lflag, settings->c_cc))
		store_relaxed(&hook_some_want_more, true);
	return err;
}

cold enum blocking_call hook_call_of_close(int fd)
{
	struct linger linger = { .l_onoff = 0 };
	socklen_t bytes = sizeof(linger);

	sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_LINGER, (long)&linger,
	     (long)&bytes, 0);
	return lingers(&linger) ? CALL_CLOSE : CALL_NONE;
}

static int option_of(int fd, int option)
{
	const struct transfer asked = { .fd = fd };

	return transfer_option(&asked, option, 0);
}

static bool wants_more(int fd)
{
	return option_of(fd, SO_RCVLOWAT) > 1;
}

cold enum blocking_call hook_call_of_read(int fd)
{
	struct kernel_termios now;

	return wants_more(fd) || (!sys3(SYS_ioctl, fd, TCGETS, &now) &&
				  waits(now.local, now.characters))
		       ? CALL_READ
		       : CALL_NONE;
}

/*
 * Who has sent what comes before a tick would never be told: the kernel has
 * dropped it, and it is to end where another's begins.
 */
static bool brings_credentials(int fd)
{
	return option_of(fd, SO_PASSCRED) || option_of(fd, SO_PASSPIDFD) ||
	       option_of(fd, SO_PASSSEC);
}

cold enum blocking_call hook_call_of_receive(int fd, enum blocking_call call,
					     int flags)
{
	/* What it has looked at only can't be left to a second call. */
	bool looks = (flags & MSG_WAITALL) && (flags & MSG_PEEK);

	return !(flags & MSG_DONTWAIT) &&
			       (looks || wants_more(fd) ||
				(flags & MSG_WAITALL && brings_credentials(fd)))
		       ? call
		       : CALL_NONE;
}

/*
 * Where a signal breaks it the kernel goes on to connect by itself over these,
 * and one more call waits for that. Other sockets begin anew (vsock), or may.
 */
cold enum blocking_call hook_call_of_connect(int fd)
{
	switch (option_of(fd, SO_DOMAIN)) {
	case AF_UNSPEC: /* it is no socket */
	case AF_UNIX:
	case AF_INET:
	case AF_INET6:
		return CALL_NONE;
	default:
		return CALL_CONNECT;
	}
}
