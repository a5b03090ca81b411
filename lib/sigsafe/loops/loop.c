/*
 * Memory of loops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/loop.h"

#include <string.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/os/sys.h"

/*
 * One for each record; NULL: no thread has enrolled yet. A forked child has
 * them, too: its recording is as large.
 */
static struct loop *places;

/* Of two threads that do so at once one has done it for nothing. */
static cold struct loop *make_places(void)
{
	struct loop *made, *none = NULL;
	size_t bytes = live_capacity(SECTION_THREADS) * sizeof(*made);
	long at = sys6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(at))
		return NULL;
	made = (struct loop *)at;
	/* Only the pointer is handed on: what it points to is all zeroes. */
	if (cas_acq_rel(&places, &none, made))
		return made;
	sys2(SYS_munmap, at, bytes);
	return none;
}

struct loop *loop_clear(uint32_t index)
{
	struct loop *loop = load_acquire(&places);

	if (!loop)
		loop = make_places();
	return loop ? memset(loop + index, 0, sizeof(*loop)) : NULL;
}
