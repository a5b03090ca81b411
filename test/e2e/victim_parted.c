/*
 * A program in two parts, far from each other, as its linking has it: where the
 * stack has no limit the kernel puts the libraries in between. Its loop calls
 * one of libc's functions that calls it back.
 *
 * usage: victim_parted
 * prints "done", or "together" where nothing lies in between
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <search.h>
#include <stdio.h>

#include "victim.h"

#define TURNS	5
#define SPIN_NS (10 * NS_PER_MS)

/* Where the Makefile's linker flags put it. */
__attribute__((section("far_part"))) static int far_away = 1;

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	spin(SPIN_NS);
	KEEP_FRAME();
	return 0;
}

__attribute__((noinline)) static void callback_parted(void)
{
	size_t count = 1;

	lfind(&far_away, &far_away, &count, sizeof(far_away), compare);
	KEEP_FRAME();
}

int main(void)
{
	uintptr_t libc = (uintptr_t)stdout;

	for (int i = 0; i < TURNS; i++) {
		poll(NULL, 0, 1);
		callback_parted();
	}
	puts((uintptr_t)main < libc && libc < (uintptr_t)&far_away
		     ? "done"
		     : "together");
}
