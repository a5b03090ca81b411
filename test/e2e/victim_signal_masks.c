/*
 * A host that blocks signals and waits for them, and says what it saw.
 *
 * usage: victim_signal_masks CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "victim_signal.h"

static atomic_int count;

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static void block_all(void)
{
	sigset_t all, old;

	sigfillset(&all);
	sigemptyset(&old);
	printf("%d\n", sigprocmask(SIG_BLOCK, &all, &old));
	say_set("old", &old);
}

static void fill(void)
{
	sigset_t all, old;

	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, on_count);
	block_all();
	say_mask("now");
	loop_for(20 * NS_PER_MS);
	say_pending();
	raise(SIGUSR1);
	raise(SIGRTMIN);
	say_pending();
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	printf("%d\n", sigprocmask(SIG_UNBLOCK, &all, NULL));
	printf("count %d\n", count);
	say_mask("now");
	sigemptyset(&all);
	sigemptyset(&old);
	signal(SIGRTMIN, SIG_IGN);
	printf("%d\n", sigprocmask(SIG_SETMASK, &all, &old));
	say_set("old", &old);
	say_mask("now");
	printf("%d %d\n", sigprocmask(99, &all, NULL),
	       pthread_sigmask(99, &all, NULL) == EINVAL);
}

static void default_while_blocked(void)
{
	sigset_t set = set_of(SIGUSR1, SIGUSR1);

	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	loop_for(10 * NS_PER_MS);
	say_pending();
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	say_pending();
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void *wait_for_signals(void *unused)
{
	sigset_t all;
	int sig = 0;

	loop_for(10 * NS_PER_MS);
	sigfillset(&all);
	while (sig != SIGTERM) {
		int err = sigwait(&all, &sig);

		printf("sigwait %d: %d\n", err, sig);
		count++;
		loop_for(5 * NS_PER_MS);
	}
	return unused;
}

static void dedicated_thread(void)
{
	const int sent[] = { SIGUSR1, SIGUSR2, SIGUSR1, SIGRTMAX, SIGTERM };
	pthread_t thread;

	loop_for(10 * NS_PER_MS);
	block_all();
	pthread_create(&thread, NULL, wait_for_signals, NULL);
	for (int i = 0; i < 5; i++) {
		kill(getpid(), sent[i]);
		while (count <= i)
			loop_for(NS_PER_MS);
	}
	pthread_join(thread, NULL);
}

static void timed(void)
{
	const struct timespec timeout = { .tv_nsec = 30 * NS_PER_MS };
	sigset_t set = set_of(SIGUSR1, SIGALRM);
	uint64_t begun_ns;
	siginfo_t info;
	int sig;

	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	begun_ns = now_ns();
	sig = sigtimedwait(&set, &info, &timeout);
	printf("%d %s, long enough %d\n", sig, strerror(errno),
	       now_ns() - begun_ns >= 30 * NS_PER_MS);
	raise(SIGUSR1);
	sig = sigtimedwait(&set, &info, &timeout);
	printf("%d code %d\n", sig, info.si_code);
	sigqueue(getpid(), SIGALRM, (union sigval){ .sival_int = 7 });
	sig = sigwaitinfo(&set, &info);
	printf("%d code %d value %d\n", sig, info.si_code,
	       info.si_value.sival_int);
	sigqueue(getpid(), SIGALRM, (union sigval){ .sival_int = 7 });
	printf("%d\n", sigwaitinfo(&set, NULL));
}

static void real_time(void)
{
	sigset_t set = set_of(SIGRTMAX - 2, SIGRTMAX - 3);
	siginfo_t info;

	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, on_count);
	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 4; i++)
		sigqueue(getpid(), SIGRTMAX - 2 - i % 2,
			 (union sigval){ .sival_int = i });
	loop_for(10 * NS_PER_MS);
	say_pending();
	for (int i = 0; i < 4; i++) {
		int sig = sigwaitinfo(&set, &info);

		printf("%d value %d\n", sig, info.si_value.sival_int);
	}
	say_mask("now");
}

static void read_none(int fd)
{
	struct signalfd_siginfo info;
	ssize_t got = read(fd, &info, sizeof(info));

	printf("%zd %s\n", got, strerror(errno));
}

static void descriptor(void)
{
	sigset_t set = set_of(SIGUSR1, SIGALRM);
	struct signalfd_siginfo info;
	struct pollfd fd = { .events = POLLIN };

	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd.fd = signalfd(-1, &set, SFD_NONBLOCK);
	loop_for(20 * NS_PER_MS);
	read_none(fd.fd);
	raise(SIGUSR1);
	printf("poll %d\n", poll(&fd, 1, -1));
	printf("%zd: ", read(fd.fd, &info, sizeof(info)));
	printf("%u code %d\n", info.ssi_signo, info.ssi_code);
	loop_for(20 * NS_PER_MS);
	read_none(fd.fd);
}

static void *signal_a_sleeper(void *main_thread)
{
	uint64_t begun_ns = now_ns();

	while (now_ns() - begun_ns < 30 * NS_PER_MS || !sleeps(getpid()))
		;
	count = 100;
	pthread_kill(*(pthread_t *)main_thread, SIGUSR2);
	return NULL;
}

static void suspended(void)
{
	sigset_t set = set_of(SIGUSR2, SIGUSR2), none;
	pthread_t self = pthread_self(), thread;

	loop_for(10 * NS_PER_MS);
	signal(SIGUSR2, on_count);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, signal_a_sleeper, &self);
	sigemptyset(&none);
	printf("%d ", sigsuspend(&none));
	printf("%s count %d\n", strerror(errno), count);
	say_mask("now");
	pthread_join(thread, NULL);
}

static void *born_blocked(void *unused)
{
	loop_for(20 * NS_PER_MS);
	return unused;
}

static void say_attribute(const pthread_attr_t *attr)
{
	sigset_t set;

	memset(&set, 0x55, sizeof(set));
	printf("%d\n", pthread_attr_getsigmask_np(attr, &set));
	say_set("it has", &set);
	/* All words of it. */
	for (size_t i = 0; i < sizeof(set); i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, (char *)&set + i, sizeof(word));
		printf("%llx ", (unsigned long long)word);
	}
	puts("");
}

