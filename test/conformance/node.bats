#!/usr/bin/env bats
# Node.js under the shim: a loop in epoll_pwait, threads, a JIT.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib

setup() {
	need node
}

run_loop() {
	"$1" node "$BATS_TEST_DIRNAME/node_loop.js"
	echo "status $?"
}

@test "a script that blocks its loop for 80 ms runs alike and shows it" {
	same_both_ways run_loop
	text=$(result stall.txt node)
	cat "$text"
	[[ $(header "$text" wait) = epoll_pwait ]]
	between 80000000 400000000 "$(header "$text" longest)"
	# Its stacks go through what the engine compiled, to who called it.
	between 60000000 400000000 "$(total_ns "$text" uv_run)"
}

fail() {
	local status=0

	"$1" node -e 'setTimeout(() => process.exit(7), 20)' || status=$?
	echo "status $status"
}

@test "node's exit status is node's" {
	same_both_ways fail
}
