/*
 * The session. Owns the options and the names of this process's files; they
 * are inherited by a forked child, which starts afresh under its own pid.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/session.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/law.h"
#include "base/loops.h"
#include "base/options.h"
#include "base/sentence.h"
#include "setup/names.h"
#include "setup/output.h"
#include "setup/preload.h"
#include "setup/publish.h"
#include "setup/recording.h"
#include "setup/say.h"
#include "setup/unwinder.h"
#include "sigsafe/clock.h"
#include "sigsafe/contention.h"
#include "sigsafe/freeze.h"
#include "sigsafe/host_signal.h"
#include "sigsafe/live.h"
#include "sigsafe/stack.h"
#include "sigsafe/sys.h"
#include "sigsafe/thread.h"

#define MAX_ATTEMPTS 10000

enum state {
	SESSION_NONE, /* this program is not watched */
	SESSION_ON,   /* watched; live_recording() NULL: a fork, not started */
	SESSION_STARTING
};

/* Written in the constructor, and by the one thread that starts a child. */
static struct session {
	uint32_t state;
	struct options options;
	char directory[1024]; /* at start: the host may leave it */
	char prefix[PREFIX_BYTES];
	struct recording_file file;
	bool has_published; /* the texts there are ours */
	uint32_t ending;    /* 1: somebody writes the results, or has */
} session;

static void complain(void *ctx, const char *sentence)
{
	(void)ctx;
	say(sentence);
}

/* glibc's alone, while the shim must load, and do nothing, elsewhere too. */
#pragma weak strerrordesc_np

static void say_cannot(const char *what, const char *path, int error)
{
	struct sentence line = { .length = 0 };

	say_text(&line, what);
	say_text(&line, path);
	say_text(&line, ": ");
	say_text(&line, strerrordesc_np(-error));
	say(line.text);
}

static void join(char path[PREFIX_BYTES], const char *suffix)
{
	stpcpy(stpcpy(path, session.prefix), suffix);
}

/* Would we write over a text of an earlier run? */
static bool has_texts(void)
{
	static char path[PREFIX_BYTES];

	for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
		join(path, text_suffix[kind]);
		if (sys2(SYS_faccessat, AT_FDCWD, path) != -ENOENT)
			return true;
	}
	return false;
}

static void identify(struct recording *rec)
{
	struct utsname host;
	struct timespec now;

	rec->pid = sys_getpid();
	rec->depth = session.options.depth;
	sys2(SYS_prctl, PR_GET_NAME, rec->comm);
	if (sys1(SYS_uname, &host) == 0)
		memcpy(rec->host, host.nodename, HOST_BYTES - 1);
	strcpy(rec->version_text, STALLSHIM_VERSION);
	clock_gettime(CLOCK_REALTIME, &now);
	rec->start_ns = clock_now_ns();
	rec->start_realtime_ns = (uint64_t)now.tv_sec * NS_PER_S +
				 (uint64_t)now.tv_nsec;
	rec->stall_ns = session.options.stall_ns;
	rec->min_wait_ns = session.options.min_wait_ns;
	rec->watches_locks = session.options.mutex;
	rec->watches_waiters = session.options.waiters;
}

/* Tries one prefix after the other. Returns 0 or -errno. */
static int make_recording(struct recording *identity, struct recording **made)
{
	static char path[PREFIX_BYTES];
	struct output_values values = {
		.directory = session.directory,
		.comm = identity->comm,
		.host = identity->host,
		.pid = (uint64_t)identity->pid,
		.start_s = identity->start_realtime_ns / NS_PER_S,
	};
	int err = -EEXIST;

	for (unsigned i = 0; i < MAX_ATTEMPTS && err == -EEXIST; i++) {
		if (!output_prefix(session.prefix, session.options.output,
				   &values, i))
			return -ENAMETOOLONG;
		if (has_texts())
			continue;
		join(path, ".rec");
		err = recording_make(path, session.options.memory_bytes, made,
				     &session.file);
	}
	return err;
}

/* Signal-safe: a forked child comes here from a hook. */
static struct recording *start_recording(void)
{
	static struct recording identity;
	struct recording *rec;
	int err;

