#!/usr/bin/env bats
# Do the tests of walks bite? Each victim that the shim gets through hangs or
# fails with a walk that is naive, called in the handler: the library with
# naive_walk.c in place of stack.c, and in it either libunwind as it is, or
# libc's backtrace(3).
#
# What does not bite are ticks in throw and catch alone by libgcc. Since glibc
# 2.35 it finds unwind tables without a lock. Where it is older it walks the
# loader's list, as the victim's part "iterate" does; and libunwind, which may be
# in its place, does.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

setup_file() {
	timeout 300 make --no-print-directory -C "$ROOT" BUILD="$BUILD" \
		"$BUILD"/naive_{libunwind,backtrace,locked}/libstallshim.so
}

# What is hung may have every signal blocked, and so may its children.
naively() {
	run timeout -s KILL "$limit" env STALLSHIM_MEMORY=1M \
		LD_PRELOAD="$BUILD/naive_$by/libstallshim.so $beside" \
		STALLSHIM_OUTPUT="$RESULTS/naive.%p" "${settings[@]}" "$@"
	echo "naively: $status $output"
}

# bites COMMAND...: under the shim it is done, naively not every time.
bites() {
	local i

	rm -f "$RESULTS"/*
	[[ $(under_shim STALLSHIM_MEMORY=1M LD_PRELOAD="$SHIM $beside" \
		"${settings[@]}" "$@") = *done ]]
	for ((i = 0; i < tries; i++)); do
		naively "$@"
		[[ $status = 0 && $output = *done ]] || return 0
	done
	return 1
}

# storm_bites PART...: in three seconds.
storm_bites() {
	settings=(STALLSHIM_STALL=200us)
	limit=10
	bites "$(victim walk_storm)" 3 "$BUILD/victims" "$@"
}

setup() {
	settings=(STALLSHIM_STALL=1ms)
	by=libunwind
	beside=
	tries=12
	limit=8
}

@test "the first tick is in malloc: naively a deadlock" {
	by=backtrace
	# It loads a library, and must find this thread with the lock.
	tries=20
	bites "$(victim walk_places)" malloc
	((status >= 128))
}

@test "another thread holds the loader's lock: naively a deadlock" {
	bites "$(victim walk_places)" loader
	((status >= 128))
}

@test "ticks in dlopen, while other threads throw: naively a deadlock" {
	storm_bites dlopen throw iterate
	((status >= 128))
}

@test "ticks in dlopen and dlclose under contention: naively a deadlock" {
	storm_bites dlopen dlopen spin
}

@test "ticks in throw and catch with an older libgcc: naively a deadlock" {
	storm_bites throw iterate
	((status >= 128))
}

@test "ticks in throw and catch by libunwind: naively a deadlock" {
	beside=$(cc -print-file-name=libunwind.so.8)
	[[ $beside = /* ]]
	tries=8
	storm_bites throw
	((status >= 128))
}

@test "forks while others walk: naively children hang" {
	storm_bites fork dlopen
}

@test "descriptors closed by the program: naively its bytes are eaten" {
	storm_bites pipes spin
	[[ $output = *"other bytes came out of the pipe"* ]]
}

@test "ticks in our own walk, of an unlock, by a lock round it: a deadlock" {
	by=locked
	storm_bites hold hold
	((status >= 128))
}
