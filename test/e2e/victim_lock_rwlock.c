/*
 * Reader-writer locks: who lets go of one that others wait for does so in a
 * function of its own.
 *
 * usage: victim_lock_rwlock CASE (see cases[])
 * prints a line per such function: "FUNCTION NANOSECONDS NANOSECONDS", between
 * which its cost lies
 *
 * SPDX-License-Identifier: MIT
 */
#include "victim_lock.h"

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t fair =
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

RELEASE(writer, pthread_rwlock_unlock(&rwlock))
RELEASE(first_reader, pthread_rwlock_unlock(&rwlock))
RELEASE(last_reader, pthread_rwlock_unlock(&rwlock))
RELEASE(waiter, pthread_rwlock_unlock(&rwlock))
RELEASE(fair_reader, pthread_rwlock_unlock(&fair))
RELEASE(fair_waiter, pthread_rwlock_unlock(&fair))

static void read_lock(void)
{
	pthread_rwlock_rdlock(&rwlock);
}

static void write_lock(void)
{
	pthread_rwlock_wrlock(&rwlock);
}

static void read_lock_fairly(void)
{
	pthread_rwlock_rdlock(&fair);
}

static uint64_t impatient_until_ns;

/* In vain: the lock is held for longer. */
static void write_lock_impatiently(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 1;
	impatient_until_ns =
		(uint64_t)until.tv_sec * NS_PER_S + (uint64_t)until.tv_nsec;
	pthread_rwlock_clockwrlock(&fair, CLOCK_MONOTONIC, &until);
}

/* A writer holds, two read and one writes afterwards. */
static void writer(void)
{
	pthread_rwlock_wrlock(&rwlock);
	start_waiter(read_lock, release_waiter);
	start_waiter(read_lock, release_waiter);
	start_waiter(write_lock, release_waiter);
	hold_and(release_writer, "release_writer");
}

static atomic_uint reading, leaving;

static void *read_for_long(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	atomic_fetch_add(&reading, 1);
	while (!atomic_load(&leaving))
		;
	hold_and(release_last_reader, "release_last_reader");
	return arg;
}

/* Of two readers the first to leave lets nobody in. */
static void readers(void)
{
	static const struct cost none = { .function = "release_first_reader" };
	pthread_t other;

	pthread_rwlock_rdlock(&rwlock);
	pthread_create(&other, NULL, read_for_long, NULL);
	while (!atomic_load(&reading))
		;
	start_waiter(write_lock, release_waiter);
	spin(HOLD_NS);
	release_first_reader();
	atomic_store(&leaving, 1);
	pthread_join(other, NULL);
	book(&none);
}

/*
 * For the sake of a writer a reader may not join another. When the writer gives
 * up, it may; both have waited for the first reader.
 */
static void impatient(void)
{
	struct cost cost = { .function = "release_fair_reader" };
	struct waiter *gave_up;

	pthread_rwlock_rdlock(&fair);
	gave_up = start_waiter(write_lock_impatiently, NULL);
	start_waiter(read_lock_fairly, release_fair_waiter);
	join_all();
	/* The other one has waited until then at least. */
	if (impatient_until_ns > gave_up->seen_ns)
		cost.least_ns += impatient_until_ns - gave_up->seen_ns;
	release_fair_reader();
	count_most(&cost);
	book(&cost);
}

#define ROUNDS	200
#define READERS 4

static void *read_and_leave_together(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	atomic_fetch_add(&reading, 1);
	while (!atomic_load(&leaving))
		sched_yield();
	release_last_reader();
	return arg;
}

static void leave_together(struct cost *cost)
{
	pthread_t reader[READERS];

	threads = 0;
	atomic_store(&reading, 0);
	atomic_store(&leaving, 0);
	for (int i = 0; i < READERS; i++)
		pthread_create(&reader[i], NULL, read_and_leave_together, NULL);
	while (atomic_load(&reading) < READERS)
		sched_yield();
	start_waiter(write_lock, release_waiter);
	spin(NS_PER_MS / 2);
	count_least(cost);
	atomic_store(&leaving, 1);
	for (int i = 0; i < READERS; i++)
		pthread_join(reader[i], NULL);
	join_all();
	count_most(cost);
}

/* Readers who leave at one moment: one of them pays, in each round. */
static void together(void)
{
	struct cost cost = { .function = "release_last_reader" };

	for (int round = 0; round < ROUNDS; round++)
		leave_together(&cost);
	book(&cost);
}

static struct cost of_last = { .function = "release_last_reader" };
static uint64_t let_in_ns;

static void leave_first(void)
{
	while (!atomic_load(&reading))
		sched_yield();
	of_last.since_ns = now_ns();
	spin(HOLD_NS);
	release_first_reader();
	atomic_store(&leaving, 1);
}

static void leave_last(void)
{
	atomic_store(&reading, 1);
	while (!atomic_load(&leaving))
		sched_yield();
	spin(HOLD_NS);
	count_least(&of_last);
	release_last_reader();
}

/* Those it lets in take its processor, for as long as they have work. */
static void *write_and_be_preempted(void *arg)
{
	const struct sched_param none = { 0 };

	pthread_rwlock_wrlock(&rwlock);
	start_waiter(read_lock, leave_first);
	start_waiter(read_lock, leave_last);
	start_waiter(write_lock, release_waiter);
	sched_setscheduler(0, SCHED_IDLE, &none);
	let_in_ns = now_ns();
	release_writer();
	return arg;
}

/* Of two readers the last pays, though who let them in is not done yet. */
static void preempted(void)
{
	static const struct cost none = { .function = "release_first_reader" };
	pthread_t first;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_create(&first, NULL, write_and_be_preempted, NULL);
	pthread_join(first, NULL);
	join_all();
	of_last.since_ns = let_in_ns;
	count_most(&of_last);
	book(&of_last);
	book(&none);
}

static const struct lock_case cases[] = {
	{ "writer", writer },	    { "readers", readers },
	{ "impatient", impatient }, { "together", together },
	{ "preempted", preempted },
};

int main(int argc, char **argv)
{
	return run_case(cases, sizeof(cases) / sizeof(*cases),
			argc > 1 ? argv[1] : NULL);
}
