#!/usr/bin/env bats
# Whoever may write to the recording of a running program can spoil it, but not
# the program.
#
# SPDX-License-Identifier: MIT

load lib

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

# recording: of the program in the background, once it is there.
recording() {
	result rec
}

# begin_tampered [NAME=VALUE...]: the victim runs until it is told to end.
begin_tampered() {
	rm -f "$RESULTS"/*.rec "$RESULTS"/*.txt
	in_background under_shim STALLSHIM_STALL=1ms \
		STALLSHIM_LOG="$RESULTS/log,100000/min" "$@" \
		"$(victim tampered)" >"$RESULTS/said" 2>&1
	wait_until 10 recording
}

# It goes on, and ends, as if nothing had been.
ends_well() {
	kill -USR2 "$program"
	job_ends 7
	cat "$RESULTS/said"
	[[ $(<"$RESULTS/said") = *"all sums are right" ]]
}

# What the reader says of what is left is one line, or a report.
is_read() {
	run "$STALLSHIM" report "$(recording)"
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
		tamper 200 0 "$(recording)"
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
		tamper 200 8192 "$(recording)"
		ends_well
		[[ -e $(result stall.txt) ]]
		is_read
		echo "$output"
	done
}
