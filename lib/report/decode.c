/*
 * Decoding: which records of a recording become what of a process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/decode.h"

#include <time.h>

#include <string.h>

#include "base/check_records.h"
#include "base/lasting.h"
#include "base/loops.h"
#include "base/lost.h"
#include "report/alive.h"
#include "report/decoder.h"

static void decode_head(struct decoder *d)
{
	const struct recording *rec = d->rec;
	struct process *process = d->process;

	process->comm = decode_name(d, rec->comm);
	process->host = decode_name(d, rec->host);
	process->tool = decode_name(d, rec->version_text);
	process->pid = rec->pid;
	process->start_realtime_ns = rec->start_realtime_ns;
	process->lived_ns = time_since(rec->start_ns, d->now_ns);
	process->end = rec->end;
	process->end_detail = rec->end_detail;
	process->thresholds = rec->thresholds;
	process->min_wait_ns = rec->min_wait_ns;
	process->rate_ns = rec->rate_ns;
	process->charges_like_go = rec->charges_like_go;
	process->in_flight = rec->in_flight;
}

/* Modules keep their index, so that frames can name them. */
static void decode_modules(struct decoder *d)
{
	const struct module_record *record =
		section_records(d->rec, SECTION_MODULES);
	size_t n = d->rec->section[SECTION_MODULES].capacity;

	d->modules = decode_alloc(d, n, sizeof(struct module));
	for (size_t i = 1; i < n; i++) {
		struct module *module = &d->modules[i];

		if (!record[i].ready)
			continue;
		module->path = decode_string(d, record[i].path);
		module->name = process_module_name(d->process, module->path);
		module->bias = record[i].bias;
		module->bias_is_known = true;
		module->text_start = record[i].text_start;
		module->text_end = record[i].text_end;
		module->text_offset = record[i].text_offset;
		module->build_id_bytes = record[i].build_id_bytes;
		memcpy(module->build_id, record[i].build_id, BUILD_ID_BYTES);
		module->identity = record[i].identity;
		module->mapped_ns = d->process->start_realtime_ns;
	}
}

struct module *decode_module(struct decoder *d, uint64_t frame)
{
	struct module *module = &d->modules[FRAME_MODULE(frame)];

	return module->path ? module : NULL;
}

static uint64_t address_of(struct decoder *d, uint64_t frame)
{
	struct module *module = decode_module(d, frame);

	return FRAME_OFFSET(frame) + (module ? module->bias : 0);
}

struct stack *decode_stack(struct decoder *d, uint32_t place)
{
	const struct stack_record *record = check_stack(d->rec, place);
	struct stack *stack;

	if (!record)
		return NULL;
	if (d->stack[place])
		return d->stack[place];
	stack = decode_alloc(d, 1, sizeof(*stack));
	stack->depth = record->depth;
	stack->frames = decode_alloc(d, stack->depth, sizeof(struct frame));
	for (uint32_t i = 0; i < stack->depth; i++) {
		stack->frames[i].module = decode_module(d, record->frame[i]);
		stack->frames[i].address = address_of(d, record->frame[i]);
	}
	d->stack[place] = stack;
	return stack;
}

static bool is_in_profile(uint64_t key, enum sample_kind kind)
{
	return key && sample_profile(key) == kind;
}

static size_t count_samples(const struct recording *rec, enum sample_kind kind)
{
	const struct sample_record *record =
		section_records(rec, SECTION_SAMPLES);
	size_t count = 0;

	for (size_t i = 0; i < rec->section[SECTION_SAMPLES].capacity; i++)
		count += is_in_profile(record[i].key, kind);
	return count;
}

const char *decode_call(struct decoder *d, uint32_t call)
{
	if (!CALL_IS_UNNAMED(call))
		return blocking_call_name(call);
	return arena_print(&d->process->arena, CALL_UNNAMED_WORD "%u",
			   CALL_SYSTEM_NUMBER(call));
}

static struct why decode_why(struct decoder *d, uint32_t word)
{
	struct why why = { .cause = CAUSE_OF(word), .call = "" };

