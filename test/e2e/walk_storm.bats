#!/usr/bin/env bats
# A storm of what walks have been seen to hang in or to die of, with ticks at
# 5 kHz and locks contended for. STORM_S: for how many seconds.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

seconds=${STORM_S:-20}
parts=(throw malloc dlopen iterate coroutine fork spin)
settings=(STALLSHIM_MEMORY=1M STALLSHIM_STALL=200us)

teardown() {
	end_background
}

# Of the children, which are many, only the last leave anything behind.
remove_childrens() {
	find "$RESULTS" -type f -name '*.[0-9]*.*' ! -name "*.$program.*" \
		! -newermt "3 seconds ago" -delete
	has_ended "$job"
}

# storm PROGRAM PART...: ends well.
storm() {
	LIMIT_S=$((seconds + 60)) in_background under_shim "${settings[@]}" \
		"$(victim "$1")" "$seconds" "$BUILD/victims" "${@:2}" \
		>"$RESULTS/said"
	wait_until $((seconds + 70)) remove_childrens
	job_ends 0
	[[ $(<"$RESULTS/said") = "done" ]]
	stall=$(echo "$RESULTS"/*."$program".stall.txt)
	mutex=${stall/stall.txt/mutex.txt}
	wait=${stall/stall.txt/wait.txt}
	grep -h '^# lost=' "$stall" || true
}

# left_out TEXT: walks that were left out, or cut short.
left_out() {
	awk -F '[=:]' '/^# lost=[0-9]*: walks / { sum += $2 }
		END { print sum + 0 }' "$1"
}

# share_is_small: fewer than one walk in 10,000 was left out.
share_is_small() {
	local walks left

	walks=$(($(total_count "$stall") + $(total_count "$mutex") +
		$(total_count "$wait")))
	left=$(left_out "$stall")
	echo "# $walks walks, $left left out or cut short" >&3
	((walks > 1000 && left * 10000 < walks))
}

# Each library's function is called by the function that loaded it.
names_are_right() {
	local which

	for which in even odd; do
		samples "$1" | grep " storm_$which " >"$RESULTS/through"
		[[ -s $RESULTS/through ]]
		[[ $(grep -vc "through_$which" "$RESULTS/through") = 0 ]]
	done
}

@test "a storm on walks is survived, and its stacks are whole" {
	local part

	storm walk_storm "${parts[@]}"
	law_closes "$mutex"
	names_are_right "$stall"
	names_are_right "$mutex"
	for part in "${parts[@]}"; do
		samples "$stall" | grep -q "storm_$part"
	done
}

@test "of walks in a loop of dlopen and dlclose 1 in 10,000 is left out" {
	seconds=$((seconds < 20 ? seconds : 20))
	storm walk_storm dlopen dlopen spin
	names_are_right "$stall"
	names_are_right "$mutex"
	share_is_small
}

@test "a storm on walks is survived with AddressSanitizer" {
	settings+=(LD_PRELOAD="$(cc -print-file-name=libasan.so) $SHIM"
		ASAN_OPTIONS=detect_leaks=0)
	storm walk_storm_address "${parts[@]}"
	law_closes "$mutex"
}
