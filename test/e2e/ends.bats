#!/usr/bin/env bats
# A program that ends while its loops are stalled: what is counted, what is
# added up and what is listed are of the same instant.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

# counted REPORT: by its head.
counted() {
	sed -n 's/^Stalls: \([0-9]*\) stalls\{0,1\} .*/\1/p' "$1"
}

# blamed REPORT: on functions, or without a stack to blame.
blamed() {
	awk '/^        [0-9]+ stalls? without a stack/ { sum += $1 }
		/^What kept/ { is_list = 1 }
		/^The stalls in order/ { is_list = 0 }
		is_list && /^ +[0-9]+\. .* in [0-9]+ stall/ {
			match($0, / in [0-9]+ stall/)
			sum += substr($0, RSTART + 4)
		}
		END { print sum + 0 }' "$1"
}

# listed REPORT: in order of time.
listed() {
	awk '/^Locks:|^What / { is_list = 0 }
		is_list && /^ +[0-9.]+[mun]?s +[0-9.]+/ { rows++ }
		/^The stalls in order/ { is_list = 1 }
		END { print rows + 0 }' "$1"
}

# by_loop REPORT
by_loop() {
	awk '/^  loop +waits in/ { is_list = 1; next }
		/^$/ { is_list = 0 }
		is_list { sum += $(NF - 1) }
		END { print sum + 0 }' "$1"
}

@test "the stalls of a program that ends are the same in each list" {
	local report=$RESULTS/report i n

	for i in {1..30}; do
		rm -f "$RESULTS"/*
		under_shim STALLSHIM_STALL=1ms "$(victim stallers)" \
			$((60000 + i * 777))
		"$STALLSHIM" report --top=9999 "$(result rec)" >"$report"
		n=$(counted "$report")
		echo "$n: $(blamed "$report") $(listed "$report") \
			$(by_loop "$report")"
		((n > 0))
		[[ $(blamed "$report") = "$n" ]]
		[[ $(listed "$report") = "$n" ]]
		[[ $(by_loop "$report") = "$n" ]]
	done
}

# ended RUNNER SIGNAL: its status.
ended() {
	local status=0

	"$1" "$(victim ended)" "$2" || status=$?
	echo "$status"
}

# Of which none is left out that ends a program by default: but those that libc
# keeps for itself, and of the real-time ones all but the ends.
@test "whatever signal ends it, so it ends, and its stall is told" {
	local sig status

	for sig in {1..16} {24..27} {29..31} 34 62 64; do
		rm -f "$RESULTS"/*
		status=$(ended under_shim "$sig" 2>/dev/null)
		[[ $status = $((128 + sig)) ]]
		[[ $status = $(ended natively "$sig" 2>/dev/null) ]]
		"$STALLSHIM" report "$(result rec ended)" >"$RESULTS/report"
		echo "signal $sig:" && cat "$RESULTS/report"
		grep -q '^Stalls: [1-9]' "$RESULTS/report"
		grep -q 'callback' "$RESULTS/report"
	done
}

# ends_natively STATUS HOW: 2 or 3 times in 1,000 the kernel lets the sender be
# first, where the other thread has just then a signal to look at.
ends_natively() {
	local tries

	for tries in 1 2 3; do
		run natively "$(victim sends)" "$sig" "$2"
		[[ $status != "$1" ]] || return 0
	done
	echo "$sig by $2, natively: $status in $tries runs"
	return 1
}

# HUP, INT, USR1, TERM; and WINCH, which kills nobody.
@test "a thread that sends the process its death does not end it otherwise" {
	local how sig native

	for sig in 1 2 10 15 28; do
		for how in kill group queue call blocked thread value \
			task; do
			ends_natively $((sig == 28 ? 3 : 128 + sig)) "$how"
			native="$status $output"
			run under_shim "$(victim sends)" "$sig" "$how"
			echo "$sig by $how: $status $output, natively $native"
			[[ "$status $output" = "$native" ]]
		done
	done
}

# names_at_end COUNT VICTIM [ARGUMENT]: as natively, with so many texts that name
# its callback.
names_at_end() {
	local native

	rm -f "$RESULTS"/*
	run natively "$(victim "$2")" "${@:3}"
	native="$status $output"
	run under_shim STALLSHIM_STALL=1ms "$(victim "$2")" "${@:3}"
	echo "${*:2}: $status $output, natively $native"
	[[ "$status $output" = "$native" ]]
	[[ $(grep -l callback "$RESULTS"/*.stall.txt | wc -l) = "$1" ]]
}

@test "names are there where malloc would never return, or must not be called" {
	names_at_end 1 locked_arena suspended
	names_at_end 8 locked_arena _Fork
	names_at_end 8 locked_arena call
	names_at_end 1 own_malloc
}

# ends_by_itself RUNNER HOW: with 3, as it exits before the other may look. The
# processors may be busy for longer than that.
ends_by_itself() {
	local tries

	for tries in 1 2 3; do
		run "$1" "$(victim sends)" "$sig" "$2"
		[[ $status != 3 ]] || return 0
	done
	echo "$sig by $2, $1: $status in $tries runs"
	return 1
}

@test "a death sent to who has it blocked does not keep an exit waiting" {
	local how sig

	for sig in 1 10 15; do
		for how in shut shut-all; do
			ends_by_itself natively "$how"
			ends_by_itself under_shim "$how"
		done
	done
}
