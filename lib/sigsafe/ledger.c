/*
 * The arithmetic of ledger.h. Owns nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/ledger.h"

#include "base/atomic.h"
#include "sigsafe/clock.h"
#include "sigsafe/machine.h"

/* A ledger, unpacked, and the time it was looked at. */
struct view {
	uint64_t sum;
	uint64_t base_n;
	uint64_t n;
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
	int64_t age = (int64_t)((now_ns << LEDGER_N_BITS) -
				(base_n >> LEDGER_N_BITS << LEDGER_N_BITS));

	return now_ns - (uint64_t)(age >> LEDGER_N_BITS);
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
	v.now_ns = clock_now_ns();
	v.base_ns = base_near(v.base_n, v.now_ns);
	return v;
}

static bool replace(struct ledger *ledger, const struct view *old, uint64_t sum,
		    uint64_t base_ns, uint64_t n)
{
	uint64_t low = old->sum, high = old->base_n;

	return machine_cas16(ledger, &low, &high, sum,
			     base_ns << LEDGER_N_BITS | n);
}

uint64_t ledger_enter(struct ledger *ledger, uint64_t *waiters)
{
	for (;;) {
		struct view v = look(ledger);
		uint64_t base_ns = v.n ? v.base_ns : v.now_ns;

		if (v.n == LEDGER_MAX_WAITERS)
			return 0;
		*waiters = v.n + 1;
		if (replace(ledger, &v, v.sum + v.now_ns, base_ns, v.n + 1))
			return v.now_ns;
	}
}

struct ledger_leave ledger_acquired(struct ledger *ledger, uint64_t start_ns)
{
	for (;;) {
		struct view v = look(ledger);
		uint64_t charged_to = max_u64(start_ns, v.base_ns);
		uint64_t others = v.n - 1;
		uint64_t behind_ns = others * v.now_ns - (v.sum - charged_to);
		struct ledger_leave leave = {
			.until_ns = v.now_ns,
			.handoff_ns = v.now_ns - charged_to + behind_ns,
		};

		if (replace(ledger, &v, others * v.now_ns, v.now_ns, others))
			return leave;
	}
}

struct ledger_leave ledger_gave_up(struct ledger *ledger)
{
	for (;;) {
		struct view v = look(ledger);
		struct ledger_leave leave = { .until_ns = v.now_ns };

		if (replace(ledger, &v, v.sum - v.now_ns, v.base_ns, v.n - 1))
			return leave;
	}
}

struct ledger_leave ledger_withdraw(struct ledger *ledger, uint64_t start_ns)
{
	for (;;) {
		struct view v = look(ledger);
		uint64_t charged_to = max_u64(start_ns, v.base_ns);
		struct ledger_leave leave = { .until_ns = charged_to };

		if (replace(ledger, &v, v.sum - charged_to, v.base_ns, v.n - 1))
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
