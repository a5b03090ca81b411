/*
 * The reader of texts: it understands what the writer of texts writes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/text_reader.h"
#include "report/text_words.h"
#include "report_fixture.h"
#include "text_fixture.h"

static char fault[256];

static bool name_function(void *ctx, const struct recording *rec,
			  uint64_t frame, struct text_name *answer)
{
	(void)ctx;
	(void)rec;
	*answer =
		(struct text_name){ "parse_config", FRAME_OFFSET(frame) % 256 };
	return FRAME_MODULE(frame) == 1;
}

static bool name_variable(void *ctx, const struct recording *rec,
			  uint64_t place, struct text_name *answer)
{
	(void)ctx;
	(void)rec;
	(void)place;
	*answer = (struct text_name){ "cache_lock", 0 };
	return true;
}

static const struct text_names names = { name_function, name_variable, NULL };

static void read_kind(struct process *process, const struct recording *rec,
		      enum sample_kind kind, const struct text_names *with)
{
	char *text = text_of(rec, kind, with);

	cr_assert(text_read(process, text, fault, sizeof(fault)), "%s", fault);
	free(text);
}

static struct process *process_of(const struct recording *rec,
				  enum sample_kind kind,
				  const struct text_names *with)
{
	struct process *process = process_new("fixture.txt");

	read_kind(process, rec, kind, with);
	return process;
}

Test(text_reader, a_text_tells_which_process_it_was)
{
	struct process *process =
		process_of(report_fixture(), SAMPLE_MUTEX, NULL);

	cr_assert_str_eq(process->comm, "app");
	cr_assert_str_eq(process->host, "db1");
	cr_assert_str_eq(process->tool, "0.1.0");
	cr_assert_eq(process->pid, 4711);
	cr_assert_eq(process->start_realtime_ns, SECONDS(1767323045));
	cr_assert_eq(process->lived_ns, 61002 * NS_PER_MS);
	cr_assert_eq(process->thresholds.others_ns, 10 * NS_PER_MS);
	cr_assert_eq(process->end, END_EXIT);
	process_free(process);
}

Test(text_reader, each_end_is_told_apart)
{
	static const struct {
		enum recording_end end;
		int detail;
	} ends[] = {
		{ END_RUNNING, 0 }, { END_EXIT, 0 },	{ END_AT_ONCE, 3 },
		{ END_EXEC, 0 },    { END_SIGNAL, 15 }, { END_SECCOMP, 0 },
	};
	struct recording *rec = report_fixture();

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct process *process;

		rec->end = ends[i].end;
		rec->end_detail = ends[i].detail;
		process = process_of(rec, SAMPLE_STALL, NULL);
		cr_assert_eq(process->end, ends[i].end);
		cr_assert_eq(process->end_detail, ends[i].detail);
		process_free(process);
	}
}

Test(text_reader, a_charge_by_gos_rule_is_told)
{
	struct recording *rec = report_fixture();
	struct process *process = process_of(rec, SAMPLE_MUTEX, NULL);

	cr_assert_not(process->charges_like_go);
	process_free(process);
	rec->charges_like_go = 1;
	process = process_of(rec, SAMPLE_MUTEX, NULL);
	cr_assert(process->charges_like_go);
	process_free(process);
}

Test(text_reader, names_of_any_bytes_come_back_in_words)
{
	struct recording *rec = report_fixture();
	struct thread_record *thread = section_records(rec, SECTION_THREADS);
	struct process *process;

	strcpy(rec->comm, "a b=\\ \n\377");
	strcpy(thread[1].name, "main loop. 7");
	process = process_of(rec, SAMPLE_STALL, NULL);
	cr_assert_str_eq(process->comm, "a b=\\134 \\012\\377");
	cr_assert_str_eq(process->loops[0].name, "main loop. 7");
	process_free(process);
}

Test(text_reader, the_stall_text_tells_of_loops)
{
	struct process *process =
		process_of(report_fixture(), SAMPLE_STALL, NULL);
	const struct loop *loop = process->loops;

	cr_assert_eq(process->loops_count, 1);
	cr_assert_eq(loop->tid, 4711);
	cr_assert_str_eq(loop->wait_call, "epoll_wait");
	cr_assert_eq(loop->turns, 12345);
	cr_assert_eq(loop->busy_ns, SECONDS(1));
	cr_assert_eq(loop->longest_ns, 60 * NS_PER_MS);
	cr_assert_eq(loop->stalls, 2);
	cr_assert_eq(loop->stalled_ns, 80 * NS_PER_MS);
	cr_assert(process->samples[SAMPLE_STALL].is_known);
	cr_assert_not(process->samples[SAMPLE_MUTEX].is_known);
	process_free(process);
}

Test(text_reader, a_run_that_never_ended_is_told)
{
	struct recording *rec = report_fixture();
	struct thread_record *thread = section_records(rec, SECTION_THREADS);
	struct process *process;

	rec->end = END_SIGNAL;
	thread[1].run_begun_ns = rec->end_ns - SECONDS(5);
	thread[1].blocked_call = CALL_READ;
	thread[1].blocked_ns = rec->end_ns - SECONDS(4);
	process = process_of(rec, SAMPLE_STALL, NULL);
	cr_assert_eq(process->loops_count, 1);
	cr_assert_eq(process->loops[0].unfinished_ns, SECONDS(5));
	cr_assert_str_eq(process->loops[0].stuck_in, "read");
	cr_assert_eq(process->loops[0].stuck_ns, SECONDS(4));
	process_free(process);
}

Test(text_reader, addresses_and_modules_come_back)
{
	struct process *process =
		process_of(report_fixture(), SAMPLE_STALL, NULL);
	const struct sample *stall = process->samples[SAMPLE_STALL].list;
	const struct frame *frames = stall->stack->frames;

	cr_assert_eq(process->samples[SAMPLE_STALL].count, 1);
	cr_assert_eq(stall->total_ns, 80 * NS_PER_MS);
	cr_assert_eq(stall->count, 6);
	cr_assert_eq(stall->stack->depth, 3);
	cr_assert_eq(frames[0].address, 0x7f3000001800);
	cr_assert_str_eq(frames[0].module->path, "/opt/test/libc.so.6");
	cr_assert_eq(frames[0].module->text_offset, 0x1000);
	cr_assert_str_eq(frames[2].module->path, "/opt/test/app");
	cr_assert_null(frames[0].function, "written without names");
	process_free(process);
}

/* The frame is in the part that was the only one. */
Test(text_reader, code_that_lies_apart_comes_back)
{
	struct recording *rec = report_fixture();
	struct module_record *m = section_records(rec, SECTION_MODULES);
	const struct frame *frame;
	struct process *process;

	while (strcmp(m->path, "/opt/test/libc.so.6"))
		m++;
	m->apart_start = m->text_start;
	m->apart_end = m->text_end;
	m->apart_offset = 0x5000;
	m->text_start += 0x4000000;
	m->text_end += 0x4000000;
	process = process_of(rec, SAMPLE_STALL, NULL);
	frame = process->samples[SAMPLE_STALL].list->stack->frames;
	cr_assert_str_eq(frame->module->path, m->path);
	cr_assert_eq(frame->module->text_offset, 0x5000);
	cr_assert_eq(frame->module->text_start, m->apart_start);
	process_free(process);
}

