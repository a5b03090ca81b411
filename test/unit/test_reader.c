/*
 * The reader of recordings: what a good one says, and that no bad one harms.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check_records.h"
#include "report/decode.h"
#include "report/reader.h"
#include "report_fixture.h"
#include "text_fixture.h"

static char fault[256];

static bool open_bytes(struct reading *reading, const void *bytes,
		       size_t length)
{
	int fd = fixture_file(bytes, length);
	bool done;

	fault[0] = '\0';
	done = reading_open(reading, fd, fault, sizeof(fault));
	close(fd);
	return done;
}

static struct process *decode(const struct recording *rec)
{
	struct process *process = process_new("fixture.rec");
	struct reading reading;

	cr_assert(open_bytes(&reading, rec, rec->size_bytes), "%s", fault);
	cr_assert_eq(reading.damaged, 0);
	decode_recording(process, reading.recording);
	reading_close(&reading);
	return process;
}

Test(reader, a_recording_tells_which_process_it_was)
{
	struct process *process = decode(report_fixture());

	cr_assert_str_eq(process->comm, "app");
	cr_assert_str_eq(process->host, "db1");
	cr_assert_eq(process->pid, 4711);
	cr_assert_eq(process->lived_ns, 61002 * NS_PER_MS);
	cr_assert_eq(process->end, END_EXIT);
	cr_assert_eq(process->thresholds.others_ns, 10 * NS_PER_MS);
	cr_assert_eq(process->losses_count, 1);
	cr_assert_str_eq(
		process->losses[0],
		"1 x walks left out: another was under way, or killed");
	process_free(process);
}

Test(reader, a_recording_tells_of_its_loops)
{
	struct process *process = decode(report_fixture());
	const struct loop *loop = process->loops;

	cr_assert_eq(process->loops_count, 1);
	cr_assert_str_eq(loop->name, "main loop");
	cr_assert_str_eq(loop->wait_call, "epoll_wait");
	cr_assert_eq(loop->turns, 12345);
	cr_assert_eq(loop->watched_ns, 60002 * NS_PER_MS);
	cr_assert_eq(loop->busy_ns, SECONDS(1));
	cr_assert_eq(loop->stalled_ns, 80 * NS_PER_MS);
	cr_assert_eq(loop->unfinished_ns, 0);
	process_free(process);
}

Test(reader, a_stack_that_came_after_the_copy_costs_no_loop)
{
	struct recording *rec = report_fixture();
	struct thread_record *thread = section_records(rec, SECTION_THREADS);
	struct process *process;

	while (thread->tid != 4711)
		thread++;
	thread->blocked_stack = rec->section[SECTION_STACKS].capacity - 8;
	thread->nested_stack = thread->blocked_stack;
	process = decode(rec);
	cr_assert_eq(process->loops_count, 1);
	process_free(process);
}

Test(reader, a_stack_that_is_missing_costs_no_record)
{
	struct recording *rec = report_fixture();
	struct event_record *event = section_records(rec, SECTION_EVENTS);
	struct waiter_record *waiter = section_records(rec, SECTION_WAITERS);
	struct lock_record *lock = section_records(rec, SECTION_LOCKS);
	uint32_t missing = rec->section[SECTION_STACKS].capacity - 8;
	struct process *process = decode(rec);
	size_t stalls = process->stalls_count, locks = process->locks_count;

	process_free(process);
	cr_assert(event[0].begun_ns && waiter[0].start_ns && lock[2].key);
	event[0].stack = event[0].apart = event[0].latest = missing;
	event[0].release = waiter[0].stack = missing;
	lock[2].first_stack = lock[2].taker_stack = missing;
	cr_assert_eq(check_records(rec), 0);
	cr_assert_eq(event[0].stack + event[0].apart + event[0].latest, 0);
	cr_assert_eq(event[0].release + waiter[0].stack, 0);
	cr_assert_eq(lock[2].first_stack + lock[2].taker_stack, 0);
	process = decode(rec);
	cr_assert_eq(process->stalls_count, stalls);
	cr_assert_eq(process->locks_count, locks);
	process_free(process);
}

Test(reader, a_name_cannot_write_to_the_terminal)
{
	struct recording *rec = report_fixture();
	struct thread_record *thread = section_records(rec, SECTION_THREADS);
	struct process *process;

	while (thread->tid != 4711)
		thread++;
	strcpy(thread->name, "a\n\033[2Jb");
	process = decode(rec);
	cr_assert_str_eq(process->loops->name, "a\\012\\033[2Jb");
	process_free(process);
}

Test(reader, stalls_come_in_order_of_time)
{
	struct process *process = decode(report_fixture());

	cr_assert_eq(process->stalls_count, 2);
	cr_assert_eq(process->stalls[0].begun_ns, SECONDS(10));
	cr_assert_eq(process->stalls[0].duration_ns, 60 * NS_PER_MS);
	cr_assert_eq(process->stalls[1].begun_ns, SECONDS(20));
	process_free(process);
}

Test(reader, a_recording_tells_of_its_locks)
{
	struct process *process = decode(report_fixture());
	const struct lock *lock = process->locks[0];

	cr_assert_eq(process->locks_count, 2);
	cr_assert_eq(lock->address, 0x55d0c0b3e0a0);
	cr_assert_eq(lock->waits, 4);
	cr_assert_eq(lock->waited_ns, 35 * NS_PER_MS);
	cr_assert_eq(lock->waiting, 1);
	cr_assert_eq(lock->charged_ns, 28 * NS_PER_MS);
	cr_assert_null(lock->object, "on the heap");
	cr_assert_eq(lock->first, process->samples[SAMPLE_MUTEX].list->stack);
	cr_assert_eq(process->locks[1]->profile, SAMPLE_SEM);
	cr_assert_eq(process->law[SAMPLE_MUTEX].waited_ns, 35 * NS_PER_MS);
	cr_assert_eq(process->law[SAMPLE_SEM].waited_ns, 7 * NS_PER_MS);
	cr_assert(law_closes(&process->law[SAMPLE_MUTEX]));
	process_free(process);
}

Test(reader, a_recording_tells_who_still_waits)
{
	struct process *process = decode(report_fixture());
	const struct open_wait *wait = process->open_waits;

	cr_assert_eq(process->open_waits_count, 1);
	cr_assert_eq(wait->lock, process->locks[0]);
	cr_assert_eq(wait->lock->holder, 4711);
	cr_assert_str_eq(wait->thread, "worker");
	cr_assert_eq(wait->tid, 4712);
	cr_assert_eq(wait->waited_ns, 5 * NS_PER_MS);
	cr_assert_eq(wait->stack->depth, 2);
	process_free(process);
}

Test(reader, frames_become_addresses_in_their_modules)
{
	struct process *process = decode(report_fixture());
	const struct sample *stall = process->samples[SAMPLE_STALL].list;
	const struct frame *frames = stall->stack->frames;

	cr_assert_eq(process->samples[SAMPLE_STALL].count, 1);
	cr_assert_eq(stall->stack->depth, 3);
	cr_assert_str_eq(frames[0].module->path, "/opt/test/libc.so.6");
	cr_assert_eq(frames[0].address, 0x7f3000000000 + 0x1800);
	cr_assert_eq(frames[1].address, 0x55d0c09ff000 + 0x1100);
	process_free(process);
}

Test(reader, code_without_a_module_keeps_its_address)
{
	struct process *process = decode(report_fixture());
	const struct sample *unlock = process->samples[SAMPLE_MUTEX].list;

	cr_assert_null(unlock->stack->frames[1].module);
	cr_assert_eq(unlock->stack->frames[1].address, 0x7f0000001000);
	cr_assert_eq(unlock->lock, process->locks[0]);
	process_free(process);
}

#define assert_refused(rec, length, words)                                     \
	do {                                                                   \
		struct reading reading;                                        \
		cr_assert_not(open_bytes(&reading, rec, length));              \
		cr_assert(strstr(fault, words), "\"%s\" is not in \"%s\"",     \
			  words, fault);                                       \
	} while (0)

Test(reader, what_is_no_recording_is_refused)
{
	struct recording *rec = report_fixture();

	assert_refused("", 0, "too short");
	assert_refused(rec, sizeof(*rec) - 1, "too short");
	assert_refused(rec, rec->size_bytes - 1, "is cut short");
	rec->magic[0] = '\0';
	assert_refused(rec, rec->size_bytes, "is no recording");
}

Test(reader, another_format_is_refused_by_its_number)
{
	struct recording *rec = report_fixture();

	rec->version = 77;
	assert_refused(rec, rec->size_bytes, "of format 77");
}

Test(reader, sections_must_lie_in_the_file)
{
	struct recording *rec = report_fixture();
	const struct section good = rec->section[SECTION_LOCKS];
	struct section *section = &rec->section[SECTION_LOCKS];

	section->offset = rec->size_bytes;
	assert_refused(rec, rec->size_bytes, "locks lie outside");
	*section = good;
	section->offset = UINT64_MAX - 15;
	assert_refused(rec, rec->size_bytes, "locks lie outside");
	*section = good;
	section->offset += 8;
	assert_refused(rec, rec->size_bytes, "locks lie outside");
	*section = good;
	section->capacity = UINT32_MAX;
	assert_refused(rec, rec->size_bytes, "locks lie outside");
	*section = good;
	section->record_bytes--;
	assert_refused(rec, rec->size_bytes, "of another size");
	*section = good;
	section->offset = rec->section[SECTION_STACKS].offset;
	assert_refused(rec, rec->size_bytes, "lie in its");
}

/* How many records a reader leaves out. */
static uint64_t damaged_in(const struct recording *rec)
{
	struct reading reading;
	uint64_t damaged;

	cr_assert(open_bytes(&reading, rec, rec->size_bytes), "%s", fault);
	damaged = reading.damaged;
	reading_close(&reading);
	return damaged;
}

