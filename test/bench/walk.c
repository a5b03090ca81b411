/*
 * A walk, at three depths: by rows, warm and with no row known; by libunwind,
 * as it is tamed and as it comes; by frame pointers; and by libc's
 * backtrace(3). And the whole of a capture, where an unlock makes it and in the
 * handler of a signal. By one thread, and by two at once: then the walker's
 * libunwind is one thread's at a time, so the share of walks that it refused is
 * shown.
 *
 * SPDX-License-Identifier: MIT
 */
#define UNW_LOCAL_ONLY

#include <dlfcn.h>
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "bench_recording.h"
#include "sigsafe/walk/stack.h"
#include "sigsafe/walk/walk_fp.h"
#include "sigsafe/walk/walk_rows.h"
#include "sigsafe/walk/walk_unwind.h"
#include "sigsafe/walk/walker.h"

#define WALK_NS	    50000000u /* how long each way is measured */
#define MAX_THREADS 2

/* One walk of the calling thread's stack; returns the frames it found. */
typedef unsigned walk_way(unsigned depth);

struct job {
	walk_way *way;
	bool in_handler;
	bool is_blocked; /* every signal is */
	unsigned depth;
	pthread_barrier_t *start;
	double ns;
	double refused;
};

__attribute__((noinline)) static unsigned by_rows(unsigned depth)
{
	struct registers registers;
	struct walk walk;

	registers_here(&registers);
	walk_begin(&walk, live_recording(), 0, depth, NULL);
	walk_rows(&walk, &registers);
	return walk.depth;
}

/* Outside of any recording no row is kept. */
__attribute__((noinline)) static unsigned by_rows_cold(unsigned depth)
{
	struct registers registers;
	struct walk walk;

	registers_here(&registers);
	walk_begin(&walk, NULL, 0, depth, NULL);
	walk_rows(&walk, &registers);
	return walk.depth;
}

__attribute__((noinline)) static unsigned by_pointers(unsigned depth)
{
	struct registers registers;
	struct walk walk;

	registers_here(&registers);
	walk_begin(&walk, live_recording(), 0, depth, NULL);
	walk_fp(&walk, &registers);
	return walk.depth;
}

struct unwinding {
	struct registers registers;
	struct walk walk;
};

static void unwind(void *argument)
{
	struct unwinding *unwinding = argument;

	walk_unwind(&unwinding->walk, &unwinding->registers);
}

__attribute__((noinline)) static unsigned by_libunwind(unsigned depth)
{
	struct unwinding unwinding;
	enum lost_reason why;

	registers_here(&unwinding.registers);
	walk_begin(&unwinding.walk, live_recording(), 0, depth, NULL);
	/* As in a handler: no signal mask is changed. */
	if (!walker_run(unwind, &unwinding, true, &why))
		return 0;
	return unwinding.walk.depth;
}

/* libc's: libunwind has a function of that name, too. */
static int (*libc_backtrace)(void **frames, int most);

__attribute__((noinline)) static unsigned by_backtrace(unsigned depth)
{
	void *frames[MAX_DEPTH];

	return (unsigned)libc_backtrace(frames, (int)depth);
}

/* This program's own copy, with its own caches. */
__attribute__((noinline)) static unsigned by_stock_libunwind(unsigned depth)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unsigned found = 0;

	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	do {
		unw_word_t pc;

		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		found += pc != 0;
	} while (found < depth && unw_step(&cursor) > 0);
	return found;
}

/* Its fast way, with a cache of frames that it takes a lock to fill. */
__attribute__((noinline)) static unsigned by_unw_backtrace(unsigned depth)
{
	void *frames[MAX_DEPTH];

	return (unsigned)unw_backtrace(frames, (int)depth);
}

/* The whole: walked, and entered into the recording. */
__attribute__((noinline)) static unsigned by_capture(unsigned depth)
{
	return stack_capture(NULL, __builtin_return_address(0)) ? depth : 0;
}

/* The same in a thread that blocks the signals of faults. */
__attribute__((noinline)) static unsigned by_capture_blocked(unsigned depth)
{
	return by_capture(depth);
}

/* What the handler that this thread is in was called for, and has interrupted.
 */
static __thread struct job *handled;
static __thread const ucontext_t *interrupted;

