/*
 * The session. Owns the options; a forked child inherits them and starts afresh
 * under its own pid.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/session.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/options.h"
#include "base/wildcard.h"
#include "setup/at_fork.h"
#include "setup/ending.h"
#include "setup/header.h"
#include "setup/libelf.h"
#include "setup/preload.h"
#include "setup/results.h"
#include "setup/say.h"
#include "setup/session_end.h"
#include "setup/unwinder.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/contention.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/os/freeze.h"
#include "sigsafe/os/process.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/default_action.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/stacks/spare_stack.h"
#include "sigsafe/thread.h"
#include "sigsafe/walk/stack.h"

enum state {
	SESSION_NONE, /* this program is not watched */
	SESSION_ON,   /* watched; live_recording() NULL: a fork, not started */
	SESSION_STARTING
};

/* Written in the constructor, and by the one thread that starts a child. */
static struct session {
	uint32_t state;
	struct options options;
} session;

static void complain(void *ctx, const char *sentence)
{
	(void)ctx;
	say(sentence);
}

/* Signal-safe: a forked child comes here from a hook. */
static struct recording *start_recording(void)
{
	static struct recording identity;
	struct recording *rec;

	memset(&identity, 0, sizeof(identity));
	header_fill(&identity, &session.options);
	rec = results_make_recording(&session.options, &identity);
	if (!rec)
		return NULL;
	header_fill(rec, &session.options);
	ending_reset();
	memcpy(rec->magic, RECORDING_MAGIC, sizeof(rec->magic));
	live_begin(rec);
	return rec;
}

static bool is_wanted(void)
{
	char comm[NAME_BYTES] = "";

	if (!session.options.only[0])
		return true;
	sys2(SYS_prctl, PR_GET_NAME, comm);
	return wildcard_matches(session.options.only, comm);
}

static void read_options(char **environment)
{
	options_read(&session.options, environment, complain, NULL);
	if (session.options.help)
		options_help(say_plainly, NULL);
	if (!session.options.children)
		preload_leave_children(environment);
	results_start();
}

/* A signal is going to end the program by default. */
static void last_words(int sig)
{
	session_end(END_SIGNAL, sig);
}

static void after_fork(void)
{
	process_own_memory();
	host_signal_after_fork();
}

cold void session_start(char **environment, sigaction_function *libcs)
{
	say_start();
	read_options(environment);
	session_end_start(&session.options);
	if (!is_wanted() || !live_make_page())
		return;
	pthread_key_create(&thread_key, thread_end);
	unwinder_prepare(environment, session.options.depth);
	if (!start_recording())
		return;
	host_signal_start(session.options.signal, last_words, libcs);
	at_fork(NULL, NULL, after_fork);
	session.state = SESSION_ON;
}

cold void session_start_walks(void)
{
	const char *worse;

	if (session.state == SESSION_NONE)
		return;
	worse = unwinder_start(session.options.unwind, session.options.depth);
	if (worse)
		say(worse);
	libelf_load();
}

static void start_where_there_is_room(void *made)
{
	*(struct recording **)made = start_recording();
}

cold struct recording *session_start_in_child(void)
{
	uint32_t on = SESSION_ON;
	struct recording *rec = NULL;

	/* One thread starts; the others go unwatched for a moment. */
	if (!cas_acq_rel(&session.state, &on, SESSION_STARTING))
		return NULL;
	if (live_recording()) {
		store_release(&session.state, SESSION_ON);
		return live_recording();
	}
	contention_reset();
	stack_reset();
	timer_reset();
	freeze_release();
	spare_stack_call_by_hook(NULL, start_where_there_is_room, &rec);
	store_release(&session.state, rec ? SESSION_ON : SESSION_NONE);
	return rec;
}

bool session_is_on(void)
{
	/* Relaxed: who has been told of it has seen it. */
	return load_relaxed(&session.state) != SESSION_NONE && process_memory();
}

void session_leave(void)
{
	/* The timers of a child that has not begun are its parent's. */
	bool has_begun = live_recording(), is_alone;

	session_end(END_SECCOMP, 0);
	/* First this one: it keeps the next event from starting afresh. */
	store_release(&session.state, SESSION_NONE);
	store_release(&live_page->recording, NULL);
	is_alone = !has_begun || timer_delete_all(&thread_self);
	alternate_stack_remove(&thread_self);
	host_signal_leave(is_alone);
	say("the program forbids system calls: it is not watched from now on");
}
