/*
 * Reading memory that may not be there: pages proven by rt_sigprocmask.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/memory.h"

#include "sigsafe/sys.h"

/* The longest walk over good tables needs a tenth of it. */
#define MAX_READS 200000u

/* No such way to change a mask: the set is read, then the call fails. */
#define SIG_NO_CHANGE (~0)

static uintptr_t page_of(uintptr_t address)
{
	return address & ~(uintptr_t)(PAGE_BYTES - 1);
}

static bool is_page_readable(uintptr_t page)
{
	/* The kernel takes a null set for none at all. */
	return page && sys_sigprocmask(SIG_NO_CHANGE, (kernel_sigset *)page,
				       NULL) == -EINVAL;
}

bool memory_is_readable(const void *start, size_t bytes)
{
	uintptr_t first = page_of((uintptr_t)start);
	uintptr_t last = page_of((uintptr_t)start + bytes - 1);

	if (last < first)
		return false;
	for (uintptr_t page = first;; page += PAGE_BYTES) {
		if (!is_page_readable(page))
			return false;
		if (page == last)
			return true;
	}
}

/* The kernel writes the present mask there. */
static bool is_word_writable(char *at)
{
	return sys_sigprocmask(SIG_BLOCK, NULL, (kernel_sigset *)at) == 0;
}

bool memory_can_be_written(void *start, size_t bytes)
{
	char *first = start, *last = first + bytes - sizeof(kernel_sigset);

	return is_word_writable(first) &&
	       (last <= first || is_word_writable(last));
}

bool memory_can_be_probed(const void *unreadable)
{
	return memory_is_readable(&unreadable, sizeof(unreadable)) &&
	       !memory_is_readable(unreadable, 1);
}

/* Where a word may begin in [start, end). */
static struct memory_range range(uintptr_t start, uintptr_t end)
{
	const uintptr_t rest = sizeof(uint64_t) - 1;

	return (struct memory_range){
		.start = start,
		.room = end - start > rest ? end - start - rest : 0,
	};
}

void memory_begin(struct memory *memory, const void *mine)
{
	uintptr_t page = page_of((uintptr_t)mine);

	*memory = (struct memory){
		.recent = range(page, page + PAGE_BYTES),
		.page = { page },
		.next = 1,
		.budget = MAX_READS,
	};
}

void memory_trust(struct memory *memory, uintptr_t start, uintptr_t end)
{
	memory->segment = range(start, end);
}

static bool prove(struct memory *memory, uintptr_t page)
{
	for (unsigned i = 0; i < MEMORY_PAGES; i++)
		if (memory->page[i] == page)
			return page != 0;
	if (!is_page_readable(page))
		return false;
	memory->page[memory->next++ % MEMORY_PAGES] = page;
	return true;
}

bool memory_prove(struct memory *memory, uintptr_t address)
{
	uintptr_t first = page_of(address);
	uintptr_t last = page_of(address + sizeof(uint64_t) - 1);

	if (!prove(memory, first) || (last != first && !prove(memory, last)))
		return false;
	memory->recent = range(last, last + PAGE_BYTES);
	return true;
}
