#!/usr/bin/env bats
# memcached under the shim: four loops in threads, fortified poll, a SIGUSR1
# handler of its own. Same answers, same end.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib

setup() {
	need memcached perl
}

teardown() {
	end_background
}

start_memcached() {
	directory=$BATS_TEST_TMPDIR/$1
	mkdir -p "$directory"
	in_background "$1" memcached -u root -t 4 -s "$directory/socket"
	wait_until 20 test -S "$directory/socket"
}

load_and_end() {
	start_memcached "$1"
	perl "$BATS_TEST_DIRNAME/memcached_client.pl" "$directory/socket" | sort
	kill -"$2" "$program"
	status_of_job
}

end_by_term() {
	load_and_end "$1" TERM
}

end_by_usr1() {
	load_and_end "$1" USR1
}

@test "eight clients get the same answers, SIGTERM ends it the same way" {
	same_both_ways end_by_term
	[[ $(header "$(result stall.txt memcached)" loops) -ge 4 ]]
	law_closes "$(result mutex.txt memcached)"
}

@test "memcached's own SIGUSR1 handler ends it the same way" {
	same_both_ways end_by_usr1
}
