/*
 * The samples of a text: its numbers, and the comment lines behind each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/text_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/lock_kind.h"
#include "report/scan.h"
#include "report/text_words.h"
#include "report/words.h"

static uint32_t count_addresses(char *line)
{
	uint32_t count = 0;
	uint64_t address;

	while (scan_text(&line, " 0x") && scan_number(&line, 16, &address))
		count++;
	return count;
}

static struct stack *read_stack(struct text_samples *text, char *line)
{
	struct arena *arena = &text->process->arena;
	struct stack *stack = arena_alloc(arena, 1, sizeof(*stack));
	uint32_t count = count_addresses(line);

	stack->frames = arena_alloc(arena, count, sizeof(struct frame));
	for (; stack->depth < count; stack->depth++) {
		scan_text(&line, " 0x");
		scan_number(&line, 16, &stack->frames[stack->depth].address);
	}
	return stack;
}

/* "48210334 5 @ 0x55d0c0a1b2c3 0x55d0c0a1a000" */
bool text_sample_add(struct text_samples *text, char *line)
{
	struct samples *samples = &text->process->samples[text->kind];
	struct sample sample = { .why = { .call = "" } };

	if (!scan_number(&line, 10, &sample.total_ns) ||
	    !scan_text(&line, " ") || !scan_number(&line, 10, &sample.count) ||
	    !scan_text(&line, " @"))
		return false;
	sample.stack = read_stack(text, line);
	if (!sample.stack->depth || sample.stack->depth > MAX_DEPTH)
		return false;
	text->sample = &samples->list[samples->count++];
	text->named = 0;
	*text->sample = sample;
	return true;
}

static struct lock *find_lock(struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->locks_count; i++) {
		if (process->locks[i]->address == address)
			return process->locks[i];
	}
	return NULL;
}

static const char *known_word(struct text_samples *text,
			      const struct text_words *words, const char *key,
			      const char *unknown)
{
	const char *word = text_word(words, key);

	if (!*word || !strcmp(word, unknown))
		return NULL;
	return arena_string(&text->process->arena, word, strlen(word));
}

/* The list has room for a lock a line. */
static struct lock *add_lock(struct text_samples *text,
			     const struct text_words *words, uint64_t address)
{
	struct process *process = text->process;
	struct lock *lock =
		arena_alloc(&process->arena, 1, sizeof(struct lock));

	lock->address = address;
	lock->kind = lock_kind_named(text_word(words, "kind"));
	lock->profile = law_profile_of(lock->kind);
	lock->name = known_word(text, words, "name", "-");
	lock->object = known_word(text, words, "object", "heap");
	if (lock->object)
		lock->object = words_name(&process->arena, lock->object);
	process->locks[process->locks_count++] = lock;
	return lock;
}

static void add_to_lock(struct text_samples *text, struct lock *lock)
{
	const struct sample *sample = text->sample;

	if (text->kind != SAMPLE_WAIT) {
		lock->charges += sample->count;
		lock->charged_ns += sample->total_ns;
		return;
	}
	lock->waits += sample->count;
	lock->waited_ns += sample->total_ns;
	lock->longest_wait_ns = max_u64(lock->longest_wait_ns, sample->max_ns);
}

static struct lock *lock_of(struct text_samples *text,
			    const struct text_words *words)
{
	uint64_t address = strtoull(text_word(words, "lock"), NULL, 16);
	struct lock *lock = find_lock(text->process, address);

	return lock ? lock : add_lock(text, words, address);
}

/* "lock=0x55d0c0b3e0a0 name=cache_lock object=app max=48210334ns." */
static void read_lock(struct text_samples *text, char *line)
{
	struct text_words words = text_words_of(line);

	text->sample->lock = lock_of(text, &words);
	text->sample->max_ns = text_number(&words, "max");
	add_to_lock(text, text->sample->lock);
}

static enum cause cause_of(const char *key)
{
	unsigned cause = CAUSE_COUNT - 1;

	while (cause && strcmp(key, cause_key(cause)))
		cause--;
	return cause;
}

/* "cause=blocked call=fsync max=48210334ns." */
static void read_cause(struct text_samples *text, char *line)
{
	struct text_words words = text_words_of(line);
	struct why *why = &text->sample->why;
	const char *call = text_word(&words, "call");

	why->cause = cause_of(text_word(&words, "cause"));
	why->call = words_name(&text->process->arena, call);
	if (cause_has_lock(why->cause))
		why->lock = lock_of(text, &words);
	text->sample->max_ns = text_number(&words, "max");
}

/* Takes the +0x42 off function+0x42. False: there is none. */
static bool cut_offset(char *name)
{
	char *plus = strrchr(name, '+');

	if (!plus || strncmp(plus, "+0x", 3))
		return false;
	*plus = '\0';
	return true;
}

/* "0x55d0c0a1b2c2\tflush_cache+0x42\t/usr/bin/app" */
static void read_frame_name(struct text_samples *text, char *line)
{
	struct stack *stack = text->sample->stack;
	char *name = strchr(line, '\t');
	char *path = name ? strchr(name + 1, '\t') : NULL;
	struct frame *frame;

	if (!path || text->named == stack->depth)
		return;
	frame = &stack->frames[text->named++];
	*path++ = '\0';
	text_unescape(++name);
	text_unescape(path);
	/* app+0x1234 names no function. */
	if (cut_offset(name) && strcmp(name, base_name(path)))
		frame->function =
			arena_string(&text->process->arena, name, strlen(name));
}

void text_sample_comment(struct text_samples *text, char *line)
{
	if (!text->sample)
		return;
	if (!strncmp(line, "lock=", 5) && !text->sample->lock)
		read_lock(text, line);
	else if (!strncmp(line, "cause=", 6))
		read_cause(text, line);
	else if (!strncmp(line, "0x", 2))
		read_frame_name(text, line);
}
