#!/usr/bin/env bats
# run-tests counts right: what fails, what does not run and what runs nothing
# is a failure, in the totals and in the exit status.
#
# SPDX-License-Identifier: MIT

load lib

# A small tree with nothing to build.
setup() {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree"/{scripts,test/e2e,test/unit,build/unit}
	cp "$ROOT/scripts/run-tests" "$tree/scripts"
	printf 'all victims unit build/demo_server: ;\n%%: ;\n' >"$tree/Makefile"
}

run_tests() {
	run env -u MAKEFLAGS BUILD="$tree/build" "$tree/scripts/run-tests" "$@"
	echo "$output"
}

ends_with() {
	[[ ${lines[-1]} = "$1" ]]
}

# bats_file NAME BODY...: a test of each body. (Bats would take a line that
# begins with its keyword for a test of this file.)
bats_file() {
	local name=$1 body

	shift
	for body; do
		printf '%s "%s" {\n%s\n}\n' @test "$body" "$body"
	done >"$tree/test/e2e/$name.bats"
}

# sanitized_program NAME BODY: one built with a sanitizer.
sanitized_program() {
	touch "$tree/test/unit/$1.c"
	mkdir -p "$tree/build/address/unit"
	printf '#!/bin/sh\n%s\n' "$2" >"$tree/build/address/unit/$1"
	chmod +x "$tree/build/address/unit/$1"
}

# unit_program NAME: one that ignores its options and says standard input.
unit_program() {
	touch "$tree/test/unit/$1.c"
	{
		echo '#!/bin/sh'
		echo 'cat >&3 <<END'
		cat
		echo END
	} >"$tree/build/unit/$1"
	chmod +x "$tree/build/unit/$1"
}

@test "what passes is counted, what skips itself too" {
	bats_file good true "skip here"
	run_tests e2e
	[[ $status = 0 ]]
	ends_with "1 passed, 0 failed, 1 skipped"
}

@test "what fails once only is told, and passes" {
	bats_file flaky "[[ -e $BATS_TEST_TMPDIR/been ]] || { touch \
$BATS_TEST_TMPDIR/been; false; }"
	run_tests e2e
	[[ $status = 0 ]]
	[[ $output = *"run twice: "*flaky* ]]
	ends_with "1 passed, 0 failed"
}

@test "what fails makes the run fail" {
	bats_file mixed true false
	run_tests e2e
	[[ $status != 0 ]]
	ends_with "1 passed, 1 failed"
}

@test "of programs that run side by side each has its own verdict" {
	sanitized_program test_a "echo 1..1; sleep 0.2; echo ok 1"
	sanitized_program test_b "echo 1..1; echo not ok 1; exit 3"
	sanitized_program test_c "echo 1..2; echo ok 1; echo ok 2 '# skip'"
	sanitized_program test_d "kill -SEGV \$\$"
	run_tests address
	[[ $status != 0 && $output = *"run twice: test_b test_d"* ]]
	ends_with "2 passed, 2 failed, 1 skipped"
}

# meet NAME OTHER: a file of tests that passes if the other runs meanwhile.
meet() {
	local marks=$BATS_TEST_TMPDIR

	bats_file "$1" "touch $marks/$1; for ((i = 0; i < 500; i++)); do \
[[ ! -e $marks/$2 ]] || return 0; sleep 0.02; done; false"
	sed -i '1i # bats file_tags=beside' "$tree/test/e2e/$1.bats"
}

@test "files of tests that say so run side by side, and then the others" {
	mkdir "$tree/bin"
	printf '#!/bin/sh\necho 2\n' >"$tree/bin/nproc"
	chmod +x "$tree/bin/nproc"
	meet one two
	meet two one
	bats_file alone "rm $BATS_TEST_TMPDIR/one $BATS_TEST_TMPDIR/two"
	PATH=$tree/bin:$PATH run_tests e2e
	[[ $status = 0 && $output != *"run twice"* ]]
	ends_with "3 passed, 0 failed"
}

@test "a file without a test is a failure" {
	bats_file empty
	run_tests e2e
	[[ $status != 0 ]]
	ends_with "0 passed, 1 failed"
}

@test "a layer without a file is a failure" {
	run_tests unit
	[[ $status != 0 ]]
}

@test "a file in which every test is skipped is a failure" {
	bats_file skipping "skip tool"
	run_tests e2e
	[[ $status != 0 ]]
	ends_with "0 passed, 1 failed, 1 skipped"
}

@test "a missing runner is a failure" {
	mkdir "$tree/bin"
	for tool in bash env make sed grep nproc timeout mkdir dirname basename \
		head cat; do
		ln -s "$(command -v "$tool")" "$tree/bin"
	done
	bats_file good true
	PATH=$tree/bin run_tests e2e
	[[ $status != 0 ]]
	ends_with "0 passed, 1 failed"
}

@test "tests that were planned and did not run are failures" {
	unit_program test_short <<-'EOF'
		1..3
		ok - suite::one
	EOF
	run_tests unit
	[[ $status != 0 ]]
	ends_with "1 passed, 2 failed"
}

@test "a program that fails after its tests is a failure" {
	unit_program test_late <<-'EOF'
		1..1
		ok - suite::one
	EOF
	echo 'exit 1' >>"$tree/build/unit/test_late"
	run_tests unit
	[[ $status != 0 ]]
	ends_with "1 passed, 1 failed"
}

@test "what does not build is a failure" {
	printf 'all victims:\n\tfalse\n%%: ;\n' >"$tree/Makefile"
	bats_file good true
	run_tests e2e
	[[ $status != 0 && $output == *"does not build"* ]]
}

@test "an unknown layer is refused" {
	run_tests units
	[[ $status = 2 ]]
}
