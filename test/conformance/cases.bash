# Comparing case by case: natively and under the shim. `load cases`, after lib.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# compare_cases SUITE NATIVE SHIMMED: two files with a line for each case, what
# it was and how it ended. Tells how many there are and how many are equal, for
# scripts/count-cases, and fails where one is not.
compare_cases() {
	local cases equal

	sort "$2" >"$2.sorted"
	sort "$3" >"$3.sorted"
	cases=$(wc -l <"$2")
	equal=$(comm -12 "$2.sorted" "$3.sorted" | wc -l)
	tell_cases "$1" "$cases" "$equal"
	((cases > 0))
	diff "$2.sorted" "$3.sorted"
}

# same_cases SUITE SCENARIO: a function that is called with natively, then with
# under_shim, prints a line for each case, which must be the same.
same_cases() {
	local how

	for how in natively under_shim; do
		"$2" "$how" >"$BATS_TEST_TMPDIR/$how.cases"
	done
	cat "$BATS_TEST_TMPDIR/under_shim.cases"
	compare_cases "$1" "$BATS_TEST_TMPDIR"/{natively,under_shim}.cases
}
