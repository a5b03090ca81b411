/*
 * Contention of special kinds, with the victim's own books beside.
 *
 * usage: victim_causes HOW [ARGUMENT]
 *   starve        one thread takes the lock again at once, again and again,
 *                 while two wait
 *   timeouts      waits of every kind that time out behind one hold
 *   stacks N      N unlocks that found a waiter, no two with the same stack
 *   plugin FILE   a library loaded at run time contends on its own lock
 *   deepbind FILE the same where the library's calls go round the shim
 *   early         takes locks before any constructor has run
 * prints lines "FUNCTION NANOSECONDS", what its holds cost the others; and what
 * calls returned
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include "victim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* One function a kind of hold, so that the profile tells them apart. */
#define UNLOCK_BY(who)                                                         \
	static __attribute__((noinline, noclone)) void unlock_##who(void)      \
	{                                                                      \
		pthread_mutex_unlock(&lock);                                   \
		__asm__ volatile("");                                          \
	}
UNLOCK_BY(odd)
UNLOCK_BY(even)

/* When a waiter asked and got the lock. */
struct wait {
	pthread_t thread;
	atomic_int tid;
	uint64_t asked_ns, got_ns;
};

static void *wait_for_lock(void *arg)
{
	struct wait *wait = arg;

	wait->asked_ns = now_ns();
	atomic_store(&wait->tid, gettid());
	pthread_mutex_lock(&lock);
	wait->got_ns = now_ns();
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void start(struct wait *wait)
{
	pthread_create(&wait->thread, NULL, wait_for_lock, wait);
	while (!atomic_load(&wait->tid) || !sleeps(atomic_load(&wait->tid)))
		;
}

#define HOLDS	20 /* of one round */
#define STARVED 40 /* holds by who came back at once, in all rounds */

static uint64_t overlap_ns(const struct wait *wait, const uint64_t *hold)
{
	uint64_t from = wait->asked_ns > hold[0] ? wait->asked_ns : hold[0];
	uint64_t to = wait->got_ns < hold[1] ? wait->got_ns : hold[1];

	return to > from ? to - from : 0;
}

/*
 * On one processor, a thread of this policy does not interrupt another one when
 * it is woken: so whoever unlocks and locks again is first.
 */
static void let_others_go_first(void)
{
	const struct sched_param none = { 0 };
	cpu_set_t first;
	size_t cpu = (size_t)sched_getcpu();

	CPU_ZERO(&first);
	CPU_SET(cpu, &first);
	if (sched_setaffinity(0, sizeof(first), &first) ||
	    sched_setscheduler(0, SCHED_BATCH, &none))
		abort();
}

/* Two come to wait in the first hold. Returns how many later ones they met. */
static int starve_two(uint64_t cost_ns[2])
{
	struct wait waits[2] = { 0 };
	uint64_t hold[HOLDS][2];
	int met = 0;

	for (int i = 0; i < HOLDS; i++) {
		pthread_mutex_lock(&lock);
		hold[i][0] = now_ns();
		for (int w = 0; i == 0 && w < 2; w++)
			start(&waits[w]);
		/* Odd ones are longer. */
		spin((i % 2 ? 2 : 1) * NS_PER_MS);
		hold[i][1] = now_ns();
		i % 2 ? unlock_odd() : unlock_even();
	}
	for (int w = 0; w < 2; w++)
		pthread_join(waits[w].thread, NULL);
	for (int i = 0; i < HOLDS; i++) {
		uint64_t ns = overlap_ns(&waits[0], hold[i]) +
			      overlap_ns(&waits[1], hold[i]);

		cost_ns[i % 2] += ns;
		met += i && ns;
	}
	return met;
}

static void starve(void)
{
	uint64_t cost_ns[2] = { 0 };

	let_others_go_first();
	for (int met = 0; met < STARVED;)
		met += starve_two(cost_ns);
	printf("unlock_even %llu\n", (unsigned long long)cost_ns[0]);
	printf("unlock_odd %llu\n", (unsigned long long)cost_ns[1]);
}

static struct timespec in_ms(clockid_t clock, uint64_t ms)
{
	struct timespec until;

	clock_gettime(clock, &until);
	until.tv_nsec += (long)(ms * NS_PER_MS);
	until.tv_sec += until.tv_nsec / (long)NS_PER_S;
	until.tv_nsec %= (long)NS_PER_S;
	return until;
}

static uint64_t given_up_ns; /* by the one thread that gives up */

static void *give_up(void *arg)
{
	struct timespec until;
	uint64_t begun_ns;
	int got[5];

	(void)arg;
	begun_ns = now_ns();
	until = in_ms(CLOCK_REALTIME, 5);
	got[0] = pthread_mutex_timedlock(&lock, &until);
	until = in_ms(CLOCK_MONOTONIC, 7);
	got[1] = pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until);
	until = in_ms(CLOCK_REALTIME, 9);
	got[2] = mtx_timedlock((mtx_t *)&lock, &until);
	given_up_ns = now_ns() - begun_ns;
	/* These do not wait at all. */
	until = in_ms(CLOCK_REALTIME, 0);
	until.tv_nsec = -1;
	got[3] = pthread_mutex_timedlock(&lock, &until);
	got[4] = pthread_mutex_trylock(&lock);
	fprintf(stderr, "%d %d %d %d %d\n", got[0] == ETIMEDOUT,
		got[1] == ETIMEDOUT, got[2] == thrd_timedout, got[3] == EINVAL,
		got[4] == EBUSY);
	return NULL;
}

