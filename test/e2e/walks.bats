#!/usr/bin/env bats
# A stack walk never deadlocks, and sees the stack.
#
# SPDX-License-Identifier: MIT
# bats file_tags=beside

load lib

setup() {
	settings=(STALLSHIM_STALL=1ms)
}

# walks_in PLACE FUNCTION...: the victim ends well, and each function is on
# stacks of its stall.
walks_in() {
	local place=$1 text function

	shift
	[[ $(under_shim "${settings[@]}" "$(victim walk_places)" "$place" \
		"$(victim plugin_walk_constructor.so)") = *done ]]
	text=$(result stall.txt)
	head -n 60 "$text"
	for function; do
		(($(total_ns "$text" "$function") > 0))
	done
}

@test "while another thread holds the loader's lock" {
	walks_in loader callback_loader main
}

@test "in dlopen, in the constructor that takes long" {
	walks_in constructor constructor_spin callback_constructor main
}

@test "in a library whose file is another one afterwards: no wrong names" {
	local library=$RESULTS/constructor.so

	cp "$(victim plugin_walk_constructor.so)" "$library"
	[[ $(under_shim "${settings[@]}" "$(victim walk_places)" constructor \
		"$library") = *done ]]
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report" |
		grep constructor_spin
	rm "$library"
	cp "$(victim plugin_walk_gconv.so)" "$library"
	"$STALLSHIM" report "$(result rec)" >"$RESULTS/report"
	cat "$RESULTS/report"
	[[ $(<"$RESULTS/report") != *constructor_spin* ]]
	[[ $(<"$RESULTS/report") != *gconv_init* ]]
	grep "constructor.so: .*(its build-id differs)" "$RESULTS/report"
	# The text was written while it was there.
	(($(total_ns "$(result stall.txt)" constructor_spin) > 0))
}

# without_build_id PLUGIN FILE: a copy, older than what comes next. (A file's
# times are told by a clock that lags behind by a tick.)
without_build_id() {
	objcopy --remove-section=.note.gnu.build-id "$(victim "$1")" "$2"
	wait_until 5 is_older "$2"
}

is_older() {
	touch "$RESULTS/now"
	[[ $1 -ot $RESULTS/now ]]
}

@test "the same without build-ids: no wrong names" {
	local library=$RESULTS/constructor.so

	without_build_id plugin_walk_constructor.so "$library"
	[[ $(under_shim "${settings[@]}" "$(victim walk_places)" constructor \
		"$library") = *done ]]
	"$STALLSHIM" report "$(result rec)" | grep constructor_spin
	(($(total_ns "$(result stall.txt)" constructor_spin) > 0))
	without_build_id plugin_walk_gconv.so "$library"
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	[[ $(<"$RESULTS/report") != *constructor_spin* ]]
	[[ $(<"$RESULTS/report") != *gconv_init* ]]
	grep "constructor.so: changed since the program began" "$RESULTS/report"
}

@test "the same where its folder was renamed: no wrong names" {
	local library=$RESULTS/current/constructor.so

	mkdir "$RESULTS/current" "$RESULTS/next"
	without_build_id plugin_walk_constructor.so "$library"
	without_build_id plugin_walk_gconv.so "$RESULTS/next/constructor.so"
	[[ $(under_shim "${settings[@]}" "$(victim walk_places)" constructor \
		"$library") = *done ]]
	"$STALLSHIM" report "$(result rec)" | grep constructor_spin
	mv "$RESULTS/current" "$RESULTS/before"
	mv "$RESULTS/next" "$RESULTS/current"
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	[[ $(<"$RESULTS/report") != *constructor_spin* ]]
	[[ $(<"$RESULTS/report") != *gconv_init* ]]
	grep "constructor.so: changed since the program began" "$RESULTS/report"
	# Back again it is the one that ran.
	mv "$RESULTS/current" "$RESULTS/next"
	mv "$RESULTS/before" "$RESULTS/current"
	"$STALLSHIM" report "$(result rec)" | grep constructor_spin
}

