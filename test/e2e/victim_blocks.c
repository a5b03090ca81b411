/*
 * Every other call that a signal's handler may break, or that must go on after
 * one, in a loop's run: sleeps, waits for signals, queues, locks with a
 * deadline, children.
 *
 * usage: victim_blocks [NAME]
 * prints a line for each call (victim_calls.h)
 *
 * SPDX-License-Identifier: MIT
 */
#include <aio.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netdb.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>

#include "victim_calls.h"

#define CALL_NS (CALL_MS * 1000000L)

static const struct timespec call_time = { .tv_nsec = CALL_NS };

static struct timespec deadline(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += CALL_NS;
	if (t.tv_nsec >= (long)NS_PER_S) {
		t.tv_nsec -= (long)NS_PER_S;
		t.tv_sec++;
	}
	return t;
}

/* For functions that return an error number. */
static long as_errno(int error)
{
	errno = error;
	return error ? -1 : 0;
}

/* BLOCK(name, what is prepared, the call, what is put away) */
#define BLOCK(name, before, call, after)                                       \
	static long call_##name(void)                                          \
	{                                                                      \
		long got;                                                      \
		int error;                                                     \
                                                                               \
		before;                                                        \
		begin();                                                       \
		got = call;                                                    \
		error = errno;                                                 \
		after;                                                         \
		errno = error;                                                 \
		return got;                                                    \
	}
#define NOTHING (void)0

BLOCK(usleep, NOTHING, usleep(CALL_MS * 1000), NOTHING)
BLOCK(nanosleep, NOTHING, nanosleep(&call_time, NULL), NOTHING)
/* What is left may be written where nothing can be: it never is. */
#define LEFT_IN_CONSTANT ((struct timespec *)(uintptr_t)&call_time)
BLOCK(nanosleep_constant, NOTHING, nanosleep(&call_time, LEFT_IN_CONSTANT),
      NOTHING)
BLOCK(thrd_sleep_constant, NOTHING, thrd_sleep(&call_time, LEFT_IN_CONSTANT),
      NOTHING)
BLOCK(clock_nanosleep_constant, NOTHING,
      as_errno(clock_nanosleep(CLOCK_MONOTONIC, 0, &call_time,
			       LEFT_IN_CONSTANT)),
      NOTHING)
/* Of what can be read, the second half can't be written. */
static struct timespec *half_constant(void)
{
	const size_t bytes = 4096;
	char *pages = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec *half = (void *)(pages + bytes - sizeof(time_t));

	*half = call_time;
	mprotect(pages + bytes, bytes, PROT_READ);
	return half;
}
BLOCK(nanosleep_half, struct timespec *half = half_constant(),
      nanosleep(half, half) ?: half->tv_sec, NOTHING)
BLOCK(raw_ppoll_half, struct timespec *half = half_constant(),
      syscall(SYS_ppoll, NULL, 0, half, NULL, 8), NOTHING)
BLOCK(clock_nanosleep, NOTHING,
      as_errno(clock_nanosleep(CLOCK_MONOTONIC, 0, &call_time, NULL)), NOTHING)
BLOCK(clock_nanosleep_until, struct timespec t = deadline(CLOCK_REALTIME),
      as_errno(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL)),
      NOTHING)
BLOCK(thrd_sleep, NOTHING, thrd_sleep(&call_time, NULL), NOTHING)
BLOCK(raw_nanosleep, NOTHING, syscall(SYS_nanosleep, &call_time, NULL), NOTHING)
BLOCK(raw_clock_nanosleep, NOTHING,
      syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &call_time, NULL),
      NOTHING)
BLOCK(sleep, NOTHING, sleep(1), NOTHING)
BLOCK(pause, NOTHING, pause(), NOTHING)
BLOCK(raw_pause, NOTHING, syscall(SYS_pause), NOTHING)

static sigset_t no_signal, host_signal;

BLOCK(sigsuspend, NOTHING, sigsuspend(&no_signal), NOTHING)
BLOCK(raw_sigsuspend, NOTHING, syscall(SYS_rt_sigsuspend, &no_signal, 8),
      NOTHING)
BLOCK(sigtimedwait, NOTHING, sigtimedwait(&no_signal, NULL, &call_time),
      NOTHING)
BLOCK(sigwaitinfo, pthread_sigmask(SIG_BLOCK, &host_signal, NULL),
      sigwaitinfo(&host_signal, NULL),
      pthread_sigmask(SIG_UNBLOCK, &host_signal, NULL))
