# A redis-server of a test's own, on a socket. `load redis`, after lib.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# start_redis RUNNER: RUNNER is natively or under_shim.
start_redis() {
	directory=$BATS_TEST_TMPDIR/$1
	mkdir -p "$directory"
	in_background "$1" redis-server --port 0 --save '' \
		--unixsocket "$directory/socket" --dir "$directory" \
		--enable-debug-command yes --logfile "$directory/log"
	wait_until 20 answers
}

cli() {
	redis-cli -e -s "$directory/socket" "$@"
}

answers() {
	[[ $(cli ping) = PONG ]]
}

stop_redis() {
	cli shutdown nosave || true
	status_of_job
}
