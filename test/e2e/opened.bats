#!/usr/bin/env bats
# The shim loaded late, by dlopen(3): no call of the program comes to it. It
# says so, watches nothing, and the program does what it does without it.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib
bats_require_minimum_version 1.5.0

# Several of them with thread-local memory of their own.
LIBRARIES=(libz.so.1 libstdc++.so.6 libgomp.so.1 libuv.so.1 libev.so.4
	libglib-2.0.so.0 libQt5Core.so.5 libelf.so.1 libdw.so.1)

SAYS="stallshim: loaded, but not by LD_PRELOAD: nothing is watched"

# opens HOW [LIBRARY...]: the shim is loaded behind these, and has no effect.
opens() {
	run --separate-stderr -3 natively STALLSHIM_KEEP=all \
		STALLSHIM_OUTPUT="$RESULTS/%e.%p" "$(victim opened)" "$1" \
		"$SHIM" "${@:2}"
	[[ $output = fine && $stderr = "$SAYS" ]]
	run ! compgen -G "$RESULTS/opened.*"
}

@test "by a thread of a program that has no other library" {
	opens local
}

@test "behind many libraries" {
	opens local "${LIBRARIES[@]}"
	opens global "${LIBRARIES[@]}"
}

@test "behind one that takes a kilobyte of thread-local memory" {
	opens local "$BUILD/victims/plugin_local.so"
}

@test "it takes half a kilobyte of that itself, as glibc means them to" {
	need readelf
	readelf -lW "$SHIM" | awk '$1 == "TLS" { print $6 }' >"$RESULTS/tls"
	(($(<"$RESULTS/tls") <= 512))
}

@test "as a library whose own names come first" {
	opens deep "${LIBRARIES[@]}"
}

@test "with a libc of its own" {
	opens apart
}

@test "again and again" {
	for _ in {1..20}; do
		opens local
	done
}

@test "linked behind libc" {
	need gcc
	echo 'int main(void) { return 3; }' >"$BATS_TEST_TMPDIR/main.c"
	gcc -o "$BATS_TEST_TMPDIR/linked" "$BATS_TEST_TMPDIR/main.c" \
		-Wl,--no-as-needed -lc "$SHIM"
	run --separate-stderr -3 natively STALLSHIM_KEEP=all \
		STALLSHIM_OUTPUT="$RESULTS/%e.%p" "$BATS_TEST_TMPDIR/linked"
	[[ $stderr = "$SAYS" ]]
	run ! compgen -G "$RESULTS/linked.*"
}

@test "where it is preloaded it is watched all the same" {
	run --separate-stderr -3 under_shim STALLSHIM_KEEP=all \
		"$(victim opened)" local "$SHIM"
	[[ $output = fine && $stderr = "" ]]
	result rec opened
}
