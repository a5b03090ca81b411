#!/usr/bin/env bats
# The command: what it starts, how, and what it refuses before it starts.
#
# SPDX-License-Identifier: MIT

load lib

# Set variables of ours would be taken for options.
setup() {
	unset LD_PRELOAD
	cd "$BATS_TEST_TMPDIR" || return
}

# ends STATUS COMMAND...: what it prints on both outputs is in $said.
ends() {
	local wanted=$1 status=0

	shift
	said=$(timeout -k 5 60 "$@" 2>&1) || status=$?
	echo "$said"
	[[ $status = "$wanted" ]] || {
		echo "status $status instead of $wanted"
		return 1
	}
}

says() {
	[[ $said = *"$1"* ]] || {
		echo "it does not say: $1"
		return 1
	}
}

# make_program NAME: an executable file with the content on stdin.
make_program() {
	cat >"$1"
	chmod 755 "$1"
}

@test "the version is said, however it is asked for" {
	ends 0 "$STALLSHIM" --version
	[[ $said = "stallshim "[0-9]*.[0-9]*.[0-9]* ]]
	[[ $said = $("$STALLSHIM" version) && $said = $("$STALLSHIM" -V) ]]
}

@test "help names the sub-commands, and each explains itself" {
	ends 0 "$STALLSHIM" --help
	says "run "
	says "report "
	ends 0 "$STALLSHIM" help run
	says "STALLSHIM_STALL=10ms"
	ends 0 "$STALLSHIM" run --help
	says "STALLSHIM_STALL=10ms"
	ends 0 "$STALLSHIM" help report
	says "--top=N"
	says "--stacks"
	says "PREFIX.sem.txt"
}

@test "a wrong sub-command is answered by a like one" {
	ends 2 "$STALLSHIM" reprot x
	says "did you mean 'report'?"
	ends 2 "$STALLSHIM" help rnu
	says "did you mean 'run'?"
	ends 2 "$STALLSHIM" top
	says "there is no sub-command 'top': see stallshim --help"
	ends 2 "$STALLSHIM" flamegraph
	says "--help"
	ends 2 "$STALLSHIM"
}

@test "the program's exit status is the command's" {
	ends 0 "$STALLSHIM" run true
	ends 7 "$STALLSHIM" run sh -c 'exit 7'
	ends 143 "$STALLSHIM" run sh -c 'kill -TERM $$'
}

@test "the program takes the command's place" {
	"$STALLSHIM" run sleep 60 3>&- &
	wait_until 10 grep -q '^sleep$' "/proc/$!/comm"
	kill -KILL $!
}

@test "arguments arrive as they are, and nothing else is printed" {
	ends 0 "$STALLSHIM" run printf '[%s]\n' --stall=x '' 'a b' --
	[[ $said = $'[--stall=x]\n[]\n[a b]\n[--]' ]]
	ends 0 "$STALLSHIM" run -- printf '[%s]\n' x
	[[ $said = "[x]" ]]
}

@test "flags become variables, in both forms" {
	ends 0 "$STALLSHIM" run --stall=20ms --min-wait 1ms --output='a b' \
		printenv STALLSHIM_STALL STALLSHIM_MIN_WAIT STALLSHIM_OUTPUT
	[[ $said = $'20ms\n1ms\na b' ]]
}

@test "the library comes first, and what was preloaded stays" {
	local library

	library=$(realpath "$SHIM")
	ends 0 "$STALLSHIM" run printenv LD_PRELOAD
	[[ $said = "$library" ]]
	ends 0 env LD_PRELOAD=libm.so.6 "$STALLSHIM" run printenv LD_PRELOAD
	[[ $said = "$library:libm.so.6" ]]
	ends 0 "$STALLSHIM" run "$STALLSHIM" run printenv LD_PRELOAD
	[[ $said = "$library" ]]
}

@test "what can't be found is 127, what can't be executed 126" {
	ends 127 "$STALLSHIM" run no-such-program
	says "no-such-program: not found in PATH"
	ends 127 "$STALLSHIM" run ./no-such-program
	ends 127 "$STALLSHIM" run ''
	ends 126 "$STALLSHIM" run /
	echo data >data
	ends 126 "$STALLSHIM" run ./data
	mkfifo --mode=755 pipe
	ends 126 "$STALLSHIM" run ./pipe
	says "Permission denied"
}

@test "a wrong flag or value is refused before the program starts" {
	ends 2 "$STALLSHIM" run --stal=10ms touch started
	says "--stal is not an option of stallshim: did you mean --stall?"
	ends 2 "$STALLSHIM" run --stall=10 touch started
	says "--stall=10 is not understood: give a time with its unit"
	ends 2 "$STALLSHIM" run -x touch started
	ends 2 "$STALLSHIM" run --foo=1 touch started
	[[ $said = *"--foo is not an option of stallshim" ]]
	ends 2 "$STALLSHIM" run --stall
	says "needs a value"
	ends 2 "$STALLSHIM" run
	[[ ! -e started ]]
}

@test "a place where no file can be made is refused" {
	ends 2 "$STALLSHIM" run --log=/nonexistent/log touch started
	says "--log=/nonexistent/log: no file can be made in /nonexistent: No such"
	ends 2 "$STALLSHIM" run --output=/nonexistent/x touch started
	says "--output=/nonexistent/x: no file can be made in /nonexistent"
	[[ ! -e started ]]
	# What % stands for is not known yet.
	ends 0 "$STALLSHIM" run --log="./%e/log" true
	ends 0 "$STALLSHIM" run --log=stderr --output=/x true
}

