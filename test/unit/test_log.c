/*
 * The log: its limit, its lines, and when a stall that goes on has one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/log.h"
#include "sigsafe/loops/log_door.h"
#include "sigsafe/os/clock.h"
#include "text_fixture.h"

static struct recording *rec;
static struct loop own;
static struct thread self = { .loop = &own };
static char path[] = "/tmp/test_log.XXXXXX";
static char said[1 << 16];

static void make(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	rec = text_fixture();
	log_door_start();
	log_door_to_file(path);
	log_start(60);
	self.recording = rec;
	own.event = (struct event_record){
		.begun_ns = rec->start_ns + SECONDS(2),
		.duration_ns = 52300000,
		.tid = 4712,
		.name = "io",
		.events = 3,
		.state = RUN_CAME_BACK,
		.cause_ns = { [CAUSE_BLOCKED] = 52000000 },
		.call = CALL_USLEEP,
		.in_call_ns = 52000000,
	};
}

static void release(void)
{
	unlink(path);
}

TestSuite(log, .init = make, .fini = release);

static const char *read_log(void)
{
	FILE *file = fopen(path, "r");

	cr_assert_not_null(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
	fclose(file);
	return said;
}

static int lines(void)
{
	int n = 0;

	for (const char *c = read_log(); *c; c++)
		n += *c == '\n';
	return n;
}

Test(log, a_line_says_all_of_it)
{
	const uint64_t frame[] = { frame_pack(1, 0x1234), frame_pack(1, 0x43),
				   frame_pack(0, 0x7f0000000001) };

	add_module(rec, "/usr/bin/app", 0x1000, 0x9000);
	own.event.stack = add_stack(rec, frame, ARRAY_SIZE(frame));
	/* It bears the time it is written. */
	rec->start_ns = clock_now_ns() - NS_PER_MS;
	live_begin(rec);
	log_stall(&self);
	cr_assert_str_eq(read_log(),
			 "stallshim: 2026-01-02T03:04:05Z app (4711): "
			 "io (4712) stalled for 52.3ms, blocked in usleep, "
			 "3 events, at app+0x1233 < app+0x42 < "
			 "0x7f0000000000\n");
}

Test(log, a_call_without_a_name_is_told_by_its_number)
{
	own.event.call = CALL_SYSTEM(250);
	log_stall(&self);
	cr_assert_not_null(
		strstr(read_log(), ", blocked in system-call-250, 3 events"));
	own.event.call = CALL_NONE;
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(), ", blocked, 3 events"));
}

Test(log, other_calls_are_told_from_a_tenth_of_the_time_on)
{
	/* It had 49 ms, and they had 3. */
	own.event.in_call_ns = 46000000;
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(), ", blocked in usleep, 3 events"));
	/* 46, and 6. */
	own.event.in_call_ns = 40000000;
	log_stall(&self);
	cr_assert_not_null(
		strstr(read_log(), ", blocked in usleep and others, 3 events"));
}

static void wait_for(enum lock_kind kind, uint64_t place)
{
	struct lock_record *lock = add_lock(rec, 0x55d0c0b3e0a0);

	lock->kind = kind;
	lock->place = place;
	own.event.cause_ns[CAUSE_BLOCKED] = 0;
	own.event.cause_ns[cause_of_wait(kind)] = 52000000;
	own.event.lock = lock->address;
	own.event.lock_index =
		(uint32_t)(lock - (struct lock_record *)section_records(
					  rec, SECTION_LOCKS));
}

Test(log, a_lock_is_told_by_its_place_and_its_holder_by_name)
{
	add_module(rec, "/usr/bin/app", 0x1000, 0x9000);
	wait_for(LOCK_MUTEX, frame_pack(1, 0x40c0));
	own.event.holder = 4713;
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(),
				  "stalled for 52.3ms, waiting for mutex "
				  "app+0x40c0, held by thread 4713, 3 "));
	strcpy(own.event.holder_name, "worker1");
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(), ", held by worker1 (4713), 3 "));
	/* Who let go of it is known better. */
	own.event.release = 1;
	own.event.releaser = 4714;
	strcpy(own.event.releaser_name, "worker2");
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(), ", held by worker2 (4714), 3 "));
}

Test(log, a_holder_that_never_waited_is_told_by_name)
{
	wait_for(LOCK_MUTEX, PLACE_STACK);
	own.event.holder = gettid();
	prctl(PR_SET_NAME, "keeper");
	own.event.state = RUN_LASTS;
	own.event.duration_ns = SECONDS(1);
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(), " 1s so far"));
	cr_assert_not_null(strstr(said, ", held by keeper ("));
}

