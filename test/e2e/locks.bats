#!/usr/bin/env bats
# Every kind of lock libc has: its waits are charged to their true cause, its
# results are those it has without the shim, and the law closes.
#
# SPDX-License-Identifier: MIT

load lib

# watch KIND VICTIM ARGUMENT...: what it printed is in $books, the profile in
# $text, KIND being mutex, sem or wait.
watch() {
	local kind=$1 name=$2

	shift 2
	rm -f "$RESULTS"/*
	books=$(under_shim STALLSHIM_KEEP=all "$(victim "$name")" "$@")
	text=$(result "$kind.txt")
	echo "$books"
	cat "$text"
	law_closes "$text"
	law_closes "$(result mutex.txt)"
}

# charged_as_booked: each function the victim named costs what it booked.
charged_as_booked() {
	local who least most

	[[ -n $books ]]
	while read -r who least most; do
		between "$least" "$most" "$(total_ns "$text" "$who")"
	done <<<"$books"
}


@test "a writer pays for readers and writers" {
	watch mutex lock_rwlock writer
	charged_as_booked
	[[ $(total_count "$text" release_writer) = 1 ]]
}

@test "of two readers only the last to leave pays" {
	watch mutex lock_rwlock readers
	charged_as_booked
	[[ $(total_count "$text" release_last_reader) = 1 ]]
}

@test "of readers who leave together one pays" {
	watch mutex lock_rwlock together
	charged_as_booked
	(($(total_count "$text" release_last_reader) >= 200))
}

@test "of two readers only the last pays, while who let them in is not done" {
	watch mutex lock_rwlock preempted
	charged_as_booked
}

@test "a reader kept out by a writer who gives up waits for readers" {
	watch mutex lock_rwlock impatient
	charged_as_booked
}

@test "a spin lock's holder pays for who spins" {
	watch mutex lock_kinds spin
	charged_as_booked
}

@test "who posts pays for who waited for the semaphore" {
	watch sem lock_kinds semaphore
	charged_as_booked
	[[ $(total_count "$text" release_semaphore) = 2 ]]
	[[ $(total_ns "$(result mutex.txt)") = 0 ]]
}

@test "a semaphore has posts, and is not held" {
	watch sem lock_kinds semaphore
	"$STALLSHIM" report "$(result rec)" | tee /dev/stderr |
		grep -E '^ +lock .* waits +waited +longest +at once +posts +charged$'
}

@test "so does a signal handler that posts" {
	watch sem lock_kinds handler
	charged_as_booked
}

@test "who initialises once pays for who needs it" {
	watch mutex lock_kinds once
	charged_as_booked
	watch mutex lock_kinds nested_once
	charged_as_booked
}

@test "waiting at a barrier and for threads is nobody's fault" {
	local kind

	for kind in barrier join; do
		watch wait lock_kinds "$kind"
		charged_as_booked
		[[ $(total_ns "$(result mutex.txt)") = 0 ]]
		# Nor are there columns for what there can't be.
		"$STALLSHIM" report "$(result rec)" |
			grep -E '^  lock .* longest  at once$'
	done
}

# same_answers WHO CASE: natively and under the shim; and the law closes.
same_answers() {
	local native shimmed

	rm -f "$RESULTS"/*
	native=$(natively "$(victim "$1_answers")" "$2")
	shimmed=$(under_shim STALLSHIM_KEEP=all "$(victim "$1_answers")" "$2")
	[[ -n $native ]]
	diff <(echo "$native") <(echo "$shimmed")
	law_closes "$(result mutex.txt)"
}

@test "mutexes of every type answer as they do" {
	same_answers mutex types
	same_answers mutex ceiling
}

@test "a dead owner's mutex is locked once and can be made consistent" {
	same_answers mutex dead_owners
	same_answers mutex waiting_heirs
}

@test "reader-writer locks and spin locks answer as they do" {
	same_answers lock rwlocks
	same_answers lock spin_locks
}

@test "semaphores answer as they do, and leave errno alone" {
	same_answers lock semaphores
	law_closes "$(result sem.txt)"
}

@test "barriers, joins and initialisation answer as they do" {
	same_answers lock barriers
	same_answers join joins
	same_answers join onces
}

@test "ticks break no wait for a lock, and their stalls are seen" {
	export STALLSHIM_STALL=5ms
	same_answers join ticks
	(($(total_count "$(result stall.txt)" in_ticks) >= 10))
}

# left CASE: as natively, and the law closes.
left() {
	rm -f "$RESULTS"/*
	under_shim STALLSHIM_KEEP=all "$(victim lock_left)" "$1" \
		>"$RESULTS/out"
	cat "$RESULTS/out"
	natively "$(victim lock_left)" "$1" | diff - "$RESULTS/out"
	text=$(result mutex.txt)
	law_closes "$text"
}

@test "a thread cancelled in its wait waits no more" {
	watch sem lock_left cancelled
	books=$(grep release_ <<<"$books")
	charged_as_booked
	[[ $(header "$text" open) = 0 ]]
	left cancelled_joins
}

@test "a semaphore is a cancellation point before it is taken" {
	left cancelled_before
}

@test "a handler may leave a wait by longjmp or end its thread" {
	left jumped
	[[ $(header "$text" open) = 0 ]]
	[[ $(header "$text" charged) != 0 ]]
	law_closes "$(result sem.txt)"
	[[ $(header "$(result sem.txt)" open) = 0 ]]
}

@test "a handler that jumps within itself leaves no wait" {
	watch mutex lock_left jumped_inside
	charged_as_booked
	[[ $(header "$text" open) = 0 ]]
}

@test "waits that last when the process ends are open, and named" {
	local report

	left open
	(($(header "$text" open) > 0))
	law_closes "$(result sem.txt)"
	(($(header "$(result sem.txt)" open) > 0))
	report=$("$STALLSHIM" report "$(result rec)")
	echo "$report"
	[[ $(grep -c "has waited .* for mutex, held by thread" <<<"$report") = 2 ]]
	grep -q "has waited .* for semaphore[.] It waits in$" <<<"$report"
	grep -q "has waited .* for a thread to end[.] It waits in$" <<<"$report"
}

@test "a lock whose holder has ended is waited for" {
	left orphaned
	(($(header "$text" open) > 0))
}

@test "a lock that can't be destroyed goes on" {
	watch mutex lock_left destroyed_in_vain
	charged_as_booked
}

@test "a lock made anew at the same address is another lock" {
	left reused
	[[ $(samples "$text" | grep -c " release_mutex ") = 5 ]]
	[[ $(header "$text" open) = 0 ]]
}

@test "a lock overwritten while it is waited for has no negative time" {
	left overwritten
	between 1 60000000000 "$(header "$text" waited)"
	between 1 60000000000 "$(header "$text" open)"
}

@test "of a lock shared by processes each sees its own waits" {
	local text

	under_shim "$(victim lock_left)" processes
	for text in "$RESULTS"/lock_left.*.mutex.txt; do
		cat "$text"
		law_closes "$text"
		# The other one's unlock is not seen: it is hand-off.
		between 20000000 60000000000 "$(header "$text" handoff)"
		[[ $(header "$text" charged) = 0 ]]
	done
	[[ $(grep -l "^--- contention" "$RESULTS"/*.mutex.txt | wc -l) = 2 ]]
}

@test "the locks of C++ are these" {
	local lock

	for lock in shared_mutex shared_timed_mutex timed_mutex \
		condition_variable call_once; do
		watch mutex lock_cpp "$lock"
		charged_as_booked
	done
}

@test "in a storm on every kind of lock the law closes, and all is paid" {
	local kind text

	[[ $(under_shim "$(victim lock_storm)") = over ]]
	for kind in mutex sem; do
		text=$(result "$kind.txt")
		grep '^# ' "$text"
		law_closes "$text"
		[[ $(header "$text" open) = 0 ]]
		[[ $(header "$text" charged) != 0 ]]
		[[ $(header "$text" lost) = "" ]]
	done
}
