#!/usr/bin/env bats
# Contention of special kinds: starving waiters, waits that time out, more
# stacks than there is room for, libraries loaded at run time.
#
# SPDX-License-Identifier: MIT

load lib

# causes [NAME=VALUE...] -- HOW [ARGUMENT]
causes() {
	local settings=()

	while [[ $1 != -- ]]; do
		settings+=("$1")
		shift
	done
	shift
	books=$(under_shim "${settings[@]}" "$(victim causes)" "$@")
	mutex=$(result mutex.txt)
	wait=$(without_joins "$(result wait.txt)")
	echo "$books"
	grep '^# ' "$mutex"
	law_closes "$mutex"
	[[ $(header "$mutex" open) = 0 ]]
}

# as_booked FUNCTION: to 2 % or a millisecond.
as_booked() {
	local booked slack

	booked=$(awk -v name="$1" '$1 == name { print $2 }' <<<"$books")
	slack=$((booked / 50 + 1000000))
	between $((booked - slack)) $((booked + slack)) \
		"$(total_ns "$mutex" "$1")"
}

# discarded TEXT: samples and nanoseconds without a stack.
discarded() {
	sed -n 's/^discarded samples=//p' "$1"
	header "$1" discarded | sed 's/ns:$//'
}

@test "who takes the lock again at once pays for each hold apart" {
	causes -- starve
	as_booked unlock_even
	as_booked unlock_odd
	# More unlocks than waits: a wait lasts for many holds.
	(($(total_count "$mutex" unlock_even) > 10))
	(($(total_count "$mutex" unlock_odd) > 10))
}

@test "waits that time out are owed by the holder, and return the same" {
	causes -- timeouts 2>"$RESULTS/shim"
	[[ $(<"$RESULTS/shim") = '1 1 1 1 1' ]]
	natively "$(victim causes)" timeouts 2>"$RESULTS/native" >/dev/null
	diff "$RESULTS/native" "$RESULTS/shim"
	as_booked unlock_even
	# Three waits, one unlock that found them out; the next finds nothing.
	[[ $(total_count "$wait") = 3 ]]
	[[ $(total_count "$mutex") = 1 ]]
	[[ $(total_ns "$mutex" unlock_odd) = 0 ]]
	[[ $(header "$mutex" handoff) = 0 ]]
}

@test "more stacks than there is room for: what is discarded is exact" {
	local lost

	causes STALLSHIM_MEMORY=256K -- stacks 2000
	mapfile -t lost < <(discarded "$mutex")
	echo "${lost[@]}"
	((lost[0] > 100 && lost[1] > 0))
	[[ $(($(total_count "$mutex") + lost[0])) = 2000 ]]
	[[ $(($(total_ns "$mutex") + lost[1])) = "$(header "$mutex" charged)" ]]
	mapfile -t lost < <(discarded "$wait")
	# Where there is no room for it, main's join is among them.
	between 2000 2001 $(($(total_count "$wait") + lost[0]))
	grep '^# lost=.*stack table full' "$mutex"
}

@test "a library loaded at run time: its lock and its functions have names" {
	causes -- plugin "$BUILD/victims/plugin_contend.so"
	[[ $books = "done" ]]
	[[ $(total_count "$mutex" plugin_release) = 2 ]]
	grep '^#.*name=plugin_lock object=plugin_contend.so' "$mutex"
	grep '^#.*name=lock object=causes' "$mutex"
}

@test "a library whose calls go round the shim harms nobody" {
	books=$(under_shim STALLSHIM_KEEP=all "$(victim causes)" deepbind \
		"$BUILD/victims/plugin_contend.so")
	[[ $books = "done" ]]
	law_closes "$(result mutex.txt)"
}

@test "locks taken before any constructor: the program starts, and the same" {
	early() {
		"$1" "$(victim causes)" early
	}
	same_both_ways early
	[[ $(early under_shim) = '0 0 1 1' ]]
}
