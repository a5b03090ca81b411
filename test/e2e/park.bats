#!/usr/bin/env bats
# A loop's thread that parks is idle; one that waits in a callback is stalled.
#
# SPDX-License-Identifier: MIT

load lib

@test "threads that take turns at one descriptor park, and stall in callbacks" {
	local spun unscheduled

	stalls_of park turns
	[[ $(header "$text" loops) = 2 ]]
	spun=$(total_ns "$text" callback_spins)
	unscheduled=$(header "$text" unscheduled)
	between 60000000 $((200000000 + unscheduled)) "$spun"
	# Where the machine is busy a run before it parks may be long as well.
	between "$spun" $((spun + unscheduled)) "$(header "$text" stalled)"
	[[ $(total_ns "$text" pthread_cond_wait) = 0 ]]
}

@test "one parks while the other is late to wait, or has ended" {
	local what

	for what in late left left-with-place; do
		stalls_of park_late $what
		[[ $(header "$text" loops) = 2 ]]
		[[ $(total_ns "$text" pthread_cond_wait) = 0 ]]
		[[ -z $(header "$text" left) ]]
	done
}

@test "so do threads that had all waited before the first of them parked" {
	stalls_of park late-turns
	[[ $(header "$text" loops) = 2 ]]
	# The other one's first wait may be late where the machine is busy.
	between 1 3 "$(header "$text" stalls)"
	between 60000000 400000000 "$(total_ns "$text" callback_awaits)"
}

# lead N: its pool's longest run by its own clock, and what the shim told of it.
lead() {
	RESULTS=$BATS_TEST_TMPDIR/$1
	mkdir "$RESULTS"
	under_shim STALLSHIM_STALL=10ms "$(victim park_leaders)" for-ever \
		>"$RESULTS/own"
}

@test "a thread that is woken from its parking just as a tick comes is idle" {
	local i text own

	for i in {1..8}; do
		lead $i 3>&- &
	done
	wait
	for i in {1..8}; do
		RESULTS=$BATS_TEST_TMPDIR/$i
		text=$(result stall.txt)
		own=$(<"$RESULTS/own")
		cat "$text"
		[[ $(header "$text" loops) = 4 ]]
		# The shim's clock starts earlier and stops later, a little.
		between 1000000 $((own + 2000000)) "$(header "$text" longest)"
	done
}

@test "who takes turns parks until a deadline that is near, too" {
	local how least=2

	# Where nobody wakes the others one may have the seat all the time.
	for how in soon soon-sem soon-futex; do
		stalls_of park_leaders $how
		(($(header "$text" loops) >= least))
		least=1
		[[ $(total_ns "$text" pthread_cond_timedwait) = 0 ]]
		# Where the machine is busy it may be kept from running there.
		(($(header "$text" blocked) + 0 == 0))
		(($(header "$text" semaphore) + 0 == 0))
	done
}

@test "a loop that waits for a condition in each of its turns is stalled in it" {
	local what

	# Whether or not another thread was once at the same descriptor.
	for what in own-turns own-turns-left; do
		stalls_of park $what
		[[ $(header "$text" loops) = 1 ]]
		# Where the machine is busy other turns are long as well.
		between 2 15 "$(header "$text" stalls)"
		between 120000000 2000000000 "$(total_ns "$text" turn_awaits)"
		grep 'cause=blocked call=pthread_cond_wait ' "$text"
		[[ $(grep -c 'call=futex' "$text") = 0 ]]
	done
}

@test "a worker that polls for answers is idle between its jobs" {
	local what

	for what in worker worker-with-job; do
		stalls_of park $what
		[[ $(header "$text" loops) = 1 ]]
		[[ $(header "$text" stalls) = 0 ]]
	done
}

@test "a loop that polls one descriptor stalls in a callback that waits" {
	stalls_of park polls-one
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 400000000 "$(total_ns "$text" callback_awaits)"
}

