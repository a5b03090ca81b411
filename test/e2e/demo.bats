#!/usr/bin/env bats
# The demonstration shows what is wrong with its server, in a few seconds.
#
# SPDX-License-Identifier: MIT

load lib

# first_of HEADING: the first item of the list below a line with it.
first_of() {
	awk -v heading="$1" '
		index($0, heading) == 1 { inside = 1 }
		inside && /^  1\. / { print; exit }
	' <<<"$report"
}

@test "the demo blames the two planted functions" {
	report=$(BUILD=$BUILD timeout 60 "$ROOT/scripts/demo")
	echo "$report"
	[[ $(first_of "What kept the loops") == *parse_rules* ]]
	[[ $(first_of "What made others wait") == *evict_expired_entries* ]]
	[[ $report == *"sum is exact"* ]]
}
