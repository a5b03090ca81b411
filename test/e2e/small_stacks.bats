#!/usr/bin/env bats
# Ticks, locks and waits where there is little room on the stack.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

# survives PLACE FUNCTION...: as natively, and each function is on stacks of its
# stall.
survives() {
	runs_well small_stacks "$@"
}

# runs_well VICTIM PLACE FUNCTION...: the same, of another victim.
runs_well() {
	local text function victim

	victim=$(victim "$1")
	shift
	[[ $(natively "$victim" "$1") = done ]]
	[[ $(under_shim STALLSHIM_STALL=1ms "$victim" "$1") = done ]]
	text=$(result stall.txt)
	head -n 60 "$text"
	for function in "${@:2}"; do
		(($(total_ns "$text" "$function") > 0))
	done
}

@test "a coroutine of one page that uses half of it is ticked in" {
	survives coroutine use_half_of_page in_coroutine
}

@test "a fibre of one page without an end to its stack is ticked in" {
	survives fibre use_half_of_page in_fibre
}

@test "a coroutine of one page waits for events and contends for a lock" {
	survives locks in_locking_coroutine
	law_closes "$(result mutex.txt)"
	(($(total_ns "$(result wait.txt)" in_locking_coroutine) >= 5000000))
	(($(total_ns "$(result mutex.txt)" hold) >= 5000000))
}

@test "a coroutine of one page may use 3,000 bytes, and wait and contend" {
	survives full in_full_coroutine in_locking_coroutine
	law_closes "$(result mutex.txt)"
	(($(total_ns "$(result mutex.txt)" in_full_coroutine) >= 5000000))
}

@test "many threads contend at once in coroutines of one page, none a loop" {
	[[ $(natively "$(victim crowd)") = done ]]
	[[ $(under_shim "$(victim crowd)") = done ]]
	law_closes "$(result mutex.txt)"
	(($(total_ns "$(result mutex.txt)" contend) > 0))
}

