#!/usr/bin/env bats
# STALLSHIM_RATE: fewer stacks, the same sums.
#
# SPDX-License-Identifier: MIT

load lib

rate_ns=100000

# near WHOLE PART: PART is off by five standard deviations at most, which for
# one stack per rate is no more than sqrt(rate x whole) each.
near() {
	awk -v whole="$1" -v part="$2" -v rate="$rate_ns" 'BEGIN {
		off = part > whole ? part - whole : whole - part
		printf "%.0f is off by %.0f of %.0f\n", part, off,
			5 * sqrt(rate * whole)
		exit off > 5 * sqrt(rate * whole)
	}'
}

storm() {
	handed=$(under_shim "$@" "$(victim storm)" 3)
	handed=${handed#handed }
	mutex=$(result mutex.txt)
	wait=$(without_joins "$(result wait.txt)")
	grep '^# ' "$mutex"
	law_closes "$mutex"
	[[ $(header "$mutex" open) = 0 ]]
}

@test "with a rate the sums are exact, and those of the stacks near to them" {
	storm STALLSHIM_RATE=100us
	near "$(header "$mutex" charged)" "$(total_ns "$mutex")"
	near "$(header "$wait" waited)" "$(total_ns "$wait")"
	# Each of these holds was found by one waiter: so many are estimated.
	between $((handed * 7 / 10)) $((handed * 13 / 10)) \
		"$(total_count "$mutex" hand_over)"
	# Not every hold was taken: what is shorter stands for the whole rate.
	[[ -z $(samples "$mutex" | awk -v rate="$rate_ns" '$1 < rate') ]]
}

@test "a rate of one stack a second leaves the sums exact" {
	storm STALLSHIM_RATE=1s
	(($(header "$mutex" charged) > 0))
	(($(samples "$mutex" | wc -l) < 20))
}
