/*
 * A recording with something of everything in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report_fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/write.h"
#include "text_fixture.h"

static void fill_lock(struct recording *rec, uint32_t stack)
{
	struct lock_record *lock = add_lock(rec, 0x55d0c0b3e0a0);
	struct waiter_record *waiter = section_records(rec, SECTION_WAITERS);
	uint64_t begun_ns = rec->end_ns - 5 * NS_PER_MS;

	lock->waits = 4;
	lock->waited_sum = 30 * NS_PER_MS - begun_ns;
	lock->ledger.sum = begun_ns;
	lock->ledger.base_n = 1;
	lock->charged_ns = 28 * NS_PER_MS;
	lock->handoff_ns = 2 * NS_PER_MS;
	lock->charges = 3;
	lock->longest_wait_ns = 12 * NS_PER_MS;
	lock->most_waiters = 2;
	lock->place = 0;
	lock->holder = 4711;
	lock->first_stack = stack;
	waiter[0] = (struct waiter_record){
		.start_ns = begun_ns,
		.lock = 1,
		.stack = stack,
		.tid = 4712,
		.claimed = 1,
		.name = "worker",
	};
}

static void fill_semaphore(struct recording *rec)
{
	struct lock_record *lock = add_lock(rec, 0x55d0c0b3e100);

	lock->kind = LOCK_SEMAPHORE;
	lock->place = 0;
	lock->waits = 1;
	lock->waited_sum = 7 * NS_PER_MS;
	lock->charged_ns = 6 * NS_PER_MS;
	lock->handoff_ns = NS_PER_MS;
	lock->charges = 1;
}

static void add_event(struct recording *rec, uint64_t begun_ns,
		      uint64_t duration_ns, uint32_t stack)
{
	struct section *section = &rec->section[SECTION_EVENTS];
	struct event_record *event = section_records(rec, SECTION_EVENTS);

	event[section->used++] = (struct event_record){
		.begun_ns = rec->start_ns + begun_ns,
		.duration_ns = duration_ns,
		.thread = 1,
		.tid = 4711,
		.stack = stack,
		.ticks = 3,
		.state = RUN_CAME_BACK,
		.name = "main loop",
	};
}

static void fill_stalls(struct recording *rec, uint32_t stack)
{
	struct thread_record *loop = add_loop(rec, 4711, "main loop");

	loop->first_wait_ns = rec->start_ns + SECONDS(1);
	loop->stalls = 2;
	loop->stalled_ns = 80 * NS_PER_MS;
	loop->longest_run_ns = 60 * NS_PER_MS;
	/* The ring may have turned: the later one comes first. */
	add_event(rec, SECONDS(20), 20 * NS_PER_MS, stack);
	add_event(rec, SECONDS(10), 60 * NS_PER_MS, stack);
	add_sample(rec, SAMPLE_KEY(SAMPLE_STALL, 0, stack), 80 * NS_PER_MS, 6,
		   60 * NS_PER_MS);
}

struct recording *report_fixture(void)
{
	struct recording *rec = text_fixture();
	const uint64_t in_libc[] = { frame_pack(2, 0x1800) | FRAME_EXACT,
				     frame_pack(1, 0x1100),
				     frame_pack(1, 0x1200) };
	const uint64_t in_app[] = { frame_pack(1, 0x1300),
				    frame_pack(0, 0x7f0000001000) };
	uint32_t stall, unlock;

	add_module(rec, "/opt/test/app", 0x55d0c0a00000, 0x55d0c0b00000);
	add_module(rec, "/opt/test/libc.so.6", 0x7f3000001000, 0x7f3000200000);
	stall = add_stack(rec, in_libc, ARRAY_SIZE(in_libc));
	unlock = add_stack(rec, in_app, ARRAY_SIZE(in_app));
	fill_lock(rec, unlock);
	fill_semaphore(rec);
	fill_stalls(rec, stall);
	add_sample(rec, SAMPLE_KEY(SAMPLE_MUTEX, 1, unlock), 28 * NS_PER_MS, 3,
		   12 * NS_PER_MS);
	add_sample(rec, SAMPLE_KEY(SAMPLE_WAIT, 1, stall), 30 * NS_PER_MS, 3,
		   12 * NS_PER_MS);
	add_sample(rec, SAMPLE_KEY(SAMPLE_SEM, 2, unlock), 6 * NS_PER_MS, 1,
		   6 * NS_PER_MS);
	rec->lost[LOST_WALK_BUSY] = 1;
	return rec;
}

int fixture_file(const void *bytes, size_t length)
{
	int fd = memfd_create("fixture", MFD_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, length), (ssize_t)length);
	return fd;
}

void fixture_report(struct process *process)
{
	struct symbols *symbols = symbols_open();
	struct report report = {
		.out = fopen("/dev/null", "w"),
		.process = process,
		.symbols = symbols,
		.top = 10,
	};

	cr_assert_not_null(report.out);
	symbols_name_all(symbols, process);
	write_report(&report);
	fclose(report.out);
	symbols_close(symbols);
}

/* Marsaglia's xorshift. */
uint64_t fixture_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}
