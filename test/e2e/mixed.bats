#!/usr/bin/env bats
# Of a stall with several causes the one that cost most is told.
#
# SPDX-License-Identifier: MIT

load lib

# mixed WHAT: the victim's report, from the recording and from the text, and the
# line of its longest stall.
mixed() {
	rm -f "$RESULTS"/*
	under_shim STALLSHIM_STALL=10ms STALLSHIM_LOG="$RESULTS/log" \
		"$(victim mixed)" "$@"
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	cat "$RESULTS/report" "$RESULTS/log"
	longest=$(grep -E '^ +[0-9.]+m?s +[0-9.]+ms +mixed ' \
		"$RESULTS/report" | grep -E ' +3[0-9][0-9]ms ')
}

# let_go_by WHO LOCK FUNCTION
let_go_by() {
	[[ $longest =~ "waiting for $2, held by $1 (" ]]
	grep -A 2 -E "^     $2 was let go by $1 \([0-9]+\), in\$" \
		"$RESULTS/report" | grep "> $3 "
}

@test "of two locks a stall names the one that it waited for longer" {
	mixed locks
	let_go_by bob index_lock release_at_last
}

@test "of two holders of one lock a stall names who held it longer" {
	mixed holders
	let_go_by bob cache_lock release_at_last
}
