/*
 * From evidence to causes.
 *
 * What a hook measured comes first, as it is exact: waits for locks, calls that
 * block. Then the processor's time. What is left the thread spent off the
 * processor without our having seen why: there the table of rows decides, by
 * where the tick found it and whether it had been asleep.
 *
 * The kernel counts a stop (SIGSTOP) as a voluntary switch, like a sleep: so
 * sleeping is believed only where there is a call to sleep in, or where there
 * was much of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/cause.h"

#include "base/calls.h"
#include "base/lock_kind.h"

/*
 * Page faults are to blame where there is at least one in so much processor
 * time: a minor one takes 0.5 us on a quick machine and 1.5 us on a virtual
 * one (measured; the zeroing of the page included).
 */
#define NS_PER_MINOR_FAULT 3000

/* A major fault is over by then, on a busy disk as well. */
#define NS_PER_MAJOR_FAULT (100 * NS_PER_MS)

/* So many sleeps in one slice are no stop and start of the process. */
#define OFTEN 4

/* Causes that have less than this part of a slice are not told apart. */
#define LEAST_PART 16

static bool has_slept(const struct evidence *e)
{
	return e->voluntary > e->involuntary;
}

/*
 * Each major fault is a sleep: they are at least half of them. A stop is one,
 * too, and longer than any fault is.
 */
static bool has_faulted(const struct evidence *e)
{
	return e->major_faults && has_slept(e) &&
	       e->major_faults >= e->voluntary / 2 &&
	       e->wall_ns / e->major_faults <= NS_PER_MAJOR_FAULT;
}

/*
 * Does a signal end its sleep? Then a tick finds it in there; or it was awake
 * when the tick was due, and had only to be let run to return.
 */
static bool is_woken_by_signals(const struct evidence *e)
{
	switch (e->call) {
	case CALL_READ ... CALL_WRITEV:
		return !e->is_of_disk;
	case CALL_EPOLL_WAIT ... CALL_AIO_SUSPEND:
	case CALL_RECV ... CALL_CONNECT:
	case CALL_COND_WAIT ... CALL_CND_TIMEDWAIT:
	case CALL_RECVMMSG:
	case CALL_SENDMMSG:
	case CALL_FLOCK:
	case CALL_FCNTL:
	case CALL_WAIT4:
	case CALL_WAITID:
	case CALL_MQ_RECEIVE:
	case CALL_MQ_SEND:
	case CALL_GETRANDOM:
	case CALL_IO_GETEVENTS:
	case CALL_IO_PGETEVENTS:
	case CALL_IO_URING_ENTER:
	case CALL_GAI_SUSPEND:
		return true;
	default:
		return false;
	}
}

/* Does it sleep so that no signal wakes it, and for long? */
static bool is_deaf(uint32_t call)
{
	switch (call) {
	case CALL_FSYNC:
	case CALL_FDATASYNC:
	case CALL_SYNC:
	case CALL_SYNCFS:
	case CALL_SYNC_FILE_RANGE:
	case CALL_MSYNC:
	case CALL_OPEN:
	case CALL_CLOSE:
	case CALL_STAT:
	case CALL_GETDENTS:
	case CALL_RENAME:
	case CALL_LINK:
	case CALL_UNLINK:
	case CALL_MKDIR:
	case CALL_TRUNCATE:
	case CALL_FALLOCATE:
	case CALL_VFORK:
		return true;
	default:
		return false;
	}
}

/*
 * The calls that have no name are those that do not sleep. On a busy machine
 * there is preemption, too: a deaf call is the likelier.
 */
static bool has_returned_from_sleep(const struct evidence *e)
{
	return e->state == CALL_RETURNED && !CALL_IS_UNNAMED(e->call) &&
	       (has_slept(e) || (e->voluntary && is_deaf(e->call)));
}

/* What it sleeps for had not come even when it ran again. */
static bool is_interrupted(const struct evidence *e)
{
	return e->state == CALL_INTERRUPTED;
}

/* A sleep that one tick has begun and the next one ends is one; a stop two. */
static bool is_stopped_in_sleep(const struct evidence *e)
{
	return is_interrupted(e) && e->voluntary > 1;
}

static bool was_awake_when_due(const struct evidence *e)
{
	return has_returned_from_sleep(e) && is_woken_by_signals(e);
}

static bool has_slept_often(const struct evidence *e)
{
	return e->voluntary >= OFTEN && has_slept(e);
}

static bool always(const struct evidence *e)
{
	(void)e;
	return true;
}

