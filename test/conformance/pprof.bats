#!/usr/bin/env bats
# The three pprof clients open the three texts, find every nanosecond and every
# count in them, and name the guilty functions: Debian's `go tool pprof`, the
# standalone google/pprof and Perl's google-pprof.
#
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034

load ../e2e/lib

STANDALONE=$BUILD/pprof
KINDS="mutex wait stall"

# The standalone pprof, from Debian's source package, offline.
build_standalone() {
	[[ -x $STANDALONE ]] ||
		GO111MODULE=off GOPATH=/usr/share/gocode \
			GOCACHE=$BATS_FILE_TMPDIR/go \
			go build -o "$STANDALONE" github.com/google/pprof
}

# build_program NAME FLAG...
build_program() {
	local name=$1

	shift
	"${CC:-cc}" -D_GNU_SOURCE -g -O0 -pthread "$@" \
		-o "$BATS_FILE_TMPDIR/$name" \
		"$BATS_TEST_DIRNAME/pprof_program.c"
}

setup_file() {
	need go google-pprof "${CC:-cc}" nm objdump addr2line c++filt
	build_standalone
	build_program pie -pie -fPIE
	build_program fixed -no-pie
	build_program made -pie -fPIE
	RESULTS=$BATS_FILE_TMPDIR
	under_shim "$BATS_FILE_TMPDIR/pie"
	under_shim "$BATS_FILE_TMPDIR/fixed"
	under_shim "$BATS_FILE_TMPDIR/made" jit
}

setup() {
	RESULTS=$BATS_FILE_TMPDIR
	# Both keep files at home.
	export HOME=$BATS_TEST_TMPDIR PPROF_TMPDIR=$BATS_TEST_TMPDIR
}

# The function each kind of text must find guilty.
guilty() {
	case $1 in
	mutex) echo hold_the_lock ;;
	wait) echo want_the_lock ;;
	stall) echo stall_the_loop ;;
	esac
}

# For locks, and at joins, where there are any.
waited_ns() {
	local unheld

	unheld=$(sed -n 's/^# unheld=\([0-9]*\)ns.*/\1/p' "$1")
	echo $((unheld + $(header "$1" waited)))
}

# What the head of a text says its samples add up to.
expected_ns() {
	case $1 in
	*.mutex.txt) header "$1" charged ;;
	*.wait.txt) waited_ns "$1" ;;
	*.stall.txt) header "$1" stalled ;;
	esac
}

# go_sum COLUMN TEXT CLIENT...: over the samples of pprof -raw.
go_sum() {
	local column=$1 text=$2

	shift 2
	timeout 60 "$@" -raw "$text" | tr -d : | awk -v column="$column" '
		/^Locations/ { exit }
		inside { sum += $column }
		/^contentions.count/ { inside = 1 }
		END { printf "%.0f\n", sum }'
}

go_finds_everything() {
	local program kind text

	for program in pie fixed made; do
		for kind in $KINDS; do
			text=$(result "$kind.txt" "$program")
			[[ $(total_count "$text") -gt 0 ]]
			diff <(go_sum 1 "$text" "$@") <(total_count "$text")
			diff <(go_sum 2 "$text" "$@") <(expected_ns "$text")
		done
	done
}

# share_of FUNCTION: its cumulative percentage in a table of any client.
share_of() {
	awk -v name="$1" '$6 == name { sub(/\..*|%/, "", $5); print $5 }'
}

# names_the_guilty PROGRAM COMMAND...: with the text's name added.
names_the_guilty() {
	local program=$1 kind text share

	shift
	for kind in $KINDS; do
		text=$(result "$kind.txt" "$program")
		timeout 60 "$@" "$text" >"$BATS_TEST_TMPDIR/table"
		share=$(share_of "$(guilty "$kind")" <"$BATS_TEST_TMPDIR/table")
		cat "$BATS_TEST_TMPDIR/table"
		[[ $share -ge 50 ]]
	done
}

@test "go tool pprof finds every nanosecond and count" {
	go_finds_everything go tool pprof
}

@test "the standalone pprof finds every nanosecond and count" {
	go_finds_everything "$STANDALONE"
}

@test "Perl's google-pprof finds every nanosecond and count" {
	for program in pie fixed made; do
		for kind in $KINDS; do
			text=$(result "$kind.txt" "$program")
			google=(timeout 60 google-pprof --text)
			"${google[@]}" "$BATS_FILE_TMPDIR/$program" "$text" |
				grep -Fx "Total: $(expected_ns "$text" | awk '
					{ printf "%.3f", $1 / 1e9 }') seconds"
			"${google[@]}" --contentions \
				"$BATS_FILE_TMPDIR/$program" "$text" |
				grep -Fx "Total: $(total_count "$text") samples"
		done
	done
}

@test "go tool pprof names the guilty functions" {
	# Of a program at a fixed address Go 1.19 knows no names.
	names_the_guilty pie go tool pprof -top
}

@test "the standalone pprof names the guilty functions" {
	names_the_guilty pie "$STANDALONE" -top
	names_the_guilty fixed "$STANDALONE" -top
}

@test "Perl's google-pprof names the guilty functions" {
	for program in pie fixed; do
		names_the_guilty "$program" google-pprof --text \
			"$BATS_FILE_TMPDIR/$program"
	done
}

@test "no client complains about a text" {
	for program in pie fixed made; do
		for kind in $KINDS; do
			text=$(result "$kind.txt" "$program")
			{
				go tool pprof -top "$text"
				"$STANDALONE" -top "$text"
				google-pprof --text \
					"$BATS_FILE_TMPDIR/$program" "$text"
			} 2>&1 >/dev/null | grep -v '^Using local file' \
				>"$BATS_TEST_TMPDIR/complaints" || true
			diff /dev/null "$BATS_TEST_TMPDIR/complaints"
		done
	done
}

@test "code in no file keeps its time" {
	text=$(result stall.txt made)
	for client in "go tool pprof" "$STANDALONE"; do
		# shellcheck disable=SC2086
		share=$($client -top "$text" | share_of '[[anon]]')
		[[ $share -ge 50 ]]
	done
}

@test "a text without samples opens" {
	RESULTS=$BATS_TEST_TMPDIR
	STALLSHIM_MUTEX=off under_shim "$BATS_FILE_TMPDIR/pie"
	text=$(result mutex.txt pie)
	[[ $(total_count "$text") = 0 ]]
	go tool pprof -top "$text"
	"$STANDALONE" -top "$text"
	google-pprof --text "$BATS_FILE_TMPDIR/pie" "$text"
}
