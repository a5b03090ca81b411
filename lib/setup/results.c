/*
 * The files of this process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/results.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/law.h"
#include "base/loops.h"
#include "base/sentence.h"
#include "setup/names.h"
#include "setup/output.h"
#include "setup/publish.h"
#include "setup/recording.h"
#include "setup/say.h"
#include "setup/snapshot.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/log.h"
#include "sigsafe/loops/log_door.h"
#include "sigsafe/os/freeze.h"
#include "sigsafe/os/program_name.h"
#include "sigsafe/os/sys.h"

#define MAX_ATTEMPTS 10000

/*
 * Written in the constructor and by whoever starts a forked child, so static
 * buffers do: the caller's stack may be a small one.
 */
static struct results {
	char directory[1024];
	char prefix[PREFIX_BYTES];
	struct recording_file file;
	bool is_removed;    /* the recording's file is */
	bool has_published; /* the texts there are ours */
} results;

/* glibc's alone, while the shim must load, and do nothing, elsewhere too. */
#pragma weak strerrordesc_np

static void say_cannot(const char *what, int error)
{
	struct sentence line = { .length = 0 };

	say_text(&line, what);
	say_text(&line, results.prefix);
	say_text(&line, ": ");
	say_text(&line, strerrordesc_np(-error));
	say(line.text);
}

static const char *with_suffix(const char *suffix)
{
	static char path[PREFIX_BYTES];

	stpcpy(stpcpy(path, results.prefix), suffix);
	return path;
}

/* The prefix as the user would write it. */
static const char *short_prefix(void)
{
	size_t length = strlen(results.directory);

	return !strncmp(results.prefix, results.directory, length) &&
			       results.prefix[length] == '/'
		       ? results.prefix + length + 1
		       : results.prefix;
}

void results_start(void)
{
	log_door_start();
	if (!getcwd(results.directory, sizeof(results.directory)))
		strcpy(results.directory, "/");
}

/* Would we write over a text of an earlier run, or where a link leads to? */
static bool has_texts(void)
{
	struct stat st;

	for (int kind = 0; kind < SAMPLE_KINDS; kind++)
		if (!sys4(SYS_newfstatat, AT_FDCWD,
			  with_suffix(text_suffix[kind]), &st,
			  AT_SYMLINK_NOFOLLOW))
			return true;
	return false;
}

/* 0, or -errno: -EEXIST where the attempt-th prefix is taken. */
static int try_prefix(const struct options *options,
		      const struct output_values *values, unsigned attempt,
		      struct recording **made)
{
	if (!output_prefix(results.prefix, options->output, values, attempt))
		return -ENAMETOOLONG;
	/* A directory that can't be used is for recording_make() to tell. */
	if (has_texts())
		return -EEXIST;
	return recording_make(with_suffix(".rec"), options->memory_bytes, made,
			      &results.file);
}

/* In a forked child its own: %p stands for another number. */
static void start_log(const struct options *options,
		      const struct output_values *values)
{
	static char path[PREFIX_BYTES];
	uint32_t per_minute = options->log_per_minute;

	if (!strcmp(options->log, "stderr")) {
		log_door_to_stderr();
	} else if (output_prefix(path, options->log, values, 0)) {
		log_door_to_file(path);
	} else {
		say("no log: its path is too long");
		per_minute = 0;
	}
	program_name_note(values->comm);
	log_start(per_minute);
}

struct recording *results_make_recording(const struct options *options,
					 const struct recording *identity)
{
	struct output_values values = {
		.directory = results.directory,
		.comm = identity->comm,
		.host = identity->host,
		.pid = (uint64_t)identity->pid,
		.start_s = identity->start_realtime_ns / NS_PER_S,
	};
	struct recording *made;
	unsigned attempt = 0;
	int err;

	results.has_published = false;
	results.is_removed = false;
	do
		err = try_prefix(options, &values, attempt, &made);
	while (err == -EEXIST && attempt++ < MAX_ATTEMPTS);
	if (err) {
		say_cannot("not watching, since it cannot make ", err);
		return NULL;
	}
	start_log(options, &values);
	return made;
}

/* Tables that nobody has written to are not read: each page would be made. */
static bool has_records(const struct recording *rec,
			enum recording_section which)
{
	return load_relaxed(&rec->section[which].used) != 0;
}

static bool has_waits(const struct recording *rec, uint64_t now_ns)
{
	return has_records(rec, SECTION_LOCKS) &&
	       (law_of(rec, SAMPLE_MUTEX, now_ns).waits ||
		law_of(rec, SAMPLE_SEM, now_ns).waits);
}

/* One that was ended in its first run, too. */
static bool has_loops(const struct recording *rec, uint64_t now_ns)
{
	struct loops loops = { 0 };

	if (has_records(rec, SECTION_THREADS))
		loops = loops_of(rec, now_ns);
	return loops.count || loops.unfinished;
}

bool results_are_due(const struct recording *rec, uint64_t now_ns)
{
	return has_waits(rec, now_ns) || has_loops(rec, now_ns);
}

/* By RLIMIT_SIGPENDING, or no memory for the stack that its ticks need. */
static void say_refused(const struct recording *rec)
{
	if (load_relaxed(&rec->lost[LOST_TIMER]) && !results.has_published)
		say("the kernel refused timers, or memory for their ticks: "
		    "some stalls were not seen (ulimit -i, ulimit -v)");
}

static void say_lost(void)
{
	struct sentence line = { .length = 0 };

	say_text(&line, "no results: somebody else has written to ");
	say_text(&line, short_prefix());
	say_text(&line, ".rec, or cut it");
	say(line.text);
}

struct recording *results_snapshot(const struct recording *rec)
{
	struct recording *copy;

	/* First: the texts say how many lines were lost. */
	log_end(rec, load_relaxed(&rec->end) == END_EXEC);
	if (!live_is_intact(rec)) {
		say_lost();
		return NULL;
	}
	copy = snapshot_take(rec);
	if (!copy)
		say_cannot("cannot write the texts of ", -ENOMEM);
	return copy;
}

void results_publish(const struct recording *rec, bool with_names)
{
	const struct text_names *names;
	int err;

	names = with_names ? names_open() : NULL;
	err = publish_texts(rec, results.prefix, rec->end_ns,
			    results.has_published, names);
	if (names)
		names_close();
	if (err)
		say_cannot("cannot write the texts of ", err);
	say_refused(rec);
	results.has_published = true;
}

void results_summarise(const struct recording *rec)
{
	static struct sentence line;

	line.length =
		text_summary(rec, rec->end_ns, line.text, sizeof(line.text));
	say_text(&line, "; see stallshim report ");
	say_text(&line, short_prefix());
	say_text(&line, ".rec");
	say(line.text);
}

void results_remove(void)
{
	recording_remove(with_suffix(".rec"), &results.file);
	results.is_removed = true;
}

void results_restore(const struct recording *rec)
{
	int err;

	if (!results.is_removed)
		return;
	results.is_removed = false;
	/* Nobody writes to the one that it takes the place of. */
	freeze_hold(rec);
	err = recording_make_again(with_suffix(".rec"), live_header.size_bytes,
				   rec, &results.file);
	freeze_release();
	if (err)
		say_cannot("no recording: cannot make again ", err);
}
