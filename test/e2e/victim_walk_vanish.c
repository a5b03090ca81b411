/*
 * A thread that loses frames of its own stack, to which it will never return,
 * and goes on below them: it stalls, and makes others wait for its lock.
 *
 * usage: victim_walk_vanish WAY [HANDLER]
 * WAY: munmap, mprotect, inline (a system call that nobody sees), other (a
 * thread unmaps them), toggle (a thread takes them away and gives them back,
 * all the time)
 * HANDLER of SIGSEGV and SIGBUS, which must not be called: none, plain,
 * alternate (on a stack of its own), once, ignored
 * prints "done" at its end
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim_lost_frames.h"

#define JOBS  20
#define HOLDS 5

static const char *way;
static atomic_bool is_losing;

static __attribute__((noinline)) void stall(void)
{
	poll(NULL, 0, 1);
	spin(3 * NS_PER_MS);
	KEEP_FRAME();
}

static __attribute__((noinline)) void do_jobs(void)
{
	for (int i = 0; i < JOBS; i++) {
		stall();
		for (int j = 0; j < HOLDS; j++)
			hold();
	}
	KEEP_FRAME();
}

static void unmap_unseen(void)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_munmap), "D"(lost.start), "S"(lost.bytes)
			 : "rcx", "r11", "memory");
	if (result)
		exit(5);
}

static void take_away_and_give_back(void)
{
	while (!atomic_load(&is_over)) {
		mprotect(lost.start, lost.bytes, PROT_NONE);
		poll(NULL, 0, 1);
		mprotect(lost.start, lost.bytes, PROT_READ | PROT_WRITE);
		poll(NULL, 0, 1);
	}
}

static void lose_now(void)
{
	if (strcmp(way, "mprotect") == 0)
		mprotect(lost.start, lost.bytes, PROT_NONE);
	else if (strcmp(way, "inline") == 0)
		unmap_unseen();
	else if (strcmp(way, "toggle") == 0)
		take_away_and_give_back();
	else
		munmap(lost.start, lost.bytes);
}

static void *lose_of_other(void *none)
{
	while (!atomic_load(&is_losing))
		sched_yield();
	spin(NS_PER_MS);
	lose_now();
	return none;
}

static bool is_by_other(void)
{
	return strcmp(way, "other") == 0 || strcmp(way, "toggle") == 0;
}

static __attribute__((noinline)) void never_return(void)
{
	note_what_is_lost(__builtin_frame_address(0));
	do_jobs();
	if (is_by_other())
		atomic_store(&is_losing, true);
	else
		lose_now();
	for (int i = 0; i < (is_by_other() ? 3 : 1); i++)
		do_jobs();
	end_here();
}

static void *work(void *none)
{
	stall();
	go_far_down(never_return);
	KEEP_FRAME();
	return none;
}

static void fail(int sig)
{
	static const char said[] = "a handler was called\n";

	if (write(STDOUT_FILENO, said, sizeof(said) - 1) > 0)
		_exit(sig);
}

static void handle_faults(const char *handler)
{
	static char room[4 << 14];
	const stack_t own = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction act = { .sa_handler = fail };

	if (strcmp(handler, "alternate") == 0)
		act.sa_flags = SA_ONSTACK;
	else if (strcmp(handler, "once") == 0)
		act.sa_flags = (int)SA_RESETHAND;
	else if (strcmp(handler, "ignored") == 0)
		act.sa_handler = SIG_IGN;
	sigaltstack(&own, NULL);
	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t other;

	if (argc < 2)
		return 2;
	way = argv[1];
	if (argc > 2 && strcmp(argv[2], "none") != 0)
		handle_faults(argv[2]);
	pthread_attr_init(&attr);
	if (pthread_create(&other, NULL, lose_of_other, NULL))
		return 5;
	run_to_its_end(&attr, work);
	return 0;
}
