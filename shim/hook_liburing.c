/*
 * liburing's waits, as those of a loop. They return errors as negative numbers
 * and leave errno alone. One that a tick broke is continued by one that takes a
 * signal mask (lib/sigsafe/wait.h) and submits nothing.
 *
 * Its functions call each other, by names that we stand in for: such an inner
 * wait is part of the outer one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "hook.h"
#include "hook_child.h"
#include "hook_left.h"
#include "hook_raw_wait.h"

/* Weak: another libc has no such function, and we do nothing there. */
#pragma weak dlvsym

#define X(result, name, parameters, version)                                   \
	HOOK_OF_BEFORE(name, name, version);
HOOKS_URING(X)
#undef X
#define X(name, version) HOOK_OF_BEFORE(name, name, version);
HOOKS_URING_ENTER(X)
#undef X

/* The real ones. */
static struct {
#define X(result, name, parameters, version) result(*name) parameters;
	HOOKS_URING(X)
#undef X
} library;

static bool are_found;

static const struct entry {
	void *slot;
	const char *name, *version;
} entries[] = {
#define X(result, name, parameters, version) { &library.name, #name, version },
	HOOKS_URING(X)
#undef X
};

/* In place of one that an older liburing lacks. */
static int lacks(void)
{
	return -ENOSYS;
}

/* Its library stays loaded from now on, as its address is kept. */
static void keep(const struct entry *entry, void *found)
{
	Dl_info info;

	if (!found)
		found = (void *)lacks;
	else if (dladdr(found, &info))
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	memcpy(entry->slot, &found, sizeof(found));
}

static void find_in(void *scope)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		keep(&entries[i],
		     dlvsym(scope, entries[i].name, entries[i].version));
	store_release(&are_found, true);
}

static bool is_in(void *scope)
{
	return dlvsym && dlvsym(scope, entries[0].name, entries[0].version);
}

void liburing_find(void)
{
	if (is_in(RTLD_NEXT))
		find_in(RTLD_NEXT);
}

/*
 * Loaded since the start: in the scope of the library that calls, which others
 * may not share. Wants the loader's lock, as its loading did.
 */
static cold void find_late(const void *caller)
{
	int before = errno;
	void *handle = NULL;
	Dl_info info;

	if (!is_in(RTLD_NEXT) && dladdr(caller, &info))
		handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	find_in(handle ? handle : RTLD_NEXT);
	if (handle)
		dlclose(handle);
	errno = before;
}

/* caller: of the hook. */
static inline void find_once(const void *caller)
{
	if (unlikely(!load_acquire(&are_found)))
		find_late(caller);
}

/* Where the wait was called that lasts; 0: none does. */
static __thread uintptr_t outer_sp;

/* One that was left by longjmp lasts no more: then others are made above it. */
static bool is_inner(const struct call_site *from)
{
	return thread_self.waiting && from->sp < outer_sp;
}

static uint64_t begin(const struct io_uring *ring, struct call_site from)
{
	struct sitting sitting = sitting_epoll(from, ring->ring_fd);

	start_if_forked();
	outer_sp = from.sp;
	return wait_begin(CALL_IO_URING_ENTER, &sitting);
}

/* How many events there are it does not tell. */
static int end(int got)
{
	outer_sp = 0;
	wait_end(0);
	return got;
}

static bool was_broken(int got)
{
	return wait_was_broken(got, -got);
}

static sigset_t *mask_to_go_on(sigset_t *hosts)
{
	return (sigset_t *)(uintptr_t)wait_mask(hosts);
}

HOOK int __io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe,
			    unsigned submit, unsigned least, sigset_t *mask)
{
	struct call_site from = CALL_SITE_HERE;
	int got;

	find_once(CALLER);
	if (!least || is_inner(&from))
		return library.__io_uring_get_cqe(ring, cqe, submit, least,
						  mask);
	begin(ring, from);
	got = library.__io_uring_get_cqe(ring, cqe, submit, least, mask);
	while (was_broken(got))
		got = library.__io_uring_get_cqe(ring, cqe, 0, least,
						 mask_to_go_on(mask));
	return end(got);
}

/* What is waited for, and until when. */
struct want {
	struct io_uring *ring;
	struct io_uring_cqe **cqe;
	unsigned least;
	struct __kernel_timespec *timeout;
	sigset_t *mask;
};

