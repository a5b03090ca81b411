/*
 * Channels over which threads are sent what they wait for, by each of the calls
 * that are no lock's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_CHANNEL_H
#define E2E_VICTIM_CHANNEL_H

#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>
#include <unistd.h>

#include "victim.h"

#define NAP_NS (50 * NS_PER_MS)

struct channel {
	int from, to;	 /* two ends, or the same twice */
	int lock;	 /* is held by who sends */
	atomic_int sent; /* for who sleeps, and looks again */
	atomic_int taken;
	atomic_int waiter; /* the latest thread that is about to take */
};

static struct timespec nap = { .tv_nsec = NAP_NS };

static inline void check(bool is_well)
{
	if (!is_well)
		_exit(2);
}

/* By which the channel is made, taken from and sent to. */

static void open_sockets(struct channel *c)
{
	int ends[2];

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	c->from = ends[0];
	c->to = ends[1];
}

static void open_pipe(struct channel *c)
{
	int ends[2];

	check(!pipe(ends));
	c->from = ends[0];
	c->to = ends[1];
}

static void write_byte(struct channel *c)
{
	check(write(c->to, "x", 1) == 1);
}

static void take_by_read(struct channel *c)
{
	char byte;

	check(read(c->from, &byte, 1) == 1);
}

static void take_by_readv(struct channel *c)
{
	char byte;
	struct iovec part = { &byte, 1 };

	check(readv(c->from, &part, 1) == 1);
}

static void take_by_recv(struct channel *c)
{
	char byte;

	check(recv(c->from, &byte, 1, 0) == 1);
}

static void take_by_recvfrom(struct channel *c)
{
	char byte;

	check(recvfrom(c->from, &byte, 1, 0, NULL, NULL) == 1);
}

static void take_by_recvmsg(struct channel *c)
{
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	check(recvmsg(c->from, &message, 0) == 1);
}

static void open_eventfd(struct channel *c)
{
	c->from = c->to = eventfd(0, EFD_SEMAPHORE);
}

static void add_event(struct channel *c)
{
	check(!eventfd_write(c->to, 1));
}

static void take_by_eventfd(struct channel *c)
{
	uint64_t value;

	check(read(c->from, &value, sizeof(value)) == sizeof(value));
}

static void open_listener(struct channel *c)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };

	c->from = socket(AF_UNIX, SOCK_STREAM, 0);
	check(!bind(c->from, (struct sockaddr *)&any, sizeof(sa_family_t)) &&
	      !listen(c->from, 16));
}

static void connect_to(struct channel *c)
{
	struct sockaddr_un address;
	socklen_t bytes = sizeof(address);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);

	check(!getsockname(c->from, (struct sockaddr *)&address, &bytes) &&
	      !connect(client, (struct sockaddr *)&address, bytes));
	close(client);
}

static void take_by_accept(struct channel *c)
{
	check(!close(accept(c->from, NULL, NULL)));
}

static void take_by_accept4(struct channel *c)
{
	check(!close(accept4(c->from, NULL, NULL, SOCK_CLOEXEC)));
}

struct letter {
	long type;
	char text[8];
};

/* At the end it is taken from under who still waits. */
static void open_msg(struct channel *c)
{
	c->from = c->to = msgget(IPC_PRIVATE, 0600);
}

static void close_msg(struct channel *c)
{
	msgctl(c->from, IPC_RMID, NULL);
}

static void send_msg(struct channel *c)
{
	struct letter letter = { .type = 1 };

	check(!msgsnd(c->to, &letter, sizeof(letter.text), 0));
}

static void take_by_msgrcv(struct channel *c)
{
	struct letter letter;

	while (msgrcv(c->from, &letter, sizeof(letter.text), 0, 0) < 0)
		pause();
}

static void open_mq(struct channel *c)
{
	struct mq_attr attr = { .mq_maxmsg = 8, .mq_msgsize = 8 };
	char name[64];

	snprintf(name, sizeof(name), "/park.%d.%p", getpid(), (void *)c);
	c->from = c->to = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	check(c->from >= 0 && !mq_unlink(name));
}

static void send_mq(struct channel *c)
{
	check(!mq_send(c->to, "x", 1, 0));
}

static void take_by_mq_receive(struct channel *c)
{
	char text[8];

	check(mq_receive(c->from, text, sizeof(text), NULL) >= 0);
}

static void take_by_mq_timedreceive(struct channel *c)
{
	struct timespec until;
	char text[8];

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	check(mq_timedreceive(c->from, text, sizeof(text), NULL, &until) >= 0);
}

static void open_sem(struct channel *c)
{
	c->from = c->to = semget(IPC_PRIVATE, 1, 0600);
}

static void close_sem(struct channel *c)
{
	semctl(c->from, 0, IPC_RMID);
}

static void raise_sem(struct channel *c)
{
	struct sembuf up = { .sem_op = 1 };

	check(!semop(c->to, &up, 1));
}

static void take_by_semop(struct channel *c)
{
	struct sembuf down = { .sem_op = -1 };

	while (semop(c->from, &down, 1))
		pause();
}

