/*
 * Ends where 1,300 bytes of the stack are left, above a page that can't be
 * touched: in a coroutine, or in a handler on an alternate stack.
 *
 * usage: victim_small_end PLACE WAY
 * PLACE: coroutine, looped (the thread is a loop), threaded (not the first
 * thread's), array (its stack is in a frame of the first thread), guard (no
 * coroutine: it is the thread's own stack that can't be touched below), handler
 * or handler-array. WAY: see ways below. Each ends with status 7.
 *
 * SPDX-License-Identifier: MIT
 */
#include <alloca.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"
#include "victim_coroutine.h"

#define PAGE 4096ul
#define LEFT 1300ul
/* Of these the kernel may take three pages. */
#define HANDLER_BYTES (4 * PAGE)

static char *const shell[] = { "sh", "-c", "exit 7", NULL };

static void end_by_exit(void)
{
	exit(7);
}

static void end_at_once(void)
{
	_exit(7);
}

static void end_quickly(void)
{
	quick_exit(7);
}

static void end_by_syscall(void)
{
	syscall(SYS_exit_group, 7);
}

static void execute(void)
{
	execv("/bin/sh", shell);
}

static void execute_by_name(void)
{
	execvp("sh", shell);
}

/* An exec that fails ends nothing. */
static void fail_to_execute(void)
{
	execv("/etc/passwd", shell);
	_exit(7);
}

static void forbid(void)
{
	static struct sock_filter allow_all = { BPF_RET | BPF_K, 0, 0,
						SECCOMP_RET_ALLOW };
	static const struct sock_fprog program = { 1, &allow_all };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	syscall(SYS_exit_group, 7);
}

static void end_as(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* A child's first event is where its recording is made. */
static void poll_in_child(void)
{
	pid_t child = fork();

	if (child)
		end_as(child);
	poll(NULL, 0, 1);
	poll(NULL, 0, 1);
	_exit(7);
}

static void lock_in_child(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static const struct timespec past;
	pid_t child = fork();

	if (child)
		end_as(child);
	pthread_mutex_lock(&mutex);
	pthread_mutex_timedlock(&mutex, &past);
	_exit(7);
}

static const struct way {
	const char *name;
	void (*function)(void);
} ways[] = {
	{ "exit", end_by_exit },
	{ "_exit", end_at_once },
	{ "quick_exit", end_quickly },
	{ "exit_group", end_by_syscall },
	{ "exec", execute },
	{ "exec-by-name", execute_by_name },
	{ "exec-fails", fail_to_execute },
	{ "seccomp", forbid },
	{ "child-polls", poll_in_child },
	{ "child-locks", lock_in_child },
};

static const struct way *way;
static char *stack;
static ucontext_t home, coroutine;

static void end_with_little_left(void)
{
	char *here = __builtin_frame_address(0);
	volatile char *used = alloca((size_t)(here - stack) - LEFT);

	used[0] = 0;
	way->function();
}

static void *run_coroutine(void *none)
{
	make_coroutine(&coroutine, stack, PAGE, end_with_little_left, &home);
	swapcontext(&home, &coroutine);
	return none;
}

static void *run_threaded(void *none)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, run_coroutine, NULL))
		pthread_join(thread, NULL);
	return none;
}

static void *run_looped(void *none)
{
	for (int i = 0; i < 30; i++)
		poll(NULL, 0, 1);
	return run_coroutine(none);
}

static void in_handler(int sig)
{
	(void)sig;
	end_with_little_left();
}

static void *run_handler(void *none)
{
	const stack_t given = { .ss_sp = stack, .ss_size = HANDLER_BYTES };
	struct sigaction act = { .sa_handler = in_handler,
				 .sa_flags = SA_ONSTACK };

	if (!sigaltstack(&given, NULL) && !sigaction(SIGUSR2, &act, NULL))
		raise(SIGUSR2);
	return none;
}

/* Calls run with a stack in this frame. */
static void *run_in_array(void *(*run)(void *none))
{
	char frame[2 * PAGE + HANDLER_BYTES];
	char *guard = (char *)(((uintptr_t)frame + PAGE - 1) & -PAGE);

	memset(frame, 0, sizeof(frame));
	if (mprotect(guard, PAGE, PROT_NONE))
		_exit(3);
	stack = guard + PAGE;
	return run(NULL);
}

static void *run_array(void *none)
{
	(void)none;
	return run_in_array(run_coroutine);
}

static void *run_handler_array(void *none)
{
	(void)none;
	return run_in_array(run_handler);
}

/* Pages that the first thread's stack is to have. */
#define TOUCHED 32

static __attribute__((noinline)) void touch(void)
{
	volatile char pages[TOUCHED * PAGE];

	for (size_t i = 0; i < sizeof(pages); i += PAGE)
		pages[i] = 0;
}

static void *run_guard(void *none)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0) & -PAGE;

	touch();
	stack = (char *)here - TOUCHED / 2 * PAGE;
	if (mprotect(stack - PAGE, PAGE, PROT_NONE))
		_exit(3);
	end_with_little_left();
	return none;
}

static const struct place {
	const char *name;
	void *(*run)(void *none);
} places[] = {
	{ "coroutine", run_coroutine },
	{ "looped", run_looped },
	{ "threaded", run_threaded },
	{ "array", run_array },
	{ "guard", run_guard },
	{ "handler", run_handler },
	{ "handler-array", run_handler_array },
};

int main(int argc, char **argv)
{
	const struct place *place = places;

	if (argc < 3)
		return 2;
	for (way = ways; strcmp(way->name, argv[2]);)
		if (++way == ways + sizeof(ways) / sizeof(ways[0]))
			return 2;
	while (strcmp(place->name, argv[1]))
		if (++place == places + sizeof(places) / sizeof(places[0]))
			return 2;
	stack = mmap(NULL, PAGE + HANDLER_BYTES, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED ||
	    mprotect(stack + PAGE, HANDLER_BYTES, PROT_READ | PROT_WRITE))
		return 3;
	stack += PAGE;
	place->run(NULL);
	return 1;
}
