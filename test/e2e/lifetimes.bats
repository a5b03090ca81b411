#!/usr/bin/env bats
# From start to end: every end of a process leaves its results and the status
# it would have had; children have files of their own; what can't be done is
# said in one line, and the program runs.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

files() {
	find "$RESULTS" -name "*.$1" | wc -l
}

teardown() {
	end_background
}

@test "a program that was no loop and never contended leaves no file" {
	under_shim ls / >/dev/null
	under_shim sh -c 'exec /bin/true'
	under_shim sh -c '/bin/true; /bin/true'
	[[ -z $(ls "$RESULTS") ]]
}

@test "STALLSHIM_KEEP=all leaves files all the same" {
	under_shim STALLSHIM_KEEP=all /bin/true
	[[ $(files txt) = 3 && $(files rec) = 1 ]]
}

@test "_exit, by syscall(2), too, quick_exit and exec keep the status and leave texts" {
	local end status=0

	for end in _exit:3 exit_group:6 quick_exit:4 exec:5; do
		rm -f "$RESULTS"/*
		run under_shim "$(victim loop)" "${end%:*}"
		[[ $status = "${end#*:}" ]]
		text=$(result stall.txt)
		(($(header "$text" longest) >= 50000000))
		[[ $(files new) = 0 ]]
	done
}

@test "an exec that can only fail writes no results" {
	run under_shim "$(victim loop)" no-exec
	[[ $status = 137 ]]
	[[ $(files txt) = 0 && $(files rec) = 1 ]]
}

@test "abort keeps the status and leaves a recording" {
	run under_shim "$(victim loop)" abort
	[[ $status = 134 ]]
	"$STALLSHIM" report "$(result rec)" | grep callback_spin
}

@test "SIGQUIT leaves its core, in which the program is found, and a recording" {
	local pattern

	need gdb
	pattern=$(</proc/sys/kernel/core_pattern)
	cd "$RESULTS"
	run under_shim STALLSHIM_STALL=1ms \
		bash -c 'ulimit -c unlimited; exec "$0" quit' \
		"$(victim signal_process)"
	[[ $status = 131 ]]
	"$STALLSHIM" report "$(result rec signal_process)" | grep die_of
	# Elsewhere a program is given the core.
	if [[ $pattern = core ]]; then
		gdb -batch -ex bt "$(victim signal_process)" core* | grep die_of
	fi
}

@test "files are for their owner only" {
	under_shim "$(victim loop)" spin
	[[ $(stat -c %a "$RESULTS"/* | sort -u) = 600 ]]
}

@test "no file is written over: the next free name is taken" {
	local i

	for i in 1 2 3; do
		under_shim STALLSHIM_OUTPUT="$RESULTS/out" "$(victim loop)" spin
	done
	ls "$RESULTS"
	[[ -e $RESULTS/out.rec && -e $RESULTS/out.1.rec ]]
	[[ -e $RESULTS/out.2.stall.txt && $(files rec) = 3 ]]
	rm "$RESULTS"/*.rec
	under_shim STALLSHIM_OUTPUT="$RESULTS/out" "$(victim loop)" spin \
		2>"$BATS_TEST_TMPDIR/said"
	[[ -e $RESULTS/out.3.rec ]]
	# The summary, which a terminal gets, says where they are.
	[[ ! -s $BATS_TEST_TMPDIR/said ]]
}

@test "the words of STALLSHIM_OUTPUT" {
	under_shim STALLSHIM_OUTPUT="$RESULTS/%e-%h-%%-%n" "$(victim loop)" spin
	[[ -e $RESULTS/loop-$(hostname)-%-0.stall.txt ]]
	under_shim STALLSHIM_OUTPUT="$RESULTS/%e-%h-%%-%n" "$(victim loop)" spin
	[[ -e $RESULTS/loop-$(hostname)-%-1.stall.txt ]]
}

@test "a forked child has files of its own, and its parent's stay whole" {
	under_shim "$(victim family)" fork
	[[ $(files mutex.txt) = 2 && $(files rec) = 2 ]]
	local text

	for text in "$RESULTS"/*.mutex.txt; do
		law_closes "$text"
		[[ $(total_count "$text") = 1 ]]
	done
}

@test "a forked child that does nothing of note leaves nothing" {
	under_shim "$(victim family)" quiet
	[[ $(files mutex.txt) = 1 && $(files rec) = 1 ]]
}

@test "a thousand forks under ticks and contention" {
	under_shim STALLSHIM_STALL=1ms "$(victim family)" loop
	law_closes "$(result mutex.txt)"
}

@test "vfork, posix_spawn and system" {
	under_shim "$(victim family)" vfork
	[[ $(files mutex.txt) = 1 && $(files rec) = 1 ]]
	under_shim "$(victim family)" spawn
	[[ $(files mutex.txt) = 2 && $(files rec) = 2 ]]
}

@test "a daemon's results are in the place resolved at the start" {
	cd "$RESULTS"
	under_shim STALLSHIM_OUTPUT=%e.%p "$(victim family)" daemon
	wait_until 10 ls "$RESULTS"/family.*.mutex.txt
	[[ $(total_count "$(result mutex.txt)") = 1 ]]
}

@test "locks in static constructors, and std::mutex" {
	run under_shim "$(victim early)"
	[[ $output = "early 80000 late 80000" ]]
	law_closes "$(result mutex.txt)"
}

@test "jemalloc preloaded too, before and after" {
	local jemalloc

	jemalloc=$(ldconfig -p | awk '/libjemalloc.so.2/ { print $NF; exit }')
	[[ -n $jemalloc ]]
	run under_shim LD_PRELOAD="$SHIM $jemalloc" "$(victim early)"
	[[ $output = "early 80000 late 80000" ]]
	run under_shim LD_PRELOAD="$jemalloc $SHIM" "$(victim early)"
	[[ $output = "early 80000 late 80000" ]]
}

@test "a program with another libc runs as if we were not there" {
	need musl-gcc
	musl-gcc -o "$BATS_TEST_TMPDIR/musl" -x c - <<-'EOF'
		#include <poll.h>
		#include <stdio.h>
		int main(void)
		{
			return puts("runs") < 0 || poll(NULL, 0, 1);
		}
	EOF
	run env LD_PRELOAD="$SHIM" STALLSHIM_OUTPUT="$RESULTS/out" \
		"$BATS_TEST_TMPDIR/musl"
	[[ $status = 0 && $output = runs ]]
}

@test "100,000 threads leak no timer and no slot" {
	local text

	run under_shim "$(victim many_threads)" 100000
	echo "$output"
	[[ $output = "threads 100000 timers 0" ]]
	text=$(result mutex.txt)
	law_closes "$text"
}

# says PATTERN COMMAND...: one line that matches, and the program unharmed.
says() {
	local pattern=$1

	shift
	run "$@"
	echo "$output"
	[[ $status = 0 ]]
	[[ $(grep -c '^stallshim: ' <<<"$output") = 1 ]]
	[[ $(grep '^stallshim: ' <<<"$output") =~ $pattern ]]
	[[ $output == *"run "* ]]
}

@test "a bad value, a bad name: one line that names it" {
	says STALLSHIM_STALL under_shim STALLSHIM_STALL=10 "$(victim loop)" spin
	[[ $(header "$(result stall.txt)" stall) = 10ms ]]
	says "STALLSHIM_STAL .*STALLSHIM_STALL" \
		under_shim STALLSHIM_STAL=10ms "$(victim loop)" spin
}

@test "a directory that is not there: one line" {
	says "$RESULTS/none/out" under_shim \
		STALLSHIM_OUTPUT="$RESULTS/none/out" "$(victim loop)" spin
}

@test "a limit on file sizes: one line, and no SIGXFSZ" {
	says "File too large" under_shim \
		bash -c 'ulimit -f 100; exec "$0" spin' "$(victim loop)"
}

@test "a full disk: one line" {
	need unshare mount
	says "No space left" unshare -m bash -c '
		mount -t tmpfs -o size=1m none "$1" || exit 1
		shift
		"$@"' bash "$RESULTS" env LD_PRELOAD="$SHIM" \
		STALLSHIM_OUTPUT="$RESULTS/out" "$(victim loop)" spin
}

@test "no timers to be had: one line, and contention is still recorded" {
	says "refused timers" under_shim \
		bash -c 'ulimit -i 0; exec "$0" spin' "$(victim loop)"
	# Once a thread, not once a turn.
	grep '^# lost=1: timers the kernel refused' "$(result stall.txt)"
	[[ $(header "$(result stall.txt)" unseen) = 1 ]]
}

@test "a directory that is read-only: one line" {
	need unshare mount
	says "Read-only file system" unshare -m bash -c '
		mount -t tmpfs -o ro none "$1" || exit 1
		shift
		"$@"' bash "$RESULTS" env LD_PRELOAD="$SHIM" \
		STALLSHIM_OUTPUT="$RESULTS/out" "$(victim loop)" spin
}

@test "a directory that is none: one line, which says so" {
	touch "$RESULTS/file"
	says "cannot make .*/file/out: Not a directory" under_shim \
		STALLSHIM_OUTPUT="$RESULTS/file/out" "$(victim loop)" spin
}

