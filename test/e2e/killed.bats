#!/usr/bin/env bats
# Nothing is lost to SIGKILL: whenever it comes, from before main on, the
# recording is whole. KILLS: how many.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

kills=${KILLS:-200}

# kill_at DELAY: a doomed victim, killed after so many seconds. Whoever started
# it is told in vain.
kill_at() {
	{ timeout --foreground -s KILL "$1" env LD_PRELOAD="$SHIM" STALLSHIM_STALL=1ms \
		STALLSHIM_MEMORY=256K STALLSHIM_OUTPUT="$RESULTS/doomed" \
		"$(victim doomed)"; } 2>/dev/null || return 0
}

# Half of the kills come while it starts.
random_delay() {
	local most=60

	((RANDOM % 2)) || most=6
	printf '0.%04d' $((1 + RANDOM % (most * 10)))
}

# What is wrong with the report in $output, or nothing.
fault_of() {
	case $status in
	0) ;;
	1)
		# Killed as it made the file: there is no recording yet.
		grep -q 'holds nothing yet' <<<"$output" || echo "refused"
		return
		;;
	*)
		echo "status $status"
		return
		;;
	esac
	grep -q 'killed?' <<<"$output" || echo "not known to be killed"
	grep -q 'which were damaged' <<<"$output" && echo "damaged"
	if grep -q 'of waiting went' <<<"$output"; then
		grep -qE 'the sum is exact|with [1-9].* under way' <<<"$output" ||
			echo "the law does not close"
	fi
}

@test "a program killed at random moments leaves a whole recording, always" {
	local delay read=0 none=0 early=0 closed=0 busy=0

	for ((i = 0; i < kills; i++)); do
		rm -f "$RESULTS"/doomed*
		delay=$(random_delay)
		kill_at "$delay"
		[[ -e $RESULTS/doomed.rec ]] || {
			none=$((none + 1))
			continue
		}
		run "$STALLSHIM" report "$RESULTS/doomed.rec"
		fault=$(fault_of)
		[[ -z $fault ]] || {
			echo "kill $i after $delay s: $fault: $output"
			return 1
		}
		read=$((read + (status == 0)))
		early=$((early + (status == 1)))
		[[ $output != *"the sum is exact"* ]] || closed=$((closed + 1))
		[[ $output != *"under way"* ]] || busy=$((busy + 1))
	done
	echo "# killed $kills: $none before there was a file, $early before" \
		"it was begun; read $read, of these $closed with an exact law" \
		"and $busy with lock operations under way" >&3
	((read > kills / 2 && closed + busy > kills / 4))
}
