#!/usr/bin/env bats
# A stall is a stall, and nothing else is.
#
# SPDX-License-Identifier: MIT

load lib

# run_loop WHAT [WAIT]: the victim under the shim; what it said is in $said.
run_loop() {
	said=$(under_shim "${settings[@]}" "$(victim loop)" "$@")
	text=$(result stall.txt)
	cat "$text"
}

setup() {
	settings=()
}

# measured: the runs by the victim's own clock, added up.
measured() {
	awk '/^run / { sum += $2 } END { print sum + 0 }' <<<"$said"
}

# one_stall FUNCTION: one stall as long as the victim says, all of it on stacks
# with FUNCTION, shares adding up to its duration. A busy machine may keep the
# thread from running elsewhere, which is a stall of its own; and the last tick
# until FUNCTION is over, which takes what passed since the one before: 10 ms and
# what it is late.
one_stall() {
	local stalls stalled elsewhere

	[[ $said != *"cut short"* ]]
	stalls=$(header "$text" stalls)
	stalled=$(header "$text" stalled)
	elsewhere=$((stalled - $(total_ns "$text" "$1")))
	((stalls == 1 && elsewhere == 0)) || {
		is_busy
		between $(((stalls - 1) * ${threshold_ns:-10000000})) \
			$(($(header "$text" unscheduled) + 10200000)) \
			"$elsewhere"
	}
	lasts_as_said "$text" "$(measured)"
	[[ $(total_ns "$text") = "$stalled" ]]
}

# Do more threads want to run than there are processors?
is_busy() {
	(($(cut -d. -f1 /proc/loadavg) >= $(nproc)))
}

@test "a callback that computes for 52 ms is one stall, named" {
	run_loop spin
	one_stall callback_spin
	(($(total_count "$text") >= 2))
}

@test "where a vfork child sleeps it is not the loop that does" {
	local i threshold_ns=1000000

	settings=(STALLSHIM_STALL=1ms)
	for i in {1..5}; do
		rm -f "$RESULTS"/*
		run_loop vfork
		one_stall callback_vfork
		if grep "call=.*sleep" "$text"; then
			return 1
		fi
	done
}

@test "each kind of wait makes a loop" {
	local wait

	for wait in epoll_wait epoll_pwait epoll_pwait2 poll ppoll select \
		pselect; do
		rm -f "$RESULTS"/*
		run_loop spin "$wait"
		one_stall callback_spin
		grep "wait=$wait " "$text"
	done
}

@test "each kind of wait by syscall(2) makes a loop" {
	local wait

	for wait in epoll_wait epoll_pwait epoll_pwait2 poll ppoll select \
		pselect6 io_uring io_uring_submit; do
		[[ $wait != io_uring* ]] ||
			natively "$(victim wait_race)" has_io_uring || continue
		rm -f "$RESULTS"/*
		run_loop spin "raw_$wait"
		one_stall callback_spin
		wait=${wait/#io_uring*/io_uring_enter}
		grep "wait=${wait%6} " "$text"
	done
}

