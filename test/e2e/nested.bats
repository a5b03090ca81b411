#!/usr/bin/env bats
# Waits in a callback do not hide its run, and a loop's own are its turns.
#
# SPDX-License-Identifier: MIT

load lib

# nested_stalls WHAT FUNCTION CALL: the run of each of two callbacks, as long
# as the victim says, with the wait's caller on the stack, and not a turn more.
nested_stalls() {
	local runs

	stalls_of nested "$1"
	runs=$(awk '/^run / { sum += $2 } END { print sum + 0 }' <<<"$said")
	[[ $(header "$text" stalls) = 2 ]]
	[[ $(header "$text" turns) = 21 ]]
	lasts "$2" "$3" "$runs"
	grep -E "^  Thread nested .* made [0-9]+ waits inside its runs, at most [0-9]+ in one, in $3 by $2 \(" \
		"$RESULTS/report"
	"$STALLSHIM" report "$text" >"$RESULTS/report_of_text"
	grep "inside its runs, .* in one, in $3: " "$RESULTS/report_of_text"
	grep "^Stalls: 2 stalls " "$RESULTS/report_of_text"
	# Nor is it told by what call the wait was continued after a tick.
	[[ $(grep -owE "$CONTINUE" "$RESULTS/report" | grep -cvx "$3") = 0 ]]
}

CONTINUE='ppoll|pselect|epoll_pwait2'

@test "a wait for another descriptor in a callback is part of its run" {
	nested_stalls epoll-poll callback_polls poll
	nested_stalls epoll-ppoll callback_ppolls ppoll
	nested_stalls epoll-epoll callback_epolls epoll_pwait
	nested_stalls epoll-select callback_selects pselect
	nested_stalls poll-poll callback_polls poll
	nested_stalls poll-one callback_polls poll
	nested_stalls poll-alike poll_these poll
	nested_stalls poll-epoll callback_epolls epoll_pwait
	nested_stalls poll-select callback_selects pselect
	nested_stalls select-poll callback_polls poll
	nested_stalls select-select callback_selects pselect
}

@test "the cause is the call that took most of the time, not the first one" {
	nested_stalls epoll-sleep callback_sleeps_and_epolls epoll_pwait
	[[ $(grep -cE '  [0-9]+  [a-z_]+ \(.*\)  .*blocked in epoll_pwait' \
		"$RESULTS/report") = 2 ]]
	grep -E ' blocked in epoll_pwait \([78][0-9.]+%\) and others' \
		"$RESULTS/report"
}

@test "a handler in a sleep was called there, not where a tick continued it" {
	local tries=10

	# Where the machine is busy more of it may be that it was not let run.
	until stalls_of nested epoll-handler &&
		(($(header "$text" unscheduled) < 30000000)); do
		((--tries))
	done
	[[ $(header "$text" stalls) = 2 ]]
	[[ $(total_ns "$text" callback_is_interrupted) = \
		$(header "$text" stalled) ]]
	(($(total_ns "$text" handler_spins) > 2 * 40000000))
	run grep -wE "$CONTINUE" "$text"
	[[ $status = 1 ]]
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	grep -E '^     of it .* in usleep, .* in handler_spins' "$RESULTS/report"
}

@test "many short waits in a callback are one run" {
	nested_stalls epoll-often poll_often poll
	grep ' made 30 waits inside its runs, at most 15 in one, ' \
		"$RESULTS/report"
}

goes_on_for_seconds() {
	nested_stalls "$1" poll_often poll
}

@test "and so are those that go on for seconds" {
	side_by_side goes_on_for_seconds epoll-long poll-long
}

@test "a loop whose first callback waits has its stall told" {
	stalls_of nested busy-polls
	[[ $(header "$text" stalls) = 10 ]]
	[[ $(header "$text" turns) = 11 ]]
	between "$(awk '/^run / { sum += $2 } END { print sum }' <<<"$said")" \
		800000000 "$(header "$text" stalled)"
}

# All but the first run, by which it is not known yet which wait is the loop's.
@test "a loop that its first callbacks leave by many waits comes back" {
	local i

	for ((i = 0; i < 5; i++)); do
		stalls_of nested busy-often
		[[ $(header "$text" stalls) = 9 ]]
		[[ -z $(header "$text" left) ]]
		[[ $(grep -c ' wait=epoll_wait ' "$text") = 1 ]]
	done
}

# turns_only WHAT: each of two callbacks makes a turn.
turns_only() {
	stalls_of nested "$1"
	[[ $(header "$text" stalls) = 0 ]]
	[[ $(header "$text" turns) = 23 ]]
}

@test "a wait for the loop's own descriptors is a turn, wherever it is made" {
	turns_only own-descriptor
	turns_only own-in-poll
	turns_only own-in-select
	turns_only own-call
	turns_only no-less
}

