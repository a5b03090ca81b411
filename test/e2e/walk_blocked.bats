#!/usr/bin/env bats
# Walks by hooks where the signals of faults are blocked or ignored, up a stack
# that loses frames for a moment: nobody is killed, and all others are whole.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

# whole TEXT: how often a stack was taken that has every frame.
whole() {
	awk '/^[0-9]+ [0-9]+ @ / { count = $2; frames = blocked = 0 }
		/\thold_blocked\+/ { blocked = 1 }
		/\tgo_down[+.]/ { frames++ }
		/\tstart_thread\+/ && blocked && frames == 31 { sum += count }
		END { print sum + 0 }' "$1"
}

# goes_on HOW: as natively. No stack is taken in a tick, where faults are open.
goes_on() {
	local text

	[[ $(natively "$(victim walk_blocked)" "$1") = done ]]
	[[ $(under_shim STALLSHIM_STALL=off "$(victim walk_blocked)" "$1") = \
		done ]]
	text=$(result mutex.txt)
	grep "^# lost=.*: walks cut short: memory that can't be read" "$text"
	law_closes "$text"
	whole "$text"
	(($(whole "$text") > 20))
}

@test "in a thread that blocks every signal" {
	goes_on mask
}

@test "in a thread that blocks SIGSEGV alone" {
	goes_on one
}

@test "where it blocks them by syscall(2)" {
	goes_on call
}

@test "in a thread that is born with every signal blocked" {
	goes_on born
}

@test "in a thread whose attributes block every signal" {
	goes_on attributes
}

@test "in a handler that blocks every signal" {
	goes_on handler
}

@test "in a handler that comes in a sigsuspend which does" {
	goes_on suspend
}

@test "in a handler that comes in a ppoll which does" {
	goes_on poll
}

@test "behind a handler that leaves them blocked" {
	goes_on return
}

@test "behind a siglongjmp to where they were blocked" {
	goes_on jump
}

@test "behind one from an open handler into one that blocks them" {
	goes_on inner
}

@test "behind the return of a context's function to such a one" {
	goes_on context
}

@test "in a context whose mask was filled by hand" {
	goes_on given
}

@test "behind a return to a context whose mask was filled meanwhile" {
	goes_on linked
}

@test "behind a vfork whose child opens them and unlocks" {
	goes_on vfork
}

@test "where the program ignores them" {
	goes_on ignored
}
