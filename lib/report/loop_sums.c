/*
 * The event loops of a process, summed up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/loop_sums.h"

struct loop_sums loop_sums_of(const struct process *process)
{
	struct loop_sums sums = { 0 };

	for (size_t i = 0; i < process->loops_count; i++) {
		const struct loop *loop = &process->loops[i];

		sums.loops += loop->is_loop;
		sums.stalls += loop->stalls;
		sums.stalled_ns += loop->stalled_ns;
		sums.unseen += loop->unseen;
		sums.longest_ns = max_u64(sums.longest_ns, loop->longest_ns);
	}
	return sums;
}
