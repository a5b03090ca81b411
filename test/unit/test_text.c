/*
 * The text writer: FORMAT's rules, each as it can be broken.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "text_fixture.h"

#define APP 0x55d0c0a01000
#define LIB 0x7f0000001000

static struct recording *rec;
static uint64_t in_app[2]; /* frame words */
static char *text;

static void make(void)
{
	struct module_record *app;

	rec = text_fixture();
	app = add_module(rec, "/usr/bin/app", APP, APP + 0x2000);
	app->build_id_bytes = 4;
	memcpy(app->build_id, "\x0f\x3a\x00\xff", 4);
	in_app[0] = frame_pack(1, 0x1234);
	in_app[1] = frame_pack(1, 0x2fff);
}

static void release(void)
{
	free(text);
}

TestSuite(text, .init = make, .fini = release);

static void check_has(const char *part)
{
	cr_assert_not_null(strstr(text, part), "no '%s' in\n%s", part, text);
}

static void check_lacks(const char *part)
{
	cr_assert_null(strstr(text, part), "'%s' in\n%s", part, text);
}

static struct sample_record *sample_of(enum sample_kind kind, uint32_t lock,
				       uint64_t total_ns)
{
	uint32_t stack = add_stack(rec, in_app, 2);

	return add_sample(rec, SAMPLE_KEY(kind, lock, stack), total_ns, 5,
			  total_ns);
}

static bool name_function(void *ctx, const struct recording *of, uint64_t frame,
			  struct text_name *answer)
{
	(void)of;
	*answer = (struct text_name){ ctx, 0x42 };
	return frame == in_app[0];
}

static bool name_variable(void *ctx, const struct recording *of, uint64_t place,
			  struct text_name *answer)
{
	(void)ctx;
	(void)of;
	*answer = (struct text_name){ "cache_lock", 0 };
	return FRAME_MODULE(place) == 1;
}

static const struct text_names names = { name_function, name_variable,
					 "flush_cache" };

/* A mutex of the program, with a charge that closes the law. */
static struct lock_record *add_cache_lock(void)
{
	struct lock_record *lock = add_lock(rec, 0x55d0c0b3e0a0);

	lock->place = frame_pack(1, 0x4000);
	lock->waits = 5;
	lock->waited_sum = 1234567;
	lock->charged_ns = 1230000;
	lock->handoff_ns = 4567;
	return lock;
}

Test(text, of_mutexes_is_as_the_format_shows)
{
	add_cache_lock();
	sample_of(SAMPLE_MUTEX, 1, 48210334);
	text = text_of(rec, SAMPLE_MUTEX, &names);
	cr_assert_str_eq(
		text, "--- contention:\n"
		      "cycles/second=1000000000\n"
		      "sampling period=1\n"
		      "ms since reset=61002\n"
		      "discarded samples=0\n"
		      "# tool=stallshim-0.1.0\n"
		      "# kind=mutex\n"
		      "# pid=4711 comm=app host=db1 start=2026-01-02T03:04:05Z "
		      "stall=10ms charge=exact.\n"
		      "# waited=1234567ns charged=1230000ns handoff=4567ns "
		      "open=0ns.\n"
		      "# end=exit.\n"
		      "\n"
		      "48210334 5 @ 0x55d0c0a01234 0x55d0c0a02fff\n"
		      "#\tlock=0x55d0c0b3e0a0 name=cache_lock object=app "
		      "max=48210334ns.\n"
		      "#\t0x55d0c0a01233\tflush_cache+0x42\t/usr/bin/app\n"
		      "#\t0x55d0c0a02ffe\tapp+0x2ffe\t/usr/bin/app\n"
		      "\n"
		      "--- Memory map: ---\n"
		      "55d0c0a01000-55d0c0a03000 r-xp /usr/bin/app (@1000) "
		      "0f3a00ff\n"
		      "55d0c0a01000-55d0c0a03000 r-xp 00001000 00:00 0 "
		      "/usr/bin/app\n");
}