static void attribute(void)
{
	static sigset_t all; /* what libc's functions do not write is 0 */
	pthread_attr_t attr;
	pthread_t thread;

	sigfillset(&all);
	pthread_attr_init(&attr);
	printf("%d\n", pthread_attr_setsigmask_np(&attr, &all));
	pthread_create(&thread, &attr, born_blocked, NULL);
	pthread_join(thread, NULL);
	say_attribute(&attr);
	sigdelset(&all, SIGRTMAX - 2);
	pthread_attr_setsigmask_np(&attr, &all);
	say_attribute(&attr);
	printf("%d\n", pthread_attr_setsigmask_np(&attr, NULL));
	say_attribute(&attr);
	say_mask("now");
}

static bool asks_first;

/* What is pending besides a tick, for which there is time. */
static void say_pending_in_handler(int sig)
{
	(void)sig;
	spin(3 * NS_PER_MS);
	if (asks_first)
		say_pending();
	kill(getpid(), SIGUSR1);
	say_pending();
}

/* At the end it dies of what was pending. */
static void pending_in_handler(void)
{
	struct sigaction act = { .sa_handler = say_pending_in_handler };

	sigfillset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	loop_for(10 * NS_PER_MS);
	raise(SIGALRM);
}

static void pending_behind_a_tick(void)
{
	asks_first = true;
	pending_in_handler();
}

static atomic_bool over;
static atomic_int strayed;
static pthread_t taker;

static void on_given(int sig)
{
	(void)sig;
	if (pthread_equal(pthread_self(), taker))
		count++;
	else
		strayed++;
}

static void *loop_blocked(void *unused)
{
	while (!over)
		loop_for(NS_PER_MS);
	return unused;
}

