#!/usr/bin/env bats
# The loops of frameworks, one program each: the manual's table of which loops
# are seen, and in which call. A stall of 100 ms is planted in each; there is no
# other, neither in the idle time before nor after it.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load planted

PYTHON=/usr/bin/python3

# build NAME [ARGUMENT...]: a program from framework_NAME, a file of C or C++.
build() {
	local source=$BATS_TEST_DIRNAME/framework_$1 compiler=(gcc -std=gnu11)

	[[ -e $source.c ]] || compiler=(g++ -std=c++17)
	# Flags so that the planted function keeps its frame.
	"${compiler[@]}" -O2 -g -D_GNU_SOURCE -pthread -fPIC -Wall -Wextra \
		-fno-inline -fno-optimize-sibling-calls \
		-o "$BATS_FILE_TMPDIR/$1" "$source".c* "${@:2}"
}

# build_with PACKAGE NAME: with the library that pkg-config knows by that name.
build_with() {
	local flags

	flags=$(pkg-config --cflags --libs "$1")
	read -ra flags <<<"$flags"
	build "$2" "${flags[@]}"
}

setup_file() {
	need gcc g++ pkg-config "$PYTHON"
	build_with libuv libuv
	build_with libevent_core libevent
	build libev -lev
	build_with glib-2.0 glib
	build_with Qt5Core qt
	build asio
	build asio -DTICK_MS=80 -o "$BATS_FILE_TMPDIR/asio_slow"
	build python -shared
	build liburing -luring
	build liburing -luring -shared -o "$BATS_FILE_TMPDIR/liburing.so"
}

# framework CALL NAME [NAME=VALUE...] [-- ARGUMENT...]
framework() {
	local call=$1 name=$2 settings=()

	shift 2
	while (($#)) && [[ $1 != -- ]]; do
		settings+=("$1")
		shift
	done
	seen_in "$call" "${settings[@]}" "$BATS_FILE_TMPDIR/$name" "${@:2}"
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

# python SELECTOR CALL
python() {
	seen_in "$2" "$PYTHON" "$BATS_TEST_DIRNAME/framework_python.py" \
		"$BATS_FILE_TMPDIR/python" "$1"
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

# has_io_uring: containers often forbid it, and kernels can.
has_io_uring() {
	natively "$(victim wait_race)" has_io_uring ||
		skip "io_uring is forbidden here"
}

@test "liburing: io_uring_enter" {
	has_io_uring
	seen_in io_uring_enter "$BATS_FILE_TMPDIR/liburing"
}

@test "liburing, loaded by a library that nobody else sees" {
	has_io_uring
	seen_in io_uring_enter "$PYTHON" -c "import ctypes
ctypes.CDLL('$BATS_FILE_TMPDIR/liburing.so').main()"
}