Test(text, of_stalls_names_its_loops)
{
	struct thread_record *loop = add_loop(rec, 4712, "io 1");

	loop->stalls = 2;
	loop->stalled_ns = 60 * NS_PER_MS;
	loop->unseen = 1;
	loop->longest_run_ns = 45 * NS_PER_MS;
	sample_of(SAMPLE_STALL, 0, 60 * NS_PER_MS);
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n# kind=stall\n");
	check_has("\n# loops=1 stalls=2 stalled=60000000ns unseen=1 "
		  "longest=45000000ns.\n"
		  "# cpu=0ns blocked=0ns lock=0ns semaphore=0ns "
		  "barrier=0ns join=0ns faults=0ns "
		  "unscheduled=0ns.\n"
		  "# loop=4712 name=io\\0401 wait=epoll_wait turns=12345 "
		  "events=20000 busy=1000000000ns watched=61002000000ns "
		  "longest=45000000ns threshold=10ms stalls=2 "
		  "stalled=60000000ns.\n"
		  "# end=exit.\n\n");
	check_has("\n60000000 5 @ 0x55d0c0a01234 0x55d0c0a02fff\n"
		  "#\tcause=unknown max=60000000ns.\n\n---");
	check_lacks("waited=");
}

Test(text, has_only_samples_of_its_kind)
{
	add_cache_lock();
	sample_of(SAMPLE_MUTEX, 1, 111);
	sample_of(SAMPLE_WAIT, 1, 222);
	sample_of(SAMPLE_STALL, 0, 333);
	text = text_of(rec, SAMPLE_WAIT, NULL);
	check_has("\n222 5 @");
	check_has("\n# kind=wait\n");
	check_has("\n# waited=1234567ns ");
	check_lacks("\n111 ");
	check_lacks("\n333 ");
}

Test(text, without_samples_still_says_what_was_watched)
{
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n# loops=0 stalls=0 stalled=0ns unseen=0 longest=0ns.\n");
	check_lacks("@ 0x");
	free(text);
	rec->thresholds.others_ns = 0;
	rec->watches_locks = 0;
	rec->watches_waiters = 0;
	text = text_of(rec, SAMPLE_WAIT, NULL);
	check_has(" stall=off ");
	check_has("\n# locks=off.\n# waiters=off.\n");
	check_lacks("waited=");
}

Test(text, begins_with_the_longest)
{
	static const uint64_t total_ns[] = { 30, 5, 90, 30, 7, 90, 1 };
	const char *at;

	for (size_t i = 0; i < ARRAY_SIZE(total_ns); i++)
		sample_of(SAMPLE_STALL, 0, total_ns[i]);
	text = text_of(rec, SAMPLE_STALL, NULL);
	at = strstr(text, "\n90 5 @");
	cr_assert_not_null(at);
	at = strstr(at + 1, "\n90 5 @");
	cr_assert_not_null(at);
	at = strstr(at + 1, "\n30 5 @");
	cr_assert_not_null(at);
	at = strstr(strstr(at + 1, "\n30 5 @"), "\n7 5 @");
	cr_assert_not_null(at);
	cr_assert_not_null(strstr(strstr(at, "\n5 5 @"), "\n1 5 @"));
}

Test(text, keeps_two_locks_of_one_stack_apart)
{
	uint32_t stack = add_stack(rec, in_app, 2);

	add_lock(rec, 0xaaa000);
	add_lock(rec, 0xbbb000);
	add_sample(rec, SAMPLE_KEY(SAMPLE_MUTEX, 1, stack), 10, 1, 10);
	add_sample(rec, SAMPLE_KEY(SAMPLE_MUTEX, 2, stack), 20, 1, 20);
	text = text_of(rec, SAMPLE_MUTEX, NULL);
	check_has("\n20 1 @ 0x55d0c0a01234 0x55d0c0a02fff\n"
		  "#\tlock=0xbbb000 name=- object=heap max=20ns.\n"
		  "\n10 1 @ 0x55d0c0a01234 0x55d0c0a02fff\n"
		  "#\tlock=0xaaa000 name=- object=heap max=10ns.\n");
}

