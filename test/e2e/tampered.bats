#!/usr/bin/env bats
# Whoever may write to the recording of a running program can spoil it, but not
# the program.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

setup() {
	how=() inside=()
}

teardown() {
	end_background
}

# tamper TIMES KEPT FILE: so many times, at random moments, another part of the
# file, but for the first KEPT bytes, is written over: with zeroes, ones, small
# numbers or noise; at last all of it with noise.
tamper() {
	perl -e 'my ($times, $kept, $path) = @ARGV;
		open my $file, "+<", $path or die;
		my $size = -s $file;
		open my $random, "<", "/dev/urandom" or die;
		for my $i (1 .. $times) {
			my $at = $kept + (rand() < 0.3 ? 0
				: int rand($size - $kept));
			my $bytes = rand() < 0.5 ? 4096 : 1 << 20;
			$at = $kept if $i == $times;
			$bytes = $size - $at if $i % 8 == 0 || $i == $times
				|| $bytes > $size - $at;
			sysread $random, my $noise, $bytes;
			my $what = ("\0" x $bytes, "\xff" x $bytes, $noise,
				pack("V", 1 + rand 40) x ($bytes / 4)
				)[$i == $times ? 2 : $i % 4];
			sysseek $file, $at, 0;
			syswrite $file, $what;
			select undef, undef, undef, rand 0.02;
		}' "$@"
}

# left KIND: what the program in the background leaves; its children leave more.
left() {
	local pid=$program

	((!${#inside[@]})) || pid=1
	echo "$RESULTS/tampered.$pid.$1"
}

# tell SIGNAL: to that program, or to the container's first one.
tell() {
	local pid=$program

	((!${#inside[@]})) || pid=$(pgrep -P "$program")
	kill "-$1" "$pid"
}

# begin_tampered [NAME=VALUE...]: the victim runs until it is told to end.
begin_tampered() {
	rm -f "$RESULTS"/*.rec "$RESULTS"/*.txt
	in_background under_shim STALLSHIM_STALL=1ms \
		STALLSHIM_LOG="$RESULTS/log,100000/min" "$@" \
		"${inside[@]}" "$(victim tampered)" "${how[@]}" \
		>"$RESULTS/said" 2>&1
	wait_until 10 test -e "$(left rec)"
}

# It goes on, and ends, as if nothing had been.
ends_well() {
	wait_until 10 grep begun "$RESULTS/said"
	tell USR2
	job_ends 7
	cat "$RESULTS/said"
	[[ $(<"$RESULTS/said") = *"all sums are right"* ]]
}

# What the reader says of what is left is one line, or a report.
is_read() {
	run "$STALLSHIM" report "$(left rec)"
	((status <= 1)) || {
		echo "report: $status $output"
		return 1
	}
}

@test "a recording that is written over harms nobody" {
	local with

	for with in STALLSHIM_MEMORY=1M STALLSHIM_CHARGE=go STALLSHIM_RATE=1ms \
		STALLSHIM_MEMORY=256K; do
		begin_tampered "$with"
		tamper 200 0 "$(left rec)"
		ends_well
		grep -c "somebody else has written" "$RESULTS/said" | grep -x 1
		is_read
		echo "$output"
		[[ $output = *"neither a recording"* ]]
	done
}

# So the results are written, as far as there are any.
@test "records that are written over harm nobody" {
	local with

	for with in STALLSHIM_MEMORY=1M STALLSHIM_CHARGE=go \
		STALLSHIM_MEMORY=256K; do
		begin_tampered "$with"
		# Past the header, whose records say where all others are.
		tamper 200 8192 "$(left rec)"
		ends_well
		[[ -e $(left stall.txt) ]]
		is_read
		echo "$output"
	done
}

# cut_at_random_moments TIMES: each a fresh program.
cut_at_random_moments() {
	local i lengths=(0 4096 99999 $((512 << 10)))

	for ((i = 0; i < $1; i++)); do
		begin_tampered STALLSHIM_MEMORY=1M
		wait_for_a_moment
		truncate -s "${lengths[i % 4]}" "$(left rec)"
		wait_for_a_moment
		ends_well
		grep -c "somebody else has written" "$RESULTS/said" | grep -x 1
	done
}

# Up to 60 ms: there is no condition to wait for.
wait_for_a_moment() {
	perl -e 'select undef, undef, undef, rand 0.06'
}

@test "a recording that is cut harms nobody" {
	cut_at_random_moments 40
}

@test "nor who has a handler for bus errors" {
	how=(handles)
	cut_at_random_moments 20
}

@test "nor who handles them on a stack of their own" {
	how=(handles on_own_stack)
	cut_at_random_moments 20
}

@test "nor the first process of a container, nor its children" {
	inside=(unshare --user --map-root-user --pid --fork)
	"${inside[@]}" true || skip "no user namespaces here"
	cut_at_random_moments 10
}