@test "of two coroutines on the thread's own stack the lower one stays as it is" {
	local waits

	for waits in "" waits; do
		rm -f "$RESULTS"/*
		[[ $(natively "$(victim carved)" $waits) = done ]]
		[[ $(under_shim "$(victim carved)" $waits) = done ]]
		law_closes "$(result mutex.txt)"
		(($(total_count "$(result mutex.txt)" unlock_low) > 0))
	done
}

# takes_little WHERE STALL: of a stack there, in every call, met first or not.
takes_little() {
	local name taken_bytes most

	output=$(under_shim STALLSHIM_STALL="$2" "$(victim room)" "$1")
	echo "$output"
	(($(wc -l <<<"$output") == $(natively "$(victim room)" "$1" | wc -l)))
	while read -r name taken_bytes; do
		most=1040
		# One that a tick broke is continued by a call of its own.
		[[ $name != raw-* ]] || most=1100
		[[ $taken_bytes -le $most ]] || {
			echo "$name takes $taken_bytes bytes"
			return 1
		}
	done <<<"$output"
	(($(total_ns "$(result mutex.txt)" in_coroutine) > 1000000))
}

# takes_little_ticked WHERE: where a loop's stalls are watched, too.
takes_little_ticked() {
	takes_little "$1" 1ms
	(($(total_ns "$(result stall.txt)" in_coroutine) > 1000000))
}

@test "calls take up to 1,040 bytes of a coroutine's stack" {
	takes_little_ticked static
}

@test "calls take up to 1,040 bytes of a coroutine's stack, where none is a loop" {
	takes_little static off
}

@test "the same of one in an array of a frame of the first thread" {
	takes_little_ticked frame
}

@test "the same of one in an array of a frame of another thread" {
	takes_little_ticked thread
}

@test "the same of a signal handler's stack in such an array" {
	takes_little handler off
}

@test "a handler of faults makes the pages of a stack as they are met" {
	survives grown
	(($(total_ns "$(result mutex.txt)" in_grown_coroutine) > 0))
}

# overflows MASK: all is as before, and walks are made.
overflows() {
	[[ $(natively "$(victim overflow)" "$1") = done ]]
	[[ $(under_shim "$(victim overflow)" "$1") = done ]]
	! grep "walks left out" "$(result mutex.txt)"
	(($(total_ns "$(result mutex.txt)" in_coroutine) > 0))
}

@test "the stack ends in an unlock that a handler jumps out of" {
	overflows keeps
}

@test "the same where the jump leaves the mask as it is" {
	overflows loses
}

# ends_well PLACE WAY...: with its own status, its results written.
ends_well() {
	local way status

	for way in "${@:2}"; do
		status=0
		rm -f "$RESULTS"/*
		natively "$(victim small_end)" "$1" "$way" || status=$?
		[[ $status = 7 ]]
		status=0
		under_shim STALLSHIM_KEEP=all "$(victim small_end)" "$1" \
			"$way" || status=$?
		echo "$1, $way: status $status"
		[[ $status = 7 && -e $(echo "$RESULTS"/small_end.*.stall.txt) ]]
	done
}

@test "a program ends in a coroutine with 1,300 bytes left" {
	local place

	for place in coroutine looped threaded array guard; do
		ends_well $place exit _exit quick_exit exit_group seccomp
	done
}

@test "it executes another one there" {
	local place

	for place in coroutine looped threaded array guard; do
		ends_well $place exec exec-by-name exec-fails
	done
}

# Its child's recording is another, so there is more than one.
@test "a child begins there, and ends" {
	local place way

	for place in coroutine looped threaded; do
		for way in child-polls child-locks; do
			under_shim STALLSHIM_KEEP=all "$(victim small_end)" \
				$place $way || [[ $? = 7 ]]
		done
	done
	ls "$RESULTS"/*.stall.txt
	[[ $(ls "$RESULTS"/*.stall.txt | wc -l) = 12 ]]
}

@test "a program ends in a handler with 1,300 bytes left" {
	local place

	for place in handler handler-array; do
		ends_well $place exit _exit quick_exit exit_group seccomp exec \
			exec-by-name exec-fails
	done
}

@test "the program's own alternate stack may be of one page" {
	survives alternate in_coroutine
}

@test "threads with the smallest stack that libc allows are ticked in" {
	survives threads in_small_thread
}

@test "stacks of coroutines lie below the thread's own, and are unmapped" {
	runs_well gaps below in_gap_job switch_stack
}

@test "stacks of coroutines lie beside threads', some of them unmapped" {
	runs_well gaps beside in_gap_job switch_stack
}

@test "stacks of coroutines lie in the thread's own, with guards between" {
	runs_well gaps within in_gap_job switch_stack
}

# begins_on WAY: as natively, and what it computes there is ticked in.
begins_on() {
	local native thread

	for thread in "" thread; do
		rm -f "$RESULTS"/*
		native=$(natively "$(victim begun_on)" "$1" $thread)
		output=$(under_shim STALLSHIM_STALL=1ms "$(victim begun_on)" \
			"$1" $thread)
		echo "$output"
		[[ $output = "$native" && $output = *done ]]
		(($(total_ns "$(result stall.txt)" "$2") > 0))
	done
}

@test "a loop begins in a handler with 1,300 bytes left on its stack" {
	begins_on little in_little
}

@test "a loop begins in a handler that goes to a coroutine's stack and back" {
	begins_on leaves in_coroutine
}

@test "a loop names the stack that it is on as its alternate one" {
	begins_on named compute
}

# exhausts WAY: as natively, where the loop can have no stack for its ticks.
exhausts() {
	[[ $(natively "$(victim exhausted)" "$1") = done ]]
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim exhausted)" "$1") = \
		done ]]
	run "$STALLSHIM" report "$(result rec)"
	echo "$output"
	[[ $output = *" 20 stalls without a stack."* &&
		$output = *" 1 x timers the kernel refused, "* ]]
}

@test "a loop of coroutines begins where the address space has no room" {
	exhausts limit
}

@test "a loop of coroutines begins where there may be no more mappings" {
	exhausts mappings
}

# vanishes WAY: it goes on, whatever handler it has for faults; and walks are
# cut there.
vanishes() {
	local handler text

	[[ $(natively "$(victim walk_vanish)" "$1") = done ]]
	for handler in none plain alternate once ignored; do
		rm -f "$RESULTS"/*
		[[ $(under_shim STALLSHIM_STALL=1ms "$(victim walk_vanish)" \
			"$1" "$handler") = done ]]
		text=$(result stall.txt)
		grep "^# lost=.*: walks cut short: memory that can't be read" \
			"$text"
		(($(total_ns "$text" do_jobs) > 0))
		law_closes "$(result mutex.txt)"
		(($(total_ns "$(result mutex.txt)" do_jobs) > 0))
	done
}

@test "a thread unmaps frames of its own stack" {
	vanishes munmap
}

@test "a thread protects frames of its own stack" {
	vanishes mprotect
}

@test "it does so by a system call that nobody sees" {
	vanishes inline
}

@test "another thread unmaps them" {
	vanishes other
}

@test "another thread takes them away and gives them back, all the time" {
	vanishes toggle
}

# Each that is stood in for: HUP, INT, BUS, USR1, SEGV, TERM; and WINCH.
@test "a signal kills a coroutine of one page that is no loop's, or does not" {
	local how sig native

	for sig in 1 2 7 10 11 15 28; do
		for how in '' thread; do
			run natively "$(victim little_left)" "$sig" ${how:+"$how"}
			native=$status
			((sig == 28 ? native == 0 : native == 128 + sig))
			run under_shim "$(victim little_left)" "$sig" \
				${how:+"$how"}
			echo "$sig $how: $status, natively $native"
			[[ $status = "$native" ]]
		done
	done
}