@test "in a program that the loader was given as an argument" {
	local loader program

	program=$(victim walk_places)
	loader=$(readelf -lW "$program" |
		sed -n 's/.*interpreter: \(.*\)]/\1/p')
	cd "${program%/*}"
	[[ $(under_shim "${settings[@]}" "$loader" "./${program##*/}" \
		malloc) = *done ]]
	(($(total_ns "$(result stall.txt)" callback_malloc) > 0))
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	grep "callback_malloc .*walk_places" "$RESULTS/report"
}

@test "in a program with libraries between its parts" {
	ulimit -s unlimited
	[[ $(under_shim "${settings[@]}" "$(victim parted)") = done ]]
	samples "$(result stall.txt)" |
		grep " spin compare lfind callback_parted main"
	"$STALLSHIM" report "$(result rec)" | tee "$RESULTS/report"
	grep " lfind  *lsearch.c\| lfind .*libc" "$RESULTS/report"
}

@test "on a coroutine's stack of one page" {
	walks_in coroutine in_coroutine
}

@test "in a fork that takes long" {
	walks_in fork callback_fork main
	# Not only while it waits for the child.
	samples "$(result stall.txt)" | grep " fork callback_fork main "
}

@test "in a signal handler, and in what it interrupted" {
	walks_in handler handler_spin callback_handler main
}

@test "in malloc" {
	walks_in malloc callback_malloc main
	samples "$(result stall.txt)" | grep -E ' (malloc|free) .*callback_malloc '
}

@test "in a converter of iconv, which libc loads by itself" {
	mkdir "$RESULTS/gconv"
	echo "module INTERNAL STALLING// stalling 1" \
		>"$RESULTS/gconv/gconv-modules"
	cp "$(victim plugin_walk_gconv.so)" "$RESULTS/gconv/stalling.so"
	settings+=(GCONV_PATH="$RESULTS/gconv")
	walks_in gconv gconv_init callback_gconv main
}

@test "in a name service, which libc loads by itself" {
	mkdir "$RESULTS/nss"
	cp "$(victim plugin_walk_nss.so)" "$RESULTS/nss/libnss_stalling.so.2"
	settings+=(LD_LIBRARY_PATH="$RESULTS/nss")
	walks_in nss _nss_stalling_getpwnam_r callback_nss main
}

@test "in the unwinder, while others throw too" {
	local text

	[[ $(under_shim "${settings[@]}" "$(victim walk_throw)") = done ]]
	text=$(result stall.txt)
	head -n 60 "$text"
	(($(total_ns "$text" callback_throw) > 0))
}

@test "by frame pointers where that is asked for" {
	settings+=(STALLSHIM_UNWIND=fp)
	walks_in loader callback_loader main
}

@test "with libunwind's own functions, whatever the program exports" {
	settings+=(LD_PRELOAD="$SHIM $(victim plugin_walk_impostor.so)")
	walks_in loader callback_loader main
}

# with_libunwind FILE: the program runs on under one sentence, which is printed.
with_libunwind() {
	mkdir "$RESULTS/lib"
	cp "$1" "$RESULTS/lib/libunwind-x86_64.so.8"
	under_shim LD_LIBRARY_PATH="$RESULTS/lib" "$(victim walk_places)" \
		malloc 2>&1 >"$RESULTS/out"
	[[ $(<"$RESULTS/out") = done ]]
}

@test "without libunwind, and says so" {
	[[ $(with_libunwind /dev/null) = \
		*"libunwind can't be loaded"*", so stacks follow frame pointers"* ]]
}

@test "without a libunwind that is not known, and says so" {
	[[ $(with_libunwind "$(victim plugin_walk_constructor.so)") = \
		*"not known, so stacks follow frame pointers only"* ]]
}