BLOCK(sigwait, int sig; pthread_sigmask(SIG_BLOCK, &host_signal, NULL),
			as_errno(sigwait(&host_signal, &sig)),
			pthread_sigmask(SIG_UNBLOCK, &host_signal, NULL))

/* By system calls of the host's own: timed out, given, and broken. */
#define MASK_BYTES 8 /* the kernel's */
BLOCK(raw_sigtimedwait, NOTHING,
      syscall(SYS_rt_sigtimedwait, &no_signal, NULL, &call_time, MASK_BYTES),
      NOTHING)
BLOCK(raw_sigwait, pthread_sigmask(SIG_BLOCK, &host_signal, NULL),
      syscall(SYS_rt_sigtimedwait, &host_signal, NULL, NULL, MASK_BYTES),
      pthread_sigmask(SIG_UNBLOCK, &host_signal, NULL))
BLOCK(raw_sigwait_other, NOTHING,
      syscall(SYS_rt_sigtimedwait, &no_signal, NULL, NULL, MASK_BYTES), NOTHING)

static struct epoll_event event;

BLOCK(poll, NOTHING, poll(NULL, 0, CALL_MS), NOTHING)
BLOCK(ppoll, NOTHING, ppoll(NULL, 0, &call_time, NULL), NOTHING)
BLOCK(select, struct timeval t = { .tv_usec = CALL_MS * 1000 },
      select(0, NULL, NULL, NULL, &t), NOTHING)
BLOCK(pselect, NOTHING, pselect(0, NULL, NULL, NULL, &call_time, NULL), NOTHING)
BLOCK(epoll_wait, int fd = epoll_create1(0), epoll_wait(fd, &event, 1, CALL_MS),
      close(fd))
BLOCK(epoll_pwait, int fd = epoll_create1(0),
      epoll_pwait(fd, &event, 1, CALL_MS, NULL), close(fd))
BLOCK(epoll_pwait2, int fd = epoll_create1(0),
      epoll_pwait2(fd, &event, 1, &call_time, NULL), close(fd))

static struct sembuf take = { .sem_op = -1 }, give = { .sem_op = 1 };
static int ipc;

static void make_set(void)
{
	ipc = semget(IPC_PRIVATE, 1, 0600);
}

static void give_one(void)
{
	if (semop(ipc, &give, 1))
		puts("cannot give");
}

BLOCK(semop, make_set(), semop(ipc, &take, 1), semctl(ipc, 0, IPC_RMID))
BLOCK(semtimedop, make_set(), semtimedop(ipc, &take, 1, &call_time),
      semctl(ipc, 0, IPC_RMID))
BLOCK(raw_semtimedop, make_set(),
      syscall(SYS_semtimedop, ipc, &take, 1, &call_time),
      semctl(ipc, 0, IPC_RMID))

struct message {
	long type;
	char text[4096];
};
static struct message letter = { .type = 1 };

static void make_queue(void)
{
	ipc = msgget(IPC_PRIVATE, 0600);
}

static void fill_queue(void)
{
	make_queue();
	while (!msgsnd(ipc, &letter, sizeof(letter.text), IPC_NOWAIT))
		;
}

static void send_letter(void)
{
	if (msgsnd(ipc, &letter, 7, 0))
		puts("cannot send");
}

static void receive_letter(void)
{
	struct message to;

	if (msgrcv(ipc, &to, sizeof(to.text), 0, 0) < 0)
		puts("cannot receive");
}

BLOCK(msgrcv, struct message to; make_queue(),
				 msgrcv(ipc, &to, sizeof(to.text), 0, 0),
				 msgctl(ipc, IPC_RMID, NULL))
BLOCK(msgsnd, fill_queue(), msgsnd(ipc, &letter, sizeof(letter.text), 0),
      msgctl(ipc, IPC_RMID, NULL))
BLOCK(raw_msgrcv, struct message to;
      make_queue(), syscall(SYS_msgrcv, ipc, &to, sizeof(to.text), 0, 0),
      msgctl(ipc, IPC_RMID, NULL))

static sem_t sem;

static void post(void)
{
	sem_post(&sem);
}

BLOCK(sem_wait, sem_init(&sem, 0, 0), sem_wait(&sem), NOTHING)
BLOCK(sem_timedwait, sem_init(&sem, 0, 0);
      struct timespec t = deadline(CLOCK_REALTIME), sem_timedwait(&sem, &t),
      NOTHING)
