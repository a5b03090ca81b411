#!/usr/bin/env bats
# A thread that waits for work by a call that is no lock's - it reads, accepts,
# sleeps - is idle where it did before it had a loop, and stalled elsewhere.
#
# SPDX-License-Identifier: MIT

load lib

readonly transfers=(read pipe eventfd readv recv recvfrom recvmsg)
readonly connections=(accept accept4)
readonly queues=(msgrcv mq_receive mq_timedreceive semop semtimedop)
readonly others=(sigwaitinfo sigtimedwait flock)
readonly sleeps=(usleep nanosleep clock_nanosleep sleep_until thrd_sleep)

# are_idle WAY...: workers that park so, whose jobs poll for answers.
are_idle() {
	side_by_side is_idle "$@"
}

is_idle() {
	stalls_of park_work pool "$1"
	between 1 2 "$(header "$text" loops)"
	[[ $(header "$text" stalls) = 0 ]]
	[[ $(total_ns "$text") = 0 ]]
}

# are_stalls WAY...: the same calls in a loop, and in its callback.
are_stalls() {
	side_by_side is_stall "$@"
}

is_stall() {
	stalls_of park_work asks "$1"
	[[ $(header "$text" loops) = 1 ]]
	[[ $(header "$text" stalls) = 2 ]]
	between 60000000 400000000 "$(total_ns "$text" callback_takes)"
	between 120000000 800000000 "$(total_ns "$text" turn)"
}

@test "a worker that reads or receives its work is idle between its jobs" {
	are_idle "${transfers[@]}"
}

@test "a worker that accepts connections is idle between them" {
	are_idle "${connections[@]}"
}

@test "a worker that waits at a queue of the kernel's is idle there" {
	are_idle "${queues[@]}"
}

@test "a worker that waits for a signal or a file's lock is idle there" {
	are_idle "${others[@]}"
}

@test "a worker that sleeps and looks for work again is idle between its jobs" {
	are_idle "${sleeps[@]}"
}

@test "a callback that reads or receives is stalled, whoever is idle so" {
	are_stalls "${transfers[@]}"
}

@test "a callback that accepts a connection is stalled, whoever is idle so" {
	are_stalls "${connections[@]}"
}

@test "a callback that waits at a queue of the kernel's is stalled" {
	are_stalls "${queues[@]}"
}

@test "a callback that waits for a signal or a file's lock is stalled" {
	are_stalls "${others[@]}"
}

@test "a callback that sleeps is stalled, whoever is idle so" {
	are_stalls "${sleeps[@]}"
}
