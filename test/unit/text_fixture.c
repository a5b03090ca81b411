/*
 * Recordings filled by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "text_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/law.h"
#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/live.h"

struct recording *text_fixture(void)
{
	struct recording *rec = fixture_recording(MIN_RECORDING_BYTES);

	rec->pid = 4711;
	strcpy(rec->comm, "app");
	strcpy(rec->host, "db1");
	strcpy(rec->version_text, "0.1.0");
	rec->start_ns = SECONDS(1000);
	/* 2026-01-02T03:04:05Z */
	rec->start_realtime_ns = SECONDS(1767323045);
	rec->thresholds.others_ns = 10 * NS_PER_MS;
	rec->watches_locks = 1;
	rec->watches_waiters = 1;
	rec->end = END_EXIT;
	rec->end_ns = rec->start_ns + 61002 * NS_PER_MS;
	live_begin(rec);
	return rec;
}

/* The next record of a section whose index 0 is in use or never used. */
static void *next_record(struct recording *rec, enum recording_section which)
{
	struct section *section = &rec->section[which];

	if (section->used == 0)
		section->used = 1;
	return (char *)section_records(rec, which) +
	       (size_t)section->used++ * section->record_bytes;
}

struct module_record *add_module(struct recording *rec, const char *path,
				 uint64_t start, uint64_t end)
{
	struct module_record *m = next_record(rec, SECTION_MODULES);

	m->map_start = start - 0x1000;
	m->map_end = end;
	m->bias = start - 0x1000;
	m->text_start = start;
	m->text_end = end;
	m->text_offset = 0x1000;
	strcpy(m->path, path);
	m->ready = 1;
	return m;
}

uint32_t add_stack(struct recording *rec, const uint64_t *frames, uint32_t n)
{
	struct section *section = &rec->section[SECTION_STACKS];
	uint64_t *words = section_records(rec, SECTION_STACKS);
	uint32_t place = section->used;
	struct stack_record *stack = (void *)(words + place);

	stack->depth = n;
	memcpy(stack->frame, frames, n * sizeof(*frames));
	section->used += (uint32_t)STACK_RECORD_WORDS(n);
	return place;
}

struct sample_record *add_sample(struct recording *rec, uint64_t key,
				 uint64_t total_ns, uint64_t count,
				 uint64_t max_ns)
{
	struct sample_record *sample = next_record(rec, SECTION_SAMPLES);

	*sample = (struct sample_record){
		.key = key,
		.total_ns = total_ns,
		.count = count,
		.max_ns = max_ns,
	};
	return sample;
}

struct lock_record *add_lock(struct recording *rec, uint64_t address)
{
	struct lock_record *lock = next_record(rec, SECTION_LOCKS);

	lock->key = address;
	lock->address = address;
	lock->place = address;
	return lock;
}

struct thread_record *add_loop(struct recording *rec, int32_t tid,
			       const char *name)
{
	struct thread_record *thread = next_record(rec, SECTION_THREADS);

	thread->tid = tid;
	strcpy(thread->name, name);
	thread->wait_call = CALL_EPOLL_WAIT;
	thread->first_wait_ns = rec->start_ns;
	thread->waits = 12345;
	thread->events = 20000;
	thread->busy_ns = SECONDS(1);
	thread->longest_run_ns = 7900000;
	thread->stall_ns = rec->thresholds.others_ns;
	thread->state = THREAD_LIVE;
	return thread;
}

static void write_to_file(void *ctx, const char *bytes, size_t length)
{
	fwrite(bytes, 1, length, ctx);
}

char *text_of(const struct recording *rec, enum sample_kind kind,
	      const struct text_names *names)
{
	void *scratch = malloc(text_scratch_bytes(rec));
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);
	struct text_out out = { write_to_file, file };

	text_write(rec, kind, recording_now_ns(rec), scratch, &out, names);
	fclose(file);
	free(scratch);
	return text;
}