static unsigned by_capture_in_handler(unsigned depth)
{
	return stack_capture(interrupted, NULL) ? depth : 0;
}

/* Of this thread alone: the machine may have other things to do. */
static uint64_t spent_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void measure(struct job *job)
{
	uint64_t walks = 0, refused = 0, begun_ns;

	job->way(job->depth);
	pthread_barrier_wait(job->start);
	begun_ns = spent_ns();
	do {
		for (int i = 0; i < 100; i++)
			refused += job->way(job->depth) < job->depth;
		walks += 100;
	} while (spent_ns() - begun_ns < WALK_NS);
	job->ns = (double)(spent_ns() - begun_ns) / (double)walks;
	job->refused = (double)refused / (double)walks;
}

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	interrupted = context;
	measure(handled);
}

static void measure_where_wanted(struct job *job)
{
	sigset_t all;

	sigfillset(&all);
	if (job->is_blocked)
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	handled = job;
	if (job->in_handler)
		raise(SIGUSR1);
	else
		measure(job);
}

/* A chain of functions, so that each frame has a row of its own. */
typedef unsigned chain_link(struct job *job, unsigned above, volatile int *c);

#define LINKS(X) X(0, 1) X(1, 2) X(2, 3) X(3, 4) X(4, 5) X(5, 6) X(6, 7) X(7, 0)

#define X(n, next) static chain_link link##n;
LINKS(X)
#undef X

#define X(n, next)                                                             \
	__attribute__((noinline)) static unsigned link##n(                     \
		struct job *job, unsigned above, volatile int *c)              \
	{                                                                      \
		volatile int here = *c + n;                                    \
		unsigned result = 0;                                           \
                                                                               \
		if (above)                                                     \
			result = link##next(job, above - 1, &here);            \
		else                                                           \
			measure_where_wanted(job);                             \
		return result + (unsigned)here;                                \
	}
LINKS(X)
#undef X

static void *work(void *argument)
{
	struct job *job = argument;
	volatile int here = 0;

	/* Deeper than it is walked: no walk comes to the end of the stack. */
	link0(job, job->depth, &here);
	return NULL;
}

static struct job run(walk_way *way, unsigned depth, unsigned threads)
{
	bool in_handler = way == by_capture_in_handler;
	bool is_blocked = way == by_capture_blocked;
	struct job job[MAX_THREADS], sum = { .ns = 0 };
	pthread_t thread[MAX_THREADS];
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		job[i] = (struct job){ way,    in_handler, is_blocked, depth,
				       &start, 0,	   0 };
		if (pthread_create(&thread[i], NULL, work, &job[i]) != 0)
			bench_die("pthread_create");
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum.ns += job[i].ns / threads;
		sum.refused += job[i].refused / threads;
	}
	return sum;
}

int main(void)
{
	static const struct {
		const char *name;
		walk_way *way;
	} ways[] = {
		{ "rows, warm", by_rows },
		{ "rows, cold", by_rows_cold },
		{ "stack_capture", by_capture },
		{ "... in a handler", by_capture_in_handler },
		{ "... signals blocked", by_capture_blocked },
		{ "frame pointers", by_pointers },
		{ "libunwind, tamed", by_libunwind },
		{ "libunwind, stock", by_stock_libunwind },
		{ "unw_backtrace", by_unw_backtrace },
		{ "backtrace(3)", by_backtrace },
	};
	static const unsigned depths[] = { 10, 30, 100 };
	struct sigaction action = {
		.sa_sigaction = handle,
		.sa_flags = SA_SIGINFO,
	};

	*(void **)&libc_backtrace =
		dlsym(dlopen("libc.so.6", RTLD_NOW), "backtrace");
	if (!libc_backtrace)
		bench_die("backtrace");
	sigaction(SIGUSR1, &action, NULL);
	bench_record();
	printf("%-18s %22s %22s %22s\n", "ns a walk, by 1 / 2", "depth 10",
	       "30", "100");
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		printf("%-18s", ways[i].name);
		for (size_t j = 0; j < ARRAY_SIZE(depths); j++) {
			struct job one = run(ways[i].way, depths[j], 1);
			struct job two = run(ways[i].way, depths[j], 2);

			printf(" %9.0f / %7.0f %2.0f%%", one.ns, two.ns,
			       100 * two.refused);
		}
		printf("\n");
	}
	return 0;
}
