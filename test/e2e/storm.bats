#!/usr/bin/env bats
# A storm of locks: at its end every count is the victim's own, and the law is
# exact. STORM_S: for how many seconds.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

seconds=${STORM_S:-20}

@test "after a storm of locks every count is the victim's own" {
	local handed mutex wait

	handed=$(LIMIT_S=$((seconds + 60)) under_shim "$(victim storm)" \
		"$seconds")
	handed=${handed#handed }
	mutex=$(result mutex.txt)
	wait=$(without_joins "$(result wait.txt)")
	grep '^# ' "$mutex"
	((handed > 1000 * seconds))
	[[ $(total_count "$mutex" hand_over) = "$handed" ]]
	[[ $(total_count "$wait" be_handed) = "$handed" ]]
	law_closes "$mutex"
	[[ $(header "$mutex" open) = 0 ]]
	[[ $(total_ns "$mutex") = "$(header "$mutex" charged)" ]]
	[[ $(total_ns "$wait") = "$(header "$wait" waited)" ]]
	# A sleeper may go untracked where another thread is stopped within the
	# list of sleepers: nothing else may be lost.
	[[ $(sed -n 's/^# lost=[0-9]*: //p' "$mutex" |
		grep -v '^condition waits not tracked') = \
		'locks that gave their record up: sums kept.' ]]
}
