#!/usr/bin/env bats
# Why a loop did not turn: each planted cause is found, and no other is blamed.
# What the machine takes away (it may be busy) is nobody's: all but that counts.
#
# SPDX-License-Identifier: MIT

load lib

# What the program does itself.
own_causes="cpu blocked lock semaphore barrier join faults"

# why REASON [MILLISECONDS]: the victim under the shim; its runs, added up, and
# the processor time in them, are in $run and $cpu.
why() {
	rm -f "$RESULTS"/*
	said=$(under_shim STALLSHIM_STALL="${threshold:-10ms}" \
		WHY_DIR="$ROOT" "$(victim "${program:-why}")" "$@")
	text=$(result stall.txt)
	run=$(awk '/^run / { sum += $2 } END { print sum + 0 }' <<<"$said")
	cpu=$(awk '/^run / { sum += $4 } END { print sum + 0 }' <<<"$said")
	grep '^# ' "$text"
	adds_up
}

# why_logged REASON [MILLISECONDS]: with a log.
why_logged() {
	rm -f "$RESULTS"/*.*
	under_shim STALLSHIM_LOG="$RESULTS/log" "$(victim why)" "$@"
	cat "$RESULTS/log"
}

# adds_up: the causes, the samples, and the law of stalls are the same time. A
# stall that no tick was let run in has neither a stack nor a cause.
adds_up() {
	local stalled

	stalled=$(header "$text" stalled)
	[[ $(sum_of "$own_causes unscheduled") = \
		$(total_ns "$text") ]]
	[[ $(total_ns "$text") = "$stalled" ]] || {
		(($(header "$text" unseen) > 0))
		between 0 "$stalled" "$(total_ns "$text")"
	}
}

# sum_of "CAUSE...": of the head of the text.
sum_of() {
	local cause sum=0

	for cause in $1; do
		sum=$((sum + $(header "$text" "$cause")))
	done
	echo "$sum"
}

# mostly CAUSE: of what was not the machine's doing, more than half.
mostly() {
	local all

	all=$(sum_of "$own_causes")
	((all > 0))
	between $((all / 2 + 1)) "$all" "$(header "$text" "$1")"
}

# why_when_let REASON MILLISECONDS: again, until the machine let it run for an
# eighth of its time.
why_when_let() {
	local tries=20

	until why "$@" && ((cpu > run / 8)); do
		((--tries))
	done
}

@test "spinning is on CPU, for as long as it was, and no longer" {
	local ms

	for ms in 25 50 400; do
		why_when_let spin "$ms"
		lasts_as_said "$text" "$run"
		mostly cpu
		between 0 $((cpu * 17 / 16 + 1000000)) \
			"$(header "$text" cpu)"
	done
}

# major_faults REASON: how many the report tells of the stall.
major_faults() {
	why "$1" 25 >/dev/null
	(($(header "$text" stalls) >= 1))
	"$STALLSHIM" report "$(result rec)" |
		sed -n 's/.* \([0-9]*\) major faults.*/\1/p' | head -n 1
}

# A tick is the first to touch much of the recording. Where the machine is busy
# a fault of the program's that finds a page locked is a major one, too.
@test "the page faults that a tick makes itself are not the program's" {
	local what tries

	for what in spin nanosleep read; do
		tries=10
		until [[ -z $(major_faults "$what") ]]; do
			((--tries))
		done
	done
}

@test "a run just above the threshold is a stall of its length" {
	why_when_let spin 12
	lasts_as_said "$text" "$run"
	mostly cpu
}

@test "each blocking call is named" {
	local call calls

	calls="nanosleep:clock_nanosleep read:read wait:wait4 flock:flock
		connect:connect vfork:vfork"
	for call in $calls; do
		why "${call%:*}" 200
		lasts_as_said "$text" "$run"
		mostly blocked
		grep "^#	cause=blocked call=${call#*:} " "$text"
		"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
		grep "blocked in ${call#*:}" "$RESULTS/report"
	done
}

# libc blocks every signal as it starts a program, and so may who waits for it:
# the tick is late then, but not since the thread was not let run.
@test "who starts a program is blocked until that runs, or has run" {
	local call tries=10

	for call in system:system spawn:posix_spawn; do
		# A busy machine may keep it from the call.
		until why "${call%:*}" 200 &&
			(($(header "$text" blocked) > run * 3 / 4)); do
			((--tries))
		done
		lasts_as_said "$text" "$run"
		grep "^#	cause=blocked call=${call#*:} " "$text"
		"$STALLSHIM" report "$(result rec)" |
			grep "blocked in ${call#*:}"
	done
}

