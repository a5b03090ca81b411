#!/usr/bin/env bats
# A guest that is not welcome: programs with more rights than who starts them,
# and programs that somebody has shut in before they start.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

setup() {
	open=$(mktemp -d)
	chmod 0777 "$open"
	RESULTS=$open
}

teardown() {
	rm -rf "$open"
	[[ -z ${trusted-} ]] || rm -f "$trusted"
}

# trust: puts the shim where the loader takes preloaded libraries of privileged
# programs from, and marks it as such a library must be.
trust() {
	trusted=$(dirname "$(realpath "$(ldd /bin/sh |
		awk '/libc\.so/ { print $3 }')")")/libstallshim_test.$$.so
	install -m 4755 "$SHIM" "$trusted"
}

# as_nobody COMMAND...
as_nobody() {
	timeout -k 5 20 setpriv --reuid=65534 --clear-groups env "$@"
}

# privileged WHAT PROGRAM: a copy of it that is set-uid, has capabilities, or
# is plain.
privileged() {
	local copy=$open/$1

	install -m 0755 "$2" "$copy"
	case $1 in
	set-uid) chmod u+s "$copy" ;;
	capable) setcap cap_net_raw+ep "$copy" ;;
	esac
	echo "$copy"
}

@test "no effect in programs with more rights than their user" {
	local what program

	[[ $EUID = 0 ]] || skip "only root can make such programs"
	need setpriv setcap
	trust
	for what in plain set-uid capable; do
		program=$(privileged "$what" "$(victim signal_moves)")
		native=$(as_nobody "$program" numbers)
		run as_nobody LD_PRELOAD="${trusted##*/}" STALLSHIM_HELP=1 \
			STALLSHIM_KEEP=all STALLSHIM_QUIET=no \
			STALLSHIM_OUTPUT="$open/%e" "$program" numbers
		echo "$what: $status $output"
		[[ $status = 0 ]]
		if [[ $what = plain ]]; then
			[[ $output != "$native" && -e $open/plain.rec ]]
		else
			[[ $output = "$native" && ! -e $open/$what.rec ]]
		fi
	done
	# And there the loader does load it.
	program=$(privileged set-uid "$(command -v grep)")
	as_nobody LD_PRELOAD="${trusted##*/}" \
		"$program" -q "${trusted##*/}" /proc/self/maps
}

# number NAME...: of system calls, with commas between.
number() {
	local name list=

	for name; do
		list+=,$(echo "SYS_$name" | cc -E -P -include sys/syscall.h \
			-x c - | tail -1)
	done
	echo "${list#,}"
}