static void take_by_semtimedop(struct channel *c)
{
	struct sembuf down = { .sem_op = -1 };
	struct timespec timeout = { .tv_sec = 10 };

	while (semtimedop(c->from, &down, 1, &timeout))
		pause();
}

/*
 * One signal for each channel, blocked since the start. Whoever waits as well,
 * and does not get it, gets EINTR.
 */
static void open_signal(struct channel *c)
{
	static int opened;

	c->from = c->to = SIGRTMIN + 2 + opened++;
}

static void send_signal(struct channel *c)
{
	check(!sigqueue(getpid(), c->to, (union sigval){ 0 }));
}

static void take_by_sigwaitinfo(struct channel *c)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, c->from);
	while (sigwaitinfo(&set, NULL) != c->from)
		;
}

static void take_by_sigtimedwait(struct channel *c)
{
	struct timespec timeout = { .tv_sec = 10 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, c->from);
	while (sigtimedwait(&set, NULL, &timeout) != c->from)
		;
}

static int open_again(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDWR);
}

static void open_file(struct channel *c)
{
	c->lock = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	c->from = open_again(c->lock);
	check(c->from >= 0 && !flock(c->lock, LOCK_EX));
}

/* Lets go of it until one has been there. */
static void let_lock(struct channel *c)
{
	int before = atomic_load(&c->taken);

	check(!flock(c->lock, LOCK_UN));
	while (atomic_load(&c->taken) == before)
		sched_yield();
	check(!flock(c->lock, LOCK_EX));
}

static void take_by_flock(struct channel *c)
{
	int mine = open_again(c->from);

	check(!flock(mine, LOCK_EX));
	close(mine);
}

static void open_none(struct channel *c)
{
	c->from = c->to = -1;
}

static void count_sent(struct channel *c)
{
	atomic_fetch_add(&c->sent, 1);
}

static bool finds(struct channel *c)
{
	int sent = atomic_load(&c->sent);

	return sent &&
	       atomic_compare_exchange_strong(&c->sent, &sent, sent - 1);
}

static void take_by_usleep(struct channel *c)
{
	while (!finds(c))
		usleep(NAP_NS / 1000);
}

static void take_by_nanosleep(struct channel *c)
{
	while (!finds(c))
		nanosleep(&nap, NULL);
}

static void take_by_clock_nanosleep(struct channel *c)
{
	while (!finds(c))
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

static void take_by_sleep_until(struct channel *c)
{
	struct timespec until;
	uint64_t ns;

	while (!finds(c)) {
		ns = now_ns() + NAP_NS;
		until = (struct timespec){ (time_t)(ns / NS_PER_S),
					   (long)(ns % NS_PER_S) };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

static void take_by_thrd_sleep(struct channel *c)
{
	while (!finds(c))
		thrd_sleep(&nap, NULL);
}

static const struct way {
	const char *name;
	void (*open)(struct channel *c);
	void (*send)(struct channel *c);
	void (*take)(struct channel *c);
	void (*close)(struct channel *c); /* or NULL */
} ways[] = {
	{ "read", open_sockets, write_byte, take_by_read, NULL },
	{ "pipe", open_pipe, write_byte, take_by_read, NULL },
	{ "eventfd", open_eventfd, add_event, take_by_eventfd, NULL },
	{ "readv", open_pipe, write_byte, take_by_readv, NULL },
	{ "recv", open_sockets, write_byte, take_by_recv, NULL },
	{ "recvfrom", open_sockets, write_byte, take_by_recvfrom, NULL },
	{ "recvmsg", open_sockets, write_byte, take_by_recvmsg, NULL },
	{ "accept", open_listener, connect_to, take_by_accept, NULL },
	{ "accept4", open_listener, connect_to, take_by_accept4, NULL },
	{ "msgrcv", open_msg, send_msg, take_by_msgrcv, close_msg },
	{ "mq_receive", open_mq, send_mq, take_by_mq_receive, NULL },
	{ "mq_timedreceive", open_mq, send_mq, take_by_mq_timedreceive, NULL },
	{ "semop", open_sem, raise_sem, take_by_semop, close_sem },
	{ "semtimedop", open_sem, raise_sem, take_by_semtimedop, close_sem },
	{ "sigwaitinfo", open_signal, send_signal, take_by_sigwaitinfo, NULL },
	{ "sigtimedwait", open_signal, send_signal, take_by_sigtimedwait,
	  NULL },
	{ "flock", open_file, let_lock, take_by_flock, NULL },
	{ "usleep", open_none, count_sent, take_by_usleep, NULL },
	{ "nanosleep", open_none, count_sent, take_by_nanosleep, NULL },
	{ "clock_nanosleep", open_none, count_sent, take_by_clock_nanosleep,
	  NULL },
	{ "sleep_until", open_none, count_sent, take_by_sleep_until, NULL },
	{ "thrd_sleep", open_none, count_sent, take_by_thrd_sleep, NULL },
};

#endif