BLOCK(sem_clockwait, sem_init(&sem, 0, 0);
      struct timespec t = deadline(CLOCK_MONOTONIC),
      sem_clockwait(&sem, CLOCK_MONOTONIC, &t), NOTHING)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

BLOCK(mutex_timedlock, pthread_mutex_lock(&mutex);
      struct timespec t = deadline(CLOCK_REALTIME),
      as_errno(pthread_mutex_timedlock(&mutex, &t)),
      pthread_mutex_unlock(&mutex))
BLOCK(cond_timedwait, pthread_mutex_lock(&mutex);
      struct timespec t = deadline(CLOCK_REALTIME),
      as_errno(pthread_cond_timedwait(&cond, &mutex, &t)),
      pthread_mutex_unlock(&mutex))
BLOCK(rwlock_timedwrlock, pthread_rwlock_rdlock(&rwlock);
      struct timespec t = deadline(CLOCK_REALTIME),
      as_errno(pthread_rwlock_timedwrlock(&rwlock, &t)),
      pthread_rwlock_unlock(&rwlock))

static int word;

BLOCK(futex, NOTHING,
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &call_time, NULL, 0),
      NOTHING)
BLOCK(io_getevents, aio_context_t context = 0; struct io_event io;
      syscall(SYS_io_setup, 1, &context),
      syscall(SYS_io_getevents, context, 1, 1, &io, &call_time),
      syscall(SYS_io_destroy, context))

/* A read that never comes about. */
static int fds[2];
static char byte;
static struct aiocb job;

static void start_job(void)
{
	if (pipe(fds))
		abort();
	job = (struct aiocb){
		.aio_fildes = fds[0],
		.aio_buf = &byte,
		.aio_nbytes = 1,
		.aio_sigevent.sigev_notify = SIGEV_NONE,
	};
	if (aio_read(&job))
		abort();
}

static void end_job(void)
{
	if (write(fds[1], "x", 1) != 1)
		puts("cannot write");
	while (aio_error(&job) == EINPROGRESS)
		sched_yield();
	close(fds[0]);
	close(fds[1]);
}

BLOCK(aio_suspend, start_job(); const struct aiocb *const jobs[] = { &job },
				aio_suspend(jobs, 1, &call_time), end_job())

/*
 * A name that is looked for until somebody writes to a FIFO: libc reads aliases
 * from there before it asks a server.
 */
static char aliases[64];
static struct gaicb *look_up[1];

static void look_up_nobody(void)
{
	snprintf(aliases, sizeof(aliases), "/tmp/stallshim-aliases.%d",
		 getpid());
	/* libc looks at it for as long as it takes. */
	look_up[0] = calloc(1, sizeof(**look_up));
	look_up[0]->ar_name = "nobody";
	if (mkfifo(aliases, 0600) || setenv("HOSTALIASES", aliases, 1) ||
	    getaddrinfo_a(GAI_NOWAIT, look_up, 1, NULL))
		abort();
}

static void stop_looking_up(void)
{
	close(open(aliases, O_WRONLY));
	unlink(aliases);
}

BLOCK(gai_suspend, look_up_nobody(),
      gai_suspend((const struct gaicb *const *)look_up, 1, &call_time),
      stop_looking_up())

static mqd_t mq;

static void open_mq(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	char name[32];

	snprintf(name, sizeof(name), "/stallshim-%d", getpid());
	mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	mq_unlink(name);
}

BLOCK(mq_timedreceive, char text[8]; open_mq();
      struct timespec t = deadline(CLOCK_REALTIME),
      mq_timedreceive(mq, text, sizeof(text), NULL, &t), mq_close(mq))
BLOCK(mq_timedsend, open_mq(); mq_send(mq, "x", 1, 0);
      struct timespec t = deadline(CLOCK_REALTIME),
      mq_timedsend(mq, "x", 1, 0, &t), mq_close(mq))

/* Locks of files, and children. */
static int file, other_file;

static void lock_file(void)
{
	char path[] = "/tmp/stallshim-XXXXXX";

	file = mkstemp(path);
	other_file = open(path, O_RDWR);
	unlink(path);
	flock(other_file, LOCK_EX);
}

static void unlock_file(void)
{
	flock(other_file, LOCK_UN);
}

static void close_files(void)
{
	close(file);
	close(other_file);
}

BLOCK(flock, lock_file(), flock(file, LOCK_EX), close_files())
BLOCK(fcntl, struct flock whole = { .l_type = F_WRLCK }; lock_file();
      fcntl(other_file, F_OFD_SETLK, &whole), fcntl(file, F_OFD_SETLKW, &whole),
      close_files())

