#!/usr/bin/env bats
# stress-ng's stressors of locks, timers, signals, waits and processes, which
# verify what they did: natively and under the shim with ticks every
# millisecond, each ends the same.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load cases

# Stressor and how many operations. (For mutex more than it can do in four
# seconds: where its first thread has done them all before the next one has begun
# it fails, natively too.)
# Never one that sets the system's clock (clock, rtc, adjtime); left out is what
# now and then does nothing, natively too (sigio).
STRESSORS=(mutex:100000000 sem:200 sem-sysv:1000 futex:1000 pthread:500
	timer:2000 timerfd:2000 itimer:100 alarm:5 nanosleep:200 sleep:50
	signal:2000 sigq:2000 sigrt:500 sigsuspend:500 sigfd:1000
	sigpending:1000 sigchld:200 sigsegv:500 sigabrt:50 sigtrap:500
	poll:2000 epoll:2000 eventfd:1000 sockpair:500 mq:1000
	msg:1000 switch:2000 context:1000 fork:200 vfork:200 clone:20
	daemon:50 zombie:100 dynlib:200)

setup() {
	need stress-ng
}

# stress RUNNER NAME:OPERATIONS: how it ended, as a case.
stress() {
	local name=${2%:*} wanted=${2#*:} log=$BATS_TEST_TMPDIR/log status=0
	local done

	"$1" STALLSHIM_STALL=1ms STALLSHIM_MEMORY=256K stress-ng --"$name" 1 \
		--"$name"-ops "$wanted" --verify --timeout 4 --metrics-brief \
		--temp-path "$BATS_TEST_TMPDIR" >"$log" 2>&1 || status=$?
	done=$(sed -n "s/^.*metrc: .* $name  *\([0-9][0-9]*\) .*/\1/p" "$log")
	((${done:-0} > 0)) && done=some || done=none
	echo "$name status $status, $(grep -ci fail "$log") failures," \
		"operations done: $done"
}

stress_all() {
	local stressor

	for stressor in "${STRESSORS[@]}"; do
		stress "$1" "$stressor"
	done >"$BATS_TEST_TMPDIR/$1"
}

@test "every stressor ends the same, and its verification finds nothing" {
	stress_all natively
	stress_all under_shim
	cat "$BATS_TEST_TMPDIR/natively"
	! grep -v 'status 0, 0 failures, operations done: some' \
		"$BATS_TEST_TMPDIR/natively" || return 1
	compare_cases "stress-ng" \
		"$BATS_TEST_TMPDIR"/{natively,under_shim}
	ls "$RESULTS"/stress-ng-*.stall.txt >/dev/null
}