	if (cause_has_lock(why.cause))
		why.lock = d->lock[CAUSE_DETAIL(word)];
	if (why.cause == CAUSE_BLOCKED)
		why.call = decode_call(d, CAUSE_DETAIL(word));
	return why;
}

static struct sample decode_sample(struct decoder *d,
				   const struct sample_record *record)
{
	uint32_t lock = SAMPLE_LOCK(record->key);
	bool is_stall = sample_profile(record->key) == SAMPLE_STALL;

	return (struct sample){
		.stack = decode_stack(d, SAMPLE_STACK(record->key)),
		.lock = is_stall ? NULL : d->lock[lock],
		.why = decode_why(d, is_stall ? lock : CAUSE_UNKNOWN),
		.total_ns = record->total_ns,
		.count = record->count,
		.max_ns = record->max_ns,
	};
}

static bool is_watched(const struct recording *rec, enum sample_kind kind)
{
	switch (kind) {
	case SAMPLE_STALL:
		return threshold_is_any(&rec->thresholds);
	case SAMPLE_WAIT:
		return rec->watches_locks && rec->watches_waiters;
	default:
		return rec->watches_locks;
	}
}

/* The parts of stalls that last which are in no sample yet. */
static void decode_rests(struct decoder *d)
{
	const struct thread_record *thread =
		section_records(d->rec, SECTION_THREADS);
	struct samples *samples = &d->process->samples[SAMPLE_STALL];
	size_t n = d->rec->section[SECTION_THREADS].capacity;

	for (; n; n--, thread++) {
		struct lasting lasting = lasting_of(d->rec, thread, d->now_ns);
		struct sample_record record = {
			.key = lasting.rest_key,
			.total_ns = lasting.rest_ns,
			.count = 1,
			.max_ns = lasting.rest_ns,
		};

		if (lasting.rest_ns)
			samples->list[samples->count++] =
				decode_sample(d, &record);
	}
}

static void decode_samples(struct decoder *d, enum sample_kind kind)
{
	const struct recording *rec = d->rec;
	const struct sample_record *record =
		section_records(rec, SECTION_SAMPLES);
	struct samples *samples = &d->process->samples[kind];
	size_t n = count_samples(rec, kind);

	samples->is_known = is_watched(rec, kind);
	samples->discarded = rec->discarded[kind];
	samples->discarded_ns = rec->discarded_ns[kind];
	samples->list =
		decode_alloc(d, n + rec->section[SECTION_THREADS].capacity,
			     sizeof(struct sample));
	for (size_t i = 0; samples->count < n; i++) {
		if (is_in_profile(record[i].key, kind))
			samples->list[samples->count++] =
				decode_sample(d, &record[i]);
	}
	if (kind == SAMPLE_STALL)
		decode_rests(d);
}

static void decode_losses(struct decoder *d)
{
	for (unsigned i = 0; i < LOST_COUNT; i++) {
		uint64_t count = lost_count(d->rec, i);

		if (count)
			process_add_loss(
				d->process,
				arena_print(&d->process->arena, "%ju x %s",
					    (uintmax_t)count, lost_text(i)));
	}
}

/* What is still running goes on until now. */
static uint64_t now_of(const struct decoder *d)
{
	uint64_t latest_ns = recording_now_ns(d->rec);
	struct timespec now;

	if (!d->process->is_running || clock_gettime(CLOCK_MONOTONIC, &now))
		return latest_ns;
	return max_u64(latest_ns,
		       (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec);
}

void decode_recording(struct process *process, const struct recording *rec)
{
	struct decoder d = { .process = process, .rec = rec };

	process->is_running = rec->end == END_RUNNING &&
			      is_alive(rec->pid, rec->comm, rec->host);
	d.now_ns = now_of(&d);
	d.stack = decode_alloc(&d, rec->section[SECTION_STACKS].capacity,
			       sizeof(*d.stack));
	decode_head(&d);
	decode_modules(&d);
	decode_locks(&d);
	for (unsigned kind = 0; kind < SAMPLE_KINDS; kind++)
		decode_samples(&d, kind);
	decode_loops(&d);
	decode_stalls(&d);
	decode_open_waits(&d);
	decode_losses(&d);
}
