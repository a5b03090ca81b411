/*
 * An event loop that is kept from turning for a known reason.
 *
 * usage: victim_why REASON [MILLISECONDS]
 * prints, for each run of a callback, how long it was by its own clock and what
 * processor time it had: "run NANOSECONDS cpu NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim_runs.h"

#define LOOPS 8
#define TURNS 10 /* of each of these loops, that compute */

static uint64_t length_ns = 200 * NS_PER_MS;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static void callback_spin(void)
{
	spin(length_ns);
}

static void callback_nanosleep(void)
{
	pause_ns(length_ns);
}

/* Runs `then` in a child, length_ns from now. */
static pid_t later(void (*then)(int), int argument)
{
	pid_t child = fork();

	if (child)
		return child;
	pause_ns(length_ns);
	then(argument);
	_exit(0);
}

static void callback_read(void)
{
	int ends[2];

	if (pipe(ends))
		abort();
	later(write_a_byte, ends[1]);
	read_a_byte(ends[0]);
	wait(NULL);
}

static void do_nothing(int argument)
{
	(void)argument;
}

static void callback_wait(void)
{
	pid_t child = later(do_nothing, 0);

	waitpid(child, NULL, 0);
}

static void callback_flock(void)
{
	int mine = open("/proc/self/exe", O_RDONLY);
	int theirs = open("/proc/self/exe", O_RDONLY);

	if (mine < 0 || theirs < 0 || flock(theirs, LOCK_EX))
		abort();
	later(do_nothing, 0);
	/* From here on only the child has it open, and the lock with it. */
	close(theirs);
	if (flock(mine, LOCK_EX))
		abort();
	wait(NULL);
}

static void accept_one(int fd)
{
	accept(fd, NULL, NULL);
}

/* A queue that is full: its second guest waits. */
static void callback_connect(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	int guests[2] = { socket(AF_UNIX, SOCK_STREAM, 0),
			  socket(AF_UNIX, SOCK_STREAM, 0) };

	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "why.%d",
		 getpid());
	if (bind(listener, (void *)&name, sizeof(name)) || listen(listener, 0))
		abort();
	later(accept_one, listener);
	for (int i = 0; i < 2; i++) {
		if (connect(guests[i], (void *)&name, sizeof(name)))
			abort();
	}
	wait(NULL);
}

/* No signal ends it. Its length is the machine's affair. */
static void callback_fsync(void)
{
	static const char block[1 << 20] = { 1 };
	const char *dir = getenv("WHY_DIR");
	int fd = open(dir ? dir : ".", O_TMPFILE | O_RDWR, 0600);

	if (fd < 0)
		abort();
	for (int i = 0; i < 256; i++) {
		if (write(fd, block, sizeof(block)) < 0)
			abort();
	}
	fsync(fd);
	close(fd);
}

/* No signal wakes who waits until the child is another program, or gone. */
static void callback_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		/* What sleeps here is the parent to all that lies in memory. */
		spin(length_ns);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void callback_system(void)
{
	char command[64];

	snprintf(command, sizeof(command), "sleep %f",
		 (double)length_ns / (double)NS_PER_S);
	if (system(command))
		abort();
}

static char dir[] = "/tmp/why.XXXXXX", pipe_path[64];

static void open_pipe(int flags)
{
	if (open(pipe_path, flags) < 0)
		abort();
}

/* What is started opens a pipe first, at whose other end nobody is yet. */
static void callback_spawn(void)
{
	char *const argv[] = { (char *)"true", NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;

	if (!mkdtemp(dir))
		abort();
	snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", dir);
	if (mkfifo(pipe_path, 0600))
		abort();
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 3, pipe_path, O_RDONLY, 0);
	later(open_pipe, O_WRONLY);
	if (posix_spawn(&child, "/bin/true", &actions, NULL, argv, NULL))
		abort();
	posix_spawn_file_actions_destroy(&actions);
	while (wait(NULL) > 0)
		;
	unlink(pipe_path);
	rmdir(dir);
}

static bool is_held;

static __attribute__((noinline, noclone)) void unlock_cache(void)
{
	pthread_mutex_unlock(&cache_lock);
	__asm__ volatile("");
}

static void *hold_lock(void *none)
{
	(void)none;
	prctl(PR_SET_NAME, "worker1");
	pthread_mutex_lock(&cache_lock);
	__atomic_store_n(&is_held, true, __ATOMIC_RELEASE);
	await_waiter(&cache_lock);
	pause_ns(length_ns);
	unlock_cache();
	return NULL;
}

