# A program in whose loop a stall is planted, and no other: it is found, in the
# function plant_stall, and says "planted" and its ns on standard output.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# computing_elsewhere TEXT: of the stalls, ns in which neither the planted
# function was on the stack nor the thread kept off its processor.
computing_elsewhere() {
	awk '
		/^[0-9]+ [0-9]+ @/ { sum += ns; ns = $1 }
		/cause=unscheduled/ || $3 ~ /^plant_stall/ { ns = 0 }
		END { printf "%.0f\n", sum + ns }
	' "$1"
}

# seen_in CALL PROGRAM [ARGUMENT...]
seen_in() {
	local call=$1 text said planted longest unscheduled

	shift
	said=$(under_shim STALLSHIM_STALL=40ms "$@")
	planted=$(sed -n 's/^planted //p' <<<"$said")
	text=$(result stall.txt)
	grep '^# ' "$text"
	samples "$text"
	between 1 "${threads:-1}" "$(header "$text" loops)"
	[[ $(header "$text" wait) = "$call" ]]
	longest=$(header "$text" longest)
	# What the machine took away may lie before, in or behind it.
	unscheduled=$(header "$text" unscheduled)
	between "$planted" $((planted + 20000000 + unscheduled)) "$longest"
	between $((planted - unscheduled)) "$longest" \
		"$(total_ns "$text" plant_stall)"
	# Stalls that the machine plants by not running us are none of the loop's.
	between 0 5000000 "$(computing_elsewhere "$text")"
}
