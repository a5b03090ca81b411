#!/usr/bin/env bats
# Several locks between two ticks: each cause has the time that was waited with
# it, and what is told is what most of that was.
#
# SPDX-License-Identifier: MIT

load lib

# slices HOW: the victim; its waits are in $said.
slices() {
	rm -f "$RESULTS"/*
	said=$(under_shim STALLSHIM_STALL="${threshold:-10ms}" \
		"$(victim slices)" "$1")
	text=$(result stall.txt)
	report=$("$STALLSHIM" report "$(result rec)")
	cat "$text"
	echo "$said"
	echo "$report"
}

# waited NAME...: for these together, by the victim's own clock.
waited() {
	local name sum=0

	for name; do
		sum=$((sum + $(sed -n "s/^$name //p" <<<"$said")))
	done
	echo "$sum"
}

# of_lock NAME: what the stalls' samples say was waited for it.
of_lock() {
	awk -v name=" name=$1 " '
		/^[0-9]+ [0-9]+ @/ { ns = $1 }
		/^#\tcause=/ && index($0, name) { sum += ns }
		END { printf "%.0f\n", sum }' "$text"
}

# A slice has one lock for each cause: that with most of it.
@test "a slice is the lock's that it waited for most, if for less than half" {
	local tries=10

	# A busy machine may let a tick come elsewhere, and lengthen any wait.
	until slices locks && (($(of_lock door) > $(total_ns "$text") * 3 / 4)); do
		((--tries))
	done
	grep -E 'waiting for door' <<<"$report"
}

@test "kinds of wait in one slice are each as long as they were" {
	local semaphore locks slack tries=10

	# On a busy machine a callback may come too late to wait for long.
	until threshold=12ms slices kinds &&
		[[ $(header "$text" stalls) = 20 ]]; do
		((--tries))
	done
	semaphore=$(waited mail)
	locks=$(waited door shelf)
	# What a slice has too little of to be told apart, and the rest of turns.
	slack=$((locks / 8 + $(header "$text" unscheduled)))
	between $((semaphore - slack)) $((semaphore + slack)) \
		"$(header "$text" semaphore)"
	between $((locks - slack)) $((locks + slack)) "$(header "$text" lock)"
	[[ $(of_lock mail) = "$(header "$text" semaphore)" ]]
	[[ $(($(of_lock door) + $(of_lock shelf))) = \
		"$(header "$text" lock)" ]]
}

@test "memory that is another lock next is told as that" {
	slices reuse
	grep -E 'waiting at barrier place( |$)' <<<"$report"
	grep -E 'waiting for place, held by ' <<<"$report"
	grep -E 'waiting for semaphore place' <<<"$report"
	for kind in barrier lock semaphore; do
		between 40000000 1000000000 "$(header "$text" $kind)"
	done
	grep -E '^  place +mutex ' <<<"$report"
	grep -E '^  place +barrier ' <<<"$report"
}

@test "a holder has the name that it had when it let go" {
	slices renamed
	grep -E 'waiting for door, held by worker ' <<<"$report"
}