static void take_by_descriptor(const sigset_t *set)
{
	struct pollfd fd = { .fd = signalfd(-1, set, 0), .events = POLLIN };
	struct signalfd_siginfo info;

	for (int i = 0; i < 20; i++) {
		kill(getpid(), SIGRTMAX - 2);
		if (poll(&fd, 1, 2000) == 1 &&
		    read(fd.fd, &info, sizeof(info)) == sizeof(info))
			count++;
	}
	close(fd.fd);
}

static void take_by_wait(const sigset_t *set)
{
	const struct timespec timeout = { .tv_sec = 2 };

	sigtimedwait(set, NULL, &(struct timespec){ .tv_sec = 0 });
	for (int i = 0; i < 20; i++) {
		kill(getpid(), SIGRTMAX - 2);
		if (sigtimedwait(set, NULL, &timeout) == SIGRTMAX - 2)
			count++;
	}
}

static void take_by_handler(const sigset_t *set)
{
	uint64_t begun_ns = now_ns();
	int sent;

	set_action(SIGRTMAX - 2, on_given, 0, 0);
	for (sent = count; sent < 20 || count < sent;) {
		if (sent < 20 && ++sent)
			kill(getpid(), SIGRTMAX - 2);
		pthread_sigmask(SIG_UNBLOCK, set, NULL);
		pthread_sigmask(SIG_BLOCK, set, NULL);
		if (now_ns() - begun_ns > 5 * NS_PER_S)
			break;
	}
}

/* Every thread blocks all; then one of them takes a signal of its choice. */
static void take_late(void (*take)(const sigset_t *set))
{
	sigset_t set = set_of(SIGRTMAX - 2, SIGRTMAX - 2), all;
	pthread_t thread[3];

	taker = pthread_self();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, loop_blocked, NULL);
	loop_for(20 * NS_PER_MS);
	take(&set);
	over = true;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	printf("taken %d, strayed %d\n", count, strayed);
	say_mask("now");
}

static void late_descriptor(void)
{
	take_late(take_by_descriptor);
}

static void late_wait(void)
{
	take_late(take_by_wait);
}

static void late_handler(void)
{
	take_late(take_by_handler);
}

/* A mask put by before the signal is handled is what it was. */
static void late_jump(void)
{
	sigjmp_buf before;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	loop_for(10 * NS_PER_MS);
	if (!sigsetjmp(before, 1)) {
		set_action(SIGRTMAX - 2, on_given, 0, 0);
		siglongjmp(before, 1);
	}
	kill(getpid(), SIGRTMAX - 2);
	loop_for(10 * NS_PER_MS);
	printf("taken %d, strayed %d\n", count, strayed);
	say_mask("now");
	say_pending();
}

/* Only the kernel's part of the set is written. */
static void pending_part(void)
{
	sigset_t set;

	memset(&set, 0x5a, sizeof(set));
	printf("%d, ", sigpending(&set));
	printf("beyond %x\n", ((unsigned char *)&set)[sizeof(long)]);
}

/* The next program inherits the mask. */
static void raw_exec(void)
{
	char *argv[] = { "grep", "SigBlk", "/proc/self/status", NULL };
	char *environment[] = { NULL };
	sigset_t all;

	loop_for(10 * NS_PER_MS);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	syscall(SYS_execve, "/bin/grep", argv, environment);
}

static const struct signal_case cases[] = {
	{ "fill", fill },
	{ "default_while_blocked", default_while_blocked },
	{ "dedicated_thread", dedicated_thread },
	{ "timed", timed },
	{ "real_time", real_time },
	{ "descriptor", descriptor },
	{ "suspended", suspended },
	{ "attribute", attribute },
	{ "late_descriptor", late_descriptor },
	{ "late_wait", late_wait },
	{ "late_handler", late_handler },
	{ "late_jump", late_jump },
	{ "pending_part", pending_part },
	{ "pending_in_handler", pending_in_handler },
	{ "pending_behind_a_tick", pending_behind_a_tick },
	{ "raw_exec", raw_exec },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