static void time_out(void)
{
	pthread_t thread;

	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, give_up, NULL);
	pthread_join(thread, NULL);
	/* The wait is over, the hold is not. */
	spin(20 * NS_PER_MS);
	unlock_even();
	pthread_mutex_lock(&lock);
	unlock_odd();
	printf("unlock_even %llu\n", (unsigned long long)given_up_ns);
}

static __attribute__((noinline, noclone)) void unlock_deep(int bits, int depth);

static __attribute__((noinline, noclone)) void by_one(int bits, int depth)
{
	unlock_deep(bits, depth);
	__asm__ volatile("");
}

static __attribute__((noinline, noclone)) void by_other(int bits, int depth)
{
	unlock_deep(bits, depth);
	__asm__ volatile("");
}

/* Each number's bits make a stack of their own. */
static void unlock_deep(int bits, int depth)
{
	if (!depth)
		unlock_even();
	else if (bits & 1)
		by_one(bits >> 1, depth - 1);
	else
		by_other(bits >> 1, depth - 1);
	__asm__ volatile("");
}

#define BITS 12

static void take_stacks(int count)
{
	for (int i = 0; i < count; i++) {
		struct wait wait = { .tid = 0 };

		pthread_mutex_lock(&lock);
		pthread_create(&wait.thread, NULL, wait_for_lock, &wait);
		await_waiter(&lock);
		unlock_deep(i, BITS);
		pthread_join(wait.thread, NULL);
	}
}

static void use_plugin(const char *file, int flags)
{
	void *plugin = dlopen(file, RTLD_NOW | flags);
	void (*contend)(pthread_mutex_t *);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&contend = dlsym(plugin, "plugin_contend");
	contend(NULL);
	contend(&lock);
	printf("done\n");
}

static char early_said[64];

/* Nothing of a library's own start has run yet. */
static void start_early(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t recursive;
	struct timespec until;
	int got[4];

	if (argc < 2 || strcmp(argv[1], "early"))
		return;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	got[0] = pthread_mutex_lock(&recursive) ||
		 pthread_mutex_lock(&recursive) ||
		 pthread_mutex_unlock(&recursive) ||
		 pthread_mutex_unlock(&recursive);
	got[1] = pthread_mutex_lock(&lock);
	until = in_ms(CLOCK_REALTIME, 5);
	got[2] = pthread_mutex_timedlock(&lock, &until);
	until = in_ms(CLOCK_REALTIME, 5);
	got[3] = mtx_timedlock((mtx_t *)&lock, &until);
	pthread_mutex_unlock(&lock);
	snprintf(early_said, sizeof(early_said), "%d %d %d %d", got[0], got[1],
		 got[2] == ETIMEDOUT, got[3] == thrd_timedout);
}

__attribute__((section(".preinit_array"),
	       used)) static void (*const before_all)(int,
						      char **) = start_early;

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "starve";

	if (!strcmp(how, "starve"))
		starve();
	else if (!strcmp(how, "timeouts"))
		time_out();
	else if (!strcmp(how, "stacks") && argc > 2)
		take_stacks(atoi(argv[2]));
	else if (!strcmp(how, "early"))
		printf("%s\n", early_said);
	else if (!strcmp(how, "plugin") && argc > 2)
		use_plugin(argv[2], 0);
	else if (!strcmp(how, "deepbind") && argc > 2)
		use_plugin(argv[2], RTLD_DEEPBIND);
	else
		return 2;
	return 0;
}
