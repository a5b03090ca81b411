/*
 * The session's end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/session_end.h"

#include "base/check_records.h"
#include "base/law.h"
#include "setup/ending.h"
#include "setup/results.h"
#include "setup/say.h"
#include "setup/snapshot.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/waiters.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/freeze.h"
#include "sigsafe/os/process.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/default_action.h"
#include "sigsafe/signals/fault_mask.h"
#include "sigsafe/signals/quiet.h"
#include "sigsafe/stacks/other_stack.h"
#include "sigsafe/stacks/spare_stack.h"
#include "sigsafe/stacks/stack_touch.h"

/* What libelf takes of the stack, several times over. */
#define NAMES_BYTES (256u << 10)

/* The session's: set once, in the constructor. */
static const struct options *options;

void session_end_start(const struct options *of_session)
{
	options = of_session;
}

static bool is_to_summarise(void)
{
	return options->quiet == QUIET_AUTO ? say_to_terminal()
					    : options->quiet == QUIET_NO;
}

/*
 * The recording of this process. A guest in its memory has no part in it, and
 * may be shut in by seccomp: most are told by their number alone.
 */
static struct recording *own_recording(void)
{
	struct recording *rec = live_recording();

	return rec && live_header.pid == sys_getpid() && process_memory()
		       ? rec
		       : NULL;
}

void session_exit_begins(void)
{
	if (own_recording())
		ending_exit_begins();
}

struct last_word {
	struct recording *rec;
	enum recording_end how;
	int detail;
	bool with_names;
};

/* rec: a snapshot. */
static void write_results(struct recording *rec, bool with_names)
{
	if (!options->keep_all && !results_are_due(rec, rec->end_ns)) {
		results_remove();
		if (options->quiet == QUIET_NO)
			say("no thread was a loop or waited for a lock: no "
			    "files are left");
		return;
	}
	check_records(rec);
	rec->end_ns = recording_now_ns(rec);
	results_publish(rec, with_names);
	if (is_to_summarise())
		results_summarise(rec);
}

/* Of a recording that is frozen, or held. */
static void end(const struct last_word *last)
{
	struct recording *rec = last->rec, *copy;

	/* It may have been removed for an exec that will not come to be. */
	results_restore(rec);
	rec->end_ns = clock_now_ns();
	rec->end_detail = last->detail;
	store_release(&rec->end, (uint32_t)last->how);
	copy = results_snapshot(rec);
	freeze_release();
	if (copy)
		write_results(copy, last->with_names);
	snapshot_release(copy);
}

static void say_last_word(void *argument)
{
	const struct last_word *last = argument;

	run_program_ends(last->how);
	freeze(last->rec);
	waiters_name_holders(last->rec);
	end(last);
}

/*
 * On a stack made for it: what looks like room on the thread's own may be an
 * array with a coroutine's stack in it, or pages that can't be touched. False:
 * there is no memory.
 */
static bool say_with_names(struct last_word *last)
{
	struct quiet before;

	stack_touch(TOUCH_CHANGE_BYTES);
	before = quiet_begin();
	fault_mask_learn(before.mask);
	last->with_names = true;
	last->with_names =
		other_stack_call_on_new(NAMES_BYTES, say_last_word, last);
	quiet_end(&before);
	return last->with_names;
}

static void end_session(struct recording *rec, enum recording_end how,
			int detail)
{
	struct last_word last = { rec, how, detail, false };

	if (!ending_begin(false))
		return;
	if (how != END_EXIT || !say_with_names(&last))
		spare_stack_call_by_hook(NULL, say_last_word, &last);
	ending_written(false);
}

void session_end(enum recording_end how, int detail)
{
	struct recording *rec = own_recording();

	if (!rec)
		return;
	if (how != END_SIGNAL)
		default_action_await_death();
	end_session(rec, how, detail);
	if (how != END_SIGNAL)
		default_action_await_death();
}

static void write_before_exec(void *rec)
{
	const struct last_word last = { rec, END_EXEC, 0, false };

	run_program_ends(END_EXEC);
	freeze_hold(rec);
	end(&last);
}

bool session_exec_begins(void)
{
	struct recording *rec = own_recording();
	struct quiet before;
	bool is_ours;

	/* A signal that ends the program must not find it half done. */
	before = quiet_begin();
	is_ours = rec && ending_begin(true);
	if (is_ours) {
		spare_stack_call_by_hook(NULL, write_before_exec, rec);
		ending_written(true);
	}
	quiet_end(&before);
	return is_ours;
}

static void restore(void *rec)
{
	results_restore(rec);
}

void session_exec_failed(void)
{
	struct recording *rec = live_recording();
	struct quiet before = quiet_begin();

	if (ending_take_back()) {
		spare_stack_call_by_hook(NULL, restore, rec);
		store_release(&rec->end, END_RUNNING);
		rec->end_ns = 0;
		ending_goes_on();
	}
	quiet_end(&before);
}
