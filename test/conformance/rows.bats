#!/usr/bin/env bats
# Every row of programs that are large, or made by other compilers, is what
# readelf says.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib

# rows_of LEAST PROGRAM: at least so many are compared, and equal.
rows_of() {
	local said

	need readelf
	said=$(timeout 300 env LD_PRELOAD="$BUILD/victims/plugin_rows.so" "$2")
	echo "$2: $said"
	[[ $said = "rows "* ]]
	((${said#rows } >= $1))
}

@test "every row of redis" {
	rows_of 20000 "$(command -v redis-server)"
}

@test "every row of node" {
	rows_of 50000 "$(command -v node)"
}

@test "every row of our own programs" {
	local source

	for source in "$ROOT"/test/e2e/victim_*.c*; do
		source=${source##*/victim_}
		rows_of 10 "$(victim "${source%.*}")"
	done
}
