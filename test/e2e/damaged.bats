#!/usr/bin/env bats
# A recording that was cut or damaged: what of it is whole is shown, or why not
# is said; the command never crashes.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

setup() {
	good=$RESULTS/good.rec
	run under_shim STALLSHIM_MEMORY=256K STALLSHIM_OUTPUT="${good%.rec}" \
		"$(victim blame)" leaf
	[[ $("$STALLSHIM" report "$good") == *parse_config* ]]
}

# survives FILE...: the command ends in an orderly way.
survives() {
	run "$STALLSHIM" report "$@"
	((status <= 1)) || {
		echo "status $status: $output"
		return 1
	}
}

@test "a recording that was cut anywhere is refused in one line each" {
	local size=$((256 << 10)) cut=() length

	for ((length = 0; length < size; length += 4096)); do
		head -c "$length" "$good" >"$RESULTS/cut.$length"
		cut+=("$RESULTS/cut.$length")
	done
	survives "${cut[@]}"
	[[ $status = 1 && ${#lines[@]} = "${#cut[@]}" ]]
	[[ $(grep -c 'is cut short: [0-9]* of 262144 bytes' <<<"$output") = \
		$((${#cut[@]} - 1)) ]]
	[[ ${lines[0]} == *"holds nothing yet"* ]]
}

# flip PLACE BIT FILE: a copy of the good one with a bit turned.
flip() {
	cp "$good" "$3"
	perl -e 'open my $file, "+<", $ARGV[2] or die;
		seek $file, $ARGV[0], 0; read $file, my $byte, 1;
		seek $file, $ARGV[0], 0;
		print $file chr(ord($byte) ^ 1 << $ARGV[1])' "$1" "$2" "$3"
}

# Every fifth byte of the header, and bits where records are.
@test "a recording with a bit turned is shown or refused" {
	local places place bits=() i

	mapfile -t places < <(perl -e 'open my $file, "<", $ARGV[0];
		read $file, my $bytes, 1 << 18;
		for (0 .. length($bytes) - 1) {
			print "$_\n" if $_ < 1000 ? $_ % 5 == 0
				: substr($bytes, $_, 1) ne "\0" && $_ % 23 == 0;
		}' "$good")
	((${#places[@]} > 200))
	for place in "${places[@]}"; do
		i=$((i + 1))
		flip "$place" $((i % 8)) "$RESULTS/bit.$place"
		bits+=("$RESULTS/bit.$place")
	done
	survives "${bits[@]}"
	[[ $(grep -c '^blame, process' <<<"$output") -gt 100 ]]
}

@test "what is no recording at all is refused" {
	local file

	head -c 300000 /dev/urandom >"$RESULTS/random"
	{
		printf stallrec
		head -c 300000 /dev/urandom
	} >"$RESULTS/hostile"
	for file in random hostile; do
		survives "$RESULTS/$file"
		[[ $status = 1 && ${#lines[@]} = 1 ]]
	done
}