Test(text_reader, a_build_id_comes_back)
{
	struct recording *rec = report_fixture();
	struct module_record *module = section_records(rec, SECTION_MODULES);
	const struct module *read;
	struct process *process;

	module[1].build_id_bytes = 3;
	memcpy(module[1].build_id, "\x0a\xbc\xf0", 3);
	process = process_of(rec, SAMPLE_MUTEX, NULL);
	read = process->samples[SAMPLE_MUTEX].list->stack->frames[0].module;
	cr_assert_eq(read->build_id_bytes, 3);
	cr_assert_eq(memcmp(read->build_id, "\x0a\xbc\xf0", 3), 0);
	process_free(process);
}

Test(text_reader, names_in_the_text_are_used)
{
	struct process *process =
		process_of(report_fixture(), SAMPLE_STALL, &names);
	const struct sample *stall = process->samples[SAMPLE_STALL].list;

	cr_assert_null(stall->stack->frames[0].function, "libc.so.6+0x...");
	cr_assert_str_eq(stall->stack->frames[1].function, "parse_config");
	cr_assert_str_eq(stall->stack->frames[2].function, "parse_config");
	process_free(process);
}

Test(text_reader, the_three_texts_of_a_process_complete_each_other)
{
	struct recording *rec = report_fixture();
	struct process *process = process_of(rec, SAMPLE_MUTEX, &names);
	char *wait = text_of(rec, SAMPLE_WAIT, &names);
	char *mutex = text_of(rec, SAMPLE_MUTEX, &names);
	const struct lock *lock;

	cr_assert(text_completes(wait, process));
	cr_assert_not(text_completes(mutex, process), "it is there already");
	read_kind(process, rec, SAMPLE_WAIT, &names);
	lock = process->locks[0];
	cr_assert_eq(process->locks_count, 1);
	cr_assert_str_eq(lock->name, "cache_lock");
	cr_assert_null(lock->object, "on the heap");
	cr_assert_eq(lock->charges, 3);
	cr_assert_eq(lock->charged_ns, 28 * NS_PER_MS);
	cr_assert_eq(lock->waits, 3);
	cr_assert_eq(lock->waited_ns, 30 * NS_PER_MS);
	cr_assert_eq(lock->longest_wait_ns, 12 * NS_PER_MS);
	cr_assert_eq(process->losses_count, 1, "each says the same");
	cr_assert_eq(process->law[SAMPLE_MUTEX].open_ns, 5 * NS_PER_MS);
	cr_assert(law_closes(&process->law[SAMPLE_MUTEX]));
	process_free(process);
	free(mutex);
	free(wait);
}

