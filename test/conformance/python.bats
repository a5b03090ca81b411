#!/usr/bin/env bats
# CPython's own tests of signals, threads, waits and processes, natively and
# under the shim with ticks every millisecond: each test has the same result.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load cases

PYTHON=/usr/bin/python3 # Debian's, which has its tests beside it

MODULES=(test_asyncio test_signal test_subprocess test_threading test_thread
	test_threadsignals test_eintr test_select test_selectors test_poll
	test_epoll test_fork1 test_wait3 test_wait4 test_posix test_queue
	test_faulthandler test_socket test_os test_time)

# These take minutes: in make soak only.
LONG_MODULES=(test_concurrent_futures test_multiprocessing_fork)
[[ -z ${SOAK-} ]] || MODULES+=("${LONG_MODULES[@]}")

# All of them run once each way, both ways at once, four modules of each: most
# of their time they wait.
setup_file() {
	need "$PYTHON"
	run_both_ways "${MODULES[@]}"
}

run_both_ways() {
	RESULTS=$BATS_FILE_TMPDIR
	LIMIT_S=800
	run_suite natively "$BATS_FILE_TMPDIR/native.xml" "$@" 3>&- &
	run_suite under_shim "$BATS_FILE_TMPDIR/shim.xml" "$@" 3>&- &
	wait
}

# parts_of MODULE...: a package is run by its modules, side by side: asyncio's
# take as long as all others together.
parts_of() {
	local module tests part

	tests=$("$PYTHON" -c 'import test; print(test.__path__[0])')
	for module; do
		[[ -d $tests/$module ]] || {
			echo "test.$module"
			continue
		}
		for part in "$tests/$module"/test_*.py; do
			part=${part##*/}
			echo "test.$module.${part%.py}"
		done
	done
}

# Left out: one that fails natively where the processors are busy, and what
# waits for ever, natively, in a virtual machine that has vsock.
run_suite() {
	local runner=$1 xml=$2 parts

	shift 2
	mapfile -t parts < <(parts_of "$@")
	"$runner" STALLSHIM_STALL=1ms STALLSHIM_KEEP=all "$PYTHON" -m test -j4 \
		--timeout 300 --junit-xml "$xml" \
		-i test_stress_modifying_handlers -i '*VSOCK*' "${parts[@]}" >"$xml.log" \
		2>&1 || tail -n 50 "$xml.log"
}

# A line for each test of a module: its name and how it ended.
results() {
	"$PYTHON" - "$1" "test.$2." <<-'EOF' | sort
		import sys, xml.etree.ElementTree as tree
		for case in tree.parse(sys.argv[1]).iter("testcase"):
		    if case.get("name").startswith(sys.argv[2]):
		        ends = [x.tag for x in case if x.tag != "system-out"]
		        print(case.get("name"), *ends)
	EOF
}

have_same_results() {
	local way

	for way in native shim; do
		results "$BATS_FILE_TMPDIR/$way.xml" "$1" \
			>"$BATS_TEST_TMPDIR/$way"
	done
	cmp "$BATS_TEST_TMPDIR"/{native,shim}
}

# Many of these tests measure time and fail on a busy machine, either way: a
# module that differs gets two more chances, by itself.
same_results() {
	local module chance

	for module; do
		for chance in 1 2 3; do
			((chance == 1)) || run_both_ways "$module"
			! have_same_results "$module" || break
		done
		compare_cases "CPython $module, run $chance" \
			"$BATS_TEST_TMPDIR"/{native,shim}
	done
}

@test "the suites were watched" {
	ls "$BATS_FILE_TMPDIR"/python3.*.stall.txt
}

@test "asyncio" {
	same_results test_asyncio
}

@test "signals, and calls they interrupt" {
	same_results test_signal test_threadsignals test_eintr test_faulthandler
}

@test "threads and locks" {
	same_results test_threading test_thread test_queue
}

@test "select, poll, epoll and sockets" {
	same_results test_select test_selectors test_poll test_epoll \
		test_socket
}

@test "the system and its clocks" {
	same_results test_os test_time
}

@test "processes" {
	same_results test_subprocess test_posix test_fork1 test_wait3 test_wait4
}

@test "pools of threads and of processes" {
	[[ -n ${SOAK-} ]] || skip "takes minutes: in make soak"
	same_results "${LONG_MODULES[@]}"
}