static void unlock_range(void)
{
	struct flock whole = { .l_type = F_UNLCK };

	fcntl(other_file, F_OFD_SETLK, &whole);
}

static pid_t child;

static void fork_child(void)
{
	child = fork();
	if (!child)
		for (;;)
			sleep(10);
}

static void kill_child(void)
{
	kill(child, SIGKILL);
}

BLOCK(waitpid, fork_child(), waitpid(child, NULL, 0) == child, NOTHING)
BLOCK(waitid, fork_child(), waitid(P_PID, (id_t)child, NULL, WEXITED), NOTHING)
BLOCK(broken_waitpid, fork_child(), waitpid(child, NULL, 0),
      (kill_child(), waitpid(child, NULL, 0)))

static char fifo[64];

static void open_other_end(void)
{
	other_file = open(fifo, O_RDWR);
}

BLOCK(open, snprintf(fifo, sizeof(fifo), "/tmp/stallshim-%d", getpid());
      mkfifo(fifo, 0600), (file = open(fifo, O_WRONLY)) > 0 ? 0 : -1,
      (close_files(), unlink(fifo)))

/* Takes longer than a tick or two; how long says nothing. */
#define MUCH (16 << 20)

static char *much;

static void put_away(void)
{
	free(much);
	call_begun_ns = now_ns() - CALL_NS;
}

BLOCK(getrandom, much = malloc(MUCH), getrandom(much, MUCH, 0), put_away())
BLOCK(raw_getrandom, much = malloc(MUCH), syscall(SYS_getrandom, much, MUCH, 0),
      put_away())

int main(int argc, char **argv)
{
	static const struct call calls[] = {
#define CALL(name) { #name, call_##name, NULL }
#define BROKEN(name)                                                           \
	{                                                                      \
		"broken " #name, call_##name, interrupt_call                   \
	}
		CALL(usleep),
		CALL(nanosleep),
		CALL(nanosleep_constant),
		CALL(nanosleep_half),
		CALL(raw_ppoll_half),
		CALL(thrd_sleep_constant),
		CALL(clock_nanosleep_constant),
		CALL(clock_nanosleep),
		CALL(clock_nanosleep_until),
		CALL(thrd_sleep),
		CALL(raw_nanosleep),
		CALL(raw_clock_nanosleep),
		CALL(sleep),
		BROKEN(sleep),
		BROKEN(pause),
		BROKEN(raw_pause),
		BROKEN(sigsuspend),
		BROKEN(raw_sigsuspend),
		CALL(sigtimedwait),
		BROKEN(sigwaitinfo),
		BROKEN(sigwait),
		CALL(raw_sigtimedwait),
		BROKEN(raw_sigwait),
		BROKEN(raw_sigwait_other),
		CALL(poll),
		CALL(ppoll),
		CALL(select),
		CALL(pselect),
		CALL(epoll_wait),
		CALL(epoll_pwait),
		CALL(epoll_pwait2),
		BROKEN(semop),
		{ "given semop", call_semop, give_one },
		CALL(semtimedop),
		CALL(raw_semtimedop),
		BROKEN(msgrcv),
		{ "sent msgrcv", call_msgrcv, send_letter },
		{ "sent raw_msgrcv", call_raw_msgrcv, send_letter },
		{ "received msgsnd", call_msgsnd, receive_letter },
		BROKEN(msgsnd),
		BROKEN(sem_wait),
		{ "posted sem_wait", call_sem_wait, post },
		CALL(sem_timedwait),
		CALL(sem_clockwait),
		CALL(mutex_timedlock),
		CALL(cond_timedwait),
		CALL(rwlock_timedwrlock),
		CALL(futex),
		CALL(io_getevents),
		CALL(aio_suspend),
		CALL(gai_suspend),
		CALL(mq_timedreceive),
		CALL(mq_timedsend),
		{ "unlocked flock", call_flock, unlock_file },
		BROKEN(flock),
		{ "unlocked fcntl", call_fcntl, unlock_range },
		BROKEN(fcntl),
		{ "waitpid", call_waitpid, kill_child },
		{ "waitid", call_waitid, kill_child },
		BROKEN(broken_waitpid),
		{ "open", call_open, open_other_end },
		CALL(getrandom),
		CALL(raw_getrandom),
		{ NULL, NULL, NULL },
	};

	sigemptyset(&no_signal);
	sigemptyset(&host_signal);
	sigaddset(&host_signal, SIGUSR2);
	return make_calls(calls, argc, argv);
}
