#!/usr/bin/env bats
# A loop's thread that parks is idle; one that waits in a callback is stalled.
#
# SPDX-License-Identifier: MIT

load lib

# park WHAT
park() {
	rm -f "$RESULTS"/*
	under_shim STALLSHIM_STALL=25ms "$(victim park)" "$1"
	text=$(result stall.txt)
	cat "$text"
}

@test "threads that take turns at one descriptor park, and stall in callbacks" {
	park turns
	[[ $(header "$text" loops) = 2 ]]
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 200000000 "$(header "$text" stalled)"
	[[ $(total_ns "$text" callback_spins) = "$(header "$text" stalled)" ]]
}

@test "a loop given back to its pool is no stall, nor is what it does there" {
	local way

	for way in cond sem futex; do
		park given-back-$way
		[[ $(header "$text" loops) = 1 ]]
		[[ $(header "$text" stalls) = 0 ]]
		[[ -z $(header "$text" left) ]]
		[[ $(total_ns "$text") = 0 ]]
	done
}

@test "a callback that waits for a condition is stalled, wherever else it parks" {
	park future
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 400000000 "$(total_ns "$text" callback_awaits)"
}
