/*
 * Reading memory that may not be there: copies, and proofs by rt_sigprocmask.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/memory.h"

#include <string.h>
#include <sys/uio.h>

#include "sigsafe/live.h"
#include "sigsafe/os/sys.h"

/* The longest walk over good tables needs a tenth of it. */
#define MAX_READS 200000u

/* What a system call takes of that. */
#define READS_A_CALL 64u

/* Bytes in front that a fetch takes along: a frame's registers are saved
 * below its return address. */
#define BYTES_BEFORE 64u

/* No such way to change a mask: the set is read, then the call fails. */
#define SIG_NO_CHANGE (~0)

/* Written by memory_start(), in the constructor. */
static bool may_copy;

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

/* The first can be, perhaps: it is not to be spoiled if the last can't. */
static bool are_both_writable(char *first, char *last)
{
	char kept[sizeof(kernel_sigset)];

	if (!memory_is_readable(first, sizeof(kept)))
		return false;
	memcpy(kept, first, sizeof(kept));
	if (!is_word_writable(first))
		return false;
	if (is_word_writable(last))
		return true;
	memcpy(first, kept, sizeof(kept));
	return false;
}

bool memory_can_be_written(void *start, size_t bytes)
{
	char *first = start, *last = first + bytes - sizeof(kernel_sigset);

	if (page_of((uintptr_t)first) == page_of((uintptr_t)first + bytes - 1))
		return is_word_writable(first);
	return last > first ? are_both_writable(first, last)
			    : is_word_writable(first);
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

	/* Not as one value: that would clear the window, too. */
	memory->segment = range(0, 0);
	memory->mine = range(page, page + PAGE_BYTES);
	memory->copied = 0;
	memory->copied_bytes = 0;
	memory->budget = MAX_READS;
	memory->is_lasting = false;
	memory->has_failed = false;
	memory->holds_pages = false;
}

void memory_trust(struct memory *memory, uintptr_t start, uintptr_t end)
{
	memory->segment = range(start, end);
}

/* The first bytes of [start, start + bytes) that lie in one page. */
static size_t bytes_in_page(uintptr_t start, size_t bytes)
{
	return min_u64(bytes, page_of(start) + PAGE_BYTES - start);
}

/*
 * How many bytes were copied, from the front; or -errno. Two pages at most, and
 * each for itself: the kernel says that it copies all of a piece or nothing.
 */
static long copy_by_kernel(void *to, uintptr_t from, size_t bytes)
{
	size_t first = bytes_in_page(from, bytes);
	struct iovec local = { to, bytes };
	struct iovec remote[] = { { (void *)from, first },
				  { (void *)(from + first), bytes - first } };

	/* By this thread's number: the first thread may have ended. */
	return sys6(SYS_process_vm_readv, sys_gettid(), (long)&local, 1,
		    (long)remote, first < bytes ? 2 : 1, 0);
}

/* A filter may answer in the kernel's place: with success, or any error. */
static bool copies_truly(void)
{
	static const uint64_t known = UINT64_C(0x5441e5711b0cafe5);
	uint64_t copied = 0;

	return copy_by_kernel(&copied, (uintptr_t)&known, sizeof(known)) ==
		       sizeof(known) &&
	       copied == known;
}

void memory_start(bool may)
{
	may_copy = may && copies_truly();
}

/* As memory_word(): it has just been proven, and may be anybody's. */
__attribute__((no_sanitize("address", "thread"))) static void
copy_page(uint8_t *to, uintptr_t from, size_t bytes)
{
	size_t words = bytes / sizeof(uint64_t) * sizeof(uint64_t);

	for (size_t i = 0; i < words; i += sizeof(uint64_t)) {
		uint64_t word = memory_word(from + i);

		__builtin_memcpy(to + i, &word, sizeof(word));
		/* Not to become a call of memcpy(), which sanitizers watch. */
		__asm__ volatile("" ::: "memory");
	}
	for (size_t i = words; i < bytes; i++)
		to[i] = *(const volatile uint8_t *)(from + i);
}

/* The same, by proof and reading. */
static size_t copy_proven(uint8_t *to, uintptr_t from, size_t bytes)
{
	size_t done = 0;

	while (done < bytes && is_page_readable(page_of(from + done))) {
		size_t part = bytes_in_page(from + done, bytes - done);

		copy_page(to + done, from + done, part);
		done += part;
	}
	return done;
}

/* How many bytes could be read, from the front. */
static size_t copy(void *to, uintptr_t from, size_t bytes)
{
	long copied = -ENOSYS;

	if (may_copy)
		copied = copy_by_kernel(to, from, bytes);
	if (copied >= 0)
		return (size_t)copied;
	if (copied == -EFAULT)
		return 0;
	live_count_lost(LOST_COPY);
	return copy_proven(to, from, bytes);
}

bool memory_copy(void *to, const void *from, size_t bytes)
{
	uintptr_t start = (uintptr_t)from;

	return start + bytes >= start && copy(to, start, bytes) == bytes;
}

static bool take_from_budget(struct memory *memory)
{
	if (memory->budget < READS_A_CALL)
		return false;
	memory->budget -= READS_A_CALL;
	return true;
}

/* Where the window begins: not in another page, which may not be there. */
static uintptr_t window_start(uintptr_t address)
{
	uintptr_t page = page_of(address);

	return address - page < BYTES_BEFORE ? page : address - BYTES_BEFORE;
}

static const uint8_t *fetch_copy(struct memory *memory, uintptr_t address,
				 size_t bytes)
{
	uintptr_t start = window_start(address);
	size_t room = min_u64(MEMORY_WINDOW_BYTES, UINTPTR_MAX - start);

	memory->holds_pages = false;
	memory->copied = start;
	memory->copied_bytes = 0;
	if (take_from_budget(memory))
		memory->copied_bytes = copy(memory->window, start, room);
	return address - start + bytes <= memory->copied_bytes
		       ? memory->window + (address - start)
		       : NULL;
}

static bool prove(struct memory *memory, uintptr_t page)
{
	uintptr_t *known = &memory->page[page / PAGE_BYTES % MEMORY_PAGES];

	if (*known == page)
		return page;
	if (!take_from_budget(memory) || !is_page_readable(page))
		return false;
	*known = page;
	return true;
}

static const uint8_t *fetch_lasting(struct memory *memory, uintptr_t address,
				    size_t bytes)
{
	uintptr_t first = page_of(address), last = page_of(address + bytes - 1);

	if (!memory->holds_pages) {
		memory->holds_pages = true;
		memory->copied_bytes = 0;
		for (unsigned i = 0; i < MEMORY_PAGES; i++)
			memory->page[i] = 0;
	}
	return last >= first && prove(memory, first) && prove(memory, last)
		       ? (const uint8_t *)address
		       : NULL;
}

cold const uint8_t *memory_fetch(struct memory *memory, uintptr_t address,
				 size_t bytes)
{
	const uint8_t *view = memory->is_lasting
				      ? fetch_lasting(memory, address, bytes)
				      : fetch_copy(memory, address, bytes);

	if (!view)
		memory->has_failed = true;
	return view;
}
