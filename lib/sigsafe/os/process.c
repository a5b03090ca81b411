/*
 * Whose memory this is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/process.h"

#include "sigsafe/live.h"
#include "sigsafe/os/sys.h"

/* The number of this memory, or of the one that it was copied from. */
static uint32_t latest;

/* Has the calling thread a list of robust locks? */
static bool has_list(void)
{
	uintptr_t head = 0;
	size_t bytes;

	return !sys3(SYS_get_robust_list, 0, &head, &bytes) && head;
}

/* Of two threads at once, where nobody has spoken for it, one numbers it. */
static void own(void)
{
	uint32_t number = load_relaxed(&latest) + 1, none = 0;

	/* Relaxed: they come before the number. */
	store_relaxed(&live_page->owner, sys_getpid());
	store_relaxed(&live_page->owner_has_list,
		      !live_is_left() && has_list());
	/* Release pairs with the acquire in process_memory(). */
	if (cas_acq_rel(&live_page->memory, &none, number))
		store_relaxed(&latest, number);
}

void process_own_memory(void)
{
	/* Nobody will ask. */
	if (!live_is_left())
		own();
}

/* After seccomp the number has to do. */
static bool is_guest(void)
{
	int owner = load_relaxed(&live_page->owner);
	bool lists =
		load_relaxed(&live_page->owner_has_list) && !live_is_left();

	if (likely(lists && has_list()))
		return false;
	/* Other threads than the first may be the owner's own, by clone(2). */
	return sys_getpid() != owner || (lists && sys_gettid() == owner);
}

uint32_t process_memory(void)
{
	uint32_t memory = load_acquire(&live_page->memory);

	if (likely(memory))
		return is_guest() ? 0 : memory;
	/* A copy that nobody has spoken for: a bare clone(2) made it. */
	own();
	return load_relaxed(&live_page->memory);
}
