#!/usr/bin/env bats
# The report: the function to blame is named, whatever the file.
#
# SPDX-License-Identifier: MIT

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_background
}

# report ARGUMENT...: what it prints is in $said.
report() {
	said=$(timeout -k 5 60 "$STALLSHIM" report "$@")
	echo "$said"
}

says() {
	grep -qE -e "$1" <<<"$said" || {
		echo "no line says: $1"
		return 1
	}
}

says_not() {
	! says "$1" >/dev/null || {
		echo "a line says: $1"
		return 1
	}
}

# refuses STATUS WORDS ARGUMENT...
refuses() {
	local wanted=$1 words=$2 status=0

	shift 2
	said=$(timeout -k 5 60 "$STALLSHIM" report "$@" 2>&1 >/dev/null) || status=$?
	echo "$said"
	[[ $status = "$wanted" && $said = *"$words"* ]]
	[[ $(wc -l <<<"$said") = 1 ]]
}

@test "a stall is blamed on the function that computed" {
	under_shim "$(victim blame)" leaf
	report "$(result rec)"
	says '^blame, process [0-9]+ on '
	says '^started .* UTC, exited after '
	says '^Stalls: 3 stalls of 10ms or more on 1 event loop, [0-9.]+m?s in all'
	says '1\. .* in 3 stalls: parse_config \(victim_blame\.c:[0-9]+\)'
	says '^     > parse_config +victim_blame\.c:[0-9]+$'
	says '^       handle +victim_blame\.c:[0-9]+$'
	says '^       main +victim_blame\.c:[0-9]+$'
	says '^Locks: none made a thread wait\.'
}

@test "a stall that wanders is blamed on the function it does not leave" {
	under_shim STALLSHIM_STALL=5ms "$(victim blame)" wander
	report "$(result rec)"
	says '1\. .* in 3 stalls: scan_keys \(victim_blame\.c:[0-9]+\)'
	says '^     of it .* in (hash|compare|skip)_key, .* in (hash|compare|skip)_key'
	says '^       main +victim_blame\.c:[0-9]+$'
}

@test "a stall is told where most of it was, not where it began" {
	need addr2line
	under_shim STALLSHIM_LOG="$RESULTS/log" "$(victim blame)" prelude
	report "$(result rec)"
	says '1\. .* in 3 stalls( and parts of others)?: crunch \(victim_blame\.c:[0-9]+\)$'
	[[ $(grep -cE '^ .*blame \([0-9]+\) +- +[0-9]+  crunch \(victim_blame\.c:[0-9]+\)  ' <<<"$said") = 3 ]]
	# The log, too; its innermost place is in crunch(), no sleep's.
	[[ $(sed -n 's/.* stalled for .*, at blame+\(0x[0-9a-f]*\) < .*/\1/p' \
		"$RESULTS/log" | addr2line -f -e "$(victim blame)" |
		tee /dev/stderr | grep -cx crunch) = 3 ]]
}

@test "the stack of each stall of the timeline is shown if asked for" {
	under_shim "$(victim blame)" leaf
	report --stacks "$(result rec)"
	[[ $(grep -A 6 -E '^  After [0-9.]+m?s blame \([0-9]+\) stalled for [0-9.]+m?s, mostly in$' <<<"$said" |
		grep -c '> parse_config ') = 3 ]]
	says '^ +after +lasted +loop +events +samples +in +why$'
	report --stacks --top=1 "$(result rec)"
	says '^The 1 longest of 3 stalls, in order of time:$'
	[[ $(grep -c '^  After ' <<<"$said") = 1 ]]
	report "$(result rec)"
	says_not '^  After '
}

@test "a handler is not blamed for the work that it calls" {
	under_shim STALLSHIM_STALL=4ms "$(victim blame)" thin
	report "$(result rec)"
	says '1\. .* in 3 stalls: do_work \(victim_blame\.c:[0-9]+\)$'
	says_not 'stalls?: answer'
	# In the timeline, too.
	[[ $(grep -cE '^ .*blame \([0-9]+\) +- +[0-9]+  do_work ' <<<"$said") = 3 ]]
}

