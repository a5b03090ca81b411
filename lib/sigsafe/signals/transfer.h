/*
 * A call that moves data or connections, and how a tick stays invisible in it:
 * read, write, send, receive, accept, connect. There are too many of them to
 * stop the timer round each. A tick may break one in three ways:
 *
 *   EINTR      on a socket with a timeout. The handler has the call made once
 *              more, and arms the timer for the time it would have ended; the
 *              tick that comes then ends it as the kernel would have.
 *   too few    bytes were moved of those asked for. The handler has the call
 *              made for the others; the hook adds up.
 *   the same   over a stream socket. There a call for the others that moves
 * none takes the error that the host's next call is to get, or brings a
 *              SIGPIPE. So the handler leaves it at that, and the hook waits
 * for data or room, and moves the rest without blocking (shim/hook_rest.h).
 *
 * One that the host has blocked, and which is put off, breaks it as well; but
 * no tick may be left that would end it in time, nor can any other come: the
 * hook waits for what is left of the time, and makes the call again.
 *
 * Where a signal of the host's comes before the call is made again it has to
 * break it, as it would have broken the first one. So the call is left there
 * instead, with EINTR: nothing is lost. lib/sigsafe/loops/wait.h has another
 * way, since waits can be given a signal mask; the hook's wait is one of those.
 *
 * A handler of the host's may have calls of its own: it gets a clean sheet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_TRANSFER_H
#define SIGSAFE_SIGNALS_TRANSFER_H

#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "base/units.h"

/* What is to be done if fewer bytes were moved than asked for. */
enum transfer_kind {
	TRANSFER_ONCE,	/* nothing: that is what such a call returns */
	TRANSFER_READ,	/* as ONCE, or ALL where bytes never run out */
	TRANSFER_ALL,	/* move the rest: arguments 1 and 2, buffer and size */
	TRANSFER_COUNT, /* the same of argument 3, a size; sendfile's */
	TRANSFER_PARTS	/* the hook does: if it is cut */
} __attribute__((packed));

/* Has a tick cut it short? Then the hook moves the rest. */
enum transfer_cut {
	CUT_NOT,
	CUT_WAIT,  /* it was broken, and is to be made again in time */
	CUT_FILE,  /* as long as no signal of the host's comes */
	CUT_STREAM /* all are blocked, as by wait_keep_mask() */
} __attribute__((packed));

/*
 * Of the calling thread's; kept in struct thread, so small things lie together.
 */
struct transfer {
	volatile bool is_open; /* the call is under way */
	bool sends;	       /* its timeout is SO_SNDTIMEO */
	enum transfer_kind kind;
	/* Written by the handler, and so are asked, done and ends_ns. */
	volatile bool is_final; /* a signal of the host's has broken it */
	volatile bool is_again; /* the handler has it made once more */
	volatile enum transfer_cut cut;
	int flags; /* of what is asked */
	int fd;
	int number; /* of the system call */
	int errno_before;
	uintptr_t function; /* libc's, which makes it */
	uint64_t begun_ns;
	struct iovec asked; /* CUT_STREAM of TRANSFER_ALL: for what */
	volatile uint64_t done;
	volatile uint64_t ends_ns; /* its timeout's end; 0: none known */
};

/*
 * The call begins of which *what has all but what the handler writes; begun_ns
 * 0 means now.
 * Needed only where a tick may come (thread_self.armed); then transfer_end()
 * must follow. Signal-safe.
 */
void transfer_begin(const struct transfer *what);

/*
 * It is over. How many bytes it had moved already when the call began whose
 * result the hook has seen. Signal-safe.
 */
uint64_t transfer_end(void);

/*
 * Does its descriptor block? Otherwise it has moved what could be moved at
 * once. Signal-safe.
 */
bool transfer_blocks(const struct transfer *mine);

/* How long it may wait; 0: for ever, or it is no socket. Signal-safe. */
uint64_t transfer_timeout_ns(const struct transfer *mine);

/*
 * An option of its socket (SOL_SOCKET, a number); otherwise where it is none.
 * Signal-safe.
 */
int transfer_option(const struct transfer *mine, int option, int otherwise);

/* What the kernel says of this one's timeout. Signal-safe. */
int transfer_error_of_timeout(const struct transfer *mine);

/* Does what is read end early by a signal only? Signal-safe. */
bool transfer_has_bytes_always(const struct transfer *mine);

/*
 * Does its descriptor block, until somebody else sends something? No file does.
 * Signal-safe.
 */
bool transfer_is_from_others(const struct transfer *mine);

/* Of a file that is sent: was it no end of its own? Signal-safe. */
bool transfer_would_send_on(const struct transfer *mine);

struct thread;

/* Handler only: a tick, or a signal the host does not know of, has come. */
void transfer_tick(struct thread *self, ucontext_t *uc);

/* Handler only: the same of one that is put off. */
void transfer_put_off(struct thread *self, ucontext_t *uc);

/* Handler only: after whatever a tick is for. */
void transfer_arm(struct thread *self);

/* Handler only: round a handler of the host's. */
struct transfer transfer_interrupt(ucontext_t *uc);
void transfer_resume(const struct transfer *was);

#endif