@test "a callback that waits for a condition is stalled, wherever else it parks" {
	stalls_of park future
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 400000000 "$(total_ns "$text" callback_awaits)"
}

@test "a callback that is inlined beside the loop's parking is stalled" {
	stalls_of park inlined
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 400000000 "$(total_ns "$text" await_done)"
}

readonly deadlines=(
	pthread_cond_timedwait pthread_cond_clockwait cnd_timedwait
	sem_timedwait sem_clockwait futex_timed
)
readonly ways=(pthread_cond_wait sem_wait futex "${deadlines[@]}")

takes_turns() {
	stalls_of park_tokens turns "$1"
	[[ $(header "$text" loops) = 2 ]]
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 400000000 "$(total_ns "$text" callback_takes)"
}

@test "who takes turns parks until a deadline, too, and stalls in a callback" {
	side_by_side takes_turns "${deadlines[@]}"
}

# none_stalls WHAT LOOPS
none_stalls() {
	local what=$1 loops=$2

	side_by_side never_stalls "${ways[@]}"
}

never_stalls() {
	stalls_of park_tokens "$what" "$1"
	[[ $(header "$text" loops) = "$loops" ]]
	[[ $(header "$text" stalls) = 0 ]]
	[[ -z $(header "$text" left) ]]
	[[ $(total_ns "$text") = 0 ]]
}

@test "a loop given back to its pool is no stall, nor is what it does there" {
	none_stalls given-back 1
}

@test "threads of a pool that turn a loop for a moment are idle again" {
	none_stalls pool 2
}

@test "nor does one stall that does other work after it turned a loop again" {
	stalls_of park_tokens pool-apart sem_wait
	[[ $(header "$text" loops) = 2 ]]
	[[ $(header "$text" stalls) = 0 ]]
}

@test "a loop that waits by the very calls in which workers are idle is stalled" {
	local way

	for way in "${ways[@]}"; do
		stalls_of park_tokens asks $way
		[[ $(header "$text" loops) = 1 ]]
		[[ $(header "$text" stalls) = 2 ]]
		between 60000000 400000000 "$(total_ns "$text" callback_takes)"
		between 120000000 800000000 "$(total_ns "$text" turn)"
	done
}

# python WHAT: its workers are idle in get(); the main thread has a loop.
python() {
	rm -f "$RESULTS"/*
	under_shim STALLSHIM_STALL=25ms python3 - "$1" <<-'end'
		import queue, selectors, socket, sys, threading, time

		selector = selectors.DefaultSelector()
		selector.register(socket.socketpair()[0], selectors.EVENT_READ)
		jobs = queue.Queue()

		def work(timeout):
		    while True:
		        try:
		            job, answer = jobs.get(timeout=timeout)
		        except queue.Empty:
		            continue
		        job()
		        answer.put(None)

		for timeout in None, None, 0.1, 0.1:
		    threading.Thread(
		        target=work, args=[timeout], daemon=True).start()

		def loop():
		    for i in range(20):
		        selector.select(0.001)

		def ask(job):
		    answer = queue.Queue()
		    jobs.put((job, answer))
		    answer.get()

		if sys.argv[1] == "given-back":
		    for i in range(6):
		        ask(loop)
		        time.sleep(0.2)
		else:
		    loop()
		    ask(lambda: time.sleep(0.06))
		    loop()
	end
	text=$(result stall.txt)
	cat "$text"
}

@test "a callback in Python stalls where it waits as its idle workers do" {
	need python3
	python asks
	[[ $(header "$text" loops) = 1 ]]
	[[ $(header "$text" stalls) = 1 ]]
	between 60000000 400000000 "$(header "$text" stalled)"
}

@test "Python's workers that have had a loop for a while are idle again" {
	need python3
	python given-back
	between 1 4 "$(header "$text" loops)"
	[[ $(header "$text" stalls) = 0 ]]
}
