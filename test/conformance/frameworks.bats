#!/usr/bin/env bats
# The loops of frameworks, one program each: the manual's table of which loops
# are seen, and in which call. A stall of 100 ms is planted in each; there is no
# other, neither in the idle time before nor after it.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load planted

PYTHON=/usr/bin/python3

readonly programs=$BUILD/frameworks

# build PROGRAM NAME [ARGUMENT...]: from framework_NAME, a file of C or C++,
# unless that has been done.
build() {
	local program=$programs/$1 source compiler=(gcc -std=gnu11)

	source=$(echo "$BATS_TEST_DIRNAME/framework_$2".c*)
	[[ $program -nt $source && $program -nt ${source%_*}.h &&
		$program -nt $BATS_TEST_FILENAME ]] && return
	[[ $source = *.c ]] || compiler=(g++ -std=c++17)
	# Flags so that the planted function keeps its frame.
	"${compiler[@]}" -O2 -g -D_GNU_SOURCE -pthread -fPIC -Wall -Wextra \
		-fno-inline -fno-optimize-sibling-calls \
		-o "$program" "$source" "${@:3}"
}

# build_with PACKAGE NAME: with the library that pkg-config knows by that name.
build_with() {
	local flags

	flags=$(pkg-config --cflags --libs "$1")
	read -ra flags <<<"$flags"
	build "$2" "$2" "${flags[@]}"
}

setup_file() {
	need gcc g++ pkg-config "$PYTHON"
	mkdir -p "$programs"
	build_with libuv libuv
	build_with libevent_core libevent
	build libev libev -lev
	build_with glib-2.0 glib
	build_with Qt5Core qt
	build asio asio
	build asio_slow asio -DTICK_MS=80
	build python python -shared
	build liburing liburing -luring
	build liburing.so liburing -luring -shared
}

# framework CALL NAME [NAME=VALUE...] [-- ARGUMENT...]
framework() {
	local call=$1 name=$2 settings=()

	shift 2
	while (($#)) && [[ $1 != -- ]]; do
		settings+=("$1")
		shift
	done
	seen_in "$call" "${settings[@]}" "$programs/$name" "${@:2}"
}

@test "libuv: epoll_wait" {
	framework epoll_wait libuv
}

@test "libevent: epoll_wait" {
	framework epoll_wait libevent
}

@test "libevent without epoll: poll" {
	framework poll libevent EVENT_NOEPOLL=1
}

@test "libevent without epoll and poll: select" {
	framework select libevent EVENT_NOEPOLL=1 EVENT_NOPOLL=1
}

@test "libev: epoll_wait" {
	framework epoll_wait libev
}

@test "libev without epoll: poll" {
	framework poll libev LIBEV_FLAGS=2
}

@test "libev without epoll and poll: select" {
	framework select libev LIBEV_FLAGS=1
}

@test "GLib: poll" {
	framework poll glib
}

@test "Qt in GLib's main loop: poll" {
	framework poll qt
}

@test "Qt by itself: ppoll" {
	framework ppoll qt QT_NO_GLIB=1
}

@test "asio: epoll_wait" {
	framework epoll_wait asio
}

# A thread that has waited for events parks while another one waits, longer
# here than a stall is.
@test "asio in three threads: none stalls where it parks" {
	threads=3 framework epoll_wait asio_slow -- 3
}

@test "asio in two threads, the main one last: none stalls where it parks" {
	threads=2 framework epoll_wait asio_slow -- 2 last
}

# python SELECTOR CALL
python() {
	seen_in "$2" "$PYTHON" "$BATS_TEST_DIRNAME/framework_python.py" \
		"$programs/python" "$1"
}

@test "asyncio: epoll_wait" {
	python EpollSelector epoll_wait
}

@test "asyncio and Python's selector of poll" {
	python PollSelector poll
}

@test "asyncio and Python's selector of select" {
	python SelectSelector select
}

@test "asyncio: to wait from other frames is no new beginning" {
	[[ $(under_shim "$PYTHON" "$BATS_TEST_DIRNAME/asyncio_later.py") = \
		"done" ]]
	text=$(result stall.txt)
	cat "$text"
	# In doubt it would be told by one tick alone.
	(($(awk '/ @ / { ticks = $2 } /cause=semaphore/ { sum += ticks }
		END { print sum + 0 }' "$text") >= 5))
}

# has_io_uring: containers often forbid it, and kernels can.
has_io_uring() {
	natively "$(victim wait_race)" has_io_uring ||
		skip "io_uring is forbidden here"
}

@test "liburing: io_uring_enter" {
	has_io_uring
	seen_in io_uring_enter "$programs/liburing"
}

@test "liburing, loaded by a library that nobody else sees" {
	has_io_uring
	seen_in io_uring_enter "$PYTHON" -c "import ctypes
ctypes.CDLL('$programs/liburing.so').main()"
}