@test "a loop whose descriptor is closed is over" {
	stalls_of nested reopens
	[[ $(header "$text" stalls) = 0 ]]
}

@test "waits that were taken for nested become the loop in ten seconds" {
	stalls_of nested moves
	[[ $(header "$text" stalls) = 0 ]]
	[[ $(header "$text" left) = 1 ]]
	between 10000000000 11500000000 "$(header "$text" leftfor)"
	(($(header "$text" turns) > 50))
	[[ $(total_ns "$text") = 0 ]]
	grep "wait=poll " "$text"
}

@test "what follows a loop's end is told, and no stall" {
	stalls_of nested leaves
	[[ $(header "$text" stalls) = 0 ]]
	between 200000000 2000000000 "$(header "$text" leftfor)"
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	grep '^Stalls: no stall' "$RESULTS/report"
	grep 'left its loop, and ran for .* without coming back: not a stall, in ' \
		"$RESULTS/report"
	# That is all: it is in no sum, no list and no profile.
	[[ $(grep -cE 'Why:|heaviest first|in order of time' \
		"$RESULTS/report") = 0 ]]
	[[ $(total_ns "$text") = 0 ]]
	"$STALLSHIM" report "$text" | tee "$RESULTS/report"
	grep 'left its loop, and ran for ' "$RESULTS/report"
}

@test "a loop that begins after polls at the start is one, and idle in between" {
	local polls

	for polls in 1 2 3; do
		stalls_of start_polls turns "$polls"
		[[ $(header "$text" stalls) = 1 ]]
		between "${said#run }" $((${said#run } + 20000000)) \
			"$(header "$text" stalled)"
		(($(header "$text" turns) >= 18))
		[[ $(total_ns "$text" callback_spins) = \
			"$(header "$text" stalled)" ]]
		[[ -z $(header "$text" left) ]]
	done
}

@test "a loop whose frames lie elsewhere is one still, and is not in doubt" {
	stalls_of start_polls moves 0
	[[ $(header "$text" stalls) = 1 ]]
	# What is in doubt has one stack.
	(($(total_count "$text" callback_waits) >= 5))
}

# start_waits WHAT SIGNAL STATUS [POLLS]: polls, then waits until the signal.
start_waits() {
	rm -f "$RESULTS"/*
	in_background under_shim STALLSHIM_STALL=25ms \
		STALLSHIM_LOG="$RESULTS/log" "$(victim start_polls)" "$1" \
		"${4-2}" >"$RESULTS/said"
	wait_until 10 grep . "$RESULTS/said"
	# Ten thresholds, in which nothing is to be seen.
	command sleep 0.25
	none_told
	kill "-$2" "$program"
	job_ends "$3"
	# Who has waited once is no loop, and leaves nothing.
	[[ ${4-2} = 1 ]] || none_told
	[[ ! -s $RESULTS/log ]]
}

@test "what waits for ever after polls at its start is no stall" {
	local where

	for where in idle pause sigwait join accept sem cond child; do
		start_waits $where TERM 143
	done
	start_waits idle KILL 137
	start_waits idle TERM 143 1
	start_waits sigwait KILL 137
	start_waits accept KILL 137
}

# seen_after CALL: what stalls after a call with a time-out has its stacks.
seen_after() {
	[[ $(under_shim "$(victim answered)" "$1") = "done" ]]
	text=$(result stall.txt)
	head -n 40 "$text"
	(($(total_count "$text" callback_late) >= 5))
}

@test "after one in the first callback that was answered in time ticks go on" {
	seen_after poll
	rm -f "$RESULTS"/*
	seen_after select
}

@test "the same where it was a transfer" {
	seen_after recv
	rm -f "$RESULTS"/*
	seen_after read
}

report_names() {
	"$STALLSHIM" report "$(result rec)" | grep "$1"
}

@test "a nested wait without an end is in the recording of a killed program" {
	in_background under_shim "$(victim nested)" for-ever
	wait_until 10 report_names callback_polls_for_ever
	kill -KILL "$program"
	job_ends 137
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	grep -E 'has not come back to its wait for .*; it was in poll for' \
		"$RESULTS/report"
	grep '> callback_polls_for_ever' "$RESULTS/report"
	grep '^Stalls: 1 stall of ' "$RESULTS/report"
}

@test "and of one that is ended, with all of its time on the stack" {
	in_background under_shim "$(victim nested)" for-ever
	wait_until 10 report_names callback_polls_for_ever
	kill -TERM "$program"
	job_ends 143
	text=$(result stall.txt)
	[[ $(header "$text" stalls) = 1 ]]
	[[ $(total_ns "$text") = "$(header "$text" stalled)" ]]
}

teardown() {
	end_background
}
