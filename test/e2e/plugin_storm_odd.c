/*
 * One of two libraries of the same size that are loaded in turns, so that one
 * comes to lie where the other was. This one's function has a large frame.
 *
 * SPDX-License-Identifier: MIT
 */
void storm_odd(void (*work)(void));

__attribute__((noinline)) void storm_odd(void (*work)(void))
{
	char frame[1000];

	__asm__ volatile("" : : "r"(frame) : "memory");
	work();
	__asm__ volatile("" : : "r"(frame) : "memory");
}