@test "a stall in a sleep is blamed on who slept" {
	under_shim "$(victim loop)" usleep
	report "$(result rec)"
	says 'in 1 stall: callback_usleep \(victim_loop\.c:[0-9]+\), in usleep$'
	# In the timeline each word is in its column, and is said once. (Where the
	# machine is busy it was late to go on as well.)
	says '^ .* loop \([0-9]+\) +- +[0-9]+  callback_usleep \(victim_loop\.c:[0-9]+\)  ([0-9.]+% )?blocked in usleep[ ,]'
}

@test "a loop without a stall is said to have none" {
	under_shim STALLSHIM_STALL=1s "$(victim loop)" spin
	report "$(result rec)"
	says '^Stalls: no stall of 1s or more on 1 event loop; the longest run took [0-9.]+ms\.$'
	says_not 'What kept the loops'
}

@test "a run just below the threshold is not rounded up to that" {
	local text

	under_shim "$(victim loop)" nothing
	text=$(result stall.txt)
	sed -E 's/longest=[0-9]+ns/longest=9961234ns/' "$text" >below.stall.txt
	report below.stall.txt
	says 'no stall of 10ms or more .*; the longest run took 9\.961234ms\.$'
}

@test "waiting is blamed on the unlock that ended it, of a named lock" {
	under_shim "$(victim schedules)" five
	report "$(result rec)"
	says '^Locks: 1 lock made threads wait for '
	says '^  lock +mutex +schedules[+]0x[0-9a-f]+ +[0-9]+ '
	says '^  [1-3]\. [0-9.]+ms \([0-9.]+%\) by 1 unlock of lock: unlock_B \(victim_schedules\.c:[0-9]+\)'
	says 'in [0-9]+ waits for lock: '
	says '^Where the .* of waiting went \(the sum is exact\):$'
}

@test "texts say what the recording says" {
	under_shim "$(victim schedules)" five
	report "$(result rec)"
	says '^  [1-3]\. .* unlock_B '
	blamed=$(grep -E '^ +[0-9]+\. .* by [0-9]+ unlock' <<<"$said")
	report "$(result mutex.txt)" "$(result wait.txt)" \
		"$(result stall.txt)"
	[[ $(grep -c '^schedules, process' <<<"$said") = 1 ]]
	[[ $(grep -E '^ +[0-9]+\. .* by [0-9]+ unlock' <<<"$said") = "$blamed" ]]
	says '^Where the .* of waiting went \(the sum is exact\):$'
	report "$(result mutex.txt)"
	says '^Stalls: not in this file\.'
}

@test "a text without names gets them from its memory map" {
	under_shim "$(victim blame)" leaf
	sed -i '/^#\t0x/d' "$(result stall.txt)"
	report "$(result stall.txt)"
	says ': parse_config \(victim_blame\.c:[0-9]+\)$'
	says '^       handle +victim_blame\.c:[0-9]+$'
}

@test "a prefix stands for the files that bear it" {
	local rec

	under_shim "$(victim loop)" spin
	rec=$(result rec)
	report "${rec%.rec}"
	says 'callback_spin'
	report "$RESULTS/loop"
	says 'callback_spin'
	rm "$rec"
	report "${rec%.rec}"
	says 'callback_spin'
	refuses 1 "no such file" "$RESULTS/nothing"
}

@test "a running program is read while it hangs" {
	in_background under_shim "$(victim loop)" endless
	wait_until 10 test -e "$RESULTS"/loop.*.rec
	wait_until 10 eval 'report "$(result rec)" && says callback_endless'
	says ', still running, for .* now '
	says '^  Thread loop \([0-9]+\) has not come back to its wait for '
	kill -KILL "$program"
}