Test(log, an_object_whose_name_is_cut_is_said_to_be)
{
	const uint64_t frame[] = { frame_pack(1, 0x11), frame_pack(2, 0x11) };

	/* Of 40 bytes, and of 41. */
	add_module(rec, "/lib0123456789012345678901234567890123456", 0x1000,
		   0x9000);
	add_module(rec, "/app01234567890123456789012345678901234567", 0x11000,
		   0x19000);
	own.event.stack = add_stack(rec, frame, ARRAY_SIZE(frame));
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(), "23456+0x10 < app0123"));
	cr_assert_not_null(strstr(said, "23456...+0x10\n"));
}

Test(log, a_lock_on_a_stack_is_said_to_be_there)
{
	wait_for(LOCK_RWLOCK, PLACE_STACK);
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(),
				  "waiting for rwlock 0x55d0c0b3e0a0 on a "
				  "stack, 3 events"));
}

Test(log, what_is_no_lock_is_called_by_its_name)
{
	wait_for(LOCK_JOIN, 0);
	/* Several. */
	own.event.holder = -1;
	log_stall(&self);
	cr_assert_not_null(
		strstr(read_log(), "waiting for a thread to end, 3 events"));
	own.event.holder = 4713;
	log_stall(&self);
	cr_assert_not_null(
		strstr(read_log(), "waiting for thread 4713 to end, 3 events"));
	strcpy(own.event.holder_name, "worker1");
	log_stall(&self);
	cr_assert_not_null(strstr(
		read_log(), "waiting for thread worker1 (4713) to end, 3 "));
}

Test(log, a_lock_that_lost_its_record_is_a_lock)
{
	wait_for(LOCK_MUTEX, 0);
	own.event.lock++;
	log_stall(&self);
	cr_assert_not_null(strstr(read_log(), "waiting for a lock, 3 events"));
}

Test(log, a_name_can_not_make_a_second_line)
{
	strcpy(own.event.name, "a\nb\033[2J");
	log_stall(&self);
	cr_assert_eq(lines(), 1);
	cr_assert_null(strchr(said, '\033'));
}

Test(log, a_line_that_is_too_long_is_cut_and_says_so)
{
	const uint64_t frame[] = { frame_pack(1, 1), frame_pack(1, 2),
				   frame_pack(1, 3), frame_pack(1, 4) };
	char worst[64];

	memset(worst, '\001', sizeof(worst) - 1);
	worst[sizeof(worst) - 1] = '\0';
	add_module(rec, worst, 0x1000, 0x9000);
	memset(own.event.name, '\001', NAME_BYTES);
	memset(rec->comm, '\001', NAME_BYTES);
	live_begin(rec);
	own.event.stack = add_stack(rec, frame, ARRAY_SIZE(frame));
	log_start(1);
	log_stall(&self);
	cr_assert_eq(lines(), 1);
	cr_assert_eq(strlen(said), 516);
	cr_assert_str_eq(said + 512, "...\n");
	/* What stood behind the cut is told by the next line that is whole. */
	log_stall(&self);
	own.event.begun_ns += SECONDS(60);
	log_stall(&self);
	cr_assert_eq(lines(), 2);
	cr_assert_null(strstr(said, "suppressed"));
	log_end(rec, false);
	cr_assert_eq(lines(), 3);
	cr_assert_not_null(strstr(said, ": suppressed 1\n"));
}

Test(log, a_minute_has_so_many_lines)
{
	log_start(5);
	for (int i = 0; i < 10; i++)
		log_stall(&self);
	cr_assert_eq(lines(), 5);
	cr_assert_eq(fixture_lost(LOST_LOG_LIMIT), 5);
	/* The next minute. */
	own.event.begun_ns += SECONDS(60);
	log_stall(&self);
	cr_assert_eq(lines(), 6);
	cr_assert_not_null(strstr(said, "; suppressed 5\n"));
	log_stall(&self);
	cr_assert_eq(lines(), 7);
	cr_assert_eq(fixture_lost(LOST_LOG_LIMIT), 5);
}

Test(log, the_end_says_what_was_left_out)
{
	log_start(1);
	log_end(rec, false);
	cr_assert_eq(lines(), 0);
	log_stall(&self);
	log_stall(&self);
	log_end(rec, false);
	cr_assert_eq(lines(), 2);
	cr_assert_not_null(strstr(said, ": suppressed 1\n"));
	log_end(rec, false);
	cr_assert_eq(lines(), 2);
}

