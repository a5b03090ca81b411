#!/usr/bin/env bats
# What the live log says of stalls that the program's end cuts short.
#
# SPDX-License-Identifier: MIT

load lib

setup() {
	log=$BATS_TEST_TMPDIR/log
	RESULTS=$BATS_TEST_TMPDIR/results
	mkdir "$RESULTS"
}

# ends STATUS HOW [FILE]: the victim; its run by its own clock is in $run.
ends() {
	local status=0 expected=$1

	shift
	rm -f "$RESULTS"/* "$log"
	run=$(under_shim STALLSHIM_LOG="$log" "$(victim log_ends)" "$@") ||
		status=$?
	run=${run#run }
	cat "$log" "$(result stall.txt)"
	[[ $status = "$expected" ]]
}

# lines THREAD WORDS: of the log.
lines() {
	grep "): $1 ([0-9]*) $2" "$log" || true
}

# length_of LINE: in ns; it has three digits.
length_of() {
	sed -E 's/.* for ([0-9.]+)(us|ms|s)[ ,].*/\1 \2/' <<<"$1" | awk '
		{ printf "%.0f", $1 * ($2 == "s" ? 1e9 : $2 == "ms" ? 1e6 : 1e3) }'
}

# of_loop THREAD KEY: what the text says of it, in ns.
of_loop() {
	sed -n "s/^# loop=[0-9]* name=$1 .* $2=\([0-9]*\)ns.*/\1/p" \
		"$(result stall.txt)"
}

# as_long NS LINE...: together, but for what they round.
as_long() {
	local line expected=$1 sum=0

	shift
	for line; do
		sum=$((sum + $(length_of "$line")))
	done
	between $((expected * 99 / 100)) $((expected * 101 / 100)) $sum
}

# told_as_recorded THREAD: its stall that lasts, and those that a busy machine
# has made before.
told_as_recorded() {
	local before

	mapfile -t before < <(lines "$1" 'stalled for')
	as_long "$(of_loop "$1" stalled)" "${before[@]}" \
		"$(lines "$1" 'is stalled, for .* so far' | tail -n 1)"
}

# lasts_at_end: one line of the stall that ends the program, of its length.
lasts_at_end() {
	local line

	line=$(lines ends 'is stalled, for .* so far')
	[[ $(wc -l <<<"$line") = 1 ]]
	(($(length_of "$line") >= run * 99 / 100))
	told_as_recorded ends
	told_as_recorded sleeps
}

# left: one line of the run that ends the program, of its length.
left() {
	local line

	line=$(lines ends 'left its loop (no stall), and ran for')
	[[ $(wc -l <<<"$line") = 1 ]]
	as_long "$(of_loop ends leftfor)" "$line"
	(($(length_of "$line") >= run * 99 / 100))
	told_as_recorded sleeps
}

@test "a callback that execs has a line, and whoever else is stalled" {
	ends 0 exec
	lasts_at_end
}

@test "what the report says of an exec is what the log had said" {
	local thread length

	ends 0 exec
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	cat "$RESULTS/report"
	for thread in ends sleeps; do
		length=$(lines $thread 'is stalled, for .* so far' | tail -n 1 |
			sed 's/.* is stalled, for \(.*\) so far.*/\1/')
		grep -E " $length[+] +$thread " "$RESULTS/report"
	done
}

@test "execs that fail are one line, and the stall's end has all of it" {
	local line

	printf '\0\0\0\0' >"$BATS_TEST_TMPDIR/no_program"
	chmod +x "$BATS_TEST_TMPDIR/no_program"
	ends 3 execs "$BATS_TEST_TMPDIR/no_program"
	[[ $(lines ends 'is stalled, for .*ms so far' | wc -l) = 1 ]]
	# The last one: on a busy machine it has been stalled before.
	line=$(lines ends 'stalled for' | tail -n 1)
	between $((run * 99 / 100)) $((run * 101 / 100 + 2000000 +
		$(header "$(result stall.txt)" unscheduled))) \
		"$(length_of "$line")"
	# At the first exec, at the end; on a busy machine after 1 s and so on.
	between 2 6 "$(lines sleeps 'is stalled, for .* so far' | wc -l)"
	told_as_recorded sleeps
}

@test "exit in a callback has a line, however it is called" {
	local how

	for how in exit _exit quick_exit exit_group thread; do
		ends 3 $how
		left
	done
}

@test "a signal that ends the program in a callback: a line each" {
	local sig

	for sig in TERM INT HUP USR1; do
		ends $((128 + $(kill -l $sig))) "$(kill -l $sig)"
		lasts_at_end
	done
}

# without_texts HOW: the victim; what the report tells of its stall is in $row.
without_texts() {
	local status=0

	rm -f "$RESULTS"/* "$log"
	run=$(under_shim STALLSHIM_LOG="$log" "$(victim log_ends)" "$1") ||
		status=$?
	run=${run#run }
	((status > 128))
	row=$("$STALLSHIM" report "$(result rec)" |
		grep -E '^ +[0-9.]+m?s +[0-9.]+m?s[+] +ends ')
	echo "$row"
}

@test "abort and assert in a callback have a line, as the report has it" {
	local how line told

	for how in abort assert; do
		without_texts $how
		cat "$log"
		line=$(lines ends 'is stalled, for .*ms so far')
		[[ $(wc -l <<<"$line") = 1 ]]
		(($(length_of "$line") >= run * 99 / 100))
		# A busy machine may let it die a tick later.
		told=$(awk '{ sub(/[+]/, "", $2); print " for", $2 " " }' \
			<<<"$row")
		(($(length_of "$line") <= $(length_of "$told")))
		lines sleeps 'is stalled, for .* so far' | grep -q .
	done
}

@test "a signal that leaves no texts leaves no line: its report has the stall" {
	local sig

	for sig in ABRT SEGV KILL; do
		without_texts "$(kill -l $sig)"
		[[ ! -e $log || $(lines ends 'is stalled, for .*ms' | wc -l) = 0 ]]
	done
}