Test(text, tells_what_kind_of_lock_where_it_is_no_mutex)
{
	uint32_t stack = add_stack(rec, in_app, 2);

	add_lock(rec, 0xaaa000)->kind = LOCK_RWLOCK;
	add_sample(rec, SAMPLE_KEY(SAMPLE_MUTEX, 1, stack), 10, 1, 10);
	text = text_of(rec, SAMPLE_MUTEX, NULL);
	check_has("name=- object=heap kind=rwlock max=10ns.\n");
}

Test(text, values_stop_at_the_largest_int64)
{
	sample_of(SAMPLE_STALL, 0, UINT64_MAX)->count = UINT64_MAX;
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n9223372036854775807 9223372036854775807 @");
}

Test(text, has_no_sample_with_count_0)
{
	sample_of(SAMPLE_STALL, 0, 10)->count = 0;
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_lacks("@ 0x");
}

Test(text, says_when_operations_are_in_flight)
{
	rec->in_flight = 2;
	text = text_of(rec, SAMPLE_MUTEX, NULL);
	check_has("\n# in_flight=2: the sums may be off by that many "
		  "operations.\n");
	check_lacks("difference");
}

Test(text, says_when_the_law_does_not_close)
{
	add_cache_lock()->charged_ns++;
	text = text_of(rec, SAMPLE_MUTEX, NULL);
	check_has("\n# difference=1ns: more is accounted for than was "
		  "waited.\n");
}

Test(text, counts_all_that_was_lost)
{
	rec->lost[LOST_STACK] = 3;
	rec->lost[LOST_NO_SIGNAL] = 1;
	rec->discarded[SAMPLE_WAIT] = 12;
	rec->discarded_ns[SAMPLE_WAIT] = 999;
	text = text_of(rec, SAMPLE_WAIT, NULL);
	check_has("\ndiscarded samples=12\n");
	check_has("\n# discarded=999ns: without a stack.\n"
		  "# lost=3: stack table full.\n"
		  "# lost=1: ticks left out: no signal can be had for "
		  "them.\n");
	check_lacks("sample table full");
}

Test(text, tells_of_a_run_that_has_not_ended)
{
	struct thread_record *loop = add_loop(rec, 4712, "worker");

	loop->run_begun_ns = rec->end_ns - SECONDS(3);
	loop->blocked_call = CALL_NANOSLEEP;
	loop->blocked_ns = rec->end_ns - SECONDS(2);
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n# unfinished=3000000000ns thread=4712 name=worker "
		  "in=nanosleep blocked=2000000000ns.\n");
	check_has(" longest=3000000000ns.\n");
	free(text);
	loop->blocked_call = CALL_NONE;
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n# unfinished=3000000000ns thread=4712 name=worker.\n");
}

Test(text, a_short_run_at_the_end_is_nothing)
{
	add_loop(rec, 4712, "worker")->run_begun_ns =
		rec->end_ns - rec->thresholds.others_ns + 1;
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_lacks("unfinished");
}

Test(text, a_first_run_counts_only_where_the_end_came_by_force)
{
	struct thread_record *thread = add_loop(rec, 4712, "main");

	thread->waits = 1;
	thread->run_begun_ns = rec->end_ns - SECONDS(3);
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n# loops=0 ");
	check_lacks("unfinished");
	free(text);
	rec->end = END_SIGNAL;
	rec->end_detail = 15;
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n# loops=0 ");
	check_has("\n# unfinished=3000000000ns thread=4712 name=main.\n"
		  "# end=signal 15.\n");
}

