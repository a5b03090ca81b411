/*
 * An event loop that crashes in a callback, and tests its memory in the handler
 * of that, as Redis does: all that no file is behind is filled with a pattern,
 * is to keep it, and has what was there back.
 *
 * prints "kept", or where it was not
 *
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <unistd.h>

#include "victim_place.h"

#define PIECE_WORDS 65536
#define MAX_RANGES  256
#define PATTERN	    0xffffffffffffffff

static struct range {
	uint64_t *start, *end;
} ranges[MAX_RANGES];
static int count;

static uint64_t backup[PIECE_WORDS];
static volatile int *volatile nowhere;

static bool is_in(const struct range *range, const void *address)
{
	return (const uint64_t *)address >= range->start &&
	       (const uint64_t *)address < range->end;
}

/*
 * No file, no name; nor what the test itself needs, or the kernel: it reads and
 * writes where the thread's own words are (rseq(2)).
 */
static void find_ranges(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], access[8], name[256];
	unsigned long inode;
	struct range one;

	if (!maps)
		exit(3);
	while (count < MAX_RANGES && fgets(line, sizeof(line), maps)) {
		*name = '\0';
		if (sscanf(line, "%p-%p %7s %*s %*s %lu %255s",
			   (void **)&one.start, (void **)&one.end, access,
			   &inode, name) < 4 ||
		    strcmp(access, "rw-p") != 0 || inode || *name ||
		    is_in(&one, backup) || is_in(&one, ranges) ||
		    is_in(&one, __builtin_thread_pointer()))
			continue;
		ranges[count++] = one;
	}
	fclose(maps);
}

/* Calls nothing that keeps anything in memory. */
static uint64_t *test_piece(uint64_t *at, size_t words)
{
	uint64_t *changed = NULL, until_ns = now_ns() + NS_PER_MS;

	for (size_t i = 0; i < words; i++)
		backup[i] = ((volatile uint64_t *)at)[i];
	for (size_t i = 0; i < words; i++)
		((volatile uint64_t *)at)[i] = PATTERN;
	while (now_ns() < until_ns)
		;
	for (size_t i = 0; i < words && !changed; i++)
		if (((volatile uint64_t *)at)[i] != PATTERN)
			changed = at + i;
	for (size_t i = 0; i < words; i++)
		((volatile uint64_t *)at)[i] = backup[i];
	return changed;
}

static uint64_t *test(const struct range *range)
{
	uint64_t *changed = NULL, *at;

	for (at = range->start; at < range->end && !changed;
	     at += PIECE_WORDS) {
		size_t words = (size_t)(range->end - at);

		changed = test_piece(at,
				     words < PIECE_WORDS ? words : PIECE_WORDS);
	}
	return changed;
}

static void on_crash(int sig)
{
	uint64_t *changed = NULL;

	(void)sig;
	spin(20 * NS_PER_MS);
	for (int i = 0; i < count && !changed; i++)
		changed = test(&ranges[i]);
	if (changed)
		printf("changed at %p\n", (void *)changed);
	else
		puts("kept");
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	const struct sigaction act = { .sa_handler = on_crash };

	be_a_loop();
	find_ranges();
	sigaction(SIGSEGV, &act, NULL);
	spin(20 * NS_PER_MS);
	*nowhere = 0;
	return 0;
}
