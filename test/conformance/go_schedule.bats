#!/usr/bin/env bats
# The schedule of five holders side by side: the shim's charges and, with
# STALLSHIM_CHARGE=go, Go's rule on a pthread mutex; and what Go itself charges
# for a sync.Mutex. Each run keeps books of its own.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib

HOLDERS="A B C D E"

setup() {
	need go
	GO111MODULE=off GOFLAGS='' GOCACHE=$BUILD/go-cache \
		go build -o "$BUILD/go_schedule" \
		"$BATS_TEST_DIRNAME/schedule.go"
}

# run_schedule WAY [SETTING...]: fills truth[WAY X] and charged[WAY X] for each
# holder X, late[WAY] with the hand-off.
run_schedule() {
	local way=$1 books text who

	RESULTS=$BATS_TEST_TMPDIR/$way
	mkdir "$RESULTS"
	books=$(under_shim "${@:2}" "$(victim schedules)" five)
	text=$(result mutex.txt)
	late[$way]=$(header "$text" handoff)
	for who in $HOLDERS; do
		truth[$way $who]=$(awk -v name="unlock_$who" \
			'$1 == name { print $2 }' <<<"$books")
		charged[$way $who]=$(total_ns "$text" "unlock_$who")
	done
}

run_go() {
	local name cost first charge

	while read -r name cost first charge; do
		truth[itself ${name#unlock_}]=$cost
		head[${name#unlock_}]=$first
		charged[itself ${name#unlock_}]=$charge
	done < <(natively "$BUILD/go_schedule")
}

ms() {
	awk -v ns="$1" 'BEGIN { printf "%.1f\n", ns / 1e6 }'
}

print_table() {
	local who way

	cat <<-EOF
		Holds of 1, 5, 2, 3, 4 units of 20 ms, all waiting from the
		start: what each cost the others by the books of the same run,
		and what its unlock was charged (ms). Before Go 1.22, Go itself
		charges the wait of the first in the queue only.

	EOF
	printf '%-6s  %15s  %15s  %15s\n' '' "stallshim exact" \
		"CHARGE=go" "Go itself" \
		holder "truth  charged" "truth  charged" "($(go env GOVERSION))"
	for who in $HOLDERS; do
		printf '%-6s' "$who"
		for way in exact go itself; do
			printf '  %6s  %7s' "$(ms "${truth[$way $who]}")" \
				"$(ms "${charged[$way $who]}")"
		done
		echo
	done
}

# is_near EXPECTED VALUE [MORE]: to 5 % or 0.2 ms, and so much more.
is_near() {
	local slack=$(($1 / 20 + 200000))

	between $(($1 - slack)) $(($1 + slack + ${3-0})) "$2"
}

@test "the shim charges the truth, and as Go would if it is asked to" {
	local -A truth charged late head percent=([B]=100 [C]=75 [D]=200)
	local who

	run_schedule exact
	run_schedule go STALLSHIM_CHARGE=go
	run_go
	print_table | sed 's/^/# /' >&3
	for who in $HOLDERS; do
		is_near "${truth[exact $who]}" "${charged[exact $who]}"
	done
	# Go charges hand-off to the next one to unlock, for all who wait.
	for who in "${!percent[@]}"; do
		is_near $((truth[go $who] * percent[$who] / 100)) \
			"${charged[go $who]}" $((3 * late[go]))
	done
	# What later versions do is for the table to show.
	if (($(go env GOVERSION | sed 's/^go1\.\([0-9]*\).*/\1/') < 22)); then
		for who in $HOLDERS; do
			is_near "${head[$who]}" "${charged[itself $who]}"
		done
	fi
}