@test "a wrong variable in the environment is refused as well" {
	ends 2 env STALLSHIM_DEPHT=3 "$STALLSHIM" run touch started
	says "did you mean STALLSHIM_DEPTH?"
	ends 2 env STALLSHIM_MEMORY=8 "$STALLSHIM" run touch started
	[[ ! -e started ]]
}

@test "scripts start as execvp starts them" {
	printf '#!/bin/sh\necho "by sh: $1"\n' | make_program script
	ends 0 "$STALLSHIM" run ./script x
	[[ $said = "by sh: x" ]]
	printf '#!/usr/bin/env -S sh -u\necho by env\n' | make_program script
	ends 0 "$STALLSHIM" run ./script
	[[ $said = "by env" ]]
	printf 'echo by nobody\n' | make_program script
	ends 0 "$STALLSHIM" run ./script
	[[ $said = "by nobody" ]]
	printf '#! %s/script\n' "$PWD" | make_program script
	ends 126 "$STALLSHIM" run ./script
	printf '#!/no/such/interpreter\n' | make_program script
	ends 127 "$STALLSHIM" run ./script
}

@test "a statically linked program is refused, also behind a script" {
	# Debian's ldconfig is linked statically, as it repairs what is not.
	ends 126 "$STALLSHIM" run /sbin/ldconfig --version
	says "/sbin/ldconfig is statically linked"
	printf '#!/sbin/ldconfig\n' | make_program script
	ends 126 "$STALLSHIM" run ./script
	says "/sbin/ldconfig is statically linked"
	cp /sbin/ldconfig static
	printf '#!/usr/bin/env static\n' | make_program script
	ends 126 env PATH="$PWD:$PATH" "$STALLSHIM" run ./script
	says "/static is statically linked"
}

@test "a program of another libc is refused" {
	need musl-gcc
	echo 'int main(void) { return 0; }' >musl.c
	musl-gcc -o musl musl.c
	ends 126 "$STALLSHIM" run ./musl
	says "./musl uses another libc than glibc"
}

@test "a program for another processor is refused" {
	{
		printf '\177ELF\1\1\1'
		head -c 64 /dev/zero
	} | make_program small
	ends 126 "$STALLSHIM" run ./small
	says "./small is a 32-bit program"
	{
		printf '\177ELF\2\1\1'
		head -c 11 /dev/zero
		printf '\267\0' # AArch64
		head -c 64 /dev/zero
	} | make_program foreign
	ends 126 "$STALLSHIM" run ./foreign
	says "./foreign is made for another processor"
}

# By a user who gains rights from what root owns.
if ((EUID == 0)); then
	as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
	as_nobody=()
fi

# open_copy: the products where every user can get at them.
open_copy() {
	open=$(mktemp -d /tmp/stallshim.XXXXXX)
	chmod 755 "$open"
	cp "$STALLSHIM" "$SHIM" "$open"
}

teardown() {
	[[ -z ${open-} ]] || rm -rf "$open"
}

@test "a set-uid program is refused where it would gain rights" {
	open_copy
	ends 126 "${as_nobody[@]}" "$open/stallshim" run /usr/bin/passwd --help
	says "/usr/bin/passwd is set-uid"
	ends 0 "${as_nobody[@]}" setpriv --no-new-privs "$open/stallshim" run \
		--output=/tmp/nobody.%p /usr/bin/passwd --help
}

@test "a set-gid program is refused where it would gain rights" {
	((EUID == 0)) || skip "only root makes set-gid programs"
	open_copy
	cp /bin/true "$open/setgid"
	chmod 2755 "$open/setgid"
	ends 126 "${as_nobody[@]}" "$open/stallshim" run "$open/setgid"
	says "is set-gid"
	ends 0 "$open/stallshim" run "$open/setgid"
}

@test "a program with file capabilities is refused where it would gain some" {
	((EUID == 0)) || skip "only root gives capabilities to files"
	need setcap
	open_copy
	cp /bin/true "$open/capable"
	setcap cap_net_raw+ep "$open/capable"
	ends 126 "${as_nobody[@]}" "$open/stallshim" run "$open/capable"
	says "has file capabilities"
	ends 0 "$open/stallshim" run "$open/capable"
}

@test "the library is found where it is installed" {
	mkdir -p prefix/bin prefix/lib/x86_64-linux-gnu
	cp "$STALLSHIM" prefix/bin
	ends 126 prefix/bin/stallshim run true
	says "libstallshim.so is neither beside this command nor in ../lib"
	cp "$SHIM" prefix/lib/x86_64-linux-gnu
	ends 0 prefix/bin/stallshim run printenv LD_PRELOAD
	says "$(realpath prefix)/lib/x86_64-linux-gnu/libstallshim.so"
	cp "$SHIM" prefix/lib
	ln -s prefix/bin/stallshim link
	ends 0 ./link run printenv LD_PRELOAD
	says "$(realpath prefix)/lib/libstallshim.so"
}

@test "a path that LD_PRELOAD can't hold is refused" {
	mkdir "a b" a:b
	cp "$STALLSHIM" "$SHIM" "a b"
	cp "$STALLSHIM" "$SHIM" a:b
	ends 126 "a b/stallshim" run true
	says "LD_PRELOAD takes spaces and colons for separators"
	ends 126 a:b/stallshim run true
}