# What a shell does to have no other descriptors than a program starts with.
readonly close_others='exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-'

@test "one descriptor, little memory: stalls are found all the same" {
	local limit

	# The program has four of its own.
	for limit in "-n 5" "-v 24000"; do
		rm -f "$RESULTS"/*
		run under_shim bash -c \
			"$close_others; ulimit $limit; exec \"\$0\" spin" \
			"$(victim loop)"
		echo "$limit: $output"
		[[ $status = 0 && $output = *"run "* ]]
		(($(header "$(result stall.txt)" stalls) >= 1))
	done
}

@test "no descriptor is left: one line, and the recording is there" {
	says "Too many open files" under_shim bash -c \
		"$close_others; ulimit -n 4; exec \"\$0\" spin" \
		"$(victim loop)"
	"$STALLSHIM" report "$(result rec)" | grep callback_spin
}

@test "no /proc, and a root of its own: it runs and leaves its results" {
	local root=$BATS_TEST_TMPDIR/root object

	mkdir -p "$root"
	cp "$(victim loop)" "$SHIM" "$root"
	for object in $(ldd "$(victim loop)" "$SHIM" | grep -o '/[^ :]*\.so[^ :)]*'); do
		[[ $object != "$SHIM" ]] || continue
		install -D "$object" "$root/$object"
	done
	run under_shim perl -e 'chroot(shift) && chdir("/") || die;
		$ENV{LD_PRELOAD} = "/libstallshim.so";
		$ENV{STALLSHIM_OUTPUT} = "/out"; exec(@ARGV)' \
		"$root" /loop spin
	echo "$output"
	[[ $status = 0 && $output = *"run "* ]]
	(($(header "$root/out.stall.txt" stalls) >= 1))
}

@test "a file is never written through a link" {
	local suffix

	for suffix in rec stall.txt mutex.txt; do
		rm -f "$RESULTS"/*
		ln -s "$BATS_TEST_TMPDIR/elsewhere" "$RESULTS/out.$suffix"
		says "report .*out[.]1[.]rec" under_shim STALLSHIM_QUIET=no \
			STALLSHIM_OUTPUT="$RESULTS/out" "$(victim loop)" spin
		[[ ! -e $BATS_TEST_TMPDIR/elsewhere ]]
		[[ -L $RESULTS/out.$suffix && -s $RESULTS/out.1.stall.txt ]]
	done
}

@test "no descriptor of ours stays open, also with 0, 1 and 2 closed" {
	descriptors() {
		"$1" bash -c 'exec 0<&- 2>&-
			ls -l /proc/self/fd | sed "s/.* \([0-9]* ->\)/\1/" |
			grep -v "^total"' | sed 's/\[.*//; s/[0-9]*.fd$//'
	}
	same_both_ways descriptors
	rm -f "$RESULTS"/*
	under_shim bash -c 'exec "$0" spin 0<&- 1>&- 2>&-' "$(victim loop)"
	(($(header "$(result stall.txt)" stalls) >= 1))
}

@test "no libunwind: one line, and stacks by frame pointers" {
	local library

	need unshare mount
	library=$(ldconfig -p | awk '/libunwind.so.8/ { print $NF; exit }')
	: >"$BATS_TEST_TMPDIR/empty"
	says libunwind unshare -m bash -c '
		mount --bind "$1" "$2" || exit 1
		shift 2
		"$@"' bash "$BATS_TEST_TMPDIR/empty" "$(readlink -f "$library")" \
		env LD_PRELOAD="$SHIM" STALLSHIM_OUTPUT="$RESULTS/out" \
		"$(victim loop)" spin
	[[ $(header "$RESULTS/out.stall.txt" stalls) = 1 ]]
}

# A report without what differs from run to run.
essence() {
	"$STALLSHIM" report "$1" | grep -o 'callback_[a-z_]*\|[0-9]* stall' |
		sort -u
}

@test "a killed program's recording gives the report of one that exited" {
	in_background under_shim "$(victim loop)" stay
	wait_until 10 has_stalled
	cp "$(result rec)" "$RESULTS/killed"
	kill -KILL "$program"
	job_ends 137
	cmp "$(result rec)" "$RESULTS/killed"
	essence "$(result rec)" >"$RESULTS/essence.killed"
	rm "$RESULTS"/*.rec
	in_background under_shim "$(victim loop)" stay
	wait_until 10 has_stalled
	kill -TERM "$program"
	job_ends 143
	essence "$(result rec)" >"$RESULTS/essence.ended"
	cat "$RESULTS"/essence.*
	grep callback_spin "$RESULTS/essence.ended"
	diff "$RESULTS"/essence.*
}

has_stalled() {
	"$STALLSHIM" report "$(result rec)" | grep callback_spin
}