Test(text, says_how_it_ended)
{
	static const struct {
		enum recording_end end;
		const char *line;
	} ends[] = {
		{ END_RUNNING, "\n# end=running.\n" },
		{ END_EXIT, "\n# end=exit.\n" },
		{ END_AT_ONCE, "\n# end=exit at once, status 7.\n" },
		{ END_EXEC, "\n# end=exec.\n" },
		{ END_SIGNAL, "\n# end=signal 7.\n" },
		{ END_SECCOMP, "\n# end=seccomp.\n" },
	};

	rec->end_detail = 7;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		free(text);
		rec->end = ends[i].end;
		text = text_of(rec, SAMPLE_STALL, NULL);
		check_has(ends[i].line);
	}
}

/* Go's scanner takes lines below 64 KiB; speedscope a space and digits. */
static void check_line(const char *line, size_t length)
{
	size_t digits = 0;

	cr_assert_lt(length, 65536);
	if (line[0] != '#')
		return;
	while (digits < length &&
	       isdigit((unsigned char)line[length - 1 - digits]))
		digits++;
	cr_assert(!digits || !isspace((unsigned char)line[length - 1 - digits]),
		  "%.*s", (int)length, line);
}

Test(text, no_comment_line_looks_like_a_sample)
{
	static const struct text_names odd = { name_function, name_variable,
					       "odd name 3" };
	uint64_t deep[MAX_DEPTH];
	const char *line;

	strcpy(rec->comm, "app 2");
	strcpy(rec->host, "host\n5");
	add_loop(rec, 4712, "worker 1")->run_begun_ns = rec->start_ns;
	strcpy(add_module(rec, "/opt/my app 2", LIB, LIB + 0x1000)->path,
	       "/opt/my app 2");
	add_lock(rec, 0x123)->place = frame_pack(2, 0x10);
	for (size_t i = 0; i < MAX_DEPTH; i++)
		deep[i] = i % 2 ? frame_pack(2, i) : in_app[0];
	add_sample(rec,
		   SAMPLE_KEY(SAMPLE_MUTEX, 1, add_stack(rec, deep, MAX_DEPTH)),
		   1, 1, 1);
	add_sample(rec,
		   SAMPLE_KEY(SAMPLE_STALL, 0, add_stack(rec, deep, MAX_DEPTH)),
		   1, 1, 1);
	for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
		free(text);
		text = text_of(rec, kind, &odd);
		for (line = text; *line; line = strchr(line, '\n') + 1)
			check_line(line, strcspn(line, "\n"));
	}
}

Test(text, map_gives_jit_code_whole_pages_beside_the_modules)
{
	/* In 0x7f0000000000's 64 KiB lies LIB's text: that stays LIB's. */
	const uint64_t jit[] = { 0x30010000,	 0x3000ffff, 0x30010005,
				 0x7f0000000801, 0x40000001, 0x30010005 };

	add_module(rec, "/lib/libx.so", LIB, LIB + 0x2000);
	add_sample(rec,
		   SAMPLE_KEY(SAMPLE_STALL, 0,
			      add_stack(rec, jit, ARRAY_SIZE(jit))),
		   1, 1, 1);
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n1 1 @ 0x30010000 0x3000ffff 0x30010005 0x7f0000000801 "
		  "0x40000001 0x30010005\n");
	check_has("\n30000000-30020000 r-xp [anon]\n"
		  "30000000-30020000 r-xp 00000000 00:00 0 [anon]\n"
		  "40000000-40010000 r-xp [anon]\n"
		  "40000000-40010000 r-xp 00000000 00:00 0 [anon]\n"
		  "7f0000000000-7f0000001000 r-xp [anon]\n"
		  "7f0000000000-7f0000001000 r-xp 00000000 00:00 0 [anon]\n"
		  "7f0000003000-7f0000010000 r-xp [anon]\n");
}

