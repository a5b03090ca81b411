#!/usr/bin/env bats
# The checks of the source bite: each passes on a copy of the tree as it is and
# fails on one with a violation planted, naming it.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

setup() {
	copy=$BATS_TEST_TMPDIR/copy
	mkdir "$copy"
	cp -r "$ROOT"/{Makefile,README.md,.clang-format,.ci,lib,shim,scripts,test} \
		"$copy"
	mkdir -p "$copy/build/obj"
	cp "$SHIM" "$STALLSHIM" "$BUILD"/stallshim{.1,-loops.7} "$copy/build"
	cp -r "$BUILD"/obj/{lib,shim} "$copy/build/obj"
}

check() {
	BUILD=$copy/build "$copy/scripts/check-$1"
}

# bites CHECK COMPLAINT: it fails, and says this.
bites() {
	run check "$1"
	echo "$output"
	[[ $status != 0 && $output == *"$2"* ]]
}

@test "check-includes: base sees nobody" {
	check includes
	sed -i '1i #include "sigsafe/os/clock.h"' "$copy/lib/base/text.c"
	bites includes "lib/base may not include lib/sigsafe"
}

@test "check-includes: sigsafe does not see setup" {
	sed -i '1i #include <setup/session.h>' "$copy/lib/sigsafe/os/clock.h"
	bites includes "lib/sigsafe may not include lib/setup"
}

@test "check-includes: the shim does not see the report" {
	sed -i '1i #include "../lib/report/reader.h"' "$copy/shim/hook_real.c"
	bites includes "shim may not include lib/report"
}

@test "check-includes: the report does not see what runs in the host" {
	sed -i '1i #include "sigsafe/os/clock.h"' "$copy/lib/report/reader.c"
	bites includes "lib/report may not include lib/sigsafe"
}

@test "check-includes: the processor is asked for at one door" {
	echo '#ifdef __aarch64__' >>"$copy/lib/setup/session.c"
	echo '#endif' >>"$copy/lib/setup/session.c"
	bites includes "lib/setup/session.c:"
}

@test "check-includes: the libraries do not see the shim" {
	sed -i '1i #include "hook.h"' "$copy/lib/setup/session.c"
	bites includes "lib/setup may not include shim"
}

# plant FOLDER CODE: one more object there.
plant() {
	echo "$2" >"$copy/$1/planted.c"
	cc -c -o "$copy/build/obj/$1/planted.o" "$copy/$1/planted.c"
}

@test "check-sigsafe: no folder of lib/sigsafe may call syslog" {
	check sigsafe
	plant lib/sigsafe/walk '#include <syslog.h>
		void planted(void); void planted(void) { syslog(1, "x"); }'
	bites sigsafe "lib/sigsafe/walk/planted.c: calls or uses syslog"
}

@test "check-sigsafe: lib/base may not call malloc" {
	plant lib/base '#include <stdlib.h>
		void *planted(void); void *planted(void) { return malloc(9); }'
	bites sigsafe "lib/base/planted.c: calls or uses malloc"
}

@test "check-sigsafe: no thread-local storage that is made on demand" {
	cat >"$copy/lib/base/planted.c" <<-'EOF'
		extern __thread int lazy;
		int planted(void);
		int planted(void) { return lazy; }
	EOF
	cc -fPIC -ftls-model=global-dynamic -c \
		-o "$copy/build/obj/lib/base/planted.o" \
		"$copy/lib/base/planted.c"
	bites sigsafe "lib/base/planted.c: calls or uses __tls_get_addr"
}

@test "check-sigsafe: objects that are not there are no proof" {
	rm "$copy/build/obj/lib/sigsafe/"*.o
	bites sigsafe "build first"
}

@test "poison: lib/sigsafe does not compile with malloc in it" {
	echo 'void *planted(void) { return malloc(1); }' \
		>"$copy/lib/sigsafe/planted.c"
	run make -C "$copy" BUILD=build build/obj/lib/sigsafe/planted.o
	echo "$output"
	[[ $status != 0 && $output == *"poisoned"* ]]
}

@test "check-imports: a function that is imported and has no reason" {
	check imports
	sed -i 's/ getcwd / /' "$copy/scripts/check-imports"
	bites imports "imported, and the program may have its own: getcwd"
}

@test "check-exports: a function that is exported and not listed" {
	check exports
	sed -i '/X(execle)/d; s/X(execlp).*/X(execlp)/' "$copy/shim/hook.h"
	bites exports "exported, not listed in shim/hook.h: execle"
}

@test "check-exports: a function that is listed and not exported" {
	sed -i 's/X(execle)/X(execle) X(planted)/' "$copy/shim/hook.h"
	bites exports "listed in shim/hook.h, not exported: planted"
}

@test "check-exports: a version that is missing" {
	sed -i "s/pthread_cond_wait, VERSION_FIRST/planted, VERSION_FIRST/" \
		"$copy/shim/hook.h"
	bites exports "not exported: planted@GLIBC_2.2.5"
}

@test "check-headers: a file without its SPDX line" {
	check headers
	sed -i '/SPDX/d' "$copy/lib/base/text.c"
	bites headers "lib/base/text.c: 0 SPDX lines, not 1"
}

@test "check-headers: a file that does not say what it is" {
	sed -i '1,/\*\//d' "$copy/lib/base/text.c"
	sed -i '1i /* SPDX-License-Identifier: MIT */' "$copy/lib/base/text.c"
	bites headers "lib/base/text.c: no opening comment"
}

@test "check-headers: a file that grew too long" {
	printf '\n%.0s' {1..300} >>"$copy/lib/base/text.c"
	bites headers "more than one noun?"
}

@test "check-headers: a guard with another file's name" {
	sed -i 's/BASE_UNITS_H/BASE_UNIT_H/' "$copy/lib/base/units.h"
	bites headers "lib/base/units.h: no guard BASE_UNITS_H"
}

@test "check-format: a line that is not laid out" {
	check format
	echo 'int  x ;' >>"$copy/lib/base/text.c"
	bites format "text.c"
}

@test "check-readme: an option that README does not know" {
	check readme
	sed -i '/^| `STALLSHIM_STALL`/d' "$copy/README.md"
	bites readme "STALLSHIM_STALL"
}

@test "check-manual: an option that the manual does not know" {
	check manual
	sed -i 's/STALLSHIM_DEPTH/that/' "$copy/build/stallshim.1"
	bites manual "STALLSHIM_DEPTH is missing"
}

@test "check-manual: an option that the command does not know" {
	echo 'Try --faster.' >>"$copy/build/stallshim.1"
	bites manual "--faster is no option"
}

@test "check-manual: a sub-command that SYNOPSIS does not know" {
	sed -i 's/^\.Cm report$/.Cm rapport/' "$copy/build/stallshim.1"
	bites manual "sub-command report is not in SYNOPSIS"
}

@test "check-manual: what groff warns of" {
	echo '.Bl -tag' >>"$copy/build/stallshim-loops.7"
	bites manual "no matching .El"
}

@test "check-analysers: a null pointer that is followed" {
	find "$copy/shim" "$copy/lib" -name '*.c' -delete
	cat >"$copy/lib/base/planted.c" <<-'EOF'
		int planted(void);
		int planted(void) { int *p = 0; return *p; }
	EOF
	cp "$ROOT/.clang-tidy" "$copy"
	bites analysers "planted.c"
}
