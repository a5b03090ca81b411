#!/usr/bin/env bats
# What is told of each loop: how long its runs took, its own threshold, and its
# longest stalls.
#
# SPDX-License-Identifier: MIT

load lib

teardown() {
	end_background
}

# run_loops SETTING... -- LOOP...: the victim; its words are in $said.
run_loops() {
	local settings=()

	while [[ $1 != -- ]]; do
		settings+=("$1")
		shift
	done
	shift
	said=$(under_shim "${settings[@]}" "$(victim loops)" "$@")
	text=$(result stall.txt)
	grep '^# ' "$text"
}

# of_loop NAME KEY: the value of KEY= in the line of that loop.
of_loop() {
	grep "^# loop=[0-9]* name=$1 " "$text" | tr ' ' '\n' |
		sed -n "s/^$2=//p" | sed 's/\.$//; s/\([0-9]\)ns$/\1/'
}

# as_said NAME: its percentiles are within 2 % and 20 us of its own clock.
as_said() {
	local key own

	for key in p50 p90 p99 p999; do
		own=$(sed -n "s/^$1 .*$key=\([0-9-]*\).*/\1/p" <<<"$said")
		echo "$1 $key: own $own"
		between $((${own%-*} * 98 / 100)) \
			$((${own#*-} * 102 / 100 + 20000)) \
			"$(of_loop "$1" "$key")"
	done
}

@test "percentiles of run lengths are those of the loop's own clock" {
	run_loops STALLSHIM_STALL=1s -- steady:300:2000 slow:4000:100
	as_said steady
	as_said slow
}

@test "runs of less than a microsecond are told as such" {
	run_loops -- quick:0:5000
	[[ $(of_loop quick turns) = 5001 ]]
	[[ $(of_loop quick p50) = 0 ]]
	"$STALLSHIM" report "$text" | grep '<512ns'
}

@test "busy and watched time make the utilisation" {
	run_loops STALLSHIM_STALL=1s -- steady:1000:300
	between $((290 * 1000000)) "$(of_loop steady watched)" \
		"$(of_loop steady busy)"
}

@test "each thread has the threshold of its name" {
	run_loops 'STALLSHIM_STALL=10ms,slow*=2s,quiet=off' -- \
		plain:30000:5 slow-1:30000:5 quiet:30000:5
	[[ $(of_loop plain stalls) = 5 ]]
	[[ $(of_loop slow-1 stalls) = 0 ]]
	[[ $(of_loop quiet stalls) = 0 ]]
	[[ $(of_loop quiet turns) = 6 ]]
	[[ $(of_loop plain threshold) = 10ms ]]
	[[ $(of_loop slow-1 threshold) = 2s ]]
	[[ $(of_loop quiet threshold) = off ]]
	[[ $(header "$text" stalls) = 5 ]]
	"$STALLSHIM" report "$(result rec)" | tee /dev/stderr |
		grep -E '^  slow-1 .* 2s$'
}

@test "one name may be all that is watched" {
	run_loops 'STALLSHIM_STALL=off,only=10ms' -- plain:30000:3 only:30000:3
	[[ $(of_loop plain stalls) = 0 ]]
	[[ $(of_loop only stalls) = 3 ]]
}

@test "a thread that is named late gets a higher threshold at once" {
	run_loops 'STALLSHIM_STALL=10ms,late*=2s' -- late-1:30000:20:5
	[[ $(of_loop late-1 stalls) = 0 ]]
	[[ $(of_loop late-1 threshold) = 2s ]]
}

@test "and a lower one when its timer fires" {
	run_loops 'STALLSHIM_STALL=200ms,late*=10ms' -- late-1:30000:40:5
	# The timer was armed for 200 ms.
	between 20 35 "$(of_loop late-1 stalls)"
}

@test "and one that was not watched is, a second later" {
	run_loops 'STALLSHIM_STALL=off,late*=10ms' -- late-1:30000:70:5
	between 20 65 "$(of_loop late-1 stalls)"
}

@test "thousands of short stalls leave the long one in the timeline" {
	local report missing shown

	run_loops STALLSHIM_STALL=200us STALLSHIM_MEMORY=256K -- \
		long:300000:1 short:1000:2000
	report=$("$STALLSHIM" report --top=5000 "$(result rec)")
	grep -E '^ .*ms  +long \([0-9]+\) ' <<<"$report"
	# What is not shown is counted.
	shown=$(awk '/in order of time/ { on = 1 }
		on && / (long|short) \(/ { n++ }
		END { print n + 0 }' <<<"$report")
	missing=$(sed -n 's/.*lost=\([0-9]*\): stalls not in the timeline.*/\1/p' "$text")
	echo "$shown shown, $missing missing"
	((shown + missing == $(header "$text" stalls)))
}

@test "percentiles are there after SIGKILL" {
	in_background under_shim STALLSHIM_STALL=1s "$(victim loops)" \
		steady:300:1000 stay >"$RESULTS/said"
	wait_until 20 grep ready "$RESULTS/said"
	kill -KILL "$program"
	job_ends 137
	[[ ! -e $(echo "$RESULTS"/*.stall.txt) ]]
	"$STALLSHIM" report "$(result rec)" | tee /dev/stderr |
		grep -E '^  steady \([0-9]+\) .* (30[0-9]|31[0-9])us '
}

# trace_calls CALLS LOOP: runs the victim under the shim; count CALL tells how
# often it made one of these system calls, $elapsed_ms how long it took.
trace_calls() {
	need strace
	LD_PRELOAD='' timeout -k 5 60 strace -f --seccomp-bpf \
		-o "$RESULTS/trace" -E "LD_PRELOAD=$SHIM" \
		-E "STALLSHIM_OUTPUT=$RESULTS/out" -e "trace=$1" \
		"$(victim loops)" "$2"
	elapsed_ms=$(sed -n 's/^ms since reset=//p' "$RESULTS/out.stall.txt")
}

count() {
	grep -c " $1(" "$RESULTS/trace" || true
}

@test "a million turns make system calls by time, none by turn" {
	local ours

	trace_calls timer_settime,timer_create,getrusage,prctl,clock_gettime \
		quick:0:1000000
	ours=$(count '[a-z_]*')
	echo "$ours calls, of them $(count timer_settime) to set the timer," \
		"in $elapsed_ms ms"
	# One tick in 10 ms, and what start and end take.
	(($(count timer_settime) <= elapsed_ms / 10 + 5))
	((ours <= elapsed_ms / 10 * 6 + 30))
}

@test "a loop that is hardly ever asked is woken once more a turn at most" {
	trace_calls epoll_wait,epoll_pwait,epoll_pwait2,timer_settime \
		idle:0:30:0:100
	echo "$(count 'epoll[a-z_0-9]*') waits, $(count timer_settime) settings"
	between 30 62 "$(count 'epoll[a-z_0-9]*')"
	(($(count timer_settime) <= 34))
}

@test "a loop that is not asked at all is woken once" {
	trace_calls epoll_wait,epoll_pwait,epoll_pwait2,timer_settime \
		idle:0:1:0:5000
	between 2 4 "$(count 'epoll[a-z_0-9]*')"
	(($(count timer_settime) <= 4))
}
