#!/usr/bin/env bats
# A stall is seen however long the one before it was. The ticks of a long one
# come ever more seldom, which is no affair of the next run's.
#
# SPDX-License-Identifier: MIT

load lib

# next_is_seen HOW: what the short callbacks took is on stacks of theirs, but
# for what a late tick may find behind them.
next_is_seen() {
	local said short

	said=$(under_shim "$(victim next)" "$1")
	short=${said#short }
	text=$(result stall.txt)
	echo "$said"
	cat "$text"
	between $((short * 7 / 8)) \
		$((short * 9 / 8 + $(header "$text" unscheduled))) \
		"$(total_ns "$text" short_callback)"
}

@test "a stall that follows on a long one has its stacks" {
	side_by_side next_is_seen computes blocks waits
}

@test "and where the tick signal has moved in the long one" {
	next_is_seen claims
}
