/*
 * A thread that stalls, and unlocks, while frames of its stack are lost for a
 * moment (victim_lost_frames.h), and a SIGSEGV that was sent comes at any time.
 *
 * usage: victim_walk_sent HOW
 * HOW: handled (another thread sends it, all the time), queued (the same, with
 * a value), thread (it is blocked, and pends for the thread), process (for the
 * process)
 * prints "done" at its end
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "victim_lost_frames.h"

#define LOSSES	30
#define ENOUGH	100 /* that were handled */
#define BETWEEN 12  /* by so many walks their ways are known again */

static const char *how;
static sigset_t segv;
static pthread_t worker;
static atomic_bool is_ready;
static atomic_int handled;

static bool is_queued(void)
{
	return strcmp(how, "queued") == 0;
}

static bool is_handled(void)
{
	return is_queued() || strcmp(how, "handled") == 0;
}

static bool is_sent(const siginfo_t *info, int code)
{
	return info->si_code == code && info->si_pid == getpid() &&
	       info->si_uid == getuid();
}

static void count(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (!is_sent(info, is_queued() ? SI_QUEUE : SI_TKILL) ||
	    !pthread_equal(pthread_self(), worker))
		_exit(77);
	atomic_fetch_add(&handled, 1);
}

static void *send(void *none)
{
	const union sigval value = { .sival_int = 1 };

	while (!atomic_load(&is_ready))
		sched_yield();
	while (!atomic_load(&is_over)) {
		if (is_queued())
			pthread_sigqueue(worker, SIGSEGV, value);
		else
			pthread_kill(worker, SIGSEGV);
		spin(5000);
	}
	return none;
}

static __attribute__((noinline)) void stall(void)
{
	poll(NULL, 0, 0);
	spin(3 * NS_PER_MS);
	hold();
	KEEP_FRAME();
}

static void lose_and_go_on(void)
{
	for (int i = 0; i < BETWEEN; i++)
		hold();
	stall();
	mprotect(lost.start, lost.bytes, PROT_NONE);
	stall();
	mprotect(lost.start, lost.bytes, PROT_READ | PROT_WRITE);
}

/*
 * Still there, as it was sent? libc calls both ways by one name. (The other
 * thread may have it just now.)
 */
static void find_pending(void)
{
	const struct timespec limit = { .tv_sec = 10 };
	siginfo_t info;

	if (sigtimedwait(&segv, &info, &limit) != SIGSEGV ||
	    !is_sent(&info, SI_USER))
		puts("it pends no more");
}

static __attribute__((noinline)) void never_return(void)
{
	note_what_is_lost(__builtin_frame_address(0));
	worker = pthread_self();
	atomic_store(&is_ready, true);
	if (strcmp(how, "thread") == 0)
		pthread_kill(worker, SIGSEGV);
	for (int i = 0;
	     i < LOSSES || (is_handled() && atomic_load(&handled) < ENOUGH);
	     i++)
		lose_and_go_on();
	if (!is_handled())
		find_pending();
	end_here();
}

static void *work(void *none)
{
	stall();
	go_far_down(never_return);
	KEEP_FRAME();
	return none;
}

static void prepare(void)
{
	const struct sigaction act = { .sa_sigaction = count,
				       .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t sender;

	sigemptyset(&segv);
	sigaddset(&segv, SIGSEGV);
	if (!is_handled())
		sigprocmask(SIG_BLOCK, &segv, NULL);
	else if (sigaction(SIGSEGV, &act, NULL) ||
		 pthread_create(&sender, NULL, send, NULL))
		exit(5);
	if (strcmp(how, "process") == 0)
		kill(getpid(), SIGSEGV);
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;

	if (argc < 2)
		return 2;
	how = argv[1];
	prepare();
	pthread_attr_init(&attr);
	run_to_its_end(&attr, work);
	return 0;
}