Test(reader, records_that_refer_to_nothing_are_left_out)
{
	struct recording *rec = report_fixture();
	uint32_t locks = rec->section[SECTION_LOCKS].capacity;
	uint32_t words = rec->section[SECTION_STACKS].capacity;
	struct thread_record *thread = section_records(rec, SECTION_THREADS);
	struct event_record *event = section_records(rec, SECTION_EVENTS);
	struct waiter_record *waiter = section_records(rec, SECTION_WAITERS);
	struct lock_record *lock = section_records(rec, SECTION_LOCKS);
	const uint64_t nowhere[] = { frame_pack(MAX_MODULES, 1) };
	uint32_t stray = add_stack(rec, nowhere, 1);

	cr_assert_eq(damaged_in(rec), 0);
	add_sample(rec, SAMPLE_KEY(SAMPLE_MUTEX, locks, 1), 1, 1, 1);
	cr_assert_eq(damaged_in(rec), 1, "no such lock");
	add_sample(rec, SAMPLE_KEY(SAMPLE_STALL, 0, words - 1), 1, 1, 1);
	cr_assert_eq(damaged_in(rec), 2, "a stack across the end");
	add_sample(rec, SAMPLE_KEY(SAMPLE_STALL, 0, 0), 1, 1, 1);
	cr_assert_eq(damaged_in(rec), 3, "no stack");
	add_sample(rec, SAMPLE_KEY(SAMPLE_STALL, 0, stray), 1, 1, 1);
	cr_assert_eq(damaged_in(rec), 4, "a frame in no module");
	add_sample(rec, 5, 1, 1, 1);
	cr_assert_eq(damaged_in(rec), 5, "a sample of no kind");
	event[0].thread = UINT32_MAX;
	cr_assert_eq(damaged_in(rec), 6, "an event of no thread");
	thread[1].wait_call = CALL_COUNT;
	cr_assert_eq(damaged_in(rec), 7, "an unknown call");
	waiter[0].lock = locks;
	cr_assert_eq(damaged_in(rec), 8, "a wait for no lock");
	lock[2].kind = LOCK_KIND_COUNT;
	cr_assert_eq(damaged_in(rec), 9, "a lock of no kind");
}