@test "each wait of liburing makes a loop" {
	local wait

	natively "$(victim wait_race)" has_io_uring ||
		skip "io_uring is forbidden here"
	for wait in wait_cqe wait_cqes submit_and_wait submit_and_wait_timeout \
		submit_one enter; do
		rm -f "$RESULTS"/*
		run_loop spin "uring_$wait"
		one_stall callback_spin
		grep 'wait=io_uring_enter ' "$text"
	done
}

@test "a sleep in a callback is slept out, and a stall" {
	local sleep

	for sleep in usleep nanosleep sleep clock_nanosleep thrd_sleep; do
		rm -f "$RESULTS"/*
		run_loop "$sleep"
		one_stall "callback_$sleep"
	done
}

@test "a wait in futex() itself is waited out, counted, and a stall" {
	said=$(under_shim "$(victim futex)")
	[[ $said = *"waited well" ]]
	text=$(result stall.txt)
	cat "$text"
	[[ $(header "$text" stalls) = 2 ]]
	lasts_as_said "$text" "$(measured)"
	[[ $(total_ns "$text" futex_wait) = "$(header "$text" stalled)" ]]
	grep '^# lost=2: waits in futex() itself' "$text"
}

@test "a stall in the first run of a loop is seen" {
	run_loop first
	one_stall callback_spin
}

@test "a hang before the second wait is told as a run that has not ended" {
	in_background under_shim "$(victim loop)" hang
	# By then it has been let run, and had its tick.
	wait_until 20 report_names 'has not come back to its wait for [0-9.]*s'
	kill -KILL "$program"
	job_ends 137
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	grep -E '^  Thread loop \([0-9]+\) has not come back to its wait for ' \
		"$RESULTS/report"
}

# fortified_loop CALL ARGUMENTS: a loop that waits by libc's checked twin of it.
fortified_loop() {
	local program=$BATS_TEST_TMPDIR/fortified_$1

	cc -O2 -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -o "$program" \
		-I "$ROOT/test/e2e" -x c - <<-EOF
		#include <poll.h>
		#include <stdlib.h>
		#include "victim.h"
		int main(int argc, char **argv)
		{
			struct timespec ms = { .tv_nsec = NS_PER_MS };
			struct pollfd *fds = calloc(2, sizeof(*fds));

			(void)argv, (void)ms;
			for (int i = 0; i < 9; i++) {
				/* So that only the call can tell whether. */
				$1(fds, (nfds_t)argc - 1, $2);
				if (i == 6)
					spin(25 * NS_PER_MS);
			}
			return 0;
		}
	EOF
	nm -D "$program" | grep "__$1_chk"
	rm -f "$RESULTS"/*.stall.txt "$RESULTS"/*.rec
	under_shim "$program"
	text=$(result stall.txt)
	[[ $(header "$text" turns) = 9 && $(header "$text" stalls) = 1 ]]
	grep "wait=$1 " "$text"
}

@test "each fortified wait makes a loop" {
	need cc
	fortified_loop poll 1
	fortified_loop ppoll '&ms, NULL'
}

# At 10 ms: 16 in the first 160 ms, then one for each sixteenth that it grows.
@test "ticks of a long stall come ever more seldom" {
	run_loop sleep
	one_stall callback_sleep
	between 20 60 "$(total_count "$text")"
}

@test "a program that waits once and computes is no loop" {
	under_shim "$(victim loop)" once
	[[ -z $(ls "$RESULTS") ]]
}

@test "work before the first wait is no stall" {
	run_loop slow-start
	[[ $(header "$text" stalls) = 0 ]]
}

# A busy machine may take so much from a turn.
@test "polling with no timeout, a million turns, is no stall" {
	local tries=3

	settings=(STALLSHIM_STALL=500ms)
	run_loop busy
	until [[ $(header "$text" stalls) = 0 ]]; do
		(($(header "$text" unscheduled) > 400000000))
		((--tries))
		rm -f "$RESULTS"/*
		run_loop busy
	done
}

@test "busy polling makes no system call a turn" {
	local calls turns

	need strace
	STALLSHIM_STALL=50ms LD_PRELOAD= strace -f -o "$RESULTS/trace" \
		-E "LD_PRELOAD=$SHIM" -E "STALLSHIM_OUTPUT=$RESULTS/out" \
		-e trace=timer_settime,timer_create,timer_delete \
		"$(victim loop)" busy
	calls=$(grep -c timer_settime "$RESULTS/trace")
	turns=$(header "$RESULTS/out.stall.txt" turns)
	echo "$calls timer calls in $turns turns"
	((turns > 1000))
	# 1 s at 50 ms, an arming for each tick, and room for the end.
	between 1 30 "$calls"
}

@test "200 callbacks of 1 ms in one turn are one stall" {
	settings=(STALLSHIM_STALL=50ms)
	run_loop many
	one_stall do_many_small_things
}

# runs_of_10_ms COLUMN: how many, by the least or the most they can have been.
runs_of_10_ms() {
	awk -v column="$1" '/^run / && $column >= 10000000 { runs++ }
		END { print runs + 0 }' <<<"$said"
}

@test "runs of 9.5 ms never are stalls of 10 ms, runs of 10.5 ms always" {
	said=$(LIMIT_S=240 under_shim "$(victim threshold)")
	text=$(result stall.txt)
	grep '^# ' "$text"
	between "$(runs_of_10_ms 2)" "$(runs_of_10_ms 3)" \
		"$(header "$text" stalls)"
}

@test "many stalls add up" {
	run_loop often
	[[ $(header "$text" stalls) = 20 ]]
	lasts_as_said "$text" "$(measured)"
	[[ $(total_ns "$text") = "$(header "$text" stalled)" ]]
}

@test "no stall where nothing stalls" {
	run_loop nothing
	[[ $(header "$text" stalls) = 0 ]]
	[[ $(header "$text" loops) = 1 ]]
}

@test "an endless callback is in the recording of a killed program" {
	local what

	need strings
	for what in endless sleep-for-ever; do
		rm -f "$RESULTS"/*
		in_background under_shim "$(victim loop)" "$what"
		wait_until 10 report_names callback_
		kill -KILL "$program"
		job_ends 137
		"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
		grep callback_ "$RESULTS/report"
	done
}

report_names() {
	"$STALLSHIM" report "$(result rec)" | grep "$1"
}

teardown() {
	end_background
}
