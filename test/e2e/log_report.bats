#!/usr/bin/env bats
# The live log and the report tell the same of the same stalls.
#
# SPDX-License-Identifier: MIT

load lib

# Both come down to lines "THREAD|LENGTH|EVENTS|CAUSE". Of a lock the one has
# the name, the other the place; of who held it both have the number. Who posted
# a semaphore may tell so when the line has been written.
common() {
	sed -E '
		s/, posted by .*//
		s/(held by|for thread) [^|]* \(([0-9]+)\)/\1 \2/
		s/held by thread/held by/
		s/\|waiting for semaphore [^,|]+/|waiting for semaphore LOCK/
		s/\|waiting at barrier [^,|]+/|waiting at barrier LOCK/
	' | sort
}

told_by_log() {
	sed -nE '
		s/, at .*//
		s/^.*\): (.* \([0-9]+\)) stalled for ([^,]*), /\1|\2|/
		T
		s/\|([^|]*), ([0-9]+) events?$/|\2|\1/
		s/\|waiting for (mutex|rwlock|spin lock) [^,|]+/|waiting for LOCK/
		p
	' "$RESULTS/log" | common
}

told_by_report() {
	"$STALLSHIM" report --top=1000 "$(result rec)" |
		awk -F '  +' '
			/ in order of time:$/ { is_list = 1; next }
			/^ +after / { next }
			/^$/ { is_list = is_list && !rows; next }
			is_list { rows++; sub(/^-$/, 0, $5)
				print $4 "|" $3 "|" $5 "|" $8 }
		' | sed -E '
			s/ \([^()]*on CPU[^()]*\)$//
			s/\|[0-9.]+% ([^|]*)$/|\1/
			s/, [0-9.]+% .*//
			/\|waiting for (a|thread|semaphore) /! {
				s/\|waiting for [^,|]+/|waiting for LOCK/
			}
		' | common
}

# same VICTIM ARGUMENTS...: in each of its lines.
same() {
	local victim=$1

	shift
	rm -f "$RESULTS"/*
	under_shim STALLSHIM_STALL=5ms STALLSHIM_LOG="$RESULTS/log,1000/min" \
		"$(victim "$victim")" "$@"
	diff <(told_by_log) <(told_by_report)
	[[ $(told_by_log | wc -l) = \
		$(header "$(result stall.txt)" stalls) ]]
	told_by_log
}

@test "of each cause: thread, length, events, and who held it" {
	local reason

	for reason in spin nanosleep read flock lock semaphore barrier join \
		joins faults stop; do
		same why $reason 40
	done
}

@test "of stalls with several causes the same one" {
	same mixed locks
	same mixed holders
	same slices locks
	same slices kinds
}

@test "of many loops on one processor" {
	same why starve 20
}

@test "of stalls after waits that returned events" {
	same nested epoll-poll
	same nested epoll-often
}
