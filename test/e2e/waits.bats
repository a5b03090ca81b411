#!/usr/bin/env bats
# A tick never shows in a wait.
#
# SPDX-License-Identifier: MIT

load lib

# race CALL SIGNALS [STALL]: none of the host's signals made up, and none lost,
# or no more than LOST, a pattern, says.
race() {
	run under_shim STALLSHIM_STALL="${3-1ms}" "$(victim wait_race)" \
		"$1" "$2"
	echo "$1: $output"
	# shellcheck disable=SC2053
	[[ $status = 0 && $output = "sent $2 lost "${LOST-0}" spurious 0" ]]
}

# races SIGNALS CALL...: the same of several calls, side by side.
races() {
	local call racing=()

	LIMIT_S=240
	for call in "${@:2}"; do
		race "$call" "$1" 3>&- &
		racing+=($!)
	done
	all_succeed "${racing[@]}"
}

@test "epoll_wait: 20,000 signals under ticks, 0 lost, 0 spurious" {
	races 5000 epoll_wait epoll_wait epoll_wait epoll_wait
}

@test "the other waits: 2,000 signals each, 0 lost, 0 spurious" {
	races 2000 epoll_pwait epoll_pwait2 poll ppoll select pselect
}

# RACES: how many signals; 20,000 in the soak test.
@test "waits and sleeps at 1 and 10 kHz, 0 lost, 0 spurious" {
	local call stall

	LIMIT_S=240
	for call in epoll_wait poll select nanosleep sigsuspend; do
		for stall in 1ms 100us; do
			race "$call" "${RACES:-500}" "$stall"
		done
	done
}

# raw_waits: those by syscall(2) that there are, io_uring's among them if
# neither the kernel nor a container forbids it.
raw_waits() {
	printf '%s\n' raw_epoll_wait raw_epoll_pwait raw_epoll_pwait2 \
		raw_poll raw_ppoll raw_select raw_pselect6
	! natively "$(victim wait_race)" has_io_uring ||
		printf '%s\n' raw_io_uring raw_io_uring_submit
}

# uring_waits [MORE...]: the same of liburing's.
uring_waits() {
	! natively "$(victim wait_race)" has_io_uring ||
		printf '%s\n' uring_wait_cqe uring_wait_cqes \
			uring_submit_and_wait uring_submit_and_wait_timeout \
			uring_enter "$@"
}

@test "waits by syscall(2): 1,000 signals each, 0 lost, 0 spurious" {
	local calls

	mapfile -t calls < <(raw_waits)
	[[ ${calls[*]} != *raw_io_uring* ]] || calls+=(nested_raw_io_uring)
	races 1000 "${calls[@]}"
}

@test "waits by liburing: 1,000 signals each, 0 lost, 0 spurious" {
	local calls

	mapfile -t calls < <(uring_waits)
	races 1000 "${calls[@]}"
}

@test "waits in a callback: 1,000 signals each, 0 lost, 0 spurious" {
	races 1000 nested_{epoll_wait,epoll_pwait2,poll,ppoll,select,raw_ppoll}
}

@test "sleeps in a callback: 1,000 signals each, 0 lost, 0 spurious" {
	races 1000 sleep usleep nanosleep_told clock_nanosleep thrd_sleep pause
}

# The victim can't tell whether the thread sleeps in the call or, in a tick
# just before it, elsewhere: one in some 20,000 signals comes too early even so.
@test "a read, a receive, a lock, a child: 3,000 signals each, 0 or 1 lost" {
	LOST='[01]' races 3000 read recv sem_wait waitpid
}

lasts_as_asked() {
	run under_shim STALLSHIM_STALL=1ms "$(victim loop)" wait "$1"
	echo "$1: $output"
	[[ $status = 0 && -z $output ]]
}

@test "a wait under ticks lasts as long as it was asked to" {
	local calls

	mapfile -t calls < <(raw_waits && uring_waits uring_submit_one)
	side_by_side lasts_as_asked epoll_wait epoll_pwait epoll_pwait2 poll \
		ppoll select pselect raw_ppoll_const "${calls[@]}"
}

# As ppoll(2) may be, by 5 ms of a second in a nice process; a sleep by 50 us.
@test "a sleep that a tick has come in is not later than it would be" {
	local call late

	for call in sleep usleep nanosleep clock_nanosleep thrd_sleep; do
		late=$(under_shim STALLSHIM_STALL=10ms "$(victim late)" "$call")
		echo "$call: $late ns"
		between 0 1000000 "$late"
	done
}

@test "a poll that a tick has come in ends in time where it is stopped, too" {
	local call ms

	for call in poll raw_poll; do
		ms=$(under_shim STALLSHIM_STALL=10ms "$(victim stopped)" "$call")
		echo "$call: $ms ms"
		# Not 800 ms, which is with what was left when it was stopped.
		between 300 700 "$ms"
	done
}

# cancelled natively|under_shim: ticks come in every call.
cancelled() {
	"$1" STALLSHIM_STALL=1ms "$(victim cancelled)"
}

@test "a thread cancelled in a wait or sleep cleans up as without the shim" {
	same_both_ways cancelled
}

@test "liburing comes and goes with a plugin whose constructor waits" {
	local plugin=$BUILD/victims/plugin_uring.so

	natively "$(victim wait_race)" has_io_uring ||
		skip "io_uring is forbidden here"
	[[ $(natively "$(victim reload)" "$plugin") = done ]]
	[[ $(under_shim STALLSHIM_STALL=1ms "$(victim reload)" \
		"$plugin") = done ]]
	(($(total_ns "$(result stall.txt)" plugin_loop) > 0))
}
