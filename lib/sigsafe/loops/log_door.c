/*
 * The log's door.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/log_door.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "sigsafe/os/sys.h"

#define STDERR	   2
#define OWNER_ONLY 0600
#define AT_ONCE	   (O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

#define WRITE_SIGNALS (SIGNAL_BIT(SIGPIPE) | SIGNAL_BIT(SIGXFSZ))

/* Written in the constructor, and by who starts a forked child. */
static struct {
	struct stat at_start; /* standard error */
	bool had_stderr;
	char path[LOG_PATH_BYTES]; /* "": to standard error */
} door;

void log_door_start(void)
{
	door.had_stderr = !sys4(SYS_newfstatat, STDERR, "", &door.at_start,
				AT_EMPTY_PATH);
}

void log_door_to_stderr(void)
{
	door.path[0] = '\0';
}

void log_door_to_file(const char *path)
{
	size_t length = strnlen(path, LOG_PATH_BYTES - 1);

	memcpy(door.path, path, length);
	door.path[length] = '\0';
}

static bool is_stderr(int fd, struct stat *now)
{
	return door.had_stderr &&
	       !sys4(SYS_newfstatat, fd, "", now, AT_EMPTY_PATH) &&
	       now->st_dev == door.at_start.st_dev &&
	       now->st_ino == door.at_start.st_ino;
}

/* An open file of our own on the same pipe or terminal; or -errno. */
static int open_anew(void)
{
	int fd = (int)sys4(SYS_openat, AT_FDCWD, "/proc/self/fd/2", AT_ONCE, 0);
	struct stat now;

	if (fd < 0 || is_stderr(fd, &now))
		return fd;
	sys1(SYS_close, fd);
	return -EBADF;
}

static bool takes_something(int fd)
{
	const struct timespec now = { 0 };
	struct pollfd ask = { .fd = fd, .events = POLLOUT };

	return sys6(SYS_ppoll, (long)&ask, 1, (long)&now, 0, 0, 0) == 1 &&
	       ask.revents == POLLOUT;
}

static int write_to(int fd, const struct iovec *line)
{
	return (int)sys3(SYS_writev, fd, line, 2);
}

static int send_to(int fd, struct iovec *line)
{
	struct msghdr message = { .msg_iov = line, .msg_iovlen = 2 };

	return (int)sys3(SYS_sendmsg, fd, &message,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int write_and_close(int fd, const struct iovec *line)
{
	int done;

	if (fd < 0)
		return fd;
	done = write_to(fd, line);
	sys1(SYS_close, fd);
	return done;
}

static int write_to_stderr(struct iovec *line)
{
	struct stat now;
	int fd;

	if (!is_stderr(STDERR, &now))
		return -EBADF;
	if (S_ISSOCK(now.st_mode))
		return send_to(STDERR, line);
	/* Anew it would begin at 0, and its close drop the host's locks. */
	if (S_ISREG(now.st_mode))
		return write_to(STDERR, line);
	fd = open_anew();
	if (fd >= 0)
		return write_and_close(fd, line);
	return takes_something(STDERR) ? write_to(STDERR, line) : -EAGAIN;
}

static int write_to_file(const struct iovec *line)
{
	int fd = (int)sys4(SYS_openat, AT_FDCWD, door.path,
			   AT_ONCE | O_APPEND | O_CREAT | O_NOFOLLOW,
			   OWNER_ONLY);

	return write_and_close(fd, line);
}

/* Those of the thread, as those raised by its own writes are. */
static kernel_sigset pending_signals(void)
{
	kernel_sigset pending = 0;

	sys2(SYS_rt_sigpending, &pending, sizeof(pending));
	return pending & WRITE_SIGNALS;
}

static void take_away(kernel_sigset raised)
{
	const struct timespec now = { 0 };

	if (raised)
		sys4(SYS_rt_sigtimedwait, &raised, NULL, &now, sizeof(raised));
}

int log_door_write(const char *text, size_t length, bool is_whole)
{
	const char *end = is_whole ? "\n" : "...\n";
	struct iovec line[] = {
		{ (void *)(uintptr_t)text, length },
		{ (void *)(uintptr_t)end, strlen(end) },
	};
	kernel_sigset before = pending_signals();
	int done = door.path[0] ? write_to_file(line) : write_to_stderr(line);

	if (done < 0)
		take_away(pending_signals() & ~before);
	if (done < 0)
		return done;
	return (size_t)done == length + line[1].iov_len ? 0 : -EIO;
}
