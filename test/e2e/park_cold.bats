#!/usr/bin/env bats
# A thread of a pool that takes turns at one epoll descriptor, and has not yet
# waited there itself: what it does once it has parked is a run of the loop.
#
# SPDX-License-Identifier: MIT

load lib

@test "a thread that has only parked yet stalls where others take turns" {
	local callback

	stalls_of park_cold turns
	between 2 3 "$(header "$text" loops)"
	[[ $(header "$text" stalls) = 3 ]]
	for callback in polls awaits spins; do
		between 50000000 400000000 \
			"$(total_ns "$text" callback_$callback)"
	done
	grep 'cause=blocked call=poll ' "$text"
}

@test "so does one that is the first to take the seat, if it had parked twice" {
	stalls_of park_cold own-turn
	[[ $(header "$text" stalls) = 1 ]]
	between 50000000 400000000 "$(total_ns "$text" callback_spins)"
}

@test "but not while nobody has come from there to the seat" {
	stalls_of park_cold unknown
	[[ $(header "$text" loops) = 1 ]]
	[[ $(header "$text" stalls) = 0 ]]
	[[ -z $(header "$text" left) ]]
}

@test "what waits for a word to start by does not stall in its start-up" {
	stalls_of park_cold start
	[[ $(header "$text" stalls) = 0 ]]
	[[ -z $(header "$text" left) ]]
}

@test "nor do workers whose jobs each have a loop of their own" {
	stalls_of park_cold jobs
	[[ $(header "$text" stalls) = 0 ]]
	[[ -z $(header "$text" left) ]]
}

@test "who waits for a word to start a loop of its own by has that one" {
	stalls_of park_cold other-loop
	[[ $(header "$text" loops) = 2 ]]
	[[ $(header "$text" stalls) = 1 ]]
	between 50000000 400000000 "$(total_ns "$text" callback_spins)"
}

# is_idle WHAT: a busy machine may keep the others from the seat for so long
# that who parks is alone.
is_idle() {
	local tries=5

	stalls_of park_cold "$1"
	until [[ $(header "$text" stalls) = 0 ]]; do
		((--tries))
		stalls_of park_cold "$1"
	done
}

@test "and has others to take turns with from the first wait on" {
	is_idle other-turns
}

@test "who parks deeper in its stack than it has waited to start is idle" {
	is_idle deeper
}

@test "workers that look for events before they park are idle there" {
	local what

	for what in looks looks-shared; do
		stalls_of park_cold $what
		[[ $(header "$text" stalls) = 2 ]]
		between 50000000 400000000 "$(total_ns "$text" callback_spins)"
		between 50000000 400000000 "$(total_ns "$text" callback_awaits)"
	done
}

@test "a loop that waits after each look, as no other does, is stalled" {
	stalls_of park_cold look-alone
	between 3 6 "$(header "$text" stalls)"
	between 150000000 2000000000 "$(total_ns "$text" take_order)"
}
