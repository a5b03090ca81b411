/*
 * A program whose recording others tamper with while it does all that is
 * recorded: loops that stall, in calls too, and threads that contend for many
 * locks of each kind.
 *
 * usage: victim_tampered [handles [on_own_stack]]
 * handles: it has a handler for bus errors, of which none is its own;
 * on_own_stack: in each thread, on an alternate stack
 * says when it has begun; runs until it is sent SIGUSR2; prints whether all
 * sums are right
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim.h"

#define WORKERS 3
#define LOOPS	2
#define LOCKS	64

#define OWN_STACK_BYTES (8 << 10) /* as Rust's */

static atomic_bool over;
static bool is_on_own_stack;

static pthread_mutex_t lock[LOCKS];
static uint64_t shared[LOCKS]; /* each guarded by its lock */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t written; /* guarded by rwlock */
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static sem_t tokens;
static _Atomic uint64_t done, wrote;
static atomic_int failed; /* children */

static void hold(unsigned i)
{
	pthread_mutex_lock(&lock[i]);
	shared[i]++;
	spin(20000);
	pthread_cond_signal(&turned);
	pthread_mutex_unlock(&lock[i]);
	atomic_fetch_add(&done, 1);
}

static void wait_a_moment(unsigned i)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec = (until.tv_nsec + 100000) % 1000000000;
	pthread_mutex_lock(&lock[i]);
	pthread_cond_timedwait(&turned, &lock[i], &until);
	pthread_mutex_unlock(&lock[i]);
}

static void write_and_read(void)
{
	pthread_rwlock_wrlock(&rwlock);
	written++;
	spin(10000);
	pthread_rwlock_unlock(&rwlock);
	atomic_fetch_add(&wrote, 1);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static ucontext_t outside[WORKERS], fibre[WORKERS];
static char fibre_stack[WORKERS][32 << 10];

static void on_fibre(int worker)
{
	for (;;) {
		hold(1);
		swapcontext(&fibre[worker], &outside[worker]);
	}
}

static void make_fibre(int worker)
{
	getcontext(&fibre[worker]);
	fibre[worker].uc_stack.ss_sp = fibre_stack[worker];
	fibre[worker].uc_stack.ss_size = sizeof(fibre_stack[worker]);
	makecontext(&fibre[worker], (void (*)(void))on_fibre, 1, worker);
}

static void in_a_child(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		poll(NULL, 0, 0);
		spin(2 * NS_PER_MS);
		poll(NULL, 0, 0);
		_exit(5);
	}
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 5)
		atomic_fetch_add(&failed, 1);
}

static void pass_a_token(void)
{
	sem_wait(&tokens);
	spin(5000);
	sem_post(&tokens);
}

static void have_own_stack(void *room)
{
	const stack_t own = { .ss_sp = room, .ss_size = OWN_STACK_BYTES };

	if (is_on_own_stack)
		sigaltstack(&own, NULL);
}

static void *work(void *arg)
{
	int worker = (int)(intptr_t)arg;
	char room[OWN_STACK_BYTES];

	have_own_stack(room);
	make_fibre(worker);
	for (unsigned i = 0; !atomic_load(&over); i++) {
		hold(i % 4 ? 0 : i / 4 % LOCKS);
		if (i % 16 == 0)
			wait_a_moment(i / 16 % LOCKS);
		write_and_read();
		pass_a_token();
		swapcontext(&outside[worker], &fibre[worker]);
		if (worker == 0 && i % 64 == 0)
			in_a_child();
	}
	return arg;
}

static void stall(unsigned i)
{
	if (i % 3 == 0)
		usleep(2500);
	else if (i % 3 == 1)
		hold(0);
	spin(2 * NS_PER_MS);
}

static void *turn(void *arg)
{
	char room[OWN_STACK_BYTES];

	have_own_stack(room);
	for (unsigned i = 0; !atomic_load(&over); i++) {
		poll(NULL, 0, i % 2);
		stall(i);
	}
	return arg;
}

static void end(int sig)
{
	(void)sig;
	atomic_store(&over, true);
}

static uint64_t sum(void)
{
	uint64_t n = 0;

	for (int i = 0; i < LOCKS; i++)
		n += shared[i];
	return n;
}

static void on_bus_error(int sig)
{
	(void)sig;
	write(2, "a bus error\n", 12);
	_exit(3);
}

static void handle(bool on_own_stack)
{
	struct sigaction act = { .sa_handler = on_bus_error };

	is_on_own_stack = on_own_stack;
	act.sa_flags = on_own_stack ? SA_ONSTACK : 0;
	sigfillset(&act.sa_mask);
	sigaction(SIGBUS, &act, NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		handle(argc > 2);
	pthread_t thread[WORKERS + LOOPS];

	signal(SIGUSR2, end);
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("begun");
	sem_init(&tokens, 0, 1);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&lock[i], NULL);
	for (int i = 0; i < WORKERS + LOOPS; i++)
		pthread_create(&thread[i], NULL, i < WORKERS ? work : turn,
			       (void *)(intptr_t)i);
	turn(NULL);
	for (int i = 0; i < WORKERS + LOOPS; i++)
		pthread_join(thread[i], NULL);
	puts(sum() == done && written == wrote && !failed ? "all sums are right"
							  : "wrong");
	return 7;
}
