/*
 * The text writer: one kind of sample of a recording as pprof's legacy
 * "contention" text. Owns nothing: its tables lie in the caller's scratch.
 *
 *   --- contention:            for every kind: Perl knows no other first line
 *   cycles/second=1000000000   values are in ns
 *   sampling period=1
 *   ms since reset=61002
 *   discarded samples=0        these four keys: Go refuses any other
 *   # key=value ...            everything else is a comment
 *   (blank)
 *   48210334 5 @ 0x55d0c0a1b2c3 0x55d0c0a1a000
 *   #	lock=0x55d0c0b3e0a0 name=cache_lock object=app max=48210334ns.
 *   (of stalls: cause=blocked call=fsync max=48210334ns.)
 *   #	0x55d0c0a1b2c2	flush_cache+0x42	/usr/bin/app
 *   (blank)
 *   --- Memory map: ---
 *   55d0c0a00000-55d0c0b00000 r-xp /usr/bin/app (@1000) 5f3a...buildid
 *   55d0c0a00000-55d0c0b00000 r-xp 00001000 00:00 0 /usr/bin/app
 *
 *   - a sample is: ns, count, " @", addresses in lower-case hex, leaf first;
 *     the longest comes first; values stop at the largest int64, which is all
 *     that Go reads; no count is 0, by which Perl would divide;
 *   - an address points behind its instruction, as clients subtract 1: the
 *     comment lines show the address that is looked up, one less;
 *   - a line has at most MAX_DEPTH frames, far below the 64 KiB at which Go
 *     gives up; no comment line ends in a space and digits (text_header.c);
 *   - the map has executable mappings only, each in two forms (text_map.c).
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/text.h"
#include "base/atomic.h"
#include "base/heap_sort.h"
#include "base/lasting.h"
#include "base/lock_kind.h"
#include "base/loops.h"
#include "base/pen.h"
#include "base/text_header.h"
#include "base/text_map.h"

struct text {
	const struct recording *rec;
	const struct text_names *names; /* NULL: raw */
	struct sample_record *sample;	/* copies, of one kind */
	uint32_t samples;
	struct text_map map;
	struct pen pen;
};

static size_t samples_bytes(const struct recording *rec)
{
	return ((size_t)rec->section[SECTION_SAMPLES].capacity +
		rec->section[SECTION_THREADS].capacity) *
	       sizeof(struct sample_record);
}

size_t text_scratch_bytes(const struct recording *rec)
{
	return samples_bytes(rec) + text_map_scratch_bytes(rec);
}

/* The stack of a sample, or NULL where it does not lie in its section. */
static const struct stack_record *stack_of(const struct recording *rec,
					   uint64_t key)
{
	const uint64_t *words = section_records(rec, SECTION_STACKS);
	uint64_t capacity = rec->section[SECTION_STACKS].capacity;
	uint64_t place = SAMPLE_STACK(key);
	const struct stack_record *stack = (const void *)(words + place);

	if (!place || place + STACK_RECORD_WORDS(0) > capacity)
		return NULL;
	if (!stack->depth || stack->depth > MAX_DEPTH ||
	    place + STACK_RECORD_WORDS(stack->depth) > capacity)
		return NULL;
	return stack;
}

static bool is_longer(const void *a, const void *b)
{
	const struct sample_record *left = a;
	const struct sample_record *right = b;

	if (left->total_ns != right->total_ns)
		return left->total_ns > right->total_ns;
	return left->key < right->key;
}

/* Copies the samples of one kind: other threads may still add to theirs. */
static void collect(struct text *text, enum sample_kind kind)
{
	const struct sample_record *s =
		section_records(text->rec, SECTION_SAMPLES);
	uint32_t n = text->rec->section[SECTION_SAMPLES].capacity;

	for (; n; n--, s++) {
		/* Pairs with the release that enters a sample in the table. */
		uint64_t key = load_acquire(&s->key);
		struct sample_record copy = {
			.key = key,
			.total_ns = load_relaxed(&s->total_ns),
			.count = load_relaxed(&s->count),
			.max_ns = load_relaxed(&s->max_ns),
		};

		if (key && sample_profile(key) == kind && copy.count &&
		    stack_of(text->rec, key))
			text->sample[text->samples++] = copy;
	}
}

/* What stalls that last have besides samples: the calls they are blocked in. */
static void collect_rests(struct text *text, uint64_t now_ns)
{
	const struct thread_record *t =
		section_records(text->rec, SECTION_THREADS);
	uint32_t n = text->rec->section[SECTION_THREADS].capacity;

	for (; n; n--, t++) {
		struct lasting lasting = lasting_of(text->rec, t, now_ns);

		if (lasting.rest_ns && stack_of(text->rec, lasting.rest_key))
			text->sample[text->samples++] = (struct sample_record){
				.key = lasting.rest_key,
				.total_ns = lasting.rest_ns,
				.count = 1,
				.max_ns = lasting.rest_ns,
			};
	}
}

static void write_offset(struct pen *pen, uint64_t offset)
{
	pen_text(pen, "+0x");
	pen_hex(pen, offset, 1);
}

