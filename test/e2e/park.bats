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
	between 60000000 $((200000000 + $(header "$text" unscheduled))) \
		"$(header "$text" stalled)"
	[[ $(total_ns "$text" callback_spins) = "$(header "$text" stalled)" ]]
}

# lead N: its pool's longest run by its own clock, and what the shim told of it.
lead() {
	RESULTS=$BATS_TEST_TMPDIR/$1
	mkdir "$RESULTS"
	under_shim STALLSHIM_STALL=10ms "$(victim park)" leaders >"$RESULTS/own"
}

@test "a thread that is woken from its parking just as a tick comes is idle" {
	local i text own

	for i in {1..8}; do
		lead $i 3>&- &
	done
	wait
	for i in {1..8}; do
		RESULTS=$BATS_TEST_TMPDIR/$i
		text=$(result stall.txt)
		own=$(<"$RESULTS/own")
		cat "$text"
		[[ $(header "$text" loops) = 4 ]]
		# The shim's clock starts earlier and stops later, a little.
		between 1000000 $((own + 2000000)) "$(header "$text" longest)"
	done
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

@test "a loop that waits for a condition in each of its turns is stalled in it" {
	park own-turns
	[[ $(header "$text" loops) = 1 ]]
	# Where the machine is busy other turns are long as well.
	between 2 15 "$(header "$text" stalls)"
	between 120000000 2000000000 "$(total_ns "$text" turn_awaits)"
	grep 'cause=blocked call=pthread_cond_wait ' "$text"
	[[ $(grep -c 'call=futex' "$text") = 0 ]]
}

@test "a worker that polls for answers is idle between its jobs" {
	park worker
	[[ $(header "$text" loops) = 1 ]]
	[[ $(header "$text" stalls) = 0 ]]
}

@test "a callback that waits for a condition is stalled, wherever else it parks" {
	park future
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 400000000 "$(total_ns "$text" callback_awaits)"
}
