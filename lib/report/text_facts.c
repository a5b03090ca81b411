/*
 * The head of a text. Owns the list of the lines that are understood; others
 * are passed over, as later versions may have more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/text_facts.h"

#include <string.h>
#include <time.h>

#include "base/quantity.h"
#include "report/scan.h"
#include "report/text_words.h"
#include "report/words.h"

typedef void fact_reader(struct text_facts *facts,
			 const struct text_words *words);

static const char *keep(struct text_facts *facts, const char *text)
{
	return words_name(&facts->process->arena, text);
}

static void read_tool(struct text_facts *facts, const struct text_words *words)
{
	const char *tool = text_word(words, "tool");

	if (!strncmp(tool, "stallshim-", 10))
		tool += 10;
	facts->process->tool = keep(facts, tool);
}

static uint64_t realtime_ns(const char *utc)
{
	struct tm moment = { 0 };
	time_t seconds;

	if (!strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &moment))
		return 0;
	seconds = timegm(&moment);
	return seconds > 0 ? (uint64_t)seconds * NS_PER_S : 0;
}

static void read_process(struct text_facts *facts,
			 const struct text_words *words)
{
	struct process *process = facts->process;

	process->pid = (int)text_number(words, "pid");
	process->comm = keep(facts, text_word(words, "comm"));
	process->host = keep(facts, text_word(words, "host"));
	process->start_realtime_ns = realtime_ns(text_word(words, "start"));
	process->charges_like_go = !strcmp(text_word(words, "charge"), "go");
	thresholds_read(&process->thresholds, text_word(words, "stall"));
	facts->process->samples[SAMPLE_STALL].is_known &=
		threshold_is_any(&process->thresholds);
}

static void read_law(struct text_facts *facts, const struct text_words *words)
{
	enum sample_kind kind =
		facts->kind == SAMPLE_SEM ? SAMPLE_SEM : SAMPLE_MUTEX;
	struct law *law = &facts->process->law[kind];

	facts->process->has_law[kind] = true;
	law->waited_ns = text_number(words, "waited");
	law->charged_ns = text_number(words, "charged");
	law->handoff_ns = text_number(words, "handoff");
	law->open_ns = text_number(words, "open");
}

static void read_unheld(struct text_facts *facts,
			const struct text_words *words)
{
	facts->process->law[SAMPLE_WAIT].waited_ns =
		text_number(words, "unheld");
}

static void read_in_flight(struct text_facts *facts,
			   const struct text_words *words)
{
	facts->process->in_flight = text_number(words, "in_flight");
}

static void read_min_wait(struct text_facts *facts,
			  const struct text_words *words)
{
	char value[32];
	uint64_t ns;

	strncpy(value, text_word(words, "min_wait"), sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	value[strcspn(value, ":")] = '\0';
	if (quantity_time(value, &ns))
		facts->process->min_wait_ns = ns;
}

static struct loop *add_loop(struct text_facts *facts)
{
	struct process *process = facts->process;

	if (!process->loops)
		process->loops = arena_alloc(&process->arena, facts->lines,
					     sizeof(struct loop));
	return &process->loops[process->loops_count++];
}

static struct run_lengths lengths_in(const struct text_words *words)
{
	struct run_lengths lengths = {
		.is_known = *text_word(words, percentile_key(0)),
	};

	for (int i = 0; i < PERCENTILE_COUNT; i++)
		lengths.ns[i] = text_number(words, percentile_key(i));
	return lengths;
}

static void read_loop(struct text_facts *facts, const struct text_words *words)
{
	struct thresholds threshold = { .others_ns = 0 };

	thresholds_read(&threshold, text_word(words, "threshold"));
	*add_loop(facts) = (struct loop){
		.name = keep(facts, text_word(words, "name")),
		.tid = (int)text_number(words, "loop"),
		.wait_call = keep(facts, text_word(words, "wait")),
		.turns = text_number(words, "turns"),
		.events = text_number(words, "events"),
		.busy_ns = text_number(words, "busy"),
		.watched_ns = text_number(words, "watched"),
		.lengths = lengths_in(words),
		.threshold_ns = threshold.others_ns,
		.longest_ns = text_number(words, "longest"),
		.stalls = text_number(words, "stalls"),
		.stalled_ns = text_number(words, "stalled"),
		.nested = text_number(words, "nested"),
		.nested_most = text_number(words, "nestedmost"),
		.nested_call = keep(facts, text_word(words, "nestedin")),
		.left = text_number(words, "left"),
		.left_ns = text_number(words, "leftfor"),
		.stuck_in = "",
		.is_loop = true,
	};
}

/* The loop of the line before, or a thread that did not become one. */
static void read_unfinished(struct text_facts *facts,
			    const struct text_words *words)
{
	struct process *process = facts->process;
	int tid = (int)text_number(words, "thread");
	struct loop *loop = NULL;

	if (process->loops_count)
		loop = &process->loops[process->loops_count - 1];
	if (!loop || loop->tid != tid) {
		loop = add_loop(facts);
		loop->tid = tid;
		loop->name = keep(facts, text_word(words, "name"));
		loop->wait_call = "";
		loop->nested_call = "";
	}
	loop->unfinished_ns = text_number(words, "unfinished");
	loop->longest_ns = max_u64(loop->longest_ns, loop->unfinished_ns);
	loop->stuck_in = keep(facts, text_word(words, "in"));
	loop->stuck_ns = text_number(words, "blocked");
}

