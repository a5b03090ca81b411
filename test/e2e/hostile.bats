#!/usr/bin/env bats
# What a program may do, it may do under the shim.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

# comes_to WHAT OUTPUT [STATUS]: under ticks of 1 ms, as natively.
comes_to() {
	run natively "$(victim hostile)" "$1"
	echo "natively: $status $output"
	[[ $status = "${3:-0}" && $output = "$2" ]]
	run under_shim STALLSHIM_STALL=1ms "$(victim hostile)" "$1"
	echo "under the shim: $status $output"
	[[ $status = "${3:-0}" && $output = "$2" ]]
}

@test "seccomp: no call of ours after it, and the results before" {
	local how i

	for how in strict filter raw dispatch; do
		for ((i = 0; i < 5; i++)); do
			rm -f "$RESULTS"/*
			run natively "$(victim seccomp)" "$how"
			[[ $status = 7 && $output = done ]]
			run under_shim STALLSHIM_STALL=1ms \
				"$(victim seccomp)" "$how"
			echo "$how: $status $output"
			[[ $status = 7 && $output = stallshim:*forbids*done ]]
			(($(header "$(result stall.txt)" stalls) >= 3))
		done
		"$STALLSHIM" report "$(result rec)" |
			grep "watched until it forbade system calls"
	done
}

@test "seccomp: signals, locks and forks after it are as natively" {
	local case i native

	for case in one_shot on_short_stack by_raw_prctl fork_after \
		child_at_once wait_after die_by_default; do
		run natively "$(victim shut_in)" "$case"
		native="$status $output"
		for ((i = 0; i < 5; i++)); do
			run under_shim STALLSHIM_STALL=1ms "$(victim shut_in)" \
				"$case"
			echo "$case: $status $output, natively $native"
			[[ $output = stallshim:*"not watched from now on"* ]]
			[[ "$status ${output#*$'\n'}" = "$native" ]]
		done
	done
}

@test "who only asks for seccomp, or is refused, goes on being watched" {
	local how

	for how in probe refused; do
		rm -f "$RESULTS"/*
		run natively "$(victim seccomp)" "$how"
		[[ $status = 7 && $output = done ]]
		run under_shim STALLSHIM_STALL=1ms "$(victim seccomp)" "$how"
		[[ $status = 7 && $output = done ]]
		# Three of each thread before, and five after.
		(($(header "$(result stall.txt)" stalls) >= 10))
	done
}

@test "threads are cancelled in a wait, at the time of a tick" {
	comes_to cancel "all cancelled"
}

@test "a handler that breaks a wait may wait itself" {
	comes_to nested "poll -1 Interrupted system call, blocked 0"
}

@test "a sleep that ends just before a tick is slept out" {
	comes_to slack "cut short 0"
}

@test "what is left of a wait is told as of the host's signal" {
	comes_to told "select -1, left 1; nanosleep -1, left 1"
}

@test "no timeout of a socket ends early" {
	comes_to timeouts "early 0"
}

@test "a select for ages is for ages" {
	comes_to ages "ready 1"
}

@test "a limit on file sizes that comes late kills nobody" {
	run under_shim "$(victim hostile)" limit
	[[ $status = 0 && $output = limited*"File too large" ]]
	[[ -z $(find "$RESULTS" -name '*.new') ]]
}

@test "two threads that exit at once leave whole results" {
	local i

	for ((i = 0; i < 20; i++)); do
		run under_shim "$(victim hostile)" exits
		[[ $status = 7 ]]
	done
	[[ -z $(find "$RESULTS" -name '*.new') ]]
	[[ $(find "$RESULTS" -name '*.stall.txt' | wc -l) = 20 ]]
}

@test "exit does not want the loader's lock" {
	LIMIT_S=10 comes_to loader exits
}

@test "a stranger's unlock is not charged" {
	comes_to stranger "unlock by a stranger: Operation not permitted"
	text=$(result mutex.txt)
	law_closes "$text"
	[[ $(total_ns "$text" unlock_by_stranger) = 0 ]]
	(($(total_ns "$text" unlock_by_holder) >= 20000000))
}

@test "a library that is bound past us locks and unlocks for the program" {
	local plugin=$BUILD/victims/plugin_contend.so text

	[[ $(natively "$(victim deep)" "$plugin") = done ]]
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim deep)" \
		"$plugin") = done ]]
	text=$(result mutex.txt)
	head -n 20 "$text"
	law_closes "$text"
	# The program's waits are seen, not the library's; but a tick in that is.
	(($(total_ns "$(result wait.txt)" wait_for) == 0))
	(($(total_ns "$(result wait.txt)" wait_in_program) >= 20 * 2000000))
	(($(total_ns "$(result stall.txt)" plugin_contend) > 0))
}
