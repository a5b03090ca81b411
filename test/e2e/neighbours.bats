#!/usr/bin/env bats
# Neighbours: other allocators, clocks, unwinders, hooks, sanitizers, valgrind
# and debuggers in the same process. With each a program does what it does with
# the neighbour alone, and its stall and its contention are seen.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib
bats_require_minimum_version 1.5.0

teardown() {
	end_background
}

# library NAME: its path, by the linker's cache.
library() {
	local path

	path=$(ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }')
	[[ -n $path ]] || {
		echo "missing: $1 (scripts/bootstrap installs it)" >&2
		return 1
	}
	echo "$path"
}

# sees_both [NAME]: the stall of 60 ms and the lock held for 50 ms, each at its
# place in the code.
sees_both() {
	local mutex stall

	stall=$(result stall.txt "${1-neighbours}")
	mutex=$(result mutex.txt "${1-neighbours}")
	grep -h '^# ' "$stall" "$mutex"
	law_closes "$mutex"
	(($(total_ns "$stall" read_config) > 40000000))
	(($(total_ns "$mutex" let_go_of_cache) > 30000000))
}

# lives_with PRELOAD COMMAND...: "" stands for nothing but us; the shim comes
# behind what is preloaded, and before it.
lives_with() {
	local other=$1 order native=0

	shift
	status=0
	expected=$(natively LD_PRELOAD="$other" "$@" 2>&1) || native=$?
	for order in "$other $SHIM" "$SHIM $other"; do
		rm -f "$RESULTS"/*
		status=0
		output=$(under_shim LD_PRELOAD="$order" "$@" 2>&1) || status=$?
		echo "LD_PRELOAD=\"$order\": $native, $status"
		diff <(echo "$expected") <(echo "$output")
		[[ $native = 3 && $status = 3 ]]
		sees_both "${name-neighbours}"
	done
}

@test "alone" {
	lives_with "" "$(victim neighbours)"
}

@test "jemalloc" {
	lives_with "$(library libjemalloc.so.2)" "$(victim neighbours)"
}

@test "tcmalloc" {
	lives_with "$(library libtcmalloc_minimal.so.4)" "$(victim neighbours)"
}

@test "mimalloc" {
	lives_with "$(library libmimalloc.so.2)" "$(victim neighbours)"
}

@test "eatmydata" {
	lives_with "$(library libeatmydata.so.1)" "$(victim neighbours)"
}

# What we measure is the real time, what the program sees is not.
@test "libfaketime" {
	local fake=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1

	FAKETIME=+10d lives_with "$fake" "$(victim neighbours)"
	[[ $(header "$(result stall.txt)" start) = $(date -u +%Y-%m-)* ]]
}

# exports KIND: nothing that the program exports is called in a walk, not even by
# libunwind; and the walk gets to its end.
exports() {
	output=$(under_shim STALLSHIM_STALL=1ms "$(victim exports)" "$1")
	echo "$output"
	[[ $output = done ]]
	(($(total_ns "$(result stall.txt)" under_lock) > 10000000))
	(($(total_ns "$(result mutex.txt)" under_lock) > 10000000))
}

@test "a program's own mem*() and str*(), with a lock of its own" {
	exports bytes
}

@test "a program's own _dl_find_object(), with a lock of its own" {
	exports objects
}

# It has no destructors run on cancellation: with it alone they do not, either.
@test "nongnu's libunwind, its unwinder before libgcc's" {
	lives_with "$(library libunwind.so.8)" "$(victim neighbours)"
}

# No cancellation: with it alone that crashes.
@test "LLVM's libunwind, its unwinder before libgcc's" {
	lives_with "$(library libunwind.so.1)" "$(victim neighbours)" spare
}

# We go to libc's own mutexes at once: who is preloaded behind us does not see
# those calls.
@test "a library that hooks the same functions" {
	local hooks=$BUILD/victims/plugin_neighbour.so

	run natively LD_PRELOAD="$hooks" "$(victim neighbours)"
	expected=$output
	[[ $status = 3 && $output = *"saw both"* ]]
	run under_shim LD_PRELOAD="$hooks $SHIM" "$(victim neighbours)"
	[[ $status = 3 && $output = "$expected" ]]
	sees_both
	rm "$RESULTS"/*
	run under_shim LD_PRELOAD="$SHIM $hooks" "$(victim neighbours)"
	[[ $status = 3 && $output = *"saw polls"* ]]
	sees_both
}

# guarded DIRECTORY: a program in C, and a library in C++ that it loads for
# itself alone, with the run-time library that nothing else has.
guarded() {
	need cc g++
	g++ -g -O1 -shared -fPIC -o "$1/guarded.so" -x c++ - <<-'EOF'
		#include <atomic>
		#include <poll.h>
		#include <pthread.h>
		#include <stdexcept>
		static std::atomic<int> guards;
		struct guard { ~guard() { guards++; } };
		static std::atomic<bool> is_inside;
		static void *wait_inside(void *)
		{
			guard here;
			for (;;) {
				is_inside = true;
				poll(nullptr, 0, 5);
			}
		}
		static int throw_through(int depth)
		{
			guard here;
			if (!depth)
				throw std::runtime_error("thrown");
			return throw_through(depth - 1) + 1;
		}
		extern "C" int go(void)
		{
			for (int i = 0; i < 100; i++) {
				try {
					throw_through(9);
				} catch (const std::exception &) {
				}
			}
			for (int i = 0; i < 20; i++) {
				pthread_t thread;
				is_inside = false;
				pthread_create(&thread, nullptr, wait_inside,
					       nullptr);
				while (!is_inside)
					;
				pthread_cancel(thread);
				pthread_join(thread, nullptr);
			}
			return guards;
		}
	EOF
	cc -g -O1 -o "$1/guarded" -x c - <<-'EOF'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			void *library = dlopen(argv[argc - 1],
					       RTLD_NOW | RTLD_LOCAL);
			int (*go)(void) = library ? dlsym(library, "go") : 0;
			printf("%d guards\n", go ? go() : -1);
			return 0;
		}
	EOF
}

@test "C++ loaded for itself alone throws, and is cancelled, through guards" {
	local how

	guarded "$BATS_TEST_TMPDIR"
	for how in natively under_shim; do
		run "$how" STALLSHIM_STALL=1ms STALLSHIM_KEEP=all \
			"$BATS_TEST_TMPDIR/guarded" \
			"$BATS_TEST_TMPDIR/guarded.so"
		echo "$how: $output"
		[[ $status = 0 && $output = "1020 guards" ]]
	done
	result rec guarded
}

# sanitized NAME: the victim built with a sanitizer.
sanitized() {
	need g++
	g++ -g -O1 -fno-inline -fno-optimize-sibling-calls -fsanitize="$1" \
		-o "$BATS_TEST_TMPDIR/sanitized" \
		"$ROOT/test/e2e/victim_neighbours.cc"
	echo "$BATS_TEST_TMPDIR/sanitized"
}

# runs_sanitized SANITIZER [RUNTIME]: one that wants to come first comes first.
runs_sanitized() {
	local program runtime=${2:+$(gcc -print-file-name="$2")}

	program=$(sanitized "$1")
	RESULTS=$BATS_TEST_TMPDIR/results
	mkdir "$RESULTS"
	run natively "$program"
	expected=$output
	[[ $status = 3 ]]
	run under_shim LD_PRELOAD="${runtime:+$runtime }$SHIM" "$program"
	diff <(echo "$expected") <(echo "$output")
	[[ $status = 3 ]]
	sees_both sanitized
}

@test "AddressSanitizer" {
	runs_sanitized address libasan.so
}

@test "ThreadSanitizer" {
	runs_sanitized thread libtsan.so
}

@test "UndefinedBehaviorSanitizer" {
	runs_sanitized undefined
}

# Memcheck takes what we ask the kernel for mistakes, and says so at length: what
# the program does is the same.
@test "valgrind" {
	need valgrind
	run --separate-stderr natively valgrind -q "$(victim neighbours)"
	expected=$output
	[[ $status = 3 ]]
	run --separate-stderr under_shim valgrind -q "$(victim neighbours)"
	diff <(echo "$expected") <(echo "$output")
	[[ $status = 3 ]]
	sees_both memcheck-amd64- # what valgrind calls the process
}

# in_valgrind WAY CASE: what handlers on alternate stacks say.
in_valgrind() {
	"$1" STALLSHIM_STALL=1ms valgrind -q "$(victim signal_stacks)" "$2" \
		2>/dev/null
}

# Its frames are none of the kernel's, so that no handler can be moved.
@test "handlers on alternate stacks in valgrind" {
	need valgrind
	for case in registers swaps lives jumps handlers; do
		expected=$(in_valgrind natively "$case")
		[[ -n $expected ]]
		diff <(echo "$expected") <(in_valgrind under_shim "$case")
	done
}

# stays COMMAND...: a victim that goes on and on, while COMMAND has a look at
# it: $program stands for its number.
stays() {
	in_background under_shim "$(victim neighbours)" stay
	wait_until 20 has_stalled
	"$@"
	if has_ended "$program"; then return 1; fi
	kill -TERM "$program"
	job_ends 143
	(($(header "$(result stall.txt)" stalls) > 3))
}

has_stalled() {
	"$STALLSHIM" report "$(result rec)" | grep -E '[4-9] stalls|[0-9]{2} stalls'
}

look_with_gdb() {
	need gdb
	timeout 60 gdb -p "$program" -batch -ex 'thread apply all bt' \
		-ex detach >"$BATS_TEST_TMPDIR/gdb" 2>&1
	grep -E 'read_config|compute_ms|poll' "$BATS_TEST_TMPDIR/gdb"
}

@test "gdb comes, looks and goes" {
	stays look_with_gdb
}

look_with_strace() {
	need strace
	timeout 3 strace -f -p "$program" -o "$BATS_TEST_TMPDIR/strace" || true
	grep -E 'poll\(|SIGUSR1' "$BATS_TEST_TMPDIR/strace" >/dev/null
}

@test "strace comes, looks and goes" {
	stays look_with_strace
}

@test "from the start under strace" {
	need strace
	run under_shim strace -f -o "$BATS_TEST_TMPDIR/strace" \
		"$(victim neighbours)"
	echo "$output"
	[[ $status = 3 && $output = *"caught 200 cancelled 20"* ]]
	sees_both
}

# gdb stops at every signal: it has to be told to let the ticks pass.
@test "from the start under gdb, which is told to pass the ticks on" {
	need gdb
	run natively timeout 60 gdb -batch \
		-ex "set exec-wrapper env LD_PRELOAD=$SHIM \
STALLSHIM_OUTPUT=$RESULTS/neighbours.1" \
		-ex "handle SIGUSR1 nostop noprint pass" -ex run \
		"$(victim neighbours)"
	[[ $output = *"exited with code 03"* ]]
	sees_both
}

# Of Debian 12 it enters handlers with a stack that is 8 bytes off.
@test "an emulator of its own kind of processor" {
	need qemu-x86_64
	timeout -k 5 120 qemu-x86_64 -E LD_PRELOAD="$SHIM" \
		-E STALLSHIM_OUTPUT="$RESULTS/loop" "$(victim loop)" spin
	(($(total_ns "$RESULTS/loop.stall.txt" callback_spin) > 40000000))
}