# counts_it CAUSE: the one stall is in the headline, the loop's row, the list of
# code and the timeline, and has this cause, the most by far or not.
counts_it() {
	report "$(result rec)" && says '^Stalls: 1 stall of ' &&
		says '^  loop \([0-9]+\) .* 1 +[0-9.]+m?s$' &&
		says '^  1\. .*%\) in 1 stall: ' &&
		says '[0-9.]+m?s\+ +loop \([0-9]+\) ' &&
		says "        Why: .*$1"
}

@test "a stall that has not come back counts, also where no tick comes" {
	local what

	for what in endless:CPU sleep-for-ever:blocked; do
		rm -f "$RESULTS"/*
		in_background under_shim "$(victim loop)" "${what%:*}"
		wait_until 10 counts_it "${what#*:}"
		kill -KILL "$program"
		wait "$job" || true
	done
}

@test "and its time is in the sum when the program ends" {
	in_background under_shim "$(victim loop)" sleep-for-ever
	wait_until 10 counts_it blocked
	kill -TERM "$program"
	job_ends 143
	text=$(result stall.txt)
	[[ $(header "$text" stalls) = 1 ]]
	[[ $(total_ns "$text") = "$(header "$text" stalled)" ]]
	# The rest it was not let sleep, or not run.
	between $(($(header "$text" stalled) * 3 / 4)) \
		"$(header "$text" stalled)" "$(header "$text" blocked)"
}

@test "a killed program is read as well" {
	in_background under_shim "$(victim loop)" sleep-for-ever
	wait_until 10 eval 'report "$(result rec)" && says callback_sleeps_for_ever'
	says ' has not come back to its wait for .* it was in sleep for '
	kill -KILL "$program"
	wait "$job" || true
	report "$(result rec)"
	says ', ended without a word .killed.. some time after '
	says 'Thread loop .* was in sleep for .*, called by$'
	says '^     > callback_sleeps_for_ever +victim_loop\.c:[0-9]+$'
}

@test "threads that wait for each other are shown as a circle" {
	in_background under_shim "$(victim circle)"
	wait_until 10 eval 'report "$(result rec)" && says "Deadlock:"'
	kill -KILL "$program"
	wait "$job" || true
	report "$(result rec)"
	says '^     thread debit \([0-9]+\) waits for ledger_lock, which thread credit \([0-9]+\) holds$'
	says '^     thread credit \([0-9]+\) waits for account_lock, which thread debit \([0-9]+\) holds$'
	[[ $(grep -c 'Deadlock:' <<<"$said") = 1 ]]
	says '^  Thread debit .* for ledger_lock, held by thread credit'
	says '^       debit +victim_circle\.c:[0-9]+$'
}

@test "a program that has changed since is not trusted, and said so" {
	cp "$(victim loop)" program
	under_shim ./program spin
	cp "$(victim schedules)" program
	report "$(result rec)"
	says 'another file than the one that was recorded'
	says 'program\+0x[0-9a-f]+'
	says_not callback_spin
}

@test "a program whose name is a FIFO's by now does not keep the report" {
	cp "$(victim loop)" program
	under_shim ./program spin
	rm program
	mkfifo program
	report "$(result rec)"
	says 'program\+0x[0-9a-f]+'
}

@test "a stripped program is shown by places that addr2line takes" {
	local place

	strip -o stripped "$(victim blame)"
	under_shim ./stripped leaf
	report "$(result rec)"
	says '1\. .*: stripped\+0x[0-9a-f]+$'
	says 'stripped: 0 of [0-9]+ addresses have names'
	place=$(grep -oEm1 'stripped\+0x[0-9a-f]+' <<<"$said")
	addr2line -fi -e "$(victim blame)" "${place#*+}" | grep -x parse_config
}

# Its stack pointer moves before a call: so the unwind tables have a rule, and
# then another one, for what is one function.
@test "a stripped function is one, wherever it is found" {
	need cc
	cc -O2 -o whole -I "$ROOT/test/e2e" -x c - <<-'EOF'
		#include <poll.h>
		#include "victim.h"
		#define WORK(name, parameters) \
			__attribute__((noinline, noclone)) void name parameters \
			{ \
				spin(35 * NS_PER_MS); \
				__asm__ volatile(""); \
			}
		WORK(first, (int a, int b, int c, int d, int e, int f, int g))
		WORK(second, (int a, int b, int c, int d, int e, int f, int g,
			      int h, int i, int j))
		__attribute__((noinline, noclone)) void both(void)
		{
			first(1, 2, 3, 4, 5, 6, 7);
			second(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
			__asm__ volatile("");
		}
		int main(void)
		{
			for (int i = 0; i < 9; i++) {
				poll(NULL, 0, 1);
				if (i == 5)
					both();
			}
			return 0;
		}
	EOF
	strip -o stripped whole
	under_shim ./stripped
	report "$(result rec)"
	says "^  1\. .*: stripped\+0x$(nm whole | sed -n 's/^0*\(.*\) T both$/\1/p')\$"
}

@test "--top limits each list" {
	under_shim "$(victim schedules)" five
	report --top=1 "$(result rec)"
	says '^  1\. '
	says_not '^  2\. '
	says '\.\.\. and [0-9]+ more'
	refuses 2 "give a number" --top=0 "$(result rec)"
	refuses 2 "give a number" --top=ten "$(result rec)"
}

@test "many processes have an overview, what stalled most first" {
	local overview i

	for i in 1 2 3; do
		under_shim "$(victim loop)" spin
	done
	under_shim "$(victim lock_kinds)" spin
	report "$RESULTS"/*.rec
	says_not 'those that stalled most first'
	# The recording, and its text as one more.
	report --top=4 "$RESULTS"/*.rec "$(result mutex.txt lock_kinds)"
	[[ $said = "5 processes, those that stalled most first:"* ]]
	overview=$(sed -n '1,/^----$/p' <<<"$said")
	[[ $(grep -cE '^  loop \([0-9]+\) +20.* UTC +[0-9.]+m?s +1 +[0-9.]+ms +[0-9]+ +[0-9.]+ms +- ' \
		<<<"$overview") = 3 ]]
	[[ $(sed -n 7p <<<"$overview") =~ ^'  lock_kinds ('.*m?s.*(-|\?).*ms.*lock_kinds ]]
	[[ $(sed -n 8p <<<"$overview") =~ ^'  ... and 1 more: no stall; '[0-9.]+ms' of waits for locks'$ ]]
	[[ $(grep -c '^----$' <<<"$said") = 5 ]]
}

@test "what is no file of ours is refused in one line" {
	under_shim "$(victim loop)" spin
	echo text >text
	refuses 1 "text is neither a recording nor a text of stallshim" text
	head -c 100 "$(result rec)" >short
	refuses 1 "short is too short" short
	head -c 100000 "$(result rec)" >short
	refuses 1 "short is cut short" short
	# Killed before the word was there that makes it valid.
	dd if=/dev/zero of=short bs=8 count=1 conv=notrunc status=none
	refuses 1 "short holds nothing yet" short
	refuses 1 "is a directory: name files in it" /
	refuses 1 "is not a regular file" /dev/null
	mkfifo pipe
	refuses 1 "is not a regular file" pipe
	refuses 1 "no such file" nothing
	cp text $'te\033[2Jxt'
	refuses 1 'te\033[2Jxt is neither' $'te\033[2Jxt'
	refuses 2 "report on what?"
}

@test "one bad file does not hide the good ones" {
	local status=0

	under_shim "$(victim loop)" spin
	said=$(timeout -k 5 60 "$STALLSHIM" report nothing "$(result rec)" 2>/dev/null) ||
		status=$?
	[[ $status = 1 ]]
	says callback_spin
}

@test "a report that can't be written fails" {
	under_shim "$(victim loop)" spin
	! "$STALLSHIM" report "$(result rec)" >/dev/full
}
