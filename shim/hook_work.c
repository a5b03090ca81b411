/*
 * Calls by which threads wait for work, and which are hooked for that alone, as
 * no tick breaks them: message queues, locks of files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_block.h"
#include "hook_work.h"
#include "sigsafe/signals/transfer.h"

cold bool hook_work_asked(const struct call_site *from, bool may_last)
{
	if (thread_self.run_begun_ns)
		return live_recording() && park_own_knows(from);
	if (may_last && park_own_may_teach())
		park_own_teach(from);
	return false;
}

cold bool hook_work_asked_of(const struct call_site *from, int fd)
{
	const struct transfer what = { .fd = fd };

	if (thread_self.run_begun_ns)
		return hook_work_asked(from, true);
	if (park_own_may_teach() && transfer_is_from_others(&what))
		park_own_teach(from);
	return false;
}

#define X(result, name, parameters, arguments, call, end)                      \
	HOOK result name parameters                                            \
	{                                                                      \
		struct call_site from = CALL_SITE_HERE;                        \
		bool works = hook_may_work(&from, true);                       \
		struct block block = { 0 };                                    \
		result got;                                                    \
                                                                               \
		if (works)                                                     \
			block = hook_work_begin(call, &from, end);             \
		got = real.name arguments;                                     \
		hook_work_end(works, &block);                                  \
		return got;                                                    \
	}
HOOKS_WORK(X)
#undef X
