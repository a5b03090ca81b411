#!/usr/bin/env bats
# Random schedules, and a victim that keeps its own books: whom the profile
# charges, and with how much, is what the books say.
#
# SPDX-License-Identifier: MIT

load lib

burners=()

burn() {
	for _ in 1 2 3; do
		timeout 60 sh -c 'while :; do :; done' 3>&- &
		burners+=($!)
	done
}

teardown() {
	((${#burners[@]} == 0)) || kill "${burners[@]}" || true
}

# agrees NAME BOOKED SEEN DOUBT: to 2 % or 50 us, whichever is more, and what
# the books are in doubt about.
agrees() {
	local slack=$(($2 / 50))

	((slack > 50000)) || slack=50000
	echo "$1: booked $2 ns, seen $(($3 - $2)) ns more, in doubt $4 ns"
	between $(($2 - slack - $4)) $(($2 + slack + $4)) "$3"
}

# audit VICTIM SEED: a run of a second, and every number of it.
audit() {
	local who ns holds doubt all=0 doubts=0 mutex wait

	echo "seed $2"
	rm -f "$RESULTS"/*
	books=$(under_shim "$(victim "$1")" "$2")
	echo "$books"
	mutex=$(result mutex.txt)
	wait=$(without_joins "$(result wait.txt)")
	grep '^# ' "$mutex"
	law_closes "$mutex"
	[[ $(header "$mutex" open) = 0 ]]
	while read -r who ns holds doubt; do
		agrees "$who" "$ns" "$(total_ns "$mutex" "$who")" "$doubt"
		all=$((all + holds)) doubts=$((doubts + doubt))
	done < <(grep '^thread_' <<<"$books")
	((all > 200))
	# The books know what they speak of.
	((doubts * 20 < $(header "$mutex" charged)))
	for who in waited handoff; do
		ns=$(sed -n "s/^$who //p" <<<"$books")
		agrees "$who" "$ns" "$(header "$mutex" "$who")" "$doubts"
	done
	# And no nanosecond of it is without a stack.
	[[ $(total_ns "$mutex") = "$(header "$mutex" charged)" ]]
	ns=$(total_ns "$(without_joins "$wait")")
	[[ $ns = "$(header "$wait" waited)" ]]
}

@test "each holder is charged what it cost the others, in known schedules" {
	audit oracle 1
	audit oracle 2
	audit oracle 3
}

@test "each holder is charged what it cost the others, in a new schedule" {
	audit oracle "$((RANDOM * 32768 + RANDOM))"
}

@test "each holder is charged what it cost the others, on busy processors" {
	burn
	audit oracle 4
}

@test "readers and writers are charged what they cost, in known schedules" {
	audit oracle_rw 1
	audit oracle_rw 2
	audit oracle_rw 3
}

@test "readers and writers are charged what they cost, in a new schedule" {
	audit oracle_rw "$((RANDOM * 32768 + RANDOM))"
}

@test "readers and writers are charged what they cost, on busy processors" {
	burn
	audit oracle_rw 4
}
