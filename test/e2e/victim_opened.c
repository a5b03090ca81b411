/*
 * A program that loads the shim while it runs: a thread does so, behind other
 * libraries, while others wait and take locks. What hooks would see comes after
 * that: also through the shim's own functions, as a plugin that is linked to it
 * calls them.
 *
 * usage: victim_opened HOW SHIM LIBRARY...
 * HOW: local, global, deep (before its own dependencies) or apart (by
 * dlmopen(3), with another libc, none of whose functions is called)
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define THREADS	 4
#define STALL_NS (30 * NS_PER_MS)

static char **names; /* how, and the libraries, the shim first */
static void *shim;
static atomic_bool is_over;
static atomic_int turns;
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what)
{
	printf("%s\n", what);
	exit(1);
}

/* A loop that stalls, and holds a lock meanwhile. */
static void turn(void)
{
	poll(NULL, 0, 1);
	pthread_mutex_lock(&shared);
	spin(NS_PER_MS);
	pthread_mutex_unlock(&shared);
	atomic_fetch_add(&turns, 1);
}

static void *work(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over))
		turn();
	return NULL;
}

static void *open_one(const char *how, const char *name)
{
	if (!strcmp(how, "apart"))
		return dlmopen(LM_ID_NEWLM, name, RTLD_NOW);
	if (!strcmp(how, "deep"))
		return dlopen(name, RTLD_NOW | RTLD_DEEPBIND);
	if (!strcmp(how, "global"))
		return dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
	return dlopen(name, RTLD_NOW);
}

static void *open_all(void *unused)
{
	(void)unused;
	for (char **name = names + 2; *name; name++)
		if (!dlopen(*name, RTLD_NOW))
			fail(dlerror());
	shim = open_one(names[0], names[1]);
	if (!shim)
		fail(dlerror());
	return NULL;
}

static void *function(const char *name)
{
	void *found = dlsym(shim, name);

	if (!found)
		fail(name);
	return found;
}

/* As what is bound to them does. */
static void call_its_functions(void)
{
	int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
	int (*wait)(struct pollfd *, nfds_t, int);

	*(void **)&lock = function("pthread_mutex_lock");
	*(void **)&unlock = function("pthread_mutex_unlock");
	*(void **)&wait = function("poll");
	for (int i = 0; i < 10; i++) {
		if (wait(NULL, 0, 1) || lock(&shared))
			fail("its functions are none of libc's");
		spin(NS_PER_MS);
		if (unlock(&shared))
			fail("its functions are none of libc's");
	}
}

/* What the kernel has, whatever libc says. */
static void expect_no_handlers(void)
{
	const int signals[] = { SIGUSR1, SIGTERM, SIGINT,      SIGHUP,
				SIGBUS,	 SIGSEGV, SIGRTMIN + 1 };
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} now;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (syscall(SYS_rt_sigaction, signals[i], NULL, &now, 8) ||
		    now.handler != SIG_DFL)
			fail("a signal has a handler");
}

static void expect_a_child(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		spin(STALL_NS);
		_exit(4);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 4)
		fail("a child ends otherwise");
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS], opener;
	int before;

	if (argc < 3)
		return 2;
	names = argv + 1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	pthread_create(&opener, NULL, open_all, NULL);
	pthread_join(opener, NULL);
	expect_no_handlers();
	if (strcmp(names[0], "apart"))
		call_its_functions();
	expect_a_child();
	before = atomic_load(&turns);
	while (atomic_load(&turns) < before + 2 * THREADS)
		turn();
	spin(STALL_NS);
	atomic_store(&is_over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	dlclose(shim);
	printf("fine\n");
	return 3;
}
