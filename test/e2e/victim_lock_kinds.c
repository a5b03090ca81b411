/*
 * Spin locks, semaphores, initialisation, barriers and joins: who makes others
 * wait lets them in by a function of its own.
 *
 * usage: victim_lock_kinds CASE (see cases[])
 * prints a line per such function: "FUNCTION NANOSECONDS NANOSECONDS", between
 * which its cost lies
 *
 * SPDX-License-Identifier: MIT
 */
#include <semaphore.h>
#include <signal.h>
#include <threads.h>

#include "victim_lock.h"

static pthread_spinlock_t spinlock;
static sem_t semaphore;
static pthread_barrier_t barrier;

RELEASE(spin, pthread_spin_unlock(&spinlock))
RELEASE(spin_waiter, pthread_spin_unlock(&spinlock))
RELEASE(semaphore, sem_post(&semaphore))

static void take_spinlock(void)
{
	pthread_spin_lock(&spinlock);
}

static void take_semaphore(void)
{
	sem_wait(&semaphore);
}

/* Who spins computes. */
static void await_spinning(const struct waiter *waiter)
{
	struct timespec used;
	clockid_t clock;

	pthread_getcpuclockid(waiter->thread, &clock);
	do {
		clock_gettime(clock, &used);
	} while (used.tv_sec == 0 && used.tv_nsec < (long)NS_PER_MS);
}

static void spinning(void)
{
	struct waiter *waiter;

	pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&spinlock);
	waiter = start(take_spinlock, release_spin_waiter);
	await_spinning(waiter);
	waiter->seen_ns = now_ns();
	hold_and(release_spin, "release_spin");
}

/* Each post lets one in, and is charged for the time since the one before. */
static void semaphores(void)
{
	struct cost cost = { .function = "release_semaphore" };
	struct waiter *one, *other;

	sem_init(&semaphore, 0, 0);
	one = start_waiter(take_semaphore, NULL);
	other = start_waiter(take_semaphore, NULL);
	spin(HOLD_NS);
	count_least(&cost);
	release_semaphore();
	while (!atomic_load(&one->got_ns) && !atomic_load(&other->got_ns))
		;
	cost.since_ns = now_ns();
	spin(HOLD_NS);
	count_least(&cost);
	cost.since_ns = 0;
	release_semaphore();
	join_all();
	count_most(&cost);
	book(&cost);
}

static void post_in_handler(int sig)
{
	(void)sig;
	release_semaphore();
}

static void raise_alarm(void)
{
	pthread_kill(pthread_self(), SIGALRM);
}

static void semaphore_in_handler(void)
{
	sem_init(&semaphore, 0, 0);
	signal(SIGALRM, post_in_handler);
	start_waiter(take_semaphore, NULL);
	hold_and(raise_alarm, "release_semaphore");
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;
static struct cost once_cost;
static void need_once(void);
static void need_c11_once(void);

static void init_slowly(void)
{
	start_waiter(need_once, NULL);
	start_waiter(need_once, NULL);
	spin(HOLD_NS);
	count_least(&once_cost);
}

static void need_once(void)
{
	pthread_once(&once, init_slowly);
}

static void init_c11_slowly(void)
{
	start_waiter(need_c11_once, NULL);
	spin(HOLD_NS);
	count_least(&once_cost);
}

static void need_c11_once(void)
{
	call_once(&c11_once, init_c11_slowly);
}

static void book_once(const char *function)
{
	join_all();
	count_most(&once_cost);
	once_cost.function = function;
	book(&once_cost);
}

static void simple_once(void)
{
	need_once();
	book_once("need_once");
}

static pthread_once_t outer = PTHREAD_ONCE_INIT;

/* What is done inside of it is done, and has let others in, before it is. */
static void init_outer(void)
{
	need_c11_once();
	book_once("need_c11_once");
}

static void nested_once(void)
{
	pthread_once(&outer, init_outer);
}

static void meet(void)
{
	pthread_barrier_wait(&barrier);
}

/* Two come early; the last waits for nobody. */
static void barriers(void)
{
	pthread_barrier_init(&barrier, NULL, 3);
	start_waiter(meet, NULL);
	start_waiter(meet, NULL);
	hold_and(meet, "meet");
	pthread_barrier_destroy(&barrier);
}

/* Ends when it has been waited for long enough. */
static void end_late(void)
{
	while (!sleeps(getpid()))
		;
	spin(HOLD_NS);
}

static void *end_thread_late(void *arg)
{
	end_late();
	return arg;
}

static int end_c11_thread_late(void *arg)
{
	end_late();
	return arg == NULL;
}

static void wait_for_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, end_thread_late, NULL);
	pthread_join(thread, NULL);
}

static void wait_for_c11_thread(void)
{
	thrd_t thread;

	thrd_create(&thread, end_c11_thread_late, NULL);
	thrd_join(thread, NULL);
}

static void book_join(void (*wait)(void), const char *function)
{
	struct cost cost = { .function = function, .least_ns = HOLD_NS };
	uint64_t begun_ns = now_ns();

	wait();
	cost.most_ns = now_ns() - begun_ns;
	book(&cost);
}

static void joins(void)
{
	book_join(wait_for_thread, "wait_for_thread");
	book_join(wait_for_c11_thread, "wait_for_c11_thread");
}

static const struct lock_case cases[] = {
	{ "spin", spinning },
	{ "semaphore", semaphores },
	{ "handler", semaphore_in_handler },
	{ "once", simple_once },
	{ "nested_once", nested_once },
	{ "barrier", barriers },
	{ "join", joins },
};

int main(int argc, char **argv)
{
	return run_case(cases, sizeof(cases) / sizeof(*cases),
			argc > 1 ? argv[1] : NULL);
}
