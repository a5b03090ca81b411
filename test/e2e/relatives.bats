#!/usr/bin/env bats
# Children in their parent's memory, and in copies of it, whatever the numbers
# of both.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

@test "a child beside its parent, in its memory, contends while that stalls" {
	local i expected

	expected=$(natively "$(victim relatives)" beside)
	[[ $expected = "child: exit 0" ]]
	for i in {1..5}; do
		run under_shim STALLSHIM_STALL=1ms "$(victim relatives)" beside
		echo "$i: $status $output"
		[[ $status = 0 && $output = "$expected" ]]
	done
}

# first RUNNER CASE: as the first process of a container.
first() {
	"$1" STALLSHIM_STALL=1ms unshare --user --map-root-user --pid \
		--fork --kill-child "$(victim relatives)" "$2"
}

# as_first CASE LINE: the last of what it prints, natively and under the shim.
as_first() {
	natively unshare --user --map-root-user --pid --fork true ||
		skip "no user namespaces here"
	run first natively "$1"
	[[ $status = 0 && ${lines[-1]} = "$2" ]]
	run first under_shim "$1"
	echo "$status $output"
	[[ $status = 0 && ${lines[-1]} = "$2" ]]
}

@test "first of a namespace in the memory of such a one: clone" {
	as_first clone_shares "handled 5"
}

@test "first of a namespace in the memory of such a one: vfork" {
	as_first vfork_shares "handled 5"
}

# stalls_after CASE: its parent goes on being watched.
stalls_after() {
	as_first "$1" "child: exit 0"
	(($(header "$RESULTS/relatives.1.stall.txt" stalls) >= 5))
	"$STALLSHIM" report "$RESULTS/relatives.1.rec" | grep "exited after"
}

@test "the end of such a guest is not its parent's" {
	stalls_after guest_ends
}

@test "nor is what it forbids itself" {
	stalls_after guest_is_shut_in
}

@test "first of a namespace in a copy of such a one: clone" {
	as_first clone_copies "process 1: 100 of its children ended"
}

@test "first of a namespace in a copy of such a one: fork" {
	as_first fork_copies "process 1: 100 of its children ended"
}
