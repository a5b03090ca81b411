/*
 * A recording for unit tests, in anonymous memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "recording_fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "setup/layout.h"
#include "sigsafe/live.h"

struct recording *fixture_recording(size_t bytes)
{
	struct recording *rec = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)rec, MAP_FAILED);
	layout_sections(rec, bytes);
	memcpy(rec->magic, RECORDING_MAGIC, sizeof(rec->magic));
	live_begin(rec);
	return rec;
}

uint64_t fixture_lost(enum lost_reason reason)
{
	return load_relaxed(&live_recording()->lost[reason]);
}

uint64_t fixture_sampled_ns(unsigned kind)
{
	const struct recording *rec = live_recording();
	const struct sample_record *s = section_records(rec, SECTION_SAMPLES);
	uint32_t n = rec->section[SECTION_SAMPLES].capacity;
	uint64_t ns = 0;

	for (; n; n--, s++)
		ns += s->key && SAMPLE_KIND(s->key) == kind ? s->total_ns : 0;
	return ns;
}

struct thread fixture_thread(struct recording *rec)
{
	return (struct thread){
		.recording = rec,
		.record = section_records(rec, SECTION_THREADS),
		.loop = loop_clear(0),
	};
}
