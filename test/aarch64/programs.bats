#!/usr/bin/env bats
# Programs of another processor under the shim, emulated: what stalls and what
# is waited for is found, with the right names.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib

PAGE_OPTION=()

# emulated_under_shim [NAME=VALUE...] PROGRAM...: as under_shim.
emulated_under_shim() {
	local settings=()

	while [[ $1 = *=* ]]; do
		settings+=("$1")
		shift
	done
	${in_job:+exec} timeout -k 5 60 env STALLSHIM_OUTPUT="$RESULTS/%e.%p" \
		"${settings[@]}" "$ROOT/scripts/emulate" \
		"${PAGE_OPTION[@]}" -E LD_PRELOAD="$SHIM" "$@"
}

report() {
	"$ROOT/scripts/emulate" "$STALLSHIM" report "$@"
}

# stalls_in WHAT WAIT LEAST_NS: the loop victim's callback has at least so much
# of what stalled; all of that is on stacks, or counted as unseen. No more: how
# long things take on an emulated processor that others share says nothing.
stalls_in() {
	emulated_under_shim "$(victim loop)" "$1" "$2"
	text=$(result stall.txt)
	cat "$text"
	all=$(header "$text" stalled)
	[[ $(($(total_ns "$text") + $(header "$text" unseen))) = "$all" ]]
	between "$3" "$all" "$(total_ns "$text" "callback_$1")"
}

@test "a callback that computes is a stall, named to the end" {
	stalls_in spin epoll_wait 45000000
	samples "$text" | grep -q ' callback_spin main .*_start$'
	report "$(result rec)" | tee "$RESULTS/report"
	grep -q 'callback_spin .*victim_loop.c:' "$RESULTS/report"
}

@test "a callback that sleeps sleeps for as long, and is named" {
	stalls_in usleep poll 200000000
	samples "$text" | grep -q ' callback_usleep main '
}

@test "frame pointers find who stalls, too" {
	STALLSHIM_UNWIND=fp stalls_in spin select 45000000
}

@test "what holds a lock pays for it, and the law closes" {
	emulated_under_shim "$(victim lock_kinds)" spin
	text=$(result mutex.txt)
	cat "$text"
	law_closes "$text"
	law_closes "$(result wait.txt)"
	[[ $(total_ns "$text") -gt 0 ]]
	samples "$text" | grep -q ' main '
}

@test "a recording outlives its program" {
	in_job=yes emulated_under_shim "$(victim loop)" endless >/dev/null &
	job=$!
	wait_until 30 result rec
	wait_until 30 eval 'report "$RESULTS"/*.rec | grep -q callback_endless'
	kill -KILL "$(basename "$RESULTS"/*.rec .rec | sed 's/.*\.//')"
	wait "$job" || true
	report "$RESULTS"/*.rec | tee "$RESULTS/report"
	grep -q 'callback_endless .*victim_loop.c:' "$RESULTS/report"
}

@test "where pages are larger nothing is watched, which is said" {
	run emulated_under_shim "$(victim loop)" often
	[[ $status = 0 && $output != *"4 KiB"* ]]
	PAGE_OPTION=(-p 65536)
	rm -f "$RESULTS"/*.*
	run emulated_under_shim "$(victim loop)" often
	echo "$output"
	[[ $status = 0 && $output == *"pages are not of 4 KiB"* ]]
	[[ -z $(ls "$RESULTS") ]]
}
