#!/usr/bin/env bats
# Many locks and many threads: sums stay exact, memory stays where it is.
#
# SPDX-License-Identifier: MIT

load lib

# many HOW LOCKS: each lock is waited for once. Both profiles must have it all.
many() {
	said=$(under_shim "$(victim many_locks)" "$1" "$2")
	mutex=$(result mutex.txt)
	wait=$(without_joins "$(result wait.txt)")
	law_closes "$mutex"
	grep '^# ' "$mutex"
	[[ $(header "$mutex" open) = 0 ]]
	grep -x 'discarded samples=0' "$mutex"
	[[ $(total_ns "$mutex") = "$(header "$mutex" charged)" ]]
	[[ $(total_ns "$wait") = "$(header "$wait" waited)" ]]
	[[ $(total_count "$mutex") = "$2" ]]
	[[ $(total_count "$mutex" release) = "$2" ]]
	[[ $(total_count "$wait") = "$2" ]]
}

# by_lock: "COUNT NAME" of each sample of the mutex text, NAME - for a lock of
# its own.
by_lock() {
	awk '/^[0-9]+ [0-9]+ @/ { count = $2 }
		/^#\tlock=/ { sub("name=", "", $3); print count, $3 }' "$mutex"
}

# lost REASON: how often, by the mutex text.
lost() {
	sed -n "s/^# lost=\([0-9]*\): $1.*/\1/p" "$mutex"
}

@test "a thousand locks have a record each" {
	many in_turn 1000
	[[ -z $(lost '') ]]
	[[ $(by_lock | sort | uniq -c) =~ ^\ *1000\ 1\ -$ ]]
}

@test "a hundred thousand locks: what has no record of its own is one sum" {
	many in_turn 100000
	(($(lost 'locks that gave their record up') > 90000))
	(($(lost '' | wc -l) == 1))
	[[ $(by_lock | grep -c others) = 1 ]]
	[[ $(by_lock | grep -v others | sort -u) = '1 -' ]]
	(($(by_lock | wc -l) > 4000))
}

@test "memory does not grow with the number of locks" {
	local native few

	many in_turn 1000
	few=${said#* resident }
	rm "$RESULTS"/*
	many in_turn 100000
	native=$(natively "$(victim many_locks)" in_turn 100000)
	# Whatever the tables hold: the recording of 8 MB is all there is.
	between 0 $((8192 + 4096)) $((${said#* resident } - ${native#* resident }))
	between 0 $((8192 + 4096)) "$few"
}

@test "a thousand locks waited for by a thousand threads at once" {
	many at_once 1000
	[[ -z $(lost '') ]]
	[[ $(by_lock | sort | uniq -c) =~ ^\ *1000\ 1\ -$ ]]
}

@test "a lock made anew in the same place starts with nothing" {
	many anew 20000
	[[ $(by_lock | grep -v others | sort -u) = '1 -' ]]
}
