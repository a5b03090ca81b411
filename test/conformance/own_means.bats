#!/usr/bin/env bats
# The same stalls as stallshim sees them and as the program itself does, where
# it has means to: redis' latency monitor, node's delay histogram, asyncio's log
# of slow callbacks. Prints both.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load redis

setup() {
	need redis-server redis-cli node /usr/bin/python3
}

teardown() {
	end_background
}

# tell NAME OWN_NS SEEN_NS: a line of the table. They begin and end their
# measuring at other places in the turn.
tell() {
	printf '# %-28s own %9s us, stallshim %9s us\n' "$1" \
		"$(($2 / 1000))" "$(($3 / 1000))" >&3
}

longest() {
	header "$(result stall.txt "$1")" longest
}

@test "redis' latency monitor and stallshim agree on a stall of 200 ms" {
	start_redis under_shim
	cli config set latency-monitor-threshold 5
	cli debug sleep 0.2
	own=$(cli latency latest | sed -n 's/^.*4) (integer) //p;4p' | tail -n 1)
	stop_redis
	seen=$(longest redis-server)
	tell "redis: latency monitor" $((own * 1000000)) "$seen"
	# It counts whole milliseconds, of the command alone, without its answer.
	between $((own * 1000000 - 500000)) $((own * 1000000 + 20000000)) "$seen"
}

@test "node's monitorEventLoopDelay and stallshim agree on a stall of 80 ms" {
	own=$(under_shim node "$BATS_TEST_DIRNAME/node_delay.js")
	seen=$(longest node)
	tell "node: monitorEventLoopDelay" "$own" "$seen"
	# It sees how late a timer of a millisecond is called in the end.
	between 80000000 $((own + 1000000)) "$seen"
}

@test "asyncio's slow callback log and stallshim agree on 500 ms" {
	said=$(under_shim /usr/bin/python3 \
		"$BATS_TEST_DIRNAME/asyncio_slow.py" 2>&1)
	own=$(sed -n 's/.* took 0\.0*\([0-9]*\) seconds$/\1/p' <<<"$said")
	turn=$(sed -n 's/^turn //p' <<<"$said")
	seen=$(longest python3)
	tell "asyncio: slow callback log" $((own * 1000000)) "$seen"
	# It prints whole milliseconds, of the callback alone.
	between $((own * 1000000 - 500000)) $((turn + 500000)) "$seen"
}
