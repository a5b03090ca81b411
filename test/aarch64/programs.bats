#!/usr/bin/env bats
# Programs of another processor under the shim, emulated: what they are told
# apart by is in the results, with the right names.
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

# one_stall WHAT WAIT: of the loop victim; how long by its own clock.
one_stall() {
	said=$(emulated_under_shim "$(victim loop)" "$@")
	text=$(result stall.txt)
	cat "$text"
	[[ $(header "$text" stalls) = 1 ]]
	[[ $(total_ns "$text") = "$(header "$text" stalled)" ]]
	[[ $(total_ns "$text" "callback_$1") = "$(header "$text" stalled)" ]]
	run=$(awk '/^run / { sum += $2 } END { print sum + 0 }' <<<"$said")
	between "$run" $((run * 11 / 10 + 10000000)) \
		"$(header "$text" stalled)"
}

@test "a callback that computes is one stall, named to the end" {
	one_stall spin epoll_wait
	[[ $(samples "$text") == *" main "*" _start" ]]
	report "$(result rec)" | tee "$RESULTS/report"
	grep -q 'callback_spin .*victim_loop.c:' "$RESULTS/report"
}

@test "a callback that sleeps sleeps for as long, and is named" {
	one_stall usleep poll
	between 200000000 260000000 "$run"
	[[ $(samples "$text") == *" callback_usleep main "* ]]
}

@test "frame pointers find who stalls, too" {
	emulated_under_shim STALLSHIM_UNWIND=fp "$(victim loop)" spin select
	text=$(result stall.txt)
	cat "$text"
	between 40000000 1000000000 "$(total_ns "$text" callback_spin)"
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
