#!/usr/bin/env bats
# Contention is charged to its true cause, and the law closes.
#
# SPDX-License-Identifier: MIT

load lib

burners=()

teardown() {
	((${#burners[@]} == 0)) || kill "${burners[@]}" || true
}

# schedule NAME [SETTING...]: the victim's books are in $books, the profile in
# $text.
schedule() {
	books=$(under_shim "${@:2}" "$(victim "${program:-schedules}")" "$1")
	text=$(result mutex.txt)
	echo "$books"
	cat "$text"
	law_closes "$text"
	law_closes "$(result wait.txt)"
}

# charged_as_booked FUNCTION: to 5 % or 0.2 ms.
charged_as_booked() {
	local booked slack

	booked=$(awk -v name="$1" '$1 == name { print $2 }' <<<"$books")
	slack=$((booked / 20 + 200000))
	between $((booked - slack)) $((booked + slack)) \
		"$(total_ns "$text" "$1")"
}

# five_drop: T0 holds, five wait, each takes the lock and drops it at once.
@test "the holder pays for five waiters, who drop the lock at once" {
	local charged

	schedule drop
	charged_as_booked unlock_A
	# Next to nothing for the others, and a count of one per unlock that
	# found waiters.
	charged=$(total_ns "$text" unlock_others)
	between 0 $(($(total_ns "$text" unlock_A) / 100)) "$charged"
	[[ $(total_count "$text") = 5 ]]
	[[ $(total_count "$text" unlock_A) = 1 ]]
}

@test "five holders of 1, 5, 2, 3, 4 units cost 4, 15, 4, 3 units" {
	local who

	schedule five
	for who in unlock_A unlock_B unlock_C unlock_D; do
		charged_as_booked "$who"
	done
	[[ $(total_ns "$text" unlock_E) = 0 ]]
}

@test "two waiters behind one hold" {
	schedule two
	charged_as_booked unlock_A
}

@test "a hundred waiters behind one hold" {
	schedule hundred
	charged_as_booked unlock_A
	[[ $(header "$text" discarded) = "" ]]
}

@test "std::mutex is charged as its books say, in every schedule" {
	local name who program=schedules_cpp

	for name in drop two hundred five; do
		rm -f "$RESULTS"/*
		schedule "$name"
		charged_as_booked unlock_A
	done
	for who in unlock_B unlock_C unlock_D; do
		charged_as_booked "$who"
	done
	[[ $(total_ns "$text" unlock_E) = 0 ]]
}

# percent_of_books FUNCTION PERCENT: to 5 %. Go charges hand-off to the next one
# to unlock, for all who wait.
percent_of_books() {
	local booked late

	late=$((3 * $(header "$text" handoff)))
	booked=$(awk -v name="$1" '$1 == name { print $2 }' <<<"$books")
	between $((booked * $2 / 100 * 95 / 100)) \
		$((booked * $2 / 100 * 105 / 100 + late)) \
		"$(total_ns "$text" "$1")"
}

@test "STALLSHIM_CHARGE=go charges what Go would, wrong as it is" {
	local longest

	schedule five STALLSHIM_CHARGE=go
	grep ' charge=go\.$' "$text"
	# Of holds 5, 2, 3: 15, 3, 6 in place of 15, 4, 3.
	percent_of_books unlock_B 100
	percent_of_books unlock_C 75
	percent_of_books unlock_D 200
	rm "$RESULTS"/*
	schedule two STALLSHIM_CHARGE=go
	# 15 in place of 20: of the second waiter half the first one's wait.
	longest=$(grep -o 'max=[0-9]*' \
		"$(without_joins "$(result wait.txt)")" | sed 's/max=//' |
		sort -n | tail -n 1)
	longest=$((longest * 3 / 2))
	between $((longest * 95 / 100 - 2 * $(header "$text" handoff))) \
		"$longest" \
		"$(total_ns "$text" unlock_A)"
}

@test "the schedules are right with both cores busy" {
	local i

	for i in 1 2 3; do
		timeout 60 sh -c 'while :; do :; done' 3>&- &
		burners+=($!)
	done
	schedule five
	charged_as_booked unlock_A
	charged_as_booked unlock_B
	charged_as_booked unlock_C
	charged_as_booked unlock_D
}
