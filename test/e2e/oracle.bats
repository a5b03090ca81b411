#!/usr/bin/env bats
# Random schedules, and a victim that keeps its own books: whom the profile
# charges, and with how much, is what the books say.
#
# SPDX-License-Identifier: MIT

load lib

burners=()

teardown() {
	((${#burners[@]} == 0)) || kill "${burners[@]}" || true
}

# agrees NAME BOOKED HOLDS SEEN: to 2 % or 50 us a hold, whichever is more.
agrees() {
	local slack=$(($2 / 50)) floor=$((50000 * $3))

	((slack > floor)) || slack=$floor
	between $(($2 - slack)) $(($2 + slack)) "$4" || {
		echo "$1: booked $2 ns in $3 holds"
		return 1
	}
}

# audit SEED: a run of a second, and every number of it.
audit() {
	local who ns holds all=0 mutex wait

	echo "seed $1"
	rm -f "$RESULTS"/*
	books=$(under_shim "$(victim oracle)" "$1")
	echo "$books"
	mutex=$(result mutex.txt)
	wait=$(result wait.txt)
	grep '^# ' "$mutex"
	law_closes "$mutex"
	[[ $(header "$mutex" open) = 0 ]]
	while read -r who ns holds; do
		agrees "$who" "$ns" "$holds" "$(total_ns "$mutex" "$who")"
		all=$((all + holds))
	done < <(grep '^thread_' <<<"$books")
	((all > 200))
	for who in waited handoff; do
		ns=$(sed -n "s/^$who //p" <<<"$books")
		agrees "$who" "$ns" "$all" "$(header "$mutex" "$who")"
	done
	# And no nanosecond of it is without a stack.
	[[ $(total_ns "$mutex") = "$(header "$mutex" charged)" ]]
	[[ $(total_ns "$wait") = "$(header "$wait" waited)" ]]
}

@test "each holder is charged what it cost the others, in known schedules" {
	audit 1
	audit 2
	audit 3
}

@test "each holder is charged what it cost the others, in a new schedule" {
	audit "$((RANDOM * 32768 + RANDOM))"
}

@test "each holder is charged what it cost the others, on busy processors" {
	for _ in 1 2 3; do
		timeout 60 sh -c 'while :; do :; done' 3>&- &
		burners+=($!)
	done
	audit 4
}
