/*
 * One of two libraries of the same size that are loaded in turns, so that one
 * comes to lie where the other was. This one's function has a small frame.
 *
 * SPDX-License-Identifier: MIT
 */
void storm_even(void (*work)(void));

__attribute__((noinline)) void storm_even(void (*work)(void))
{
	work();
	__asm__ volatile("");
}
