/*
 * The arithmetic of ledger.h. Owns nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/ledger.h"

#include "base/atomic.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/machine.h"

/* A ledger, unpacked, and the time it was looked at. */
struct view {
	uint64_t sum;
	uint64_t base_n;
	uint64_t n;
	uint64_t shared; /* 0 or LEDGER_SHARED */
	uint64_t base_ns;
	uint64_t now_ns;
};

/*
 * base is kept modulo 2^50 ns. It is read only while somebody waits, and set
 * when the first one comes, so it is less than 6.5 days from now, or the split
 * of that wait is off (its sum is not).
 */
static uint64_t base_near(uint64_t base_n, uint64_t now_ns)
{
	uint64_t base = base_n >> LEDGER_BASE_SHIFT << LEDGER_BASE_SHIFT;
	int64_t age = (int64_t)((now_ns << LEDGER_BASE_SHIFT) - base);

	return now_ns - (uint64_t)(age >> LEDGER_BASE_SHIFT);
}

/*
 * The clock is read after the ledger: whoever changed it before read an earlier
 * time, so no start or base lies in the future. The two words may be from two
 * different states: then the compare and swap fails.
 */
static struct view look(const struct ledger *ledger)
{
	struct view v;

	/* Acquire pairs with the swap in replace(). */
	v.sum = load_acquire(&ledger->sum);
	v.base_n = load_acquire(&ledger->base_n);
	v.n = LEDGER_N(v.base_n);
	v.shared = v.base_n & LEDGER_SHARED;
	v.now_ns = clock_now_ns();
	v.base_ns = base_near(v.base_n, v.now_ns);
	return v;
}

/* n: the waiters, and LEDGER_SHARED. */
static bool replace(struct ledger *ledger, const struct view *old, uint64_t sum,
		    uint64_t base_ns, uint64_t n)
{
	uint64_t low = old->sum, high = old->base_n;

	return machine_cas16(ledger, &low, &high, sum,
			     base_ns << LEDGER_BASE_SHIFT | n);
}

/* shared: for the first waiter. */
static uint64_t enter(struct ledger *ledger, uint64_t shared, uint64_t *waiters)
{
	for (;;) {
		struct view v = look(ledger);

		if (v.n == LEDGER_MAX_WAITERS)
			return 0;
		if (!v.n) {
			v.base_ns = v.now_ns;
			v.shared = shared;
		}
		*waiters = v.n + 1;
		if (replace(ledger, &v, v.sum + v.now_ns, v.base_ns,
			    (v.n + 1) | v.shared))
			return v.now_ns;
	}
}

uint64_t ledger_enter(struct ledger *ledger, uint64_t *waiters)
{
	return enter(ledger, 0, waiters);
}

uint64_t ledger_enter_shared(struct ledger *ledger, uint64_t *waiters)
{
	return enter(ledger, LEDGER_SHARED, waiters);
}

/* It has the lock, which nobody held since the last charge. */
static struct ledger_leave take_free(const struct view *v, uint64_t start_ns)
{
	uint64_t charged_to = max_u64(start_ns, v->base_ns);
	uint64_t behind_ns = (v->n - 1) * v->now_ns - (v->sum - charged_to);

	return (struct ledger_leave){
		.until_ns = v->now_ns,
		.handoff_ns = v->now_ns - charged_to + behind_ns,
	};
}

struct ledger_leave ledger_acquired(struct ledger *ledger, uint64_t start_ns)
{
	for (;;) {
		struct view v = look(ledger);
		struct ledger_leave leave = take_free(&v, start_ns);

		if (replace(ledger, &v, (v.n - 1) * v.now_ns, v.now_ns,
			    v.n - 1))
			return leave;
	}
}

/* The first of those who share the lock is in: it is held from now on. */
static bool open_share(struct ledger *ledger, const struct view *v,
		       uint64_t start_ns, struct ledger_leave *leave)
{
	*leave = take_free(v, start_ns);
	return replace(ledger, v, (v->n - 1) * v->now_ns, v->now_ns,
		       (v->n - 1) | LEDGER_SHARED);
}

/* One more comes in beside them: the waiting of all others goes on. */
static bool join_share(struct ledger *ledger, const struct view *v,
		       uint64_t start_ns, struct ledger_leave *leave)
{
	bool was_let_in = start_ns < v->base_ns;
	uint64_t settled_to = was_let_in ? v->base_ns : v->now_ns;

	*leave = (struct ledger_leave){
		.until_ns = v->now_ns,
		.handoff_ns = v->now_ns - settled_to,
		.is_owed = !was_let_in,
	};
	return replace(ledger, v, v->sum - settled_to, v->base_ns,
		       (v->n - 1) | LEDGER_SHARED);
}

struct ledger_leave ledger_joined(struct ledger *ledger, uint64_t start_ns)
{
	for (;;) {
		struct view v = look(ledger);
		struct ledger_leave leave;
		bool is_done;

		if (v.shared)
			is_done = join_share(ledger, &v, start_ns, &leave);
		else
			is_done = open_share(ledger, &v, start_ns, &leave);
		if (is_done)
			return leave;
	}
}

struct ledger_leave ledger_gave_up(struct ledger *ledger)
{
	for (;;) {
		struct view v = look(ledger);
		struct ledger_leave leave = { .until_ns = v.now_ns,
					      .is_owed = true };

		if (replace(ledger, &v, v.sum - v.now_ns, v.base_ns,
			    (v.n - 1) | v.shared))
			return leave;
	}
}

struct ledger_leave ledger_withdraw(struct ledger *ledger, uint64_t start_ns)
{
	for (;;) {
		struct view v = look(ledger);
		uint64_t charged_to = max_u64(start_ns, v.base_ns);
		struct ledger_leave leave = { .until_ns = charged_to };

		if (replace(ledger, &v, v.sum - charged_to, v.base_ns,
			    (v.n - 1) | v.shared))
			return leave;
	}
}

uint64_t ledger_barged(struct ledger *ledger)
{
	for (;;) {
		struct view v = look(ledger);
		uint64_t due = v.n * v.now_ns;

		if (replace(ledger, &v, due, v.now_ns, v.n))
			return due - v.sum;
	}
}

uint64_t ledger_barged_shared(struct ledger *ledger)
{
	for (;;) {
		struct view v = look(ledger);
		uint64_t due = v.n * v.now_ns;

		if (v.shared)
			return 0;
		if (replace(ledger, &v, due, v.now_ns, v.n | LEDGER_SHARED))
			return due - v.sum;
	}
}

struct ledger_charge ledger_settle(struct ledger *ledger)
{
	for (;;) {
		struct view v = look(ledger);
		uint64_t due = v.n * v.now_ns;
		struct ledger_charge charge = {
			.ns = due - v.sum,
			.waiters = v.n,
			.held_ns = v.n ? v.now_ns - v.base_ns : 0,
			.at_ns = v.now_ns,
		};

		if (!v.n && !v.sum)
			return charge;
		if (replace(ledger, &v, due, v.now_ns, v.n))
			return charge;
	}
}
