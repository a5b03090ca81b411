#!/usr/bin/env bats
# Where a stack can't be followed further, it says so: it names nobody who was
# not there, and ends early only where that is counted.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

# stall_in PLACE [VICTIM] [FILE]: sets text to that of the victim's stall, or to
# another of its files.
stall_in() {
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim "${2-walk_ends}")" "$1") = \
		"done" ]]
	text=$(result "${3-stall.txt}")
	head -n 60 "$text"
}

# cut_short: the walks of which that is said.
cut_short() {
	sed -n 's/^# lost=\([0-9]*\): walks cut short: .*/\1/p' "$text" |
		awk '{ sum += $1 } END { print sum + 0 }'
}

# below FUNCTION CALLER: the captures with the one, but not the other. One that
# has two causes counts for each.
below() {
	samples "$text" | awk -v name=" $1 " -v caller=" $2 " '
		index($0 " ", name) && !index($0 " ", caller) { sum += $2 }
		END { print sum + 0 }'
}

@test "behind a return address in disguise: counted, some frames or not" {
	stall_in hidden
	(($(below hide_return main) > 0))
	((2 * $(cut_short) >= $(below hide_return main)))
}

@test "in code without rules on a stack that nothing leads out of: counted" {
	stall_in away
	(($(below spin_away main) > 0))
	((2 * $(cut_short) >= $(below spin_away main)))
}

# guessed: the walks of which that is said.
guessed() {
	sed -n 's/^# lost=\([0-9]*\): callers guessed: .*/\1/p' "$text"
}

# caller_is FUNCTION CALLER: in all captures of the one, which it is said of.
caller_is() {
	(($(total_count "$text" "$1") > 0))
	(($(samples "$text" | grep -v " $1 $2 main " | grep -c " $1") == 0))
	((2 * $(guessed) >= $(total_count "$text" "$1")))
}

@test "assembler without rules that calls nothing: its caller is found" {
	stall_in leaf
	caller_is spin_leaf callback_leaf
}

@test "the same, with the frame pointer saved, and a list in its place" {
	stall_in saving
	caller_is spin_saving callback_saving
	(($(total_count "$text" pretended_a) == 0))
	(($(total_count "$text" pretended_b) == 0))
}

@test "the same with room for variables: who has returned is not named" {
	stall_in roomy
	caller_is spin_roomy callback_roomy
}

@test "assembler without rules that calls on: no function is missing" {
	stall_in spin walk_callers
	caller_is call_on "inner_on middle outer callback_spin"
	# As far as it was interrupted below.
	(($(below spin_long call_on) == 0))
}

@test "the same in the stack of an unlock" {
	stall_in unlock walk_callers mutex.txt
	samples "$text" |
		grep " unlock call_on inner_on middle outer callback_unlock main "
	(($(guessed) >= 1))
}

@test "the same where its caller is too far up: counted" {
	stall_in far walk_callers
	(($(total_count "$text" call_far) > 0))
	((2 * $(guessed) >= $(below call_far inner_far)))
	(($(below call_far inner_far) > 0))
}

# made_is_passed PLACE: code made at run time is.
made_is_passed() {
	stall_in "$1" walk_callers
	(($(total_count "$text" spin_long) > 0))
	((2 * $(guessed) >= $(below spin_long inner_made)))
	(($(below spin_long call_made) == 0))
}

@test "below code made at run time that keeps no frame pointer: counted" {
	made_is_passed made
}

@test "the same in pages of a protection key, which handlers may not read" {
	grep -q ospke /proc/cpuinfo || skip "this processor has none"
	made_is_passed keyed
}

@test "a way back from a handler right behind a function: what lies before is not named" {
	[[ $(uname -m) = x86_64 ]] || skip "elsewhere the way back is the kernel's"
	stall_in restorer walk_callers
	samples "$text" | grep " handle come_back .*callback_restorer main "
	(($(total_count "$text" lies_before) == 0))
	(($(below handle callback_restorer) == 0))
}

@test "the way out of a coroutine right behind a function: the same" {
	[[ $(uname -m) = x86_64 ]] || skip "elsewhere it is in a register"
	stall_in coroutine walk_callers
	samples "$text" | grep " work_alone go_home *$"
	(($(total_count "$text" lies_before_too) == 0))
}

@test "a call that ends its function right before such a way back is a call" {
	[[ $(uname -m) = x86_64 ]] || skip "elsewhere the way back is the kernel's"
	stall_in last walk_callers
	samples "$text" | grep " spin_and_leave call_last callback_last main "
	(($(below spin_and_leave callback_last) == 0))
}