/* Reads as the command does, to the last line of the report. */
static bool read_whole(const void *bytes, size_t length)
{
	struct process *process;
	struct reading reading;

	if (!open_bytes(&reading, bytes, length)) {
		cr_assert_neq(fault[0], '\0');
		return false;
	}
	process = process_new("fixture.rec");
	decode_recording(process, reading.recording);
	reading_close(&reading);
	fixture_report(process);
	process_free(process);
	return true;
}

Test(reader, a_file_cut_anywhere_does_no_harm, .timeout = 120)
{
	struct recording *rec = report_fixture();
	size_t size = rec->size_bytes;

	for (size_t length = 0; length < size; length += 1 + length / 3)
		cr_assert_not(read_whole(rec, length), "%zu", length);
}

#define FLIPPED_FILES 4000

/* Where something is that means something: most of a recording is empty. */
static size_t place_to_flip(const struct recording *rec, uint64_t *state)
{
	unsigned which = (unsigned)(fixture_random(state) % SECTION_COUNT);
	const struct section *section = &rec->section[which];
	uint64_t used = (uint64_t)section->used * section->record_bytes;

	if (fixture_random(state) % 4 == 0)
		return fixture_random(state) % sizeof(*rec);
	return section->offset + fixture_random(state) % (used + 64);
}

Test(reader, random_flips_of_bits_do_no_harm, .timeout = 300)
{
	struct recording *rec = report_fixture();
	char *good = malloc(rec->size_bytes);
	size_t size = rec->size_bytes;
	uint64_t state = 88172645463325252;
	unsigned survived = 0;

	memcpy(good, rec, size);
	for (unsigned i = 0; i < FLIPPED_FILES; i++) {
		uint64_t flips = 1 + fixture_random(&state) % 8;

		memcpy(rec, good, size);
		for (; flips; flips--) {
			size_t at = place_to_flip((void *)good, &state);

			((char *)rec)[at] ^= (char)(1u << (state % 8));
		}
		survived += read_whole(rec, size);
	}
	free(good);
	cr_assert_gt(survived, FLIPPED_FILES / 4);
}
