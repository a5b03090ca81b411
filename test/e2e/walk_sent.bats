#!/usr/bin/env bats
# Walks up a stack that loses frames, while a SIGSEGV is sent to the thread: the
# walk's own faults do not kill, and what was sent comes, or pends, as natively.
#
# SPDX-License-Identifier: MIT

load lib

# goes_on HOW
goes_on() {
	local text

	[[ $(natively "$(victim walk_sent)" "$1") = done ]]
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim walk_sent)" "$1") = \
		done ]]
	text=$(result stall.txt)
	grep "^# lost=.*: walks cut short: memory that can't be read" "$text"
	law_closes "$(result mutex.txt)"
}

@test "one that is handled, again and again" {
	goes_on handled
}

@test "one that is queued for the thread, which alone may handle it" {
	goes_on queued
}

@test "one that pends, blocked by the thread" {
	goes_on thread
}

@test "one that pends, blocked by all threads of the process" {
	goes_on process
}
