#!/usr/bin/env bats
# Polls that a thread makes beside the loop of a library that it has turn once.
#
# SPDX-License-Identifier: MIT

load lib

# run_beside WHAT [set]
run_beside() {
	rm -f "$RESULTS"/*
	said=$(under_shim STALLSHIM_STALL=25ms "$(victim beside)" "$@")
	text=$(result stall.txt)
	echo "$*: $said"
	grep '^# ' "$text"
}

# all_told WHAT FUNCTION CALL TURNS [FIRST]: the run of each of ten polls, or of
# all but the first ones, as long as the victim says, and not a turn more.
all_told() {
	local runs

	run_beside "$1"
	runs=$(awk -v from="${5-1}" '/^run / && ++n >= from { sum += $2 }
		END { print sum + 0 }' <<<"$said")
	[[ $(header "$text" stalls) = $((11 - ${5-1})) ]]
	[[ $(header "$text" turns) = "$4" ]]
	lasts "$2" "$3" "$runs"
}

@test "a poll beside the library that a loop has turn once is part of its run" {
	all_told polls work_polls poll 114
	all_told ppolls work_ppolls ppoll 114
	all_told selects work_selects select 114
	all_told calls work_calls ppoll 114
	all_told set-polls work_polls poll 114
	all_told set-selects work_selects select 114
}

@test "so are many short ones, and one of nothing, as who sleeps makes" {
	all_told often work_often poll 226
	all_told sleeps work_sleeps poll 114
}

@test "and those that leave the loop little time, if it has events to wait for" {
	all_told busy-polls work_polls poll 51
}

# By those of the first eight turns it is not known yet whose loop it is.
@test "where the first turns poll already the later ones are told" {
	all_told early-polls work_polls poll 112 3
}

@test "who polls for what it is to do is idle, if its start turned in a library" {
	local where

	for where in once in-main in-turns in-turns-again between alike \
		closed embeds; do
		run_beside idle-$where
		none_told
	done
}

@test "the same of a library that polls a set" {
	local where

	for where in once in-main in-turns between alike; do
		run_beside idle-$where set
		none_told
	done
}

# Its requests are told, as the library that is called there waits in a callback.
@test "so is who has a library turn for long in each of its requests" {
	local where

	for where in first by-other-calls listens; do
		run_beside idle-$where
		[[ $(total_ns "$text" wait_for_request) = 0 ]]
		[[ $(total_ns "$text" poll_listener) = 0 ]]
		(($(total_ns "$text" turn_often) > 0))
	done
}

# waits_for_ever SIGNAL STATUS
waits_for_ever() {
	rm -f "$RESULTS"/*
	in_background under_shim STALLSHIM_STALL=25ms \
		STALLSHIM_LOG="$RESULTS/log" "$(victim beside)" idle-for-ever \
		>"$RESULTS/said"
	wait_until 10 grep waits "$RESULTS/said"
	# Ten thresholds, in which nothing is to be seen.
	command sleep 0.25
	none_told
	kill "-$1" "$program"
	job_ends "$2"
	none_told
	[[ ! -s $RESULTS/log ]]
}

@test "and who does so for ever, however it ends" {
	waits_for_ever TERM 143
	waits_for_ever KILL 137
}

teardown() {
	end_background
}