# jailed HOW CALLS COMMAND...: the command under such a filter, natively
# and under the shim: standard output and status must not differ. $output: what
# the shim says.
jailed() {
	local how=$1 calls=$2 native=0 shimmed=0

	shift 2
	rm -f "$RESULTS"/*
	natively "$(victim jail)" "$how" "$calls" "$@" \
		>"$open/native" 2>/dev/null || native=$?
	natively "$(victim jail)" "$how" "$calls" env LD_PRELOAD="$SHIM" \
		STALLSHIM_OUTPUT="$open/%e" STALLSHIM_STALL=1ms "$@" \
		>"$open/shimmed" 2>"$open/said" || shimmed=$?
	output=$(<"$open/said")
	echo "$how $calls: $native, $shimmed, $output"
	diff "$open/native" "$open/shimmed" && [[ $native = "$shimmed" ]]
}

@test "where all may write nothing is read, and no file or link is trusted" {
	need strace
	chmod 1777 "$open"
	cd "$open"
	mkdir .debug
	for file in libunwind.so.8 libunwind-x86_64.so.8 libelf.so.1 libz.so.1 \
		.debug/loop stallshim.conf; do
		echo "not for you" >"$file"
	done
	LD_PRELOAD='' timeout -k 5 60 strace -f -o "$BATS_TEST_TMPDIR/calls" \
		-e trace=open,openat,openat2,creat,readlink,readlinkat,execve \
		-E LD_PRELOAD="$SHIM" -E STALLSHIM_STALL=1ms \
		-E STALLSHIM_OUTPUT=out -E STALLSHIM_LOG=log \
		"$(victim loop)" spin
	grep -F "\"$open/" "$BATS_TEST_TMPDIR/calls" >"$BATS_TEST_TMPDIR/here"
	cat "$BATS_TEST_TMPDIR/here"
	(($(grep -c 'out\..*O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600)' \
		"$BATS_TEST_TMPDIR/here") == 4))
	(($(grep -c '/log", O_WRONLY|.*O_NOFOLLOW.*O_CLOEXEC' \
		"$BATS_TEST_TMPDIR/here") >= 1))
	# And that is all: also by a name that is not whole.
	run grep -vE '/log"|/out\.[a-z.]*", O_[A-Z]*\|O_CREAT' \
		"$BATS_TEST_TMPDIR/here"
	[[ $status = 1 ]]
	run grep -E 'open[a-z0-9]*\((AT_FDCWD, )?"[^/]' \
		"$BATS_TEST_TMPDIR/calls"
	[[ $status = 1 ]]
}

@test "a filter that kills for a call of ours: one line, and no such call" {
	local name

	need cc
	for name in timer_create timer_settime fallocate get_robust_list \
		getcwd madvise rt_tgsigqueueinfo uname; do
		jailed kill "$(number "$name")" "$(victim signal_process)" \
			executed
		[[ $output = "stallshim: a seccomp filter kills"* ]]
		[[ $(wc -l <"$open/said") = 1 && ! -e $open/signal_process.rec ]]
	done
	# Where not even that may be said.
	jailed kill "$(number timer_create writev)" \
		"$(victim signal_process)" executed
	[[ -z $output ]]
}

@test "a filter that lets no child be made to try it: one line" {
	need cc
	jailed fail "$(number clone)" "$(victim signal_masks)" late_jump
	[[ $output = "stallshim: what a seccomp filter allows cannot be tried"* ]]
	[[ $(wc -l <"$open/said") = 1 && ! -e $open/signal_masks.rec ]]
}

@test "what is killed to try a filter leaves no core" {
	need cc
	[[ $(</proc/sys/kernel/core_pattern) != [/\|]* ]] ||
		skip "cores are written elsewhere"
	cd "$open"
	ulimit -c unlimited
	jailed kill "$(number process_vm_readv)" "$(victim signal_masks)" \
		late_jump
	jailed kill "$(number timer_create writev)" \
		"$(victim signal_masks)" late_jump
	[[ -z $(find . -name '*core*') ]]
}

@test "a filter that lets calls fail, as in containers: watched all the same" {
	need cc
	jailed fail "$(number kexec_load mount)" "$(victim signal_masks)" fill
	[[ -z $output && -e $open/signal_masks.stall.txt ]]
	jailed fail "$(number timer_create)" "$(victim signal_masks)" fill
	[[ -e $open/signal_masks.rec ]]
}

@test "a filter against copies of memory: watched without, and told" {
	local text=$open/walk_places.stall.txt how

	need cc
	for how in kill fail fault nothing; do
		jailed "$how" "$(number process_vm_readv)" \
			"$(victim walk_places)" constructor \
			"$(victim plugin_walk_constructor.so)"
		[[ -z $output ]]
		grep '^# lost=.*: reads not proof against unmapping' "$text"
		(($(total_ns "$text" constructor_spin) > 0))
	done
}

@test "what may kill is tried: every system call of ours" {
	made=$(grep -rhoE 'sys[0-6]\(SYS_[a-z_0-9]+' "$ROOT"/lib "$ROOT"/shim |
		sed 's/.*(//' | sort -u)
	tried=$(sed -n '/ \(ours\|copies\)\[\]/,/}/p' "$ROOT"/lib/setup/seccomp.c |
		grep -oE 'SYS_[a-z_0-9]+' | sort -u)
	missing=$(comm -23 <(echo "$made") <(echo "$tried"))
	echo "not tried: $missing"
	[[ -n $tried ]]
	# These try the others.
	[[ $missing = $'SYS_clone\nSYS_exit_group\nSYS_wait4' ]]
}
