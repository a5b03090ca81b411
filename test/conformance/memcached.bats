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

# ask_for_many SOCKET: a hundred thousand keys, none of which is there.
ask_for_many() {
	perl -MIO::Socket::UNIX -e '
		my $server = IO::Socket::UNIX->new($ARGV[0]) or die;
		$server->print("get " . "k " x 100000 . "\r\n");
		$server->flush;
		print scalar <$server>;
	' "$1"
}

@test "memcached: a request for 100,000 keys keeps a thread from turning" {
	start_memcached under_shim
	begun=${EPOCHREALTIME/[.,]/}
	[[ $(ask_for_many "$directory/socket") = END* ]]
	took=$(((${EPOCHREALTIME/[.,]/} - begun) * 1000))
	kill -TERM "$program"
	status_of_job
	text=$(result stall.txt memcached)
	grep '^# loop' "$text"
	[[ $(header "$text" wait) = epoll_wait ]]
	# Of its own functions it has no names.
	longest=$(header "$text" longest)
	between 20000000 "$took" "$longest"
	between "$longest" "$(header "$text" stalled)" \
		"$(total_ns "$text" event_base_loop)"
}

@test "memcached's own SIGUSR1 handler ends it the same way" {
	same_both_ways end_by_usr1
}
