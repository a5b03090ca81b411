#!/usr/bin/env bats
# Signals: the host gets its own, all of them, by its own rules, and no other;
# and it ends of a signal as it would have.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

# run_both VICTIM CASE: natively and under 1 ms ticks it says the same and ends
# the same; and under the shim it has been watched.
run_both() {
	local expected shimmed native=0

	status=0
	rm -f "$RESULTS"/*
	expected=$(natively "$(victim "signal_$1")" "$2" 2>&1) || native=$?
	shimmed=$(under_shim STALLSHIM_STALL=1ms "${settings[@]}" \
		"$(victim "signal_$1")" "$2" 2>&1) || status=$?
	echo "$1 $2: exit $native, with the shim $status"
	diff <(echo "$expected") <(echo "$shimmed") || return 1
	[[ $native = "$status" ]]
}

# every_case VICTIM: all cases it has.
every_case() {
	local name names

	mapfile -t names < <(natively "$(victim "signal_$1")")
	((${#names[@]} > 1))
	for name in "${names[@]}"; do
		run_both "$1" "$name"
	done
}

setup() {
	settings=()
}

@test "handlers, flags, masks and old actions are as natively" {
	every_case actions
}

@test "the old interfaces are as natively" {
	every_case old
}

@test "a sigaction of the program's own, in front of libc's second name" {
	run_both own handler
	[[ -s $(result stall.txt) ]]
}

@test "a handler of a crash that tests all memory meets no tick" {
	[[ $(natively "$(victim memory_test)") = kept ]]
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim memory_test)") = kept ]]
	[[ -s $(result stall.txt) ]]
}

# goes_on HOW: ticks come again once the handler has been left.
goes_on() {
	rm -f "$RESULTS"/*
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim recovers)" "$1") = \
		"done" ]]
	(($(total_count "$(result stall.txt)") >= 15))
}

@test "behind a jump out of such a handler ticks come again" {
	goes_on siglongjmp
	goes_on longjmp
	goes_on setcontext
}

# In each of five runs of 100 ms, but for 3 ms of the first.
@test "so they do behind exceptions out of it, from the second one on" {
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim recovers_cpp)") = "done" ]]
	(($(total_count "$(result stall.txt)") >= 50))
}

@test "blocked, waited for and read by a descriptor: as natively" {
	every_case masks
}

@test "masks in threads, programs and contexts to come: as natively" {
	every_case inherited
}

@test "a few signals that are left open where all others are blocked" {
	every_case left_open
}

@test "masks given to waits, and to programs to be started: as natively" {
	every_case given_masks
}

@test "alternate stacks, and handlers on them, are as natively" {
	every_case stacks
}

@test "what handlers set of alternate stacks stays, or goes, as natively" {
	every_case kept_stacks
}

@test "signals that come at one instant run where they would" {
	every_case at_once
}

@test "alternate stacks too short for a tick, or unmapped: as natively" {
	every_case own_stacks
}

@test "faults, made by the host or sent, are as natively" {
	every_case faults
}

@test "faults that are sent while they are blocked: as natively" {
	every_case pending_faults
}

@test "over fork, vfork, exec and death: as natively" {
	every_case process
}

@test "pointers that lead nowhere: as natively" {
	every_case pointers
}

@test "whatever signal carries the ticks" {
	local signal

	for signal in SIGUSR2 SIGRTMIN SIGRTMAX-2 SIGRTMIN+5; do
		settings=("STALLSHIM_SIGNAL=$signal")
		run_both actions handler_first
		run_both actions handle_all
		run_both masks real_time
		run_both masks fill
		run_both process forks
	done
}

@test "no tick and no signal goes astray while the host changes its mind" {
	local i case

	for case in flips:5 chase:20 reads:20; do
		for ((i = 0; i < ${case#*:}; i++)); do
			run_both moves "${case%:*}"
		done
	done
}

# slowly CASE: what a thread gives back comes 20 ms after it was taken.
slowly() {
	timeout -k 5 60 strace -f -o /dev/null -e trace=rt_sigqueueinfo \
		-e inject=rt_sigqueueinfo:delay_enter=20000 -e signal=none \
		env LD_PRELOAD="$SHIM" STALLSHIM_OUTPUT="$RESULTS/%e.%p" \
		STALLSHIM_STALL=1ms "$(victim signal_taken)" "$1"
}

@test "a signal that another thread gives back breaks no wait for it" {
	local case

	need strace
	for case in timed endless; do
		diff <(echo "taken 20"; echo "pending:") <(slowly "$case")
	done
}

@test "what the host sends itself at a tick's time is not merged with it" {
	local i

	for ((i = 0; i < 30; i++)); do
		run_both actions reset_all || return 1
	done
}

@test "ticks come by SIGUSR1 until the host has a use for it" {
	run under_shim STALLSHIM_STALL=1ms "$(victim signal_moves)" numbers
	echo "$output"
	[[ ${lines[0]} = "10 are caught" ]]
	[[ ${lines[1]} = "10 62 are caught" ]]
	[[ ${lines[2]} = "10 62 61 are caught" ]]
}

@test "stalls are still seen after the host has claimed SIGUSR1" {
	local case

	for case in "actions handler_first" "masks fill" "masks attribute"; do
		rm -f "$RESULTS"/*
		# shellcheck disable=SC2086
		set -- $case
		under_shim STALLSHIM_STALL=1ms "$(victim "signal_$1")" "$2"
		text=$(result stall.txt)
		(($(header "$text" stalls) >= 1))
		(($(total_ns "$text" spin) >
			$(header "$text" stalled) * 9 / 10))
	done
}

@test "a default-fatal signal leaves the texts behind" {
	local case

	for case in interrupt:130 terminate:143 hang_up:129; do
		run_both process "${case%:*}"
		[[ $status = "${case#*:}" ]]
		(($(header "$(result stall.txt)" stalls) > 0))
		[[ -s $(result mutex.txt) && -s $(result wait.txt) ]]
	done
	run_both actions defaulted
	(($(header "$(result stall.txt)" stalls) > 0))
}

@test "nohup: a hang-up that is ignored at the start stays so" {
	run under_shim STALLSHIM_STALL=1ms nohup "$(victim signal_process)" \
		hang_up
	[[ $status = 0 && $output = *alive* ]]
	run under_shim STALLSHIM_STALL=1ms bash -c \
		"trap '' INT; exec '$(victim signal_process)' interrupt"
	[[ $status = 0 && $output = *alive* ]]
}

@test "SIGUSR1 ignored or blocked at the start is never ours" {
	local how first=62

	for how in --ignore-signal=USR1 --block-signal=USR1 \
		--block-signal=USR1,RTMAX-2; do
		[[ $how != *RTMAX-2 ]] || first=61
		expected=$(natively "$how" "$(victim signal_process)" executed)
		shimmed=$(under_shim env "$how" \
			"$(victim signal_process)" executed)
		diff <(echo "$expected") <(echo "$shimmed")
		run under_shim STALLSHIM_STALL=1ms env "$how" \
			"$(victim signal_moves)" numbers
		echo "$how: $output"
		[[ ${lines[0]} = "$first are caught" ]]
	done
}

# inside_container COMMAND...: as its first process.
inside_container() {
	under_shim STALLSHIM_STALL=1ms unshare --user --map-root-user --pid \
		--fork "$@"
}

@test "the first process of a container ignores what it has no handler for" {
	inside_container true || skip "no user namespaces here"
	for case in interrupt terminate hang_up; do
		run inside_container "$(victim signal_process)" "$case"
		echo "$case: $status $output"
		[[ $status = 0 && $output = *alive* ]]
	done
	run inside_container "$(victim signal_faults)" sent_to_itself
	[[ $status = 0 && $output = *"goes on"* ]]
	# But a fault is its end, too.
	run inside_container "$(victim signal_faults)" default_fault
	echo "fault: $status $output"
	[[ $status = 135 && $output = *touches ]]
}

@test "a child of a container's first process ends as everywhere" {
	inside_container true || skip "no user namespaces here"
	run inside_container "$(victim signal_process)" terminate_from_outside
	echo "$output"
	[[ $status = 0 && $output = "child: killed by 15" ]]
	# And says what it has seen, in texts of its own.
	ls "$RESULTS"
	(($(find "$RESULTS" -name '*.stall.txt' | wc -l) == 2))
}
