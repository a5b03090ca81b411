/*
 * liburing itself: where its functions are that we stand in for. A program
 * starts with it, or loads it later with a plugin that needs it.
 *
 * Then the loader's lock may be held for as long as that plugin's constructor
 * likes, which may wait for a thread's first wait. So it is looked for without:
 * in the symbols of what is loaded (dl_iterate_phdr(3), whose lock is held for
 * a list's change only). Nothing keeps it loaded, so it is looked at each time
 * whether it is still there: 3 ns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_URING_LIBRARY_H
#define SHIM_URING_LIBRARY_H

#include "base/atomic.h"
#include "hook_list_uring.h"
#include "sigsafe/walk/object.h"

struct uring_library {
	struct object object; /* start 0: the program starts with it */
#define X(result, name, parameters, version) result(*name) parameters;
	HOOKS_URING(X)
#undef X
};

/* NULL: not looked for yet. Written by uring_library_find(). */
extern const struct uring_library *uring_library_now;

/*
 * Looks for one that is loaded now. Functions that it lacks, or all where there
 * is none, are some that return -ENOSYS. Not signal-safe: libc's lock. Leaves
 * errno alone.
 */
const struct uring_library *uring_library_find(void);

/* Is it no longer where it was found? Signal-safe. */
bool uring_library_has_gone(const struct uring_library *library);

static inline const struct uring_library *uring_library(void)
{
	/* Pairs with the release in uring_library_find(). */
	const struct uring_library *library = load_acquire(&uring_library_now);

	if (unlikely(!library || (library->object.start &&
				  uring_library_has_gone(library))))
		library = uring_library_find();
	return library;
}

#endif
