/*
 * Transfers under ticks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/transfer.h"

#include <sys/socket.h>

#include "sigsafe/loops/timer.h"
#include "sigsafe/loops/wait.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/thread.h"

/* libc's functions of this kind are smaller. */
#define FUNCTION_BYTES 1024

/* A tick that came too early for the end of a timeout comes again. */
#define MOMENT_NS (100 * NS_PER_US)

void transfer_begin(const struct transfer *what)
{
	struct transfer *mine = &thread_self.transfer;

	*mine = *what;
	if (!mine->begun_ns)
		mine->begun_ns = clock_now_ns();
	/* Last: from here on a tick finds it. */
	mine->is_open = true;
}

uint64_t transfer_end(void)
{
	thread_self.transfer.is_open = false;
	return thread_self.transfer.done;
}

/*
 * A call that was left by longjmp or cancelled has no end: what is seen now
 * may be another one.
 */
static bool is_at(const struct transfer *mine, const ucontext_t *uc)
{
	return mine->is_open &&
	       context_pc(uc) - mine->function < FUNCTION_BYTES;
}

/* It may have been taken for a little later: clock_soon_ns(). */
static void settle_begin(struct transfer *mine)
{
	mine->begun_ns = min_u64(mine->begun_ns, clock_now_ns());
}

static void make_again(struct transfer *mine, ucontext_t *uc)
{
	context_repeat_call(uc, mine->number, mine->fd);
	mine->is_again = true;
}

/* When it would have ended without us; 0: not by itself. */
static uint64_t end_ns(const struct transfer *mine)
{
	uint64_t timeout = transfer_timeout_ns(mine);

	if (!timeout || timeout == FOR_EVER_NS)
		return 0;
	return mine->begun_ns + timeout;
}

static void go_on_waiting(struct transfer *mine, ucontext_t *uc)
{
	mine->ends_ns = end_ns(mine);
	if (mine->ends_ns && clock_now_ns() >= mine->ends_ns)
		context_set_result(uc, -transfer_error_of_timeout(mine));
	else
		make_again(mine, uc);
}

static int place_of_size(const struct transfer *mine)
{
	return mine->kind == TRANSFER_COUNT ? 3 : 2;
}

static void move_the_rest(struct transfer *mine, ucontext_t *uc, long moved)
{
	int size = place_of_size(mine);

	mine->done += (uint64_t)moved;
	/* A file is sent in pieces, each of which has the whole timeout. */
	if (mine->kind == TRANSFER_COUNT)
		mine->begun_ns = clock_now_ns();
	else
		context_move_argument(uc, 1, moved);
	mine->ends_ns = end_ns(mine);
	context_move_argument(uc, size, -moved);
	make_again(mine, uc);
}

/* write(2) has no flags. */
static void note_what_is_asked(struct transfer *mine, const ucontext_t *uc)
{
	mine->asked = (struct iovec){
		.iov_base = (void *)context_argument(uc, 1),
		.iov_len = (size_t)context_argument(uc, 2),
	};
	mine->flags =
		mine->number == SYS_write ? 0 : (int)context_argument(uc, 3);
}

static bool goes_on(const struct transfer *mine)
{
	switch (mine->kind) {
	case TRANSFER_READ:
		return transfer_has_bytes_always(mine);
	case TRANSFER_COUNT:
		return transfer_blocks(mine) && transfer_would_send_on(mine);
	default:
		return transfer_blocks(mine);
	}
}

/* A stream may have moved a part; any other socket moves a message, whole. */
static void cut_short(struct thread *self, ucontext_t *uc, long moved)
{
	struct transfer *mine = &self->transfer;
	int type;

	if ((mine->kind != TRANSFER_PARTS &&
	     moved >= context_argument(uc, place_of_size(mine))) ||
	    !goes_on(mine))
		return;
	type = transfer_option(mine, SO_TYPE, 0);
	if (mine->kind == TRANSFER_COUNT || mine->kind == TRANSFER_READ ||
	    (!type && mine->kind == TRANSFER_ALL)) {
		move_the_rest(mine, uc, moved);
	} else if (!type) {
		mine->cut = CUT_FILE;
	} else if (type == SOCK_STREAM) {
		note_what_is_asked(mine, uc);
		wait_keep_mask(self, uc);
		mine->cut = CUT_STREAM;
	}
}

void transfer_tick(struct thread *self, ucontext_t *uc)
{
	struct transfer *mine = &self->transfer;
	long result;

	if (!is_at(mine, uc) || mine->is_final || !context_is_after_call(uc))
		return;
	settle_begin(mine);
	result = context_result(uc);
	if (result == -EINTR)
		go_on_waiting(mine, uc);
	else if (result > 0 && mine->kind != TRANSFER_ONCE)
		cut_short(self, uc, result);
}

void transfer_put_off(struct thread *self, ucontext_t *uc)
{
	struct transfer *mine = &self->transfer;

	/* About to be made again, after a tick, it would last too long. */
	if (is_at(mine, uc) && mine->is_again && context_call_again(uc) >= 0)
		context_leave_call(uc, -EINTR);
	if (is_at(mine, uc) && !mine->is_final && !mine->done &&
	    context_is_broken_call(uc)) {
		settle_begin(mine);
		mine->cut = CUT_WAIT;
	} else {
		transfer_tick(self, uc);
	}
}

void transfer_arm(struct thread *self)
{
	const struct transfer *mine = &self->transfer;
	uint64_t soon_ns;

	if (!mine->is_open || !mine->ends_ns ||
	    (self->armed && self->armed_until_ns <= mine->ends_ns))
		return;
	soon_ns = clock_now_ns() + MOMENT_NS;
	timer_arm_for_later(self, max_u64(mine->ends_ns, soon_ns));
}

static void settle_with_host(struct transfer *mine, ucontext_t *uc)
{
	if (context_is_after_call(uc)) {
		mine->is_final = true;
	} else if (mine->is_again && context_call_again(uc) >= 0) {
		context_leave_call(uc, -EINTR);
		mine->is_final = true;
	}
}

struct transfer transfer_interrupt(ucontext_t *uc)
{
	struct transfer *mine = &thread_self.transfer, was;

	if (unlikely(is_at(mine, uc)))
		settle_with_host(mine, uc);
	was = *mine;
	mine->is_open = false;
	return was;
}

void transfer_resume(const struct transfer *was)
{
	thread_self.transfer = *was;
}
