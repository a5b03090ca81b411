#!/usr/bin/env bats
# Of a stall with several causes the one that cost most is told.
#
# SPDX-License-Identifier: MIT

load lib

# mixed WHAT: the victim's report and log.
mixed() {
	rm -f "$RESULTS"/*
	under_shim STALLSHIM_STALL=10ms STALLSHIM_LOG="$RESULTS/log" \
		"$(victim mixed)" "$@"
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	cat "$RESULTS/report" "$RESULTS/log"
}

# held_by_bob WHAT: until the machine lets who holds it briefly do so.
held_by_bob() {
	local tries=10

	until mixed "$1" && (($(total_ns "$(result mutex.txt)" release_at_last) >
		2 * $(total_ns "$(result mutex.txt)" release_briefly))); do
		((--tries))
	done
}

# let_go_by_bob LOCK
let_go_by_bob() {
	grep -E "waiting for $1, held by bob \(" "$RESULTS/report"
	grep -A 2 -E "^     $1 was let go by bob \([0-9]+\), in\$" \
		"$RESULTS/report" | grep '> release_at_last '
	grep -E 'stalled for .*, held by bob \(' "$RESULTS/log"
	! grep -E '(held|let go) by alice' "$RESULTS/report" "$RESULTS/log"
}

@test "of two locks a stall names the one that it waited for longer" {
	held_by_bob locks
	let_go_by_bob index_lock
}

@test "of two holders of one lock a stall names who held it longer" {
	held_by_bob holders
	let_go_by_bob cache_lock
}
