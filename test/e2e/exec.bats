#!/usr/bin/env bats
# Execs in programs with threads: results are written before, by one thread at a
# time. One that fails leaves the program, its files and its recording as they
# were; and whatever else ends the program meanwhile has the last word.
#
# SPDX-License-Identifier: MIT

load lib

setup() {
	NO_PROGRAM=$BATS_TEST_TMPDIR/no_program
	RESULTS=$BATS_TEST_TMPDIR/results
	mkdir "$RESULTS"
	# Not even for the shell, which some would run it by.
	printf '\0\0\0\0' >"$NO_PROGRAM"
	chmod +x "$NO_PROGRAM"
}

files() {
	find "$RESULTS" -name "*.$1" | wc -l
}

# runs CASE: as natively, at once.
runs() {
	rm -f "$RESULTS"/*
	run natively "$(victim exec)" "$1" "$NO_PROGRAM"
	expected="$status $output"
	status=0
	run under_shim "$(victim exec)" "$1" "$NO_PROGRAM"
	diff <(echo "$expected") <(echo "$status $output")
}

# ends CASE WORDS: as natively; the report tells how, and nobody gave up waiting
# for another who was to write the results.
ends() {
	for _ in {1..10}; do
		runs "$1"
		run "$STALLSHIM" report "$(result rec)"
		[[ $output = *", $2 after "* ]]
		[[ $(files stall.txt) = 1 && $(files new) = 0 ]]
	done
}

@test "threads whose execs fail leave the program's files alone" {
	runs files
}

@test "a signal ends a program in which execs fail" {
	ends raise "ended by SIGTERM"
}

@test "exit does, too" {
	ends exit "exited"
}

@test "and _exit" {
	ends _exit "left by _exit(3)"
}

@test "an exec that fails before there is anything to record: it is later" {
	runs first
	[[ $(files rec) = 1 && $(files txt) = 0 ]]
	"$STALLSHIM" report "$(result rec)" | grep -E "^[ >]+stall +victim_exec"
}

@test "a callback that computed before it execs has stalled, until then" {
	local run

	run=$(under_shim "$(victim exec)" late | awk '{ print $2 }')
	[[ $(header "$(result stall.txt)" stalls) = 1 ]]
	# It has still to write what its clock says, and to be let.
	between $((run * 99 / 100)) $((run + 2000000 +
		$(header "$(result stall.txt)" unscheduled))) \
		"$(header "$(result stall.txt)" stalled)"
	[[ $(total_ns "$(result stall.txt)") = \
		$(header "$(result stall.txt)" stalled) ]]
}

@test "where the exec fails it is one stall, with what came after" {
	local run

	run=$(under_shim "$(victim exec)" again "$NO_PROGRAM" |
		awk '{ print $2 }')
	[[ $(header "$(result stall.txt)" stalls) = 1 ]]
	lasts_as_said "$(result stall.txt)" "$run"
	[[ $(total_ns "$(result stall.txt)" fail_late) = \
		$(header "$(result stall.txt)" stalled) ]]
}

# busy REPORT: the largest share of its time that a loop ran, in per cent.
busy() {
	awk '/^  loop +waits in/ { is_list = 1; next }
		/^$/ { is_list = 0 }
		is_list && $(NF - 3) + 0 > most { most = $(NF - 3) + 0 }
		END { printf "%d", most + 0.5 }' "$1"
}

@test "threads that work until the exec: no sum is more than can be" {
	local report=$BATS_TEST_TMPDIR/report

	for _ in {1..10}; do
		rm -f "$RESULTS"/*
		under_shim STALLSHIM_STALL=1ms "$(victim exec)" become
		law_closes "$(result mutex.txt)"
		"$STALLSHIM" report "$(result rec)" >"$report"
		grep "became another program" "$report"
		cat "$report"
		between 1 100 "$(busy "$report")"
		# It lived for less than a second, so none waits for an hour.
		run grep -E '[0-9]h ' "$report"
		[[ $status = 1 ]]
	done
}