static void write_lock_name(struct text *text, const struct lock_record *lock)
{
	uint64_t place = lock->place;
	struct text_name answer;

	if (load_relaxed(&lock->key) == LOCK_OTHERS) {
		pen_word(&text->pen, LOCK_OTHERS_NAME, SIZE_MAX);
		return;
	}
	if (!text->names || !text->names->variable(text->names->ctx, text->rec,
						   place, &answer)) {
		pen_text(&text->pen, "-");
		return;
	}
	pen_word(&text->pen, answer.name, SIZE_MAX);
	if (answer.offset)
		write_offset(&text->pen, answer.offset);
}

static const char *place_text(const struct lock_record *lock)
{
	return lock->place == PLACE_STACK ? "stack" : "heap";
}

/* "lock=0x55d0c0b3e0a0 name=cache_lock object=app kind=rwlock" */
static void write_lock(struct text *text, uint32_t index)
{
	const struct lock_record *lock =
		section_records(text->rec, SECTION_LOCKS);
	const struct module_record *module;
	struct pen *pen = &text->pen;

	if (index >= text->rec->section[SECTION_LOCKS].capacity)
		return;
	lock += index;
	module = frame_module(text->rec, lock->place);
	pen_text(pen, "lock=0x");
	pen_hex(pen, lock->address, 1);
	pen_text(pen, " name=");
	write_lock_name(text, lock);
	pen_text(pen, " object=");
	pen_word(pen, module ? module_name(module) : place_text(lock),
		 PATH_BYTES);
	/* Most are mutexes. */
	if (lock->kind != LOCK_MUTEX) {
		pen_text(pen, " kind=");
		pen_text(pen, lock_kind_text(lock->kind));
	}
}

/* "cause=blocked call=fsync" */
static void write_cause(struct text *text, uint32_t cause)
{
	struct pen *pen = &text->pen;
	uint32_t detail = CAUSE_DETAIL(cause);

	pen_text(pen, "cause=");
	pen_text(pen, cause_key(CAUSE_OF(cause)));
	if (cause_has_lock(CAUSE_OF(cause))) {
		pen_text(pen, " ");
		write_lock(text, detail);
	} else if (CALL_IS_UNNAMED(detail)) {
		pen_number(pen, " call=" CALL_UNNAMED_WORD,
			   CALL_SYSTEM_NUMBER(detail), "");
	} else if (detail) {
		pen_text(pen, " call=");
		pen_text(pen, blocking_call_name(detail));
	}
}

/* What the sample is of, besides its stack. */
static void write_subject(struct text *text, const struct sample_record *sample)
{
	pen_text(&text->pen, "#\t");
	if (sample_profile(sample->key) == SAMPLE_STALL)
		write_cause(text, SAMPLE_LOCK(sample->key));
	else
		write_lock(text, SAMPLE_LOCK(sample->key));
	pen_number(&text->pen, " max=", sample->max_ns, "ns.\n");
}

/* function+0x42, or what addr2line -e object takes: object+0x1234. */
static void write_function(struct text *text, uint64_t frame,
			   const struct module_record *module)
{
	struct text_name answer;

	if (text->names->function(text->names->ctx, text->rec, frame,
				  &answer)) {
		pen_name(&text->pen, answer.name, SIZE_MAX);
		write_offset(&text->pen, answer.offset);
	} else if (module) {
		pen_name(&text->pen, module_name(module), PATH_BYTES);
		write_offset(&text->pen, FRAME_OFFSET(frame) - 1);
	} else {
		pen_text(&text->pen, "-");
	}
}

static void write_frame(struct text *text, uint64_t frame)
{
	const struct module_record *module = frame_module(text->rec, frame);
	struct pen *pen = &text->pen;

	pen_text(pen, "#\t0x");
	pen_hex(pen, text_map_address(&text->map, frame) - 1, 1);
	pen_text(pen, "\t");
	write_function(text, frame, module);
	pen_text(pen, "\t");
	pen_word(pen, module ? module->path : "[anon]", PATH_BYTES);
	pen_text(pen, "\n");
}

static void write_sample(struct text *text, const struct sample_record *sample)
{
	const struct stack_record *stack = stack_of(text->rec, sample->key);
	struct pen *pen = &text->pen;
	uint32_t i;

	pen_number(pen, "", min_u64(sample->total_ns, INT64_MAX), " ");
	pen_number(pen, "", min_u64(sample->count, INT64_MAX), " @");
	for (i = 0; i < stack->depth; i++) {
		pen_text(pen, " 0x");
		pen_hex(pen, text_map_address(&text->map, stack->frame[i]), 1);
	}
	pen_text(pen, "\n");
	write_subject(text, sample);
	for (i = 0; text->names && i < stack->depth; i++)
		write_frame(text, stack->frame[i]);
	pen_text(pen, "\n");
}

void text_write(const struct recording *rec, enum sample_kind kind,
		uint64_t now_ns, void *scratch, const struct text_out *out,
		const struct text_names *names)
{
	struct text text = {
		.rec = rec,
		.names = names,
		.sample = scratch,
		.pen = pen_for(out),
	};
	uint32_t i;

	/* Samples first: the modules of their frames are known by then. */
	collect(&text, kind);
	if (kind == SAMPLE_STALL)
		collect_rests(&text, now_ns);
	heap_sort(text.sample, text.samples, sizeof(*text.sample), is_longer);
	text_map_begin(&text.map, rec, (char *)scratch + samples_bytes(rec));
	text_header_write(&text.pen, rec, kind, now_ns);
	for (i = 0; i < text.samples; i++)
		write_sample(&text, &text.sample[i]);
	text_map_write(&text.map, &text.pen);
	pen_flush(&text.pen);
}
