/*
 * Execs in a program with threads and loops. Those of FILE, an executable file
 * that is no program, fail late: nothing but the kernel sees what is in it.
 *
 * usage: victim_exec CASE FILE
 *   files   threads whose execs fail, while others open and close files
 *   raise   a thread whose execs fail, while main ends by SIGTERM
 *   exit    the same, by exit(3)
 *   _exit   the same, by _exit(3)
 *   first   an exec fails, then it becomes a loop, stalls and is killed
 *   become  an exec of another program, while threads stall and contend
 *   late    an exec of another program, by a callback that has computed
 *   again   an exec fails in the midst of a callback
 * prints what came of it
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "victim.h"

static const char *no_program;
static atomic_bool is_over;
static atomic_int execs, closed, written;

static __attribute__((noinline, noclone)) void stall(void)
{
	spin(25 * NS_PER_MS);
}

static void turn(unsigned times)
{
	while (times--)
		poll(NULL, 0, 1);
}

static void be_a_loop(void)
{
	turn(3);
	stall();
	turn(3);
}

static void fail_to_exec(void)
{
	execl(no_program, "program", (char *)NULL);
	atomic_fetch_add(&execs, 1);
}

static void *fail_again_and_again(void *unused)
{
	while (!is_over)
		fail_to_exec();
	return unused;
}

/* A descriptor of its own, that nobody else knows of. */
static void *open_and_close(void *unused)
{
	struct stat st;

	while (!is_over) {
		int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

		for (int i = 0; i < 20; i++) {
			sched_yield();
			if (fstat(fd, &st))
				closed++;
			else if (st.st_size)
				written++;
		}
		close(fd);
	}
	return unused;
}

#define THREADS 4

static int keep_files(void)
{
	pthread_t thread[2 * THREADS];

	be_a_loop();
	/* While another thread is in an exec clone(2) fails by EAGAIN. */
	for (int i = 0; i < 2 * THREADS; i++)
		while (pthread_create(
			&thread[i], NULL,
			i % 2 ? open_and_close : fail_again_and_again, NULL))
			sched_yield();
	while (execs < 200)
		turn(1);
	is_over = true;
	for (int i = 0; i < 2 * THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("closed %d, written to %d\n", closed, written);
	return 0;
}

static void begin_to_exec(void)
{
	pthread_t thread;

	be_a_loop();
	pthread_create(&thread, NULL, fail_again_and_again, NULL);
	while (execs < 3)
		turn(1);
}

static int end_by_signal(void)
{
	begin_to_exec();
	raise(SIGTERM);
	return 1;
}

static int end_by_exit(void)
{
	begin_to_exec();
	exit(3);
}

static int end_at_once(void)
{
	begin_to_exec();
	_exit(3);
}

static int fail_first(void)
{
	fail_to_exec();
	fail_to_exec();
	be_a_loop();
	raise(SIGKILL);
	return 1;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *stall_and_contend(void *unused)
{
	for (;;) {
		poll(NULL, 0, 0);
		pthread_mutex_lock(&lock);
		spin(NS_PER_MS / 2);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static int become_another(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, stall_and_contend, NULL);
	spin(50 * NS_PER_MS);
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}

/* Prints how long the run was by then: "run NANOSECONDS". */
static void tell_run(uint64_t begun_ns)
{
	printf("run %ju\n", (uintmax_t)(now_ns() - begun_ns));
	fflush(stdout);
}

static int become_late(void)
{
	uint64_t begun_ns;

	turn(3);
	begun_ns = now_ns();
	stall();
	tell_run(begun_ns);
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}

static int fail_late(void)
{
	uint64_t begun_ns;

	turn(3);
	begun_ns = now_ns();
	stall();
	fail_to_exec();
	stall();
	tell_run(begun_ns);
	turn(3);
	return 0;
}

static const struct {
	const char *name;
	int (*live)(void);
} cases[] = {
	{ "files", keep_files },      { "raise", end_by_signal },
	{ "exit", end_by_exit },      { "_exit", end_at_once },
	{ "become", become_another }, { "first", fail_first },
	{ "late", become_late },      { "again", fail_late },
};

int main(int argc, char **argv)
{
	no_program = argc > 2 ? argv[2] : "/nonexistent/program";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			return cases[i].live();
	return 2;
}
