#!/usr/bin/env bats
# A tick never shows in a call: what it returns, its errno and how long it takes
# are as natively.
#
# SPDX-License-Identifier: MIT

load lib

# as_natively VICTIM CALLS: every call of its table, which is more than so many,
# under ticks of 1 ms.
as_natively() {
	local ticks

	natively "$(victim "$1")" >"$RESULTS/natively"
	under_shim STALLSHIM_STALL=1ms "$(victim "$1")" >"$RESULTS/shimmed"
	diff "$RESULTS/natively" "$RESULTS/shimmed" || return 1
	(($(wc -l <"$RESULTS/natively") > $2))
	ticks=$(total_count "$(result stall.txt "$1")")
	echo "$ticks ticks"
	((ticks > 100))
	# By which what a tick cut short is continued: nobody has called it.
	run grep -w ppoll "$(result stall.txt "$1")"
	[[ $status = 1 ]]
}

@test "sleeps, queues, locks with a deadline, children: as natively" {
	as_natively blocks 40
}

@test "read, write, send, receive, accept, connect: as natively" {
	as_natively transfers 40
}

@test "the other end goes away in the middle: the error is the next call's" {
	as_natively resets 25
}

@test "receiving for all ends where the kernel ends it" {
	as_natively messages 50
}

@test "many messages, parts written to a place, splicing: as natively" {
	as_natively many 30
}

@test "terminals, devices, files, a socket that lingers: as natively" {
	as_natively devices 20
}

@test "every signal is blocked and all are sent: none breaks a call" {
	local who

	for who in loop idle; do
		natively "$(victim put_off)" "$who" >"$RESULTS/natively"
		under_shim STALLSHIM_STALL=1ms "$(victim put_off)" "$who" \
			>"$RESULTS/shimmed"
		diff "$RESULTS/natively" "$RESULTS/shimmed" || return 1
		(($(wc -l <"$RESULTS/natively") > 16))
	done
}

@test "fortified calls: as natively" {
	need cc
	cc -O2 -D_FORTIFY_SOURCE=2 -o "$BATS_TEST_TMPDIR/fortified" \
		-I "$ROOT/test/e2e" -x c - -pthread <<-'EOF'
		#include <sys/socket.h>
		#include "victim_calls.h"
		static size_t room = 8;
		static int fds[2];
		static long read_it(void)
		{
			char to[8];
			begin();
			return read(fds[0], to, room);
		}
		static long recv_it(void)
		{
			char to[8];
			begin();
			return recv(fds[0], to, room, 0);
		}
		static long recvfrom_it(void)
		{
			char to[8];
			begin();
			return recvfrom(fds[0], to, room, 0, NULL, NULL);
		}
		int main(int argc, char **argv)
		{
			static const struct call calls[] = {
				{ "read", read_it, NULL },
				{ "recv", recv_it, NULL },
				{ "recvfrom", recvfrom_it, NULL },
				{ NULL, NULL, NULL },
			};
			struct timeval t = { .tv_usec = CALL_MS * 1000 };
			room -= (size_t)(argc > 5);
			if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
				return 2;
			setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &t,
				   sizeof(t));
			return make_calls(calls, argc, argv);
		}
	EOF
	nm -D "$BATS_TEST_TMPDIR/fortified" | grep -q __recv_chk
	nm -D "$BATS_TEST_TMPDIR/fortified" | grep -q __read_chk
	natively "$BATS_TEST_TMPDIR/fortified" >"$RESULTS/natively"
	under_shim STALLSHIM_STALL=1ms "$BATS_TEST_TMPDIR/fortified" \
		>"$RESULTS/shimmed"
	diff "$RESULTS/natively" "$RESULTS/shimmed"
	(($(wc -l <"$RESULTS/natively") == 3))
}