Test(text_reader, semaphores_are_kept_apart)
{
	struct process *process =
		process_of(report_fixture(), SAMPLE_SEM, &names);

	cr_assert_eq(process->locks_count, 1);
	cr_assert_eq(process->locks[0]->profile, SAMPLE_SEM);
	cr_assert_eq(process->locks[0]->charged_ns, 6 * NS_PER_MS);
	cr_assert_eq(process->law[SAMPLE_SEM].waited_ns, 7 * NS_PER_MS);
	cr_assert_eq(process->law[SAMPLE_MUTEX].waited_ns, 0);
	process_free(process);
}

Test(text_reader, texts_of_another_process_do_not_mix)
{
	struct recording *rec = report_fixture();
	struct process *process = process_of(rec, SAMPLE_MUTEX, NULL);
	char *wait;

	rec->pid++;
	wait = text_of(rec, SAMPLE_WAIT, NULL);
	cr_assert_not(text_completes(wait, process));
	process_free(process);
	free(wait);
}

static bool read_copy(const char *text)
{
	struct process *process = process_new("fixture.txt");
	char *copy = strdup(text);
	bool done = text_read(process, copy, fault, sizeof(fault));

	if (done)
		fixture_report(process);
	process_free(process);
	free(copy);
	return done;
}

Test(text_reader, what_is_no_text_of_ours_is_refused)
{
	cr_assert_not(
		read_copy("--- contention:\ncycles/second=1\n1 1 @ 0x1\n"));
	cr_assert(strstr(fault, "not one of stallshim's"));
}

Test(text_reader, a_bad_sample_is_refused_by_its_line)
{
	cr_assert_not(read_copy("--- contention:\n# kind=mutex\n# pid=1\n"
				"12 x @ 0x1\n"));
	cr_assert(strstr(fault, "line 4"));
	cr_assert_not(read_copy("--- contention:\n# kind=mutex\n# pid=1\n"
				"12 1 @\n"));
}

Test(text_reader, no_name_in_a_text_writes_to_the_terminal)
{
	struct process *process = process_new("fixture.txt");
	char text[] = "--- contention:\n# kind=stall\n"
		      "# pid=1 comm=a\\033[2Jb host=\033[2Jc.\n"
		      "# loop=2 name=\\012d wait=\233e.\n"
		      "1 1 @ 0x1\n#\tcause=blocked call=\\015f max=1ns.\n";

	cr_assert(text_read(process, text, fault, sizeof(fault)));
	cr_assert_str_eq(process->comm, "a\\033[2Jb");
	cr_assert_str_eq(process->host, "\\033[2Jc");
	cr_assert_str_eq(process->loops->name, "\\012d");
	cr_assert_str_eq(process->loops->wait_call, "\\233e");
	cr_assert_str_eq(process->samples[SAMPLE_STALL].list->why.call,
			 "\\015f");
	process_free(process);
}

#define SPOILT_TEXTS 4000

Test(text_reader, random_changes_do_no_harm, .timeout = 300)
{
	static const char letters[] = "0123456789abcdefx=@#\n\t .:-(";
	struct recording *rec = report_fixture();
	uint64_t state = 88172645463325252;
	unsigned survived = 0;

	for (unsigned i = 0; i < SPOILT_TEXTS; i++) {
		char *text = text_of(rec, i % SAMPLE_KINDS, &names);
		uint64_t changes = fixture_random(&state) % 8;

		for (; changes; changes--)
			text[fixture_random(&state) % strlen(text)] =
				letters[fixture_random(&state) %
					(sizeof(letters) - 1)];
		if (i % 8 == 0)
			text[fixture_random(&state) % strlen(text)] = '\0';
		survived += read_copy(text);
		free(text);
	}
	cr_assert_gt(survived, SPOILT_TEXTS / 4);
}

Test(text_words, words_end_at_spaces_and_the_full_stop)
{
	char line[] = "pid=7 comm=a\\040b host=x.y. charge=exact.";
	struct text_words words = text_words_of(line);

	cr_assert_eq(words.count, 4);
	cr_assert_eq(text_number(&words, "pid"), 7);
	cr_assert_str_eq(text_word(&words, "comm"), "a b");
	cr_assert_str_eq(text_word(&words, "host"), "x.y.");
	cr_assert_str_eq(text_word(&words, "charge"), "exact");
	cr_assert_str_eq(text_word(&words, "none"), "");
}
