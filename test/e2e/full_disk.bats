#!/usr/bin/env bats
# A disk that fills up does no harm to who is being watched, nor to the
# recording there, even where the program does not hear of SIGBUS: by that the
# kernel would tell of a page that it has no block for, and kill.
#
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016
# bats file_tags=beside

load lib

# on_disk HOW: a program is watched in the small file system at $disk by env(1)
# HOW, and goes on for a while once there is no room left.
on_disk() {
	local how=$1 program

	STALLSHIM_STALL=1ms STALLSHIM_MEMORY=1M STALLSHIM_OUTPUT=$disk/out \
		env "$how" env LD_PRELOAD="$SHIM" "$victim" >"$said" 2>&1 &
	program=$!
	until grep -qs begun "$said" && [[ -e $disk/out.rec ]]; do
		sleep 0.01
	done
	cat /dev/zero >"$disk/rest" 2>/dev/null
	# A page that has been written back is to be made writable again.
	for ((i = 0; i < 10; i++)); do
		sync -d "$disk"/out*.rec
		sleep 0.03
	done
	kill -USR2 "$program" 2>/dev/null
	wait "$program"
	echo "status $?"
	"$STALLSHIM" report "$disk/out.rec" | grep '^Stalls: [1-9]'
	rm -f "$disk"/{out*,rest}
}

# fills_up MOUNT...: whether SIGBUS is ignored or blocked.
fills_up() {
	need unshare mount
	export SHIM STALLSHIM disk=$BATS_TEST_TMPDIR/disk \
		said=$BATS_TEST_TMPDIR/said victim
	victim=$(victim tampered)
	mkdir "$disk"
	run timeout -k 5 60 unshare -m bash -c "$(declare -f on_disk)"'
		mount "$@" "$disk" || exit 77
		for how in --{ignore,block}-signal=BUS; do
			on_disk $how
			cat "$said" >&2
		done' bash "$@"
	echo "$status: $output"
	[[ $status != 77 ]] || skip "no such file system can be mounted here"
	[[ $(grep -c 'status 7' <<<"$output") = 2 ]]
	[[ $(grep -c '^Stalls: [1-9]' <<<"$output") = 2 ]]
	[[ $(grep -c "all sums are right" <<<"$output") = 2 ]]
	[[ $output != *"somebody else has written"* ]]
}

@test "one in memory" {
	fills_up -t tmpfs -o size=4m none
}

# image KIND SIZE: a file that has such a file system in it.
image() {
	PATH=$PATH:/usr/sbin:/sbin
	need "mkfs.$1"
	truncate -s "$2" "$BATS_TEST_TMPDIR/image"
	"mkfs.$1" -q "$BATS_TEST_TMPDIR/image"
}

@test "one that gives its blocks away as they are asked for" {
	image ext4 24M
	fills_up -o loop "$BATS_TEST_TMPDIR/image"
}

@test "one that writes each page to another block" {
	printf '%s\n' 6.18 "$(uname -r)" | sort -CV ||
		skip "an older Linux takes another block for a mapping's page"
	image btrfs 128M
	fills_up -o loop "$BATS_TEST_TMPDIR/image"
}