@test "a shell that is long in coming has blocked who waits for it" {
	need strace
	timeout -k 5 60 strace -f -o /dev/null -e trace=execve \
		-e inject=execve:delay_enter=200000 \
		env LD_PRELOAD="$SHIM" STALLSHIM_OUTPUT="$RESULTS/%e.%p" \
		"$(victim why)" shell 1
	text=$(result stall.txt why)
	grep '^# ' "$text"
	(($(header "$text" blocked) > 200000000))
	# It was for the shell, and not by the machine that it had to wait.
	(($(header "$text" unscheduled) < $(header "$text" blocked) / 2))
}

# jump CALL [killed]: the victim that jumps out of it.
jump() {
	rm -f "$RESULTS"/*
	under_shim STALLSHIM_STALL=25ms "$(victim jump)" "$@"
}

@test "a call is blocked in until a handler jumps out of it, and no longer" {
	local call blocked

	for call in usleep semop; do
		blocked=$(jump $call)
		text=$(result stall.txt)
		cat "$text"
		adds_up
		between $((blocked * 9 / 10)) $((blocked + 1000000)) \
			"$(header "$text" blocked)"
		grep "cause=blocked call=$call" "$text"
		[[ $(samples "$text") = *callback_blocks* ]]
		"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
		grep callback_blocks "$RESULTS/report"

		jump $call killed || (($? == 137))
		"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
		grep 'has not come back' "$RESULTS/report"
		[[ $(grep -c 'it was in' "$RESULTS/report") = 0 ]]
	done
}

@test "a call that no signal ends is named when it has returned" {
	local total tries=10

	# On a busy machine it may have been preempted as often as it slept.
	until why fsync && grep '^#	cause=blocked call=fsync ' "$text"; do
		((--tries))
	done
	lasts_as_said "$text" "$run"
	total=$(awk '/^[0-9]+ [0-9]+ @/ { ns = $1 }
		/^#\tcause=blocked call=(fsync|write|close) / { sum += ns }
		/^#\tcause=blocked / { all += ns }
		END { print sum == all }' "$text")
	[[ $total = 1 ]]
}

# held_lock: the report of a wait for a lock.
held_lock() {
	why lock 30
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	cat "$RESULTS/report"
}

@test "a lock: its name, who held it, and the code that let go" {
	local tries=10

	# Where no tick was let run in time, the holder is a number.
	until held_lock && grep 'cache_lock was let go' "$RESULTS/report"; do
		grep -E 'waiting for cache_lock, held by [0-9]+[ ,]' \
			"$RESULTS/report"
		grep -A 1 'cache_lock is let go mostly in' "$RESULTS/report" |
			grep '> unlock_cache'
		((--tries))
	done
	lasts_as_said "$text" "$run"
	# What came before, starting the holder, is the victim's and no lock.
	between 29000000 "$(header "$text" stalled)" "$(header "$text" lock)"
	grep '^#	cause=lock lock=0x[0-9a-f]* name=cache_lock object=why ' \
		"$text"
	grep -E 'waiting for cache_lock, held by worker1 \([0-9]+\)' \
		"$RESULTS/report"
	grep -A 2 -E 'cache_lock was let go by worker1 \([0-9]+\), in' \
		"$RESULTS/report" | grep '> unlock_cache'
}

# wait_of REASON [CAUSE]: the report of a stall by a wait that is for no lock.
wait_of() {
	local cause=${2:-$1} tries=10

	# A stall that no tick was let run in has no cause.
	until why "$1" 30 && (($(header "$text" "$cause") > 0)); do
		((--tries))
	done
	mostly "$cause"
	[[ $(header "$text" lock) = 0 ]]
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	"$STALLSHIM" report "$text" >"$RESULTS/report_of_text"
	cat "$RESULTS/report"
	! grep -E 'held by|let go|waiting for a lock|waiting for jobs_done' \
		"$RESULTS/report"
}

@test "a join is waiting for a thread to end, which nobody lets go of" {
	wait_of join
	grep '^     .*waiting for a thread to end' "$RESULTS/report"
	# The stall's own line tells which.
	# Where no tick was let run in time it had no name yet, or had ended.
	grep -E 'waiting for thread ((worker1|why) \([0-9]+\)|[0-9]+) to end' \
		"$RESULTS/report"
	grep 'waiting for a thread to end' "$RESULTS/report_of_text"
	! grep -E 'for joins|posted' "$RESULTS/report" "$RESULTS/report_of_text"
}

@test "of several threads that a loop joins none is told" {
	wait_of joins join
	grep '^     .*waiting for a thread to end' "$RESULTS/report"
	! grep -E 'waiting for thread ' "$RESULTS/report"
}

@test "a semaphore has a cause of its own, and who posted it" {
	local tries=10

	# Where no tick was let run in time, it is not known who did.
	until wait_of semaphore &&
		grep -E 'jobs_done was posted by worker1 \([0-9]+\), in' \
			"$RESULTS/report"; do
		grep -A 1 'jobs_done is posted mostly in' "$RESULTS/report" |
			grep '> post_done'
		((--tries))
	done
	grep -E 'waiting for semaphore jobs_done, posted by worker1 \(' \
		"$RESULTS/report"
	grep -A 1 'jobs_done was posted by' "$RESULTS/report" |
		grep '> post_done'
	grep 'waiting for semaphore jobs_done' "$RESULTS/report_of_text"
}

@test "a barrier has a cause of its own, and a name" {
	wait_of barrier
	grep 'waiting at barrier meeting' "$RESULTS/report"
	! grep posted "$RESULTS/report"
}

@test "the log tells the lock, and its holder by name" {
	local place tries=10

	place=$(nm "$(victim why)" | sed -n 's/^0*\([0-9a-f]*\) . cache_lock$/\1/p')
	until rm -f "$RESULTS/log"; why_logged lock &&
		grep -E "waiting for mutex why\\+0x$place, held by worker1 \\([0-9]+\\)" \
			"$RESULTS/log"; do
		((--tries))
	done
	# Where the report shows it too.
	"$STALLSHIM" report "$(result rec)" |
		grep -E "^  cache_lock +mutex +why\\+0x$place "
}

@test "the log tells which thread a loop joins, by name, as the report does" {
	local told tries=10

	# Where no tick was let run in time only its number is known, and where
	# the thread was not, the name it had first.
	until rm -f "$RESULTS/log"; why_logged join 100 &&
		told=$(grep -oE 'waiting for thread worker1 \([0-9]+\) to end' \
			"$RESULTS/log"); do
		grep -E 'for thread ([0-9]+|why \([0-9]+\)) to end' \
			"$RESULTS/log"
		((--tries))
	done
	"$STALLSHIM" report "$(result rec)" | grep -F "$told"
	why_logged joins 30
	grep 'waiting for a thread to end' "$RESULTS/log"
}

@test "a stall is as long as it was, however long that is" {
	local ms

	for ms in 12 25 50 400; do
		why_when_let spin "$ms"
		lasts_as_said "$text" "$run"
	done
}

@test "a storm of page faults is page faults" {
	why_when_let faults 200
	lasts_as_said "$text" "$run"
	mostly faults
}

@test "a stopped process is not scheduled" {
	why stop 2000
	lasts_as_said "$text" "$run"
	between 1950000000 "$run" "$(header "$text" unscheduled)"
	between 0 $((cpu * 17 / 16 + 1000000)) "$(header "$text" cpu)"
	"$STALLSHIM" report "$(result rec)" | grep 'not scheduled'
}

@test "8 loops on one processor: it is blamed for what was used, no more" {
	local used

	why starve 20
	[[ $(header "$text" loops) = 8 ]]
	used=$cpu
	between 0 $((used * 17 / 16)) "$(header "$text" cpu)"
	# They had an eighth each, so most of the time nobody computed.
	between $((run / 2)) "$(header "$text" stalled)" \
		"$(header "$text" unscheduled)"
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	grep -E '^        Why: .*not scheduled' "$RESULTS/report"
}

# A stop, or others on the processor, go on for longer than the sleep that the
# thread was in: its tick comes when it runs again, and is as late as that.
@test "who is stopped in a call was blocked before, and is not scheduled since" {
	local how tries=20

	for how in stop_read stop_sleep; do
		# Where the machine is busy it may have been let run less.
		until program=not_let why "$how" &&
			(($(header "$text" blocked) >= 20000000)); do
			between 285000000 "$run" \
				"$(header "$text" unscheduled)"
			((--tries))
		done
		lasts_as_said "$text" "$run"
		between 285000000 $((run - 20000000)) \
			"$(header "$text" unscheduled)"
		"$STALLSHIM" report "$(result rec)" |
			grep -E '^        Why: .*not scheduled'
	done
}

# starved HOW: its calls took a millisecond each; were its runs much longer?
starved() {
	program=not_let threshold=2ms why "$1"
	stalled=$(header "$text" stalled)
	((stalled > 10000000 * $(header "$text" stalls)))
}

@test "a call that is over while others have the processor blocks no more" {
	local how stalled tries=60

	for how in starve_usleep starve_read; do
		until starved "$how"; do
			((--tries))
		done
		between $((stalled / 2)) "$stalled" \
			"$(header "$text" unscheduled)"
	done
}
