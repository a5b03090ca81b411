/*
 * Recordings filled by hand, for the tests of what is read from them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_TEXT_FIXTURE_H
#define TEST_TEXT_FIXTURE_H

#include "base/text.h"

#define SECONDS(n) ((n)*NS_PER_S)

/*
 * An empty recording of "app", pid 4711 on db1: started at 1000 s, watches
 * locks, waiters and stalls of 10 ms, ended by exit 61.002 s later.
 */
struct recording *text_fixture(void);

/* The next module: its text is [start, end), file offset 0x1000. */
struct module_record *add_module(struct recording *rec, const char *path,
				 uint64_t start, uint64_t end);

/* A stack of n frames, leaf first; its place. */
uint32_t add_stack(struct recording *rec, const uint64_t *frames, uint32_t n);

struct sample_record *add_sample(struct recording *rec, uint64_t key,
				 uint64_t total_ns, uint64_t count,
				 uint64_t max_ns);

/* The next lock (from index 1 on), by address. */
struct lock_record *add_lock(struct recording *rec, uint64_t address);

/* A live loop that ran 7.9 ms at the longest. */
struct thread_record *add_loop(struct recording *rec, int32_t tid,
			       const char *name);

/* The whole text, to be freed by the caller; names as for text_write(). */
char *text_of(const struct recording *rec, enum sample_kind kind,
	      const struct text_names *names);

#endif