Test(text, map_holds_more_jit_pages_than_fit_between_two_tidyings)
{
	uint32_t words = rec->section[SECTION_STACKS].capacity;
	uint64_t jit[MAX_DEPTH];
	uint32_t stack;

	for (uint64_t i = 0; i < MAX_DEPTH; i++)
		jit[i] = 0x30000001 + (i % 2 << 20);
	stack = add_stack(rec, jit, MAX_DEPTH);
	/* One stack, many locks: more frames than the arena has words. */
	for (uint32_t lock = 0; lock < words / MAX_DEPTH + 2; lock++)
		add_sample(rec, SAMPLE_KEY(SAMPLE_WAIT, lock, stack), 1, 1, 1);
	text = text_of(rec, SAMPLE_WAIT, NULL);
	check_has("\n30000000-30010000 r-xp [anon]\n");
	check_has("\n30100000-30110000 r-xp [anon]\n");
}

Test(text, map_begins_with_the_lowest_module)
{
	const char *first;

	add_module(rec, "/lib/early.so", 0x400000, 0x401000);
	text = text_of(rec, SAMPLE_STALL, NULL);
	first = strstr(text, "--- Memory map: ---\n400000-401000 r-xp");
	cr_assert_not_null(first);
}

Test(text, two_modules_at_one_place_get_two_places)
{
	uint64_t frames[2];

	add_module(rec, "/lib/first.so", LIB, LIB + 0x1000);
	add_module(rec, "/lib/second.so", LIB, LIB + 0x1000);
	frames[0] = frame_pack(2, 0x1010);
	frames[1] = frame_pack(3, 0x1010);
	add_sample(rec, SAMPLE_KEY(SAMPLE_STALL, 0, add_stack(rec, frames, 2)),
		   1, 1, 1);
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n1 1 @ 0x7f0000001010 0x1000c0000010\n");
	check_has("\n1000c0000000-1000c0001000 r-xp /lib/second.so (@1000)\n");
	check_has("\n7f0000001000-7f0000002000 r-xp /lib/first.so (@1000)\n");
}

Test(text, map_leaves_out_a_module_whose_text_is_not_known)
{
	const uint64_t frame = frame_pack(2, 0x10);
	struct module_record *m = add_module(rec, "/lib/odd.so", LIB, LIB);

	m->text_start = m->text_end = 0;
	add_sample(rec, SAMPLE_KEY(SAMPLE_STALL, 0, add_stack(rec, &frame, 1)),
		   1, 1, 1);
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n1 1 @ 0x7f0000000010\n");
	check_lacks("odd.so");
}

Test(text, map_shows_whole_memory_pages)
{
	struct module_record *m =
		add_module(rec, "/lib/libx.so", LIB + 0x140, LIB + 0x1240);

	m->text_offset = 0x1140;
	text = text_of(rec, SAMPLE_STALL, NULL);
	check_has("\n7f0000001000-7f0000003000 r-xp 00001000 00:00 0 "
		  "/lib/libx.so\n");
}

static void count_piece(void *ctx, const char *bytes, size_t length)
{
	(void)bytes;
	*(size_t *)ctx += length;
}

Test(text, stays_within_the_scratch_it_asked_for)
{
	size_t bytes = text_scratch_bytes(rec);
	/* The sanitizers watch its end. */
	void *scratch = malloc(bytes);
	size_t written = 0;
	const struct text_out out = { count_piece, &written };
	struct section *samples = &rec->section[SECTION_SAMPLES];
	uint32_t stack = add_stack(rec, in_app, 2);

	for (uint32_t i = 0; i < samples->capacity; i++)
		((struct sample_record *)section_records(
			rec, SECTION_SAMPLES))[i] = (struct sample_record){
			.key = SAMPLE_KEY(SAMPLE_WAIT, i, stack),
			.total_ns = i,
			.count = 1,
		};
	while (rec->section[SECTION_MODULES].used <
	       rec->section[SECTION_MODULES].capacity)
		add_module(rec, "/lib/full.so", LIB, LIB + 0x1000);
	text_write(rec, SAMPLE_WAIT, rec->end_ns, scratch, &out, &names);
	cr_assert_gt(written, samples->capacity * 40);
	free(scratch);
}
