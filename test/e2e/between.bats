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

# blocked_for_most HOW: what its calls took is told as that, most of it.
blocked_for_most() {
	between_ticks "$1"
	(($(header "$text" blocked) > ($(took read) + $(took nap)) * 3 / 4))
}

# Where the machine is busy it is not known for how long the call went on.
@test "a read is blocked in to its end, whatever follows on it" {
	local how tries=20

	for how in rest nap work; do
		until blocked_for_most "$how"; do
			((--tries))
		done
		between 0 $(($(took read) + $(took nap) + 2000000)) \
			"$(header "$text" blocked)"
	done
}

@test "and it is the read that is told, not a moment's sleep behind it" {
	local tries=20

	until blocked_for_most rest; do
		((--tries))
	done
	between $(($(took read) * 3 / 4)) "$(header "$text" blocked)" \
		"$(in_call read)"
}
