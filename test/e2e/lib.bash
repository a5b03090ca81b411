# What every bats file shares: programs under the shim, what they left behind,
# and waits for conditions. `load ../e2e/lib` (or `load lib`).
#
# The shim is only ever preloaded into the program under test, never into bats.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD:-$ROOT/build}
[[ $BUILD = /* ]] || BUILD=$ROOT/$BUILD
SHIM=$BUILD/libstallshim.so
STALLSHIM=$BUILD/stallshim

# A command that fails fails the function it is in, in $(...) as well.
shopt -s inherit_errexit

# Where under_shim lets results appear: %e.%p and its endings.
RESULTS=$BATS_TEST_TMPDIR

# need TOOL...: a missing tool is a failure, never a skipped test.
need() {
	local tool

	for tool; do
		command -v "$tool" >/dev/null || {
			echo "missing: $tool (scripts/bootstrap installs it)"
			return 1
		}
	done
}

# victim NAME: the program built from test/e2e/victim_NAME.c.
victim() {
	echo "$BUILD/victims/$1"
}

# under_shim [NAME=VALUE...] COMMAND...: runs it, within a minute.
under_shim() {
	${in_job:+exec} timeout -k 5 "${LIMIT_S:-60}" env LD_PRELOAD="$SHIM" \
		STALLSHIM_OUTPUT="$RESULTS/%e.%p" "$@"
}

# natively COMMAND...: the same without.
natively() {
	${in_job:+exec} timeout -k 5 "${LIMIT_S:-60}" env "$@"
}

# stalls_of VICTIM [ARGUMENT...]: runs it alone in $RESULTS, by a threshold of 25
# ms. What it said is $said, its text of stalls $text.
stalls_of() {
	rm -f "$RESULTS"/*
	said=$(under_shim STALLSHIM_STALL=25ms "$(victim "$1")" "${@:2}")
	text=$(result stall.txt)
	echo "$*: $said"
	cat "$text"
}

# lasts FUNCTION CALL RUNS_NS: so long, by the victim's own clock, or a little
# longer, the stalls of $text are in all, half of that at least in FUNCTION, and
# $RESULTS/report says that they were in CALL.
lasts() {
	local stalled

	stalled=$(header "$text" stalled)
	between "$3" $(($3 * 101 / 100 + 20000000)) "$stalled"
	[[ $(total_ns "$text") = "$stalled" ]]
	# The last tick may come as the wait returns.
	between $((stalled / 2)) "$stalled" "$(total_ns "$text" "$1")"
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	grep -E "(blocked|,) in $2([ ,]|\$)" "$RESULTS/report"
}

# side_by_side COMMAND ARGUMENT...: COMMAND with each ARGUMENT, in results of its
# own, as many at once as there are processors. All must succeed.
side_by_side() {
	local argument running=()

	for argument in "${@:2}"; do
		while (($(jobs -pr | wc -l) >= $(nproc))); do
			wait -n || true
		done
		in_own_results "$1" "$argument" 3>&- &
		running+=($!)
	done
	all_succeed "${running[@]}"
}

# all_succeed JOB...: waits for each, by its number.
all_succeed() {
	local job failed=0

	for job; do
		wait "$job" || failed=1
	done
	((!failed))
}

in_own_results() {
	RESULTS=$BATS_TEST_TMPDIR/$2
	mkdir "$RESULTS"
	"$1" "$2"
}

# result KIND [NAME]: the one file the watched program NAME (any: none named)
# left, KIND being mutex.txt, wait.txt, stall.txt or rec.
result() {
	local files=("$RESULTS"/"${2:-*}".*."$1")

	[[ -n ${2-} ]] || files=("$RESULTS"/*."$1")
	if ((${#files[@]} != 1)) || [[ ! -e ${files[0]} ]]; then
		echo "expected one $1, found: ${files[*]}" >&2
		return 1
	fi
	echo "${files[0]}"
}

# wait_until SECONDS COMMAND...: until the command succeeds, at most so long.
wait_until() {
	local limit=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		if ((SECONDS > limit)); then
			echo "waited in vain for: $*"
			return 1
		fi
		command sleep 0.02
	done
}

# has_ended PID: gone, or a zombie nobody has asked for yet.
has_ended() {
	local state

	state=$(ps -o stat= -p "$1") || return 0
	[[ $state = Z* ]]
}

# The samples of a text as lines "ns count names...", names leaf first. Only
# texts of an orderly exit have names.
samples() {
	awk '
		function flush() { if (line != "") print line names; line = "" }
		/^---/ { flush() }
		/^[0-9]+ [0-9]+ @/ {
			flush(); line = $1 " " $2; names = ""
		}
		/^#\t0x/ { sub(/\+0x[0-9a-f]*$/, "", $3); names = names " " $3 }
		END { flush() }
	' "$1"
}

# without_joins TEXT: a copy that has the waits for locks only.
without_joins() {
	awk '
		/^[0-9]+ [0-9]+ @/ { held = $0; next }
		held != "" {
			skip = /name=joins/
			if (!skip) print held
			held = ""
		}
		/^$/ { skip = 0 }
		!skip { print }
	' "$1" >"$1.locks"
	echo "$1.locks"
}

# total_ns TEXT [FUNCTION]: of all samples, or of those with it on the stack.
total_ns() {
	samples "$1" | awk -v name="${2-}" '
		name == "" || index($0 " ", " " name " ") { sum += $1 }
		END { printf "%.0f\n", sum }'
}

# none_told: no stall, no run that goes on, none that has left its loop.
none_told() {
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	cat "$RESULTS/report"
	grep '^Stalls: no ' "$RESULTS/report"
	[[ $(grep -cE 'has not come back|left its loop' \
		"$RESULTS/report") = 0 ]]
}

# total_count TEXT [FUNCTION]
total_count() {
	samples "$1" | awk -v name="${2-}" '
		name == "" || index($0 " ", " " name " ") { sum += $2 }
		END { printf "%.0f\n", sum }'
}

# header TEXT KEY: the value of KEY= in the "#" lines, without a unit.
header() {
	grep '^# ' "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1 |
		sed 's/\.$//; s/\([0-9]\)ns$/\1/'
}

# law_closes TEXT: charged + hand-off + open = waited, exactly.
law_closes() {
	local waited charged handoff open

	waited=$(header "$1" waited)
	charged=$(header "$1" charged)
	handoff=$(header "$1" handoff)
	open=$(header "$1" open)
	if [[ -z $waited ]] || ((charged + handoff + open != waited)); then
		echo "the law does not close: waited=$waited" \
			"charged=$charged handoff=$handoff open=$open"
		return 1
	fi
}

# between LOW HIGH VALUE, in whatever unit all three are.
between() {
	if (($3 < $1 || $3 > $2)); then
		echo "$3 is not between $1 and $2"
		return 1
	fi
}

# lasts_as_said TEXT NS: what stalled is as long as the victim's own clock says,
# within 1 % or 200 us a stall; what a busy machine adds between the two clocks
# comes on top, and is bounded by what it was not let run.
lasts_as_said() {
	local slack=$((200000 * $(header "$1" stalls)))

	((slack > $2 / 100)) || slack=$(($2 / 100))
	between $(($2 - slack)) $(($2 + slack + $(header "$1" unscheduled))) \
		"$(header "$1" stalled)"
}

# same_both_ways SCENARIO: a function that is called with natively, then with
# under_shim, must print the same.
same_both_ways() {
	local native shimmed

	native=$("$1" natively)
	shimmed=$("$1" under_shim)
	[[ -n $native ]]
	diff <(echo "$native") <(echo "$shimmed")
	tell_cases "$(basename "$BATS_TEST_FILENAME" .bats), $1" \
		"$(wc -l <<<"$native")" "$(wc -l <<<"$native")"
}

# tell_cases SUITE RUN EQUAL: for scripts/count-cases.
tell_cases() {
	echo "# cases: $1: $2 run, $3 equal" >&3
}

# in_background RUNNER COMMAND...: natively or under_shim, in the background.
# $job is to be waited for, $program is the program itself.
in_background() {
	in_job=yes "$@" 3>&- &
	job=$!
	wait_until 10 pgrep -P "$job"
	program=$(pgrep -P "$job")
}

# For teardown: nothing that in_background started survives its test.
end_background() {
	[[ -z ${job-} ]] || pkill -KILL -P "$job" || true
}

# status_of_job: waits for it and prints its exit status.
status_of_job() {
	local status=0

	wait "$job" || status=$?
	echo "status $status"
}

# job_ends STATUS: waits for it; not in a subshell, whose child it is not.
job_ends() {
	local status=0

	wait "$job" || status=$?
	[[ $status = "$1" ]] || {
		echo "status $status instead of $1"
		return 1
	}
}

# elapsed_ns COMMAND...: how long it took, its output discarded.
elapsed_ns() {
	local begun=${EPOCHREALTIME/[.,]/}

	"$@" >/dev/null
	echo $(((${EPOCHREALTIME/[.,]/} - begun) * 1000))
}