/* A loop in a run that began 30 ms before the end, and was shared out. */
static struct thread_record *add_stalled(void)
{
	struct thread_record *loop = add_loop(rec, 4712, "io");

	rec->end_ns = rec->start_ns + SECONDS(1);
	loop->run_begun_ns = rec->end_ns - 30 * NS_PER_MS;
	loop->run_shared_ns = rec->end_ns - 5 * NS_PER_MS;
	return loop;
}

Test(log, a_stall_that_lasts_at_the_end_has_a_line)
{
	struct thread_record *loop = add_stalled();
	const struct thread_record *threads =
		section_records(rec, SECTION_THREADS);
	struct event_record *ring = section_records(rec, SECTION_EVENTS);

	ring[3] = own.event;
	ring[3].thread = (uint32_t)(loop - threads);
	ring[3].begun_ns = loop->run_begun_ns;
	log_end(rec, false);
	cr_assert_eq(lines(), 1);
	cr_assert_not_null(strstr(said, ": io (4712) is stalled, for 25ms so "
					"far, blocked in usleep, 3 events\n"));
	/* In a call that sleeps it has lasted until the end. */
	loop->blocked_call = CALL_POLL;
	loop->blocked_stack = 1;
	log_end(rec, false);
	cr_assert_eq(lines(), 2);
	cr_assert_not_null(strstr(said, " is stalled, for 30ms so far, blocked "
					"in usleep, 3 events\n"));
	/* Of one that the timeline does not have that call is known. */
	ring[3].begun_ns = 0;
	loop->run_shared_ns = 0;
	log_end(rec, false);
	cr_assert_eq(lines(), 3);
	cr_assert_not_null(strstr(said, " is stalled, for 30ms so far, blocked "
					"in poll, 0 events\n"));
}

Test(log, of_execs_that_fail_the_first_tells_a_stall)
{
	struct thread_record *loop = add_stalled();

	log_end(rec, true);
	log_end(rec, true);
	cr_assert_eq(lines(), 1);
	/* Another one; it was no stall yet. */
	loop->run_begun_ns = rec->end_ns - 5 * NS_PER_MS;
	rec->end_ns += SECONDS(1);
	loop->run_shared_ns = rec->end_ns;
	log_end(rec, true);
	log_end(rec, true);
	cr_assert_eq(lines(), 2);
	log_end(rec, false);
	cr_assert_eq(lines(), 3);
}

Test(log, a_stall_that_goes_on_is_told_at_doubled_lengths)
{
	own.event.state = RUN_LASTS;
	for (uint64_t ms = 10; ms <= 10000; ms += 10) {
		own.event.duration_ns = ms * NS_PER_MS;
		log_stall(&self);
	}
	/* 1, 2, 4, 8 s */
	cr_assert_eq(lines(), 4);
	own.event.state = RUN_CAME_BACK;
	log_stall(&self);
	cr_assert_eq(lines(), 5);
}

Test(log, what_could_not_be_written_is_counted_and_told_later)
{
	log_start(1);
	log_stall(&self);
	log_stall(&self);
	log_door_to_file("/nowhere/log");
	own.event.begun_ns += SECONDS(60);
	log_stall(&self);
	cr_assert_eq(fixture_lost(LOST_LOG), 1);
	log_door_to_file(path);
	own.event.begun_ns += SECONDS(60);
	log_stall(&self);
	cr_assert_eq(lines(), 2);
	cr_assert_not_null(strstr(said, "; suppressed 1\n"));
}

Test(log, none_is_written_where_none_is_wanted)
{
	log_start(0);
	log_stall(&self);
	log_end(rec, false);
	cr_assert_eq(lines(), 0);
}

#define THREADS	   4
#define PER_THREAD 100

static void *log_many(void *unused)
{
	struct thread mine = self;

	(void)unused;
	for (int i = 0; i < PER_THREAD; i++)
		log_stall(&mine);
	return NULL;
}

Test(log, threads_share_the_limit_exactly)
{
	pthread_t thread[THREADS];
	int limit = THREADS * PER_THREAD / 3;

	log_start((uint32_t)limit);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, log_many, NULL),
			     0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	cr_assert_eq(lines(), limit);
	cr_assert_eq(fixture_lost(LOST_LOG_LIMIT),
		     THREADS * PER_THREAD - limit);
}
