/*
 * Calls on terminals, devices and files that last, in a loop's run: a read that
 * waits for so many bytes or for a time, one of bytes that never run out, the
 * end of a socket that lingers, copies from file to file or pipe.
 *
 * usage: victim_devices [NAME]
 * prints a line for each call (victim_calls.h)
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <pty.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <termios.h>

#include "victim_calls.h"
#include "victim_stream.h"

#define MUCH  (64 << 20)
#define MANY  (1 << 20)
#define PIECE 3 /* bytes typed at first */
#define LEAST 8 /* bytes for which a terminal waits */
#define DRAIN 5000

static char *much;
static char to[64];

/* Of calls that last as long as they do: more than a tick or two. */
static void any_length(void)
{
	call_begun_ns = now_ns() - CALL_MS * NS_PER_MS;
}

/* near is the terminal, far who types. */
static void be_terminal(cc_t least, cc_t tenths)
{
	struct termios settings;

	end_stream();
	fail_if(openpty(&far, &near, NULL, NULL, NULL) ||
		tcgetattr(near, &settings));
	cfmakeraw(&settings);
	settings.c_cc[VMIN] = least;
	settings.c_cc[VTIME] = tenths;
	fail_if(tcsetattr(near, TCSANOW, &settings));
}

static void type(size_t bytes)
{
	fail_if(write(far, "12345678", bytes) != (ssize_t)bytes);
}

static void type_rest(void)
{
	type(LEAST - PIECE);
}

static void read_all(void)
{
	struct pollfd typed = { .fd = far, .events = POLLIN };
	static char sink[1 << 14];

	while (poll(&typed, 1, 300) == 1 && read(far, sink, sizeof(sink)) > 0)
		usleep(300);
}

static long timed_read(void)
{
	be_terminal(0, CALL_MS / 100);
	begin();
	return read(near, to, sizeof(to));
}

static long timed_readv(void)
{
	struct iovec part = { to, sizeof(to) };

	be_terminal(0, CALL_MS / 100);
	begin();
	return readv(near, &part, 1);
}

static long timed_raw_read(void)
{
	be_terminal(0, CALL_MS / 100);
	begin();
	return syscall(SYS_read, near, to, sizeof(to));
}

static long read_least(cc_t tenths)
{
	be_terminal(LEAST, tenths);
	type(PIECE);
	begin();
	return read(near, to, sizeof(to));
}

static long least_read(void)
{
	return read_least(0);
}

static long least_timed_read(void)
{
	return read_least(CALL_MS / 100);
}

static long terminal_write(void)
{
	be_terminal(1, 0);
	begin();
	return write(near, much, MANY / 10);
}

/* So often that ticks come in it. */
#define TERMINAL(name, call)                                                   \
	static long terminal_##name(void)                                      \
	{                                                                      \
		long broken = 0;                                               \
                                                                               \
		be_terminal(1, 0);                                             \
		begin();                                                       \
		for (int i = 0; i < DRAIN; i++)                                \
			broken -= call;                                        \
		any_length();                                                  \
		return broken;                                                 \
	}
TERMINAL(drain, tcdrain(near))
TERMINAL(break, tcsendbreak(near, 0))
TERMINAL(request, ioctl(near, TCSBRK, 1))
TERMINAL(raw_request, syscall(SYS_ioctl, near, TCSBRK, 1))

static long read_device(const char *path, size_t bytes)
{
	int fd = open(path, O_RDONLY);
	long got;

	begin();
	got = read(fd, much, bytes);
	close(fd);
	any_length();
	return got;
}

static long zero_read(void)
{
	return read_device("/dev/zero", MUCH);
}

static long random_read(void)
{
	return read_device("/dev/urandom", MUCH / 8);
}

static long raw_random_read(void)
{
	int fd = open("/dev/urandom", O_RDONLY);
	long got;

	begin();
	got = syscall(SYS_read, fd, much, MUCH / 8);
	close(fd);
	any_length();
	return got;
}

/* What is sent stays unread, and the socket waits for that as it closes. */
static long end_lingering(long end(int fd))
{
	struct linger linger = { .l_onoff = 1, .l_linger = 1 };
	uint64_t lasted_ms;
	long got;

	be_tcp();
	fail_if(setsockopt(near, SOL_SOCKET, SO_LINGER, &linger,
			   sizeof(linger)));
	while (send(near, much, MANY, MSG_DONTWAIT) > 0)
		;
	begin();
	got = end(near);
	near = -1;
	lasted_ms = (now_ns() - call_begun_ns) / NS_PER_MS;
	printf("(%s) ", lasted_ms > 900 ? "lingers" : "too short");
	any_length();
	return got;
}

/* Another takes its place, and is closed: the same number comes back. */
static long takes_its_place(int fd, long got)
{
	fail_if(got != fd);
	close(fd);
	return 0;
}

