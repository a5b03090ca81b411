#!/usr/bin/env bats
# Condition variables: to sleep is no contention; to get the mutex back is, from
# the wake-up on, charged to who holds it meanwhile.
#
# SPDX-License-Identifier: MIT

load lib

# on WHAT: what the victim booked is in $books, the profile in $text.
on() {
	rm -f "$RESULTS"/*
	books=$(under_shim "$(victim cond)" "$1")
	text=$(result mutex.txt)
	echo "$books"
	cat "$text"
	law_closes "$text"
}

# charged_as_booked: the one function the victim named, to 5 % or 0.2 ms.
charged_as_booked() {
	local who booked

	read -r who booked <<<"$books"
	between $((booked * 95 / 100 - 200000)) $((booked * 105 / 100 + 200000)) \
		"$(total_ns "$text" "$who")"
}

@test "a broadcast to 50 sleepers costs who holds the lock then" {
	on herd
	charged_as_booked
	# The herd itself drops the lock at once, one after the other.
	between 0 $(($(total_ns "$text") / 20)) "$(total_ns "$text" unlock_awake)"
	[[ $(total_count "$text" unlock_awake) = 49 ]]
}

@test "the same in C11" {
	on c11
	charged_as_booked
}

@test "to sleep is no contention" {
	books=$(under_shim "$(victim cond)" idle)
	text=$(result mutex.txt)
	between 0 50000000 "$(header "$text" waited)"
}

@test "each of ten signals costs what the lock is held after it" {
	on single
	charged_as_booked
}

@test "a sleeper that is cancelled is nobody's waiter any more" {
	on cancel
	charged_as_booked
	[[ $(header "$text" open) = 0 ]]
}

@test "a sleeper on its way back is in no deadlock with itself" {
	local i

	for ((i = 0; i < 20; i++)); do
		on exit
		"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
		[[ $(grep -c Deadlock "$RESULTS/report") = 0 ]]
	done
}

@test "signals, broadcasts and time-outs in a storm" {
	on storm
	[[ $(header "$text" open) = 0 ]]
}
