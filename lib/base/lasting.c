/*
 * Stalls that last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/lasting.h"

#include "base/atomic.h"
#include "base/loops.h"

/* Is the thread in a call whose caller was noted when it began? */
static bool is_blocked(const struct thread_record *thread)
{
	return load_relaxed(&thread->blocked_call) != CALL_NONE &&
	       load_relaxed(&thread->blocked_stack);
}

static uint64_t rest_key(const struct thread_record *thread)
{
	uint32_t call = load_relaxed(&thread->blocked_call);

	return SAMPLE_KEY(SAMPLE_STALL, CAUSE_WORD(CAUSE_BLOCKED, call),
			  load_relaxed(&thread->blocked_stack));
}

struct lasting lasting_of(const struct recording *rec,
			  const struct thread_record *thread, uint64_t now_ns)
{
	uint64_t ns = thread_unfinished_ns(rec, thread, now_ns);
	uint64_t shared_ns = load_relaxed(&thread->run_shared_ns);
	uint64_t begun_ns = load_relaxed(&thread->run_begun_ns);
	struct lasting lasting = { .ns = 0 };

	if (!thread_is_loop(thread) || !begun_ns ||
	    (!ns && shared_ns <= begun_ns))
		return lasting;
	if (ns && is_blocked(thread)) {
		lasting.rest_ns = now_ns - max_u64(shared_ns, begun_ns);
		lasting.rest_key = rest_key(thread);
		lasting.ns = ns;
	} else if (shared_ns > begun_ns) {
		lasting.ns = shared_ns - begun_ns;
	} else {
		lasting.ns = ns;
		lasting.is_unseen = true;
	}
	return lasting;
}
