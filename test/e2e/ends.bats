#!/usr/bin/env bats
# A program that ends while its loops are stalled: what is counted, what is
# added up and what is listed are of the same instant.
#
# SPDX-License-Identifier: MIT

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
