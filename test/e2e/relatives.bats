#!/usr/bin/env bats
# Children in their parent's memory, and in copies of it, whatever the numbers
# of both.
#
# SPDX-License-Identifier: MIT

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