static void read_causes(struct text_facts *facts,
			const struct text_words *words)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		facts->process->cause_ns[i] = text_number(words, cause_key(i));
}

static void read_discarded(struct text_facts *facts,
			   const struct text_words *words)
{
	facts->process->samples[facts->kind].discarded_ns =
		text_number(words, "discarded");
}

static void read_waiters(struct text_facts *facts,
			 const struct text_words *words)
{
	(void)words;
	facts->process->samples[SAMPLE_WAIT].is_known = false;
}

static void read_locks(struct text_facts *facts, const struct text_words *words)
{
	(void)words;
	facts->process->samples[facts->kind].is_known = false;
}

static const struct {
	const char *key; /* of the line's first word */
	fact_reader *read;
} facts_known[] = {
	{ "tool", read_tool },		 { "pid", read_process },
	{ "waited", read_law },		 { "unheld", read_unheld },
	{ "in_flight", read_in_flight }, { "min_wait", read_min_wait },
	{ "loop", read_loop },		 { "unfinished", read_unfinished },
	{ "discarded", read_discarded }, { "waiters", read_waiters },
	{ "locks", read_locks },	 { "cpu", read_causes },
};

/* "end=exit at once, status 3." */
static void read_end(struct process *process, char *text)
{
	static const struct {
		const char *text;
		enum recording_end end;
	} ends[] = {
		{ "exit at once, status ", END_AT_ONCE },
		{ "exit", END_EXIT },
		{ "exec", END_EXEC },
		{ "signal ", END_SIGNAL },
		{ "seccomp", END_SECCOMP },
	};
	uint64_t detail;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!scan_text(&text, ends[i].text))
			continue;
		process->end = ends[i].end;
		if (scan_number(&text, 10, &detail))
			process->end_detail = (int)detail;
		return;
	}
}

/* "lost=12: stack table full." Each text of a process says the same. */
static void read_lost(struct text_facts *facts, const char *text)
{
	struct process *process = facts->process;
	const char *colon = strchr(text, ':');
	const char *loss;

	if (!colon)
		return;
	loss = arena_print(&process->arena, "%.*s x%.*s", (int)(colon - text),
			   text, (int)strcspn(colon + 1, "."), colon + 1);
	for (size_t i = 0; i < process->losses_count; i++) {
		if (!strcmp(process->losses[i], loss))
			return;
	}
	process_add_loss(process, words_name(&process->arena, loss));
}

void text_fact(struct text_facts *facts, char *line)
{
	struct text_words words;

	if (scan_text(&line, "end=")) {
		read_end(facts->process, line);
		return;
	}
	if (scan_text(&line, "lost=")) {
		read_lost(facts, line);
		return;
	}
	words = text_words_of(line);
	for (size_t i = 0; words.count && i < ARRAY_SIZE(facts_known); i++) {
		if (!strcmp(words.word[0].key, facts_known[i].key))
			facts_known[i].read(facts, &words);
	}
}
