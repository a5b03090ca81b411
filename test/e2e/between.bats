#!/usr/bin/env bats
# Several calls between two ticks: each is told as what it was.
#
# SPDX-License-Identifier: MIT

load lib

# between_ticks HOW: the victim; what it said is in $said.
between_ticks() {
	rm -f "$RESULTS"/*.*
	said=$(under_shim "$(victim between)" "$1")
	text=$(result stall.txt)
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	grep '^# ' "$text"
	echo "$said"
}

# took NAME: by the victim's own clock.
took() {
	sed -n "s/^$1 //p" <<<"$said"
}

# in_call CALL: the time of the samples that are blocked in it.
in_call() {
	awk -v call=" call=$1 " '
		/^[0-9]+ [0-9]+ @/ { ns = $1 }
		/^#\tcause=blocked / && index($0, call) { sum += ns }
		END { printf "%.0f\n", sum }' "$text"
}

# in_place FUNCTION CALL: of those with FUNCTION on the stack.
in_place() {
	awk -v name="$1" -v call=" call=$2 " '
		/^[0-9]+ [0-9]+ @/ { ns = $1; is_it = 0 }
		/^#\tcause=blocked / && index($0, call) { is_it = 1 }
		/^#\t0x/ && is_it && index($3, name "+") == 1 { sum += ns }
		END { printf "%.0f\n", sum }' "$text"
}

# blocked_for_most HOW: what its calls took is told as that, most of it.
blocked_for_most() {
	between_ticks "$1"
	(($(header "$text" blocked) > ($(took read) + $(took nap)) * 3 / 4))
}

# Where the machine is busy it is not known for how long the call went on.
@test "a read is blocked in to its end, whatever follows on it" {
	local how tries=20

	for how in rest first nap work; do
		until blocked_for_most "$how"; do
			((--tries))
		done
		between 0 $(($(took read) + $(took nap) + 2000000)) \
			"$(header "$text" blocked)"
	done
}

# What its reads took is told as a read, most of it.
reads_for_most() {
	blocked_for_most rest &&
		between $(($(took read) * 3 / 4)) "$(header "$text" blocked)" \
			"$(in_call read)"
}

@test "and it is the read that is told, not a moment's sleep behind it" {
	local tries=20

	until reads_for_most; do
		((--tries))
	done
}

# told_apart: of two kinds of calls each is told to be what its own stack is in,
# by as many ticks as that leads to expect.
told_apart() {
	local blocked

	between_ticks both
	blocked=$(header "$text" blocked)
	between $((blocked / 8)) $((blocked * 5 / 8)) "$(in_call read)" &&
		((blocked > $(header "$text" stalled) * 3 / 4)) &&
		[[ $(in_place nap_for read) = 0 ]]
}

@test "who sleeps and reads in turn is told to do both, each in its place" {
	local tries=20

	until told_apart; do
		((--tries))
	done
	# A tick may find it behind a read, too, which may have been short.
	between 0 "$(in_place read_for read)" \
		"$(in_place read_for clock_nanosleep)"
	grep -E '^ .*blocked in clock_nanosleep and others' "$RESULTS/report"
}