/* The first row that holds tells: before the tick was due, and after it. */
static const struct row {
	bool (*holds)(const struct evidence *e);
	enum cause early;
	enum cause late;
} rows[] = {
	{ is_stopped_in_sleep, CAUSE_BLOCKED, CAUSE_UNSCHEDULED },
	{ is_interrupted, CAUSE_BLOCKED, CAUSE_BLOCKED },
	/* It had only to be let run when the tick was due. */
	{ was_awake_when_due, CAUSE_BLOCKED, CAUSE_UNSCHEDULED },
	/* A call that no signal ends (fsync, a disk's read) held the tick up.*/
	{ has_returned_from_sleep, CAUSE_BLOCKED, CAUSE_BLOCKED },
	/* It slept outside of calls: for pages. A fault holds ticks up, too. */
	{ has_faulted, CAUSE_FAULTS, CAUSE_FAULTS },
	/* In calls that had ended; but none of them held the tick up. */
	{ has_slept_often, CAUSE_BLOCKED, CAUSE_UNSCHEDULED },
	/* It could have run: preempted, throttled, stolen; or was stopped. */
	{ always, CAUSE_UNSCHEDULED, CAUSE_UNSCHEDULED },
};

static enum cause cause_of_cpu(const struct evidence *e, uint64_t cpu_ns)
{
	return e->minor_faults > cpu_ns / NS_PER_MINOR_FAULT ? CAUSE_FAULTS
							     : CAUSE_CPU;
}

static void add_off_cpu(struct causes *causes, const struct evidence *e,
			uint64_t off_ns)
{
	uint64_t late_ns = min_u64(e->late_ns, off_ns);
	const struct row *row = rows;

	while (!row->holds(e))
		row++;
	causes->ns[row->early] += off_ns - late_ns;
	causes->ns[row->late] += late_ns;
}

/*
 * It went on with the sleep that the tick before had broken. How long is not
 * known where it was kept from running, too.
 */
static uint64_t slept_on_ns(const struct evidence *e, uint64_t off_ns)
{
	uint64_t early_ns = off_ns - min_u64(e->late_ns, off_ns);

	return has_slept(e) ? min_u64(e->asleep_ns, early_ns) : 0;
}

/* Takes up to `most` out of *left_ns. */
static uint64_t take(uint64_t *left_ns, uint64_t most)
{
	uint64_t taken_ns = min_u64(*left_ns, most);

	*left_ns -= taken_ns;
	return taken_ns;
}

/* What is too little to be told apart goes to the main cause. */
static void fold(struct causes *causes, uint64_t wall_ns)
{
	enum cause main = causes_main(causes->ns);
	uint64_t left_ns = wall_ns / LEAST_PART;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		uint64_t ns = causes->ns[i];

		if (i == main || ns > left_ns)
			continue;
		left_ns -= ns;
		causes->ns[i] = 0;
		causes->ns[main] += ns;
	}
}

struct causes causes_of(const struct evidence *e)
{
	struct causes causes = { { 0 } };
	uint64_t left_ns = e->wall_ns;
	uint64_t cpu_ns;

	for (unsigned i = CAUSE_LOCK; cause_has_lock(i); i++)
		causes.ns[i] = take(&left_ns, e->wait_ns[i]);
	causes.ns[CAUSE_BLOCKED] = take(&left_ns, e->blocked_ns);
	cpu_ns = take(&left_ns, e->cpu_ns);
	causes.ns[cause_of_cpu(e, cpu_ns)] += cpu_ns;
	causes.ns[CAUSE_BLOCKED] += take(&left_ns, slept_on_ns(e, left_ns));
	add_off_cpu(&causes, e, left_ns);
	fold(&causes, e->wall_ns);
	return causes;
}

enum cause cause_of_wait(uint32_t lock_kind)
{
	switch (lock_kind) {
	case LOCK_SEMAPHORE:
		return CAUSE_SEMAPHORE;
	case LOCK_BARRIER:
		return CAUSE_BARRIER;
	case LOCK_JOIN:
		return CAUSE_JOIN;
	default:
		return CAUSE_LOCK;
	}
}

enum cause causes_main(const uint64_t ns[CAUSE_COUNT])
{
	enum cause most = CAUSE_UNKNOWN;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		if (ns[i] > ns[most])
			most = i;
	}
	return most;
}

static const struct {
	const char *key, *words;
} names[] = {
#define X(name, key, words) { key, words },
	CAUSES(X)
#undef X
};

const char *cause_key(uint32_t cause)
{
	return cause < CAUSE_COUNT ? names[cause].key : "";
}

const char *cause_words(uint32_t cause)
{
	return cause < CAUSE_COUNT ? names[cause].words : "";
}
