#!/usr/bin/env bats
# Threads and processes with lives of many kinds: what they say and how they end
# is as natively, and what they waited for is there, in texts or at least in the
# recording.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib
bats_require_minimum_version 1.5.0

files() {
	find "$RESULTS" -name "*.$1" | wc -l
}

# lives CASE: under ticks of 1 ms as natively. What we have to say is in $said.
lives() {
	said=$BATS_TEST_TMPDIR/said
	RESULTS=$BATS_TEST_TMPDIR/results
	mkdir -p "$RESULTS"
	run --separate-stderr natively "$(victim lives)" "$1"
	expected="$status $output"
	[[ $status = 0 ]]
	status=0
	output=$(under_shim STALLSHIM_STALL=1ms "$(victim lives)" "$1" \
		2>"$said") || status=$?
	cat "$said"
	diff <(echo "$expected") <(echo "$status $output")
}

# charged COUNT: so many unlocks by hold_lock found somebody waiting.
charged() {
	local text

	text=$(result mutex.txt)
	law_closes "$text"
	[[ $(total_count "$text" hold_lock) = "$1" ]]
	[[ ! -s $said ]]
}

@test "main ends by pthread_exit, its threads go on" {
	lives main_ends
	charged 1
}

@test "detached threads" {
	lives detached
	text=$(result mutex.txt)
	law_closes "$text"
	# Not 200: of those who crowd round it each takes it as it can.
	(($(total_count "$text" hold_lock) > 0))
	[[ $(header "$text" open) = 0 ]]
}

@test "thread-specific data whose destructors lock" {
	lives destructors
	charged 40
}

@test "thread-specific data whose destructors are loops, to the last round" {
	lives rounds
	# Each thread anew in its destructors, but not for ever.
	[[ $(header "$(result stall.txt)" loops) = 200 ]]
}

@test "5,000 threads wait for one lock at once" {
	lives at_once
	law_closes "$(result mutex.txt)"
	# Nothing but who waits may be left out, and that is told.
	[[ $(header "$(result mutex.txt)" open) = 0 ]]
}

# in_recording_only WORDS: no text, one line that says why, and the report of
# the recording has both waits.
in_recording_only() {
	[[ $(files txt) = 0 && $(files new) = 0 ]]
	[[ $(wc -l <"$said") = 1 ]]
	grep "^stallshim: cannot write the texts of .*: $1" "$said"
	run "$STALLSHIM" report "$(result rec)"
	[[ $status = 0 && $output = *"by 2 unlocks of lock: hold_lock"* ]]
}

@test "a user who may not write there leaves the recording" {
	lives setuid
	in_recording_only "Permission denied"
}

@test "so does one in another root" {
	lives chroot
	in_recording_only "Permission denied"
}

@test "and one that may open no file any more" {
	lives limits
	in_recording_only "Too many open files"
}

@test "a grandchild and its subreaper have files of their own" {
	lives grandchild
	[[ $(files mutex.txt) = 2 && $(files rec) = 2 ]]
}

@test "programs started by system and popen have files of their own" {
	lives shell
	[[ $(files mutex.txt) = 2 && $(files rec) = 2 ]]
}

@test "STALLSHIM_CHILDREN=no: only the first program is watched" {
	run under_shim STALLSHIM_CHILDREN=no STALLSHIM_KEEP=all \
		"$(victim lives)" shell
	[[ $status = 0 && $output = *"popen 0: quiet"* ]]
	[[ $(files rec) = 1 && -e $(result mutex.txt lives) ]]
	# The program itself has waited for nothing: it is its own recording.
	[[ $(total_count "$(result mutex.txt)") = 0 ]]
}

@test "STALLSHIM_ONLY: only programs of that name are watched" {
	under_shim STALLSHIM_ONLY='li*s' sh -c '"$0" quiet; "$1" fork' \
		"$(victim lives)" "$(victim family)"
	[[ $(files rec) = 1 && -e $(result mutex.txt lives) ]]
}
