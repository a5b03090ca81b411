#!/usr/bin/env bats
# The loops of tokio, Rust's: the manual's table of which loops are seen. Apart
# from the other frameworks, since it takes long to build.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load planted

# By Debian's compiler, from Debian's sources: nothing comes from a network.
setup_file() {
	mkdir -p "$BUILD/tokio"
	cp "$BATS_TEST_DIRNAME"/tokio/* "$BUILD/tokio"
	(
		cd "$BUILD/tokio"
		CARGO_HOME=$BATS_FILE_TMPDIR RUSTC=/usr/bin/rustc \
			timeout 600 /usr/bin/cargo build \
			--offline --quiet \
			--config 'source.crates-io.replace-with="debian"' \
			--config 'source.debian.directory="/usr/share/cargo/registry"'
	)
}

tokio() {
	seen_in epoll_wait "$BUILD/tokio/target/debug/framework_tokio" "$@"
}

@test "tokio in one thread: epoll_wait" {
	tokio 5
}

@test "tokio in three threads: one of them has a stall" {
	threads=3 tokio 5 3
}

@test "tokio in three threads: none stalls where it parks" {
	threads=3 tokio 80 3
}

# Which of them waits for events before it first parks is a matter of chance:
# where the machine is busy, both.
@test "tokio in two threads, many at once: none stalls where it parks" {
	local i runs=()

	for i in {1..8}; do
		(
			RESULTS=$BATS_TEST_TMPDIR/$i
			mkdir "$RESULTS"
			threads=2 tokio 80 2
		) 3>&- &
		runs+=($!)
	done
	for i in "${runs[@]}"; do
		wait "$i"
	done
}
