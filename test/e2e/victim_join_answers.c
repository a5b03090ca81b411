/*
 * What joins and initialisation answer, and waits of an event loop, in which a
 * tick is on its way (victim_answers.h).
 *
 * usage: victim_join_answers CASE (see cases[])
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <semaphore.h>
#include <threads.h>

#include "victim_answers.h"

static sem_t s;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static atomic_bool may_end;
static pthread_t main_thread;

static void *end_when_told(void *arg)
{
	while (!atomic_load(&may_end))
		usleep(1000);
	return arg;
}

static int end_in_c11(void *arg)
{
	end_when_told(arg);
	return 42;
}

static void join_detached(pthread_t thread)
{
	pthread_detach(thread);
	SHOW(pthread_join(thread, NULL));
	SHOW(pthread_tryjoin_np(thread, NULL));
	SHOW(pthread_timedjoin_np(thread, NULL, &past));
}

static void joins(void)
{
	void *value = NULL;
	pthread_t thread, detached;
	thrd_t c11;
	int number = 0;

	main_thread = pthread_self();
	SHOW(pthread_join(main_thread, NULL));
	SHOW(pthread_timedjoin_np(main_thread, NULL, NULL));
	pthread_create(&thread, NULL, end_when_told, &value);
	pthread_create(&detached, NULL, end_when_told, NULL);
	thrd_create(&c11, end_in_c11, NULL);
	join_detached(detached);
	SHOW(pthread_tryjoin_np(thread, &value));
	SHOW(pthread_timedjoin_np(thread, &value, &past));
	SHOW(pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &past));
	SHOW(pthread_clockjoin_np(thread, &value, CLOCK_PROCESS_CPUTIME_ID,
				  &past));
	atomic_store(&may_end, true);
	SHOW(pthread_join(thread, &value));
	printf("value %s\n", value == &value ? "as it was" : "lost");
	SHOW(thrd_join(c11, &number));
	printf("number %d\n", number);
	thrd_create(&c11, end_in_c11, NULL);
	usleep(20000);
	SHOW(thrd_join(c11, NULL));
	pthread_create(&thread, NULL, end_when_told, &value);
	usleep(20000);
	SHOW(pthread_timedjoin_np(thread, &value, &odd));
	pthread_create(&thread, NULL, end_when_told, &value);
	usleep(20000);
	SHOW(pthread_clockjoin_np(thread, &value, CLOCK_PROCESS_CPUTIME_ID,
				  &past));
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int times;

static void init(void)
{
	times++;
}

static void onces(void)
{
	SHOW(pthread_once(&once, init));
	SHOW(pthread_once(&once, init));
	printf("%d times\n", times);
}

static struct timespec in_a_while(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 60 * (long)NS_PER_MS;
	t.tv_sec += t.tv_nsec / (long)NS_PER_S;
	t.tv_nsec %= (long)NS_PER_S;
	return t;
}

/* A run begins: a tick is on its way. */
static void turn(void)
{
	poll(NULL, 0, 1);
}

static void post_late(void)
{
	usleep(60000);
	sem_post(&s);
}

static void in_ticks(void)
{
	struct timespec until;

	sem_init(&s, 0, 0);
	turn();
	for (int i = 0; i < 5; i++) {
		turn();
		until = in_a_while(CLOCK_REALTIME);
		SHOW(sem_timedwait(&s, &until));
		turn();
		until = in_a_while(CLOCK_MONOTONIC);
		SHOW(sem_clockwait(&s, CLOCK_MONOTONIC, &until));
		start(post_late, NULL);
		turn();
		SHOW(sem_wait(&s));
		pthread_rwlock_wrlock(&l);
		turn();
		until = in_a_while(CLOCK_REALTIME);
		SHOW(pthread_rwlock_timedrdlock(&l, &until));
		pthread_rwlock_unlock(&l);
		turn();
	}
}

static const struct lock_case cases[] = {
	{ "joins", joins },
	{ "onces", onces },
	{ "ticks", in_ticks },
};

int main(int argc, char **argv)
{
	return run_case(cases, sizeof(cases) / sizeof(*cases),
			argc > 1 ? argv[1] : NULL);
}
