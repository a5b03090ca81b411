/*
 * The end of the process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/ending.h"

#include "base/atomic.h"
#include "base/units.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/default_action.h"

#define EXIT_PATIENCE_NS (100 * NS_PER_MS)
#define END_PATIENCE_NS	 (2 * NS_PER_S)

enum phase {
	RUNS,
	EXEC_WRITES, /* the results, before it is tried */
	EXEC_TRIED,  /* they are written; another end may override it */
	END_WRITES,
	OVER
};

static struct {
	/* The phase, and above it the thread that writes, or 0. */
	uint32_t state;
	uint32_t is_final; /* an end has come that is not taken back */
	int32_t exiting;   /* the thread that called exit() first */
} ending;

#define PHASE_BITS 3

static enum phase phase_now(void)
{
	return load_acquire(&ending.state) & ((1u << PHASE_BITS) - 1);
}

static uint32_t written_by_caller(enum phase phase)
{
	return (uint32_t)sys_gettid() << PHASE_BITS | phase;
}

void ending_reset(void)
{
	store_relaxed(&ending.is_final, 0);
	store_relaxed(&ending.exiting, 0);
	store_release(&ending.state, RUNS);
}

/* From a phase in which nobody writes. */
static bool enter(enum phase from, enum phase to)
{
	uint32_t state = from;

	return cas_acq_rel(&ending.state, &state, written_by_caller(to));
}

/* Relaxed: whoever does not see it yet will be waited for. */
static bool claim(bool is_exec)
{
	if (is_exec)
		return !load_relaxed(&ending.is_final) &&
		       enter(RUNS, EXEC_WRITES);
	store_relaxed(&ending.is_final, 1);
	return enter(RUNS, END_WRITES) || enter(EXEC_TRIED, END_WRITES);
}

/* Nobody will write them for us. A thread may have interrupted itself. */
static bool is_settled(bool is_exec)
{
	enum phase phase = phase_now();

	return phase == OVER || (is_exec && phase == EXEC_TRIED) ||
	       load_relaxed(&ending.state) == written_by_caller(phase);
}

static void pause_a_moment(void)
{
	const struct timespec moment = { .tv_nsec = NS_PER_MS / 4 };

	sys2(SYS_nanosleep, &moment, NULL);
}

bool ending_begin(bool is_exec)
{
	uint64_t give_up_ns = clock_now_ns() + END_PATIENCE_NS;

	if (is_exec)
		default_action_await_death();
	while (!claim(is_exec)) {
		/* The process must end. */
		if (is_settled(is_exec) || clock_now_ns() >= give_up_ns)
			return false;
		pause_a_moment();
	}
	return true;
}

void ending_written(bool is_exec)
{
	store_release(&ending.state, is_exec ? EXEC_TRIED : OVER);
}

bool ending_take_back(void)
{
	return enter(EXEC_TRIED, EXEC_WRITES);
}

void ending_goes_on(void)
{
	store_release(&ending.state, RUNS);
}

/* The process must not end while another thread writes; but it must end. */
static void wait_until_over(uint64_t patience_ns)
{
	uint64_t give_up_ns = clock_now_ns() + patience_ns;

	while (phase_now() != OVER && clock_now_ns() < give_up_ns)
		pause_a_moment();
}

void ending_exit_begins(void)
{
	int32_t self = sys_gettid(), first = 0;

	default_action_await_death();
	if (cas_acq_rel(&ending.exiting, &first, self) || first == self)
		return;
	/* The first one's own exit handlers may take for ever. */
	wait_until_over(EXIT_PATIENCE_NS);
	if (phase_now() == END_WRITES)
		wait_until_over(END_PATIENCE_NS);
}
