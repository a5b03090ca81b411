/*
 * Threads and processes with lives of many kinds. In each a thread waits for a
 * lock that hold_lock() holds, so that there is something to be found later.
 *
 * usage: victim_lives CASE
 *   main_ends    main leaves by pthread_exit, its threads go on
 *   detached     200 detached threads, each of which waits for a lock
 *   destructors  20 threads whose thread-specific data lock when they end, and
 *                once more since they have been set again
 *   rounds       100 threads whose thread-specific data are loops when they
 *                end, as often as libc calls their destructor
 *   at_once      5,000 threads wait for one lock at once
 *   setuid       becomes nobody
 *   chroot       moves its root to an empty directory, as nobody
 *   limits       may open no file any more
 *   grandchild   forks twice; the grandchild is its subreaper's
 *   shell        system() and popen(), of programs that contend
 *   quiet        waits for a lock and no more
 * prints what came of it
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define NOBODY 65534

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_lock(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static __attribute__((noinline, noclone)) void hold_lock(void)
{
	pthread_t waiter;

	pthread_mutex_lock(&lock);
	pthread_create(&waiter, NULL, wait_for_lock, NULL);
	await_waiter(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(waiter, NULL);
}

static void *outlive_main(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	hold_lock();
	puts("main has ended");
	return NULL;
}

static int main_ends(void)
{
	static pthread_t self;
	pthread_t other;

	self = pthread_self();
	pthread_create(&other, NULL, outlive_main, &self);
	pthread_exit(NULL);
}

static sem_t ended;

static void *live_detached(void *unused)
{
	hold_lock();
	sem_post(&ended);
	return unused;
}

static int detached(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int begun = 0;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 200; i++)
		begun += !pthread_create(&thread, &attr, live_detached, NULL);
	for (int i = 0; i < begun; i++)
		sem_wait(&ended);
	printf("detached %d\n", begun);
	return 0;
}

static pthread_key_t key;
static atomic_int destroyed;

/* Called at the thread's end; what it sets is destroyed in a second round. */
static void lock_at_end(void *value)
{
	hold_lock();
	if (atomic_fetch_add(&destroyed, 1) % 2 == 0)
		pthread_setspecific(key, value);
}

static void *set_value(void *value)
{
	pthread_setspecific(key, value);
	return NULL;
}

static int destructors(void)
{
	pthread_key_create(&key, lock_at_end);
	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, set_value, &key);
		pthread_join(thread, NULL);
	}
	printf("destroyed %d\n", atomic_load(&destroyed));
	return 0;
}

static unsigned mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned lines = 0;
	int c;

	while (maps && (c = getc(maps)) != EOF)
		lines += c == '\n';
	if (maps)
		fclose(maps);
	return lines;
}

static void loop_at_end(void *value)
{
	for (int i = 0; i < 3; i++) {
		poll(NULL, 0, 0);
		spin(NS_PER_MS / 2);
	}
	destroyed++;
	pthread_setspecific(key, value);
}

static int rounds(void)
{
	unsigned before;

	pthread_key_create(&key, loop_at_end);
	before = mappings();
	for (int i = 0; i < 100; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, set_value, &key);
		pthread_join(thread, NULL);
	}
	printf("destroyed %d, few mappings: %d\n", destroyed,
	       mappings() - before < 50);
	return 0;
}

#define MANY 5000

static atomic_int waiting, taken;

static void *wait_among_many(void *unused)
{
	atomic_fetch_add(&waiting, 1);
	pthread_mutex_lock(&lock);
	atomic_fetch_add(&taken, 1);
	pthread_mutex_unlock(&lock);
	return unused;
}

static int at_once(void)
{
	static pthread_t thread[MANY];
	pthread_attr_t attr;
	int begun = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < MANY; i++)
		begun += !pthread_create(&thread[begun], &attr, wait_among_many,
					 NULL);
	while (atomic_load(&waiting) < begun)
		sched_yield();
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < begun; i++)
		pthread_join(thread[i], NULL);
	printf("taken %d of %d\n", atomic_load(&taken), begun);
	return 0;
}

static int become_nobody(void)
{
	hold_lock();
	if (setgid(NOBODY) || setuid(NOBODY) || chdir("/"))
		return 1;
	hold_lock();
	printf("user %d\n", (int)geteuid());
	return 0;
}

static int move_root(void)
{
	char path[] = "/tmp/victim.XXXXXX";

	hold_lock();
	/* Removed already, so that nothing is left of it. */
	if (!mkdtemp(path) || chdir(path) || rmdir(path) || chroot("."))
		return 1;
	if (setgid(NOBODY) || setuid(NOBODY))
		return 1;
	hold_lock();
	printf("root is empty: %d\n", access("/tmp", F_OK) != 0);
	return 0;
}

static int open_no_more(void)
{
	const struct rlimit none = { 0, 0 };

	hold_lock();
	if (setrlimit(RLIMIT_NOFILE, &none))
		return 1;
	hold_lock();
	printf("opened: %d\n", fopen("/dev/null", "r") != NULL);
	return 0;
}

/* The two end in any order. */
static int grandchild(void)
{
	int sum = 0, status;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	hold_lock();
	if (!fork()) {
		if (!fork()) {
			hold_lock();
			exit(7);
		}
		_exit(5);
	}
	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	printf("sum of statuses %d, errno %d\n", sum, errno == ECHILD);
	return 0;
}

static int shell(void)
{
	char self[PATH_MAX] = "", command[PATH_MAX + 16], line[64] = "";
	FILE *pipe;
	int status;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	snprintf(command, sizeof(command), "'%s' quiet", self);
	status = system(command);
	pipe = popen(command, "r");
	if (!pipe || !fgets(line, sizeof(line), pipe))
		return 1;
	printf("system %d, popen %d: %s", status, pclose(pipe), line);
	return 0;
}

static int quiet(void)
{
	hold_lock();
	puts("quiet");
	return 0;
}

static const struct {
	const char *name;
	int (*live)(void);
} cases[] = {
	{ "main_ends", main_ends },
	{ "detached", detached },
	{ "destructors", destructors },
	{ "rounds", rounds },
	{ "at_once", at_once },
	{ "setuid", become_nobody },
	{ "chroot", move_root },
	{ "limits", open_no_more },
	{ "grandchild", grandchild },
	{ "shell", shell },
	{ "quiet", quiet },
};

int main(int argc, char **argv)
{
	sem_init(&ended, 0, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			return cases[i].live();
	return 2;
}
