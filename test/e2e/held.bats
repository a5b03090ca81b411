#!/usr/bin/env bats
# A lock that is waited for and never let go: what a report tells of its holder
# while the program runs, and after it was killed.
#
# SPDX-License-Identifier: MIT

load lib

teardown() {
	end_background
}

# keep HOW: the victim, as its visitor waits.
keep() {
	in_background under_shim "$(victim held)" "$1" >"$RESULTS/out"
	wait_until 30 grep ready "$RESULTS/out"
	wait_until 30 told 'Thread visitor .* has waited'
}

# told PATTERN: by a report made now, which is left in report.
told() {
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	grep -E "$1" "$RESULTS/report"
}

# by_keeper: its name and number are told.
by_keeper() {
	told 'Thread visitor .* for 0x[0-9a-f]+, held by thread keeper \([0-9]+\)'
}

# ends_by SIGNAL
ends_by() {
	kill -"$1" "$program"
	wait_until 20 has_ended "$program"
}

@test "of a running program the holder's name is told" {
	keep quiet
	by_keeper
	# It took the lock unseen, so there is no more to tell.
	! grep 'keeper .* got it in' "$RESULTS/report"
}

@test "a program that is ended by a signal has left the holder's name" {
	keep quiet
	ends_by TERM
	told 'ended by SIGTERM'
	by_keeper
}

@test "a holder that had to wait has left its name and its stack" {
	keep waited
	by_keeper
	ends_by KILL
	told 'killed\?'
	by_keeper
	grep -A 4 -E '^     keeper \([0-9]+\) got it in' "$RESULTS/report" |
		grep '> keep '
}

@test "a holder that is stalled itself is shown where it is" {
	keep stalled
	wait_until 30 told 'keeper \([0-9]+\) is stalled itself, and was last seen in'
	ends_by KILL
	by_keeper
	grep -A 9 'is stalled itself, and was last seen in' "$RESULTS/report" |
		grep ' compute '
}

@test "who waits for a lock that it holds itself is told so" {
	keep itself
	wait_until 30 told 'waiting for .*, held by itself'
	told 'Thread keeper .* has waited .*, held by itself'
	ends_by KILL
	told 'waiting for .*, held by itself'
}

@test "of a killed program no wait is said to have taken no time" {
	keep quiet
	ends_by KILL
	told 'Thread visitor .* has waited (from [0-9.]+[mu]?s on, for an unknown time,|[0-9.]+[mu]?s) for 0x'
	! grep -w 0ns "$RESULTS/report"
}

@test "a lock on main's stack is not said to be in the heap" {
	keep quiet
	told '0x7ff[0-9a-f]+ +mutex +stack, met in visit'
}