	memset(&identity, 0, sizeof(identity));
	identify(&identity);
	err = make_recording(&identity, &rec);
	if (err) {
		say_cannot("not watching, since it cannot make ",
			   session.prefix, err);
		return NULL;
	}
	identify(rec);
	session.has_published = false;
	session.ending = 0;
	memcpy(rec->magic, RECORDING_MAGIC, sizeof(rec->magic));
	store_release(&live_page->recording, rec);
	return rec;
}

/* The page that a fork wipes. False: this kernel has none. */
static bool make_live_page(void)
{
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE),
			  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED)
		return false;
	if (madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK))
		return false;
	live_page = page;
	return true;
}

static bool is_wanted(void)
{
	char comm[NAME_BYTES] = "";

	if (!session.options.only[0])
		return true;
	sys2(SYS_prctl, PR_GET_NAME, comm);
	return fnmatch(session.options.only, comm, 0) == 0;
}

static void read_options(char **environment)
{
	options_read(&session.options, environment, complain, NULL);
	if (!session.options.children)
		preload_leave_children(environment);
	if (!getcwd(session.directory, sizeof(session.directory)))
		strcpy(session.directory, "/");
}

/* A signal is going to end the program by default. */
static void last_words(int sig)
{
	session_end(END_SIGNAL, sig);
}

cold void session_start(char **environment)
{
	say_start();
	read_options(environment);
	if (!is_wanted() || !make_live_page())
		return;
	pthread_key_create(&thread_key, thread_end);
	unwinder_prepare(session.options.depth);
	if (!start_recording())
		return;
	host_signal_start(session.options.signal, last_words);
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
}

cold struct recording *session_start_in_child(void)
{
	uint32_t on = SESSION_ON;
	struct recording *rec;

	/* One thread starts; the others go unwatched for a moment. */
	if (!cas_acq_rel(&session.state, &on, SESSION_STARTING))
		return NULL;
	if (live_recording()) {
		store_release(&session.state, SESSION_ON);
		return live_recording();
	}
	contention_reset();
	stack_reset();
	rec = start_recording();
	store_release(&session.state, rec ? SESSION_ON : SESSION_NONE);
	return rec;
}

static bool has_seen_something(const struct recording *rec, uint64_t now_ns)
{
	return law_of(rec, now_ns).waits || loops_of(rec, now_ns).count;
}

static void summarise(const struct recording *rec, uint64_t now_ns)
{
	static struct sentence line;

	if (session.options.quiet == QUIET_YES ||
	    (session.options.quiet == QUIET_AUTO && !say_to_terminal()))
		return;
	text_summary(rec, now_ns, line.text, sizeof(line.text));
	line.length = strlen(line.text);
	say_text(&line, "; see ");
	say_text(&line, session.prefix);
	say_text(&line, ".*");
	say(line.text);
}

static void publish(struct recording *rec, bool with_names)
{
	/* Inside a handler of the host malloc is no longer ours to call. */
	const struct text_names *names =
		with_names && !thread_self.handler_depth ? names_open() : NULL;
	int err = publish_texts(rec, session.prefix, rec->end_ns,
				session.has_published, names);

	if (names)
		names_close();
	if (err)
		say_cannot("cannot write the texts of ", session.prefix, err);
	session.has_published = true;
	summarise(rec, rec->end_ns);
}

static void discard(void)
{
	static char path[PREFIX_BYTES];

	join(path, ".rec");
	recording_remove(path, &session.file);
}

void session_end(enum recording_end how, int detail)
{
	struct recording *rec = live_recording();

	if (!rec || rec->pid != sys_getpid() ||
	    exchange_acq_rel(&session.ending, 1))
		return;
	/* An exec may fail: then it all goes on. */
	if (how != END_EXEC)
		freeze(rec);
	rec->end_ns = clock_now_ns();
	rec->end_detail = detail;
	store_release(&rec->end, (uint32_t)how);
	if (session.options.keep_all || has_seen_something(rec, rec->end_ns))
		publish(rec, how == END_EXIT);
	else
		discard();
}

void session_go_on(void)
{
	struct recording *rec = live_recording();

	if (!rec || rec->pid != sys_getpid())
		return;
	store_release(&rec->end, END_RUNNING);
	rec->end_ns = 0;
	store_release(&session.ending, 0);
}