#define LINGERING(name, call)                                                  \
	static long end_by_##name(int fd)                                      \
	{                                                                      \
		return call;                                                   \
	}                                                                      \
	static long lingering_##name(void)                                     \
	{                                                                      \
		return end_lingering(end_by_##name);                           \
	}
LINGERING(close, close(fd))
LINGERING(raw_close, syscall(SYS_close, fd))
LINGERING(fclose, fclose(fdopen(fd, "r")))
LINGERING(dup2, takes_its_place(fd, dup2(STDOUT_FILENO, fd)))
LINGERING(dup3, takes_its_place(fd, dup3(STDOUT_FILENO, fd, O_CLOEXEC)))
LINGERING(raw_dup3, takes_its_place(fd, syscall(SYS_dup3, 1, fd, 0)))

static int file_of(size_t bytes)
{
	int fd = memfd_create("file", 0);

	fail_if(fd < 0 || ftruncate(fd, (off_t)bytes));
	return fd;
}

#define COPY(name, bytes, call)                                                \
	static long name(void)                                                 \
	{                                                                      \
		int from = file_of(bytes), other = file_of(0);                 \
		long got;                                                      \
                                                                               \
		begin();                                                       \
		got = call;                                                    \
		close(from);                                                   \
		close(other);                                                  \
		any_length();                                                  \
		return got;                                                    \
	}
COPY(copied, MUCH, copy_file_range(from, NULL, other, NULL, MUCH, 0))
COPY(raw_copied, MUCH,
     syscall(SYS_copy_file_range, from, NULL, other, NULL, MUCH, 0))
COPY(allocated, 0, fallocate(other, 0, 0, 4 * MUCH))
COPY(raw_allocated, 0, syscall(SYS_fallocate, other, 0, 0L, 4L * MUCH))
COPY(all_allocated, 0, posix_fallocate(other, 0, 4 * MUCH))
COPY(sent_to_file, MUCH, sendfile(other, from, NULL, MUCH))

#define INSTRUCTIONS 200000

/* Of the kernel's machine, which it looks at instruction by instruction. */
static long checked_program(void)
{
	const struct bpf_insn set = { .code = BPF_ALU64 | BPF_MOV },
			      add = { .code = BPF_ALU64 | BPF_ADD, .imm = 1 },
			      end = { .code = BPF_JMP | BPF_EXIT };
	struct bpf_insn *program = (void *)much;
	union bpf_attr what = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uint64_t)(uintptr_t)program,
		.insn_cnt = INSTRUCTIONS,
		.license = (uint64_t)(uintptr_t) "GPL",
	};
	long fd;

	for (int i = 0; i < INSTRUCTIONS; i++)
		program[i] = !i ? set : i < INSTRUCTIONS - 1 ? add : end;
	begin();
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &what, sizeof(what));
	any_length();
	if (fd < 0)
		return fd;
	close((int)fd);
	return 0;
}

/* It takes what it has room for, once there is any. */
static long sent_to_pipe(void)
{
	int fds[2], file = file_of(MANY);
	long got;

	end_stream();
	fail_if(pipe(fds) || fcntl(fds[1], F_SETFL, O_NONBLOCK));
	far = fds[0];
	near = fds[1];
	while (write(near, much, 1 << 12) > 0)
		;
	fail_if(fcntl(near, F_SETFL, 0));
	begin();
	got = sendfile(near, file, NULL, MANY);
	close(file);
	return got;
}

static void read_page(void)
{
	fail_if(read(far, much, 1 << 12) != 1 << 12);
}

/* A descriptor that tells of events, of which none has come yet. */
static long read_event(int fd)
{
	near = fd;
	begin();
	return read(near, to, sizeof(to));
}

static long event_read(void)
{
	end_stream();
	far = -1;
	return read_event(eventfd(0, 0));
}

static void give_event(void)
{
	fail_if(eventfd_write(near, 1));
}

static long timer_read(void)
{
	const struct itimerspec in = { .it_value.tv_nsec = CALL_MS * 1000000L };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	end_stream();
	far = -1;
	fail_if(timerfd_settime(fd, 0, &in, NULL));
	return read_event(fd);
}

static long watch_read(void)
{
	end_stream();
	far = -1;
	return read_event(inotify_init());
}

int main(int argc, char **argv)
{
	static const struct call calls[] = {
		{ "timed read", timed_read, NULL },
		{ "timed readv", timed_readv, NULL },
		{ "timed raw read", timed_raw_read, NULL },
		{ "least read", least_read, type_rest },
		{ "broken least read", least_read, interrupt_call },
		{ "least timed read", least_timed_read, NULL },
		{ "terminal write", terminal_write, read_all },
		{ "terminal drain", terminal_drain, NULL },
		{ "terminal break", terminal_break, NULL },
		{ "terminal request", terminal_request, NULL },
		{ "raw terminal request", terminal_raw_request, NULL },
		{ "zero read", zero_read, NULL },
		{ "random read", random_read, NULL },
		{ "raw random read", raw_random_read, NULL },
		{ "lingering close", lingering_close, NULL },
		{ "raw lingering close", lingering_raw_close, NULL },
		{ "lingering fclose", lingering_fclose, NULL },
		{ "lingering dup2", lingering_dup2, NULL },
		{ "lingering dup3", lingering_dup3, NULL },
		{ "raw lingering dup3", lingering_raw_dup3, NULL },
		{ "copied", copied, NULL },
		{ "raw copied", raw_copied, NULL },
		{ "allocated", allocated, NULL },
		{ "raw allocated", raw_allocated, NULL },
		{ "all allocated", all_allocated, NULL },
		{ "checked program", checked_program, NULL },
		{ "sent to file", sent_to_file, NULL },
		{ "sent to pipe", sent_to_pipe, read_page },
		{ "broken sent to pipe", sent_to_pipe, interrupt_call },
		{ "event read", event_read, give_event },
		{ "broken event read", event_read, interrupt_call },
		{ "timer read", timer_read, NULL },
		{ "broken watch read", watch_read, interrupt_call },
		{ NULL, NULL, NULL },
	};

	much = malloc(MUCH);
	return make_calls(calls, argc, argv);
}