/* Goes on until the time is up that began then. */
static int go_on(const struct want *want, uint64_t begun_ns)
{
	uint64_t timeout_ns =
		timespec_ns((const struct timespec *)want->timeout);
	struct timespec left;
	int got;

	do
		got = library.io_uring_wait_cqes(
			want->ring, want->cqe, want->least,
			(struct __kernel_timespec *)(uintptr_t)left_of(
				begun_ns, timeout_ns, &left),
			mask_to_go_on(want->mask));
	while (was_broken(got));
	return got;
}

/*
 * The wait has returned got. Broken when it had submitted something, it tells
 * how much and no error.
 */
static int end_or_go_on(const struct want *want, uint64_t begun_ns, int got)
{
	int again;

	thread_self.wait_submits = false;
	if (likely(!was_broken(got) &&
		   !(got > 0 && thread_self.tick_broke_wait)))
		return end(got);
	again = go_on(want, begun_ns);
	return end(got > 0 ? got : again);
}

typedef int timed_wait(struct io_uring *, struct io_uring_cqe **, unsigned,
		       struct __kernel_timespec *, sigset_t *);

/* submits: and tells how much, where it was broken. */
static int wait_timed(timed_wait *wait, bool submits, const struct want *want,
		      struct call_site from)
{
	bool inner = is_inner(&from);
	uint64_t begun_ns = 0;
	int got;

	if (!inner) {
		begun_ns = begin(want->ring, from);
		thread_self.wait_submits = submits;
	}
	got = wait(want->ring, want->cqe, want->least, want->timeout,
		   want->mask);
	return inner ? got : end_or_go_on(want, begun_ns, got);
}

HOOK int io_uring_wait_cqes(struct io_uring *ring, struct io_uring_cqe **cqe,
			    unsigned least, struct __kernel_timespec *timeout,
			    sigset_t *mask)
{
	const struct want want = { ring, cqe, least, timeout, mask };

	find_once(CALLER);
	return wait_timed(library.io_uring_wait_cqes, false, &want,
			  CALL_SITE_HERE);
}

HOOK int io_uring_submit_and_wait_timeout(struct io_uring *ring,
					  struct io_uring_cqe **cqe,
					  unsigned least,
					  struct __kernel_timespec *timeout,
					  sigset_t *mask)
{
	const struct want want = { ring, cqe, least, timeout, mask };

	find_once(CALLER);
	/* Without a time-out it waits on by itself where it was broken. */
	return wait_timed(library.io_uring_submit_and_wait_timeout, timeout,
			  &want, CALL_SITE_HERE);
}

HOOK int io_uring_submit_and_wait(struct io_uring *ring, unsigned least)
{
	struct io_uring_cqe *cqe;
	const struct want want = { ring, &cqe, least, NULL, NULL };
	struct call_site from = CALL_SITE_HERE;
	uint64_t begun_ns;

	find_once(CALLER);
	if (!least || is_inner(&from))
		return library.io_uring_submit_and_wait(ring, least);
	begun_ns = begin(ring, from);
	thread_self.wait_submits = true;
	return end_or_go_on(&want, begun_ns,
			    library.io_uring_submit_and_wait(ring, least));
}

/* The system call itself, with another way to tell an error. */
static int enter(const long *a, struct call_site from)
{
	int before = errno;
	long got = uring_waits(a) ? uring_wait(a, from)
				  : syscall(SYS_io_uring_enter, a[0], a[1],
					    a[2], a[3], a[4], a[5]);

	if (got < 0)
		got = -errno;
	errno = before;
	return (int)got;
}

HOOK int io_uring_enter2(unsigned ring, unsigned submit, unsigned least,
			 unsigned flags, sigset_t *mask, size_t mask_bytes)
{
	const long a[] = { ring,  submit,     least,
			   flags, (long)mask, (long)mask_bytes };

	return enter(a, CALL_SITE_HERE);
}

HOOK int io_uring_enter(unsigned ring, unsigned submit, unsigned least,
			unsigned flags, sigset_t *mask)
{
	const long a[] = { ring,  submit,     least,
			   flags, (long)mask, (long)sizeof(kernel_sigset) };

	return enter(a, CALL_SITE_HERE);
}