static void callback_lock(void)
{
	pthread_t holder;

	pthread_create(&holder, NULL, hold_lock, NULL);
	while (!__atomic_load_n(&is_held, __ATOMIC_ACQUIRE))
		;
	pthread_mutex_lock(&cache_lock);
	pthread_mutex_unlock(&cache_lock);
	pthread_detach(holder);
}

static void *end_later(void *none)
{
	prctl(PR_SET_NAME, "worker1");
	pause_ns(length_ns);
	return none;
}

static void callback_join(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, end_later, NULL);
	pthread_join(thread, NULL);
}

static void callback_joins(void)
{
	callback_join();
	callback_join();
}

static sem_t jobs_done;

static __attribute__((noinline, noclone)) void post_done(void)
{
	sem_post(&jobs_done);
	__asm__ volatile("");
}

static void *post_later(void *none)
{
	end_later(none);
	post_done();
	return none;
}

static void callback_semaphore(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, post_later, NULL);
	pthread_detach(thread);
	sem_wait(&jobs_done);
}

static pthread_barrier_t meeting;

static void *come_late(void *none)
{
	end_later(none);
	pthread_barrier_wait(&meeting);
	return none;
}

static void callback_barrier(void)
{
	pthread_t thread;

	pthread_barrier_init(&meeting, NULL, 2);
	pthread_create(&thread, NULL, come_late, NULL);
	pthread_detach(thread);
	pthread_barrier_wait(&meeting);
}

#define STORM_BYTES ((size_t)16 << 20)

static void callback_faults(void)
{
	uint64_t begun_ns = now_ns();
	char *pages = mmap(NULL, STORM_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, STORM_BYTES, MADV_NOHUGEPAGE);
	while (now_ns() - begun_ns < length_ns) {
		for (size_t i = 0; i < STORM_BYTES; i += 4096)
			((volatile char *)pages)[i] = 1;
		madvise(pages, STORM_BYTES, MADV_DONTNEED);
	}
}

/* Computes for so much processor time, and is stopped in the middle of it. */
static void callback_stop(void)
{
	pid_t self = getpid();
	uint64_t begun_ns = cpu_ns();
	pid_t child = fork();

	if (!child) {
		pause_ns(30 * NS_PER_MS);
		kill(self, SIGSTOP);
		pause_ns(length_ns);
		kill(self, SIGCONT);
		_exit(0);
	}
	while (cpu_ns() - begun_ns < 60 * NS_PER_MS)
		spin(NS_PER_MS / 10);
	waitpid(child, NULL, 0);
}

static const struct reason {
	const char *name;
	void (*callback)(void);
} reasons[] = {
	{ "spin", callback_spin },	 { "nanosleep", callback_nanosleep },
	{ "read", callback_read },	 { "wait", callback_wait },
	{ "flock", callback_flock },	 { "connect", callback_connect },
	{ "fsync", callback_fsync },	 { "vfork", callback_vfork },
	{ "lock", callback_lock },	 { "faults", callback_faults },
	{ "stop", callback_stop },	 { "join", callback_join },
	{ "joins", callback_joins },	 { "semaphore", callback_semaphore },
	{ "barrier", callback_barrier }, { "system", callback_system },
	{ "shell", callback_system },	 { "spawn", callback_spawn },
};

static void *loop(void *none)
{
	int epoll_fd = epoll_create1(0);

	for (int i = 0; i < 5; i++)
		turn(epoll_fd);
	for (int i = 0; i < TURNS; i++)
		run(epoll_fd, callback_spin);
	close(epoll_fd);
	return none;
}

/* Many loops, and one processor for all of them. */
static void starve(void)
{
	pthread_t loops[LOOPS];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		abort();
	for (int i = 0; i < LOOPS; i++)
		pthread_create(&loops[i], NULL, loop, NULL);
	for (int i = 0; i < LOOPS; i++)
		pthread_join(loops[i], NULL);
}

/* As threads do that leave signals to others: those of haproxy, say. */
static void block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

int main(int argc, char **argv)
{
	const char *reason = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2)
		length_ns = strtoull(argv[2], NULL, 10) * NS_PER_MS;
	if (!strcmp(reason, "starve")) {
		starve();
		return 0;
	}
	if (!strcmp(reason, "system"))
		block_signals();
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (strcmp(reason, reasons[i].name))
			continue;
		run_one(reasons[i].callback);
		return 0;
	}
	return 2;
}
