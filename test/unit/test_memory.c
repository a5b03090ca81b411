/*
 * Reading memory that may not be there.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/os/memory.h"

/* By copies, as on most machines; or without, as under a filter. */
static void start(void)
{
	memory_start(true);
}

TestSuite(memory, .init = start);

static const char mine[] = "anything of the test's";

/* Three pages, the last of them unreadable. */
static char *map_pages(void)
{
	char *pages = mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)pages, MAP_FAILED);
	memset(pages, 7, 2 * PAGE_BYTES);
	mprotect(pages + 2 * PAGE_BYTES, PAGE_BYTES, PROT_NONE);
	return pages;
}

static bool can_read(const void *at)
{
	struct memory memory;
	uint64_t value;

	memory_begin(&memory, mine);
	return memory_read(&memory, (uintptr_t)at, &value);
}

Test(memory, a_word_is_read_at_any_alignment)
{
	struct memory memory;
	char bytes[16] = "0123456789abcde";
	uint64_t value;

	memory_begin(&memory, mine);
	for (int i = 0; i < 8; i++) {
		cr_assert(memory_read(&memory, (uintptr_t)&bytes[i], &value));
		cr_assert_arr_eq(&value, &bytes[i], sizeof(value));
	}
}

Test(memory, a_word_across_two_pages_is_read)
{
	cr_assert(can_read(map_pages() + PAGE_BYTES - 3));
}

Test(memory, a_word_that_reaches_into_an_unreadable_page_is_not_read)
{
	char *pages = map_pages();

	cr_assert(can_read(pages + 2 * PAGE_BYTES - 8));
	for (int i = 1; i < 8; i++)
		cr_assert(!can_read(pages + 2 * PAGE_BYTES - 8 + i));
	cr_assert(!can_read(pages + 2 * PAGE_BYTES));
}

Test(memory, what_was_proven_does_not_stretch_to_the_next_page)
{
	char *pages = map_pages();
	struct memory memory;
	uint64_t value;

	memory_begin(&memory, mine);
	for (uintptr_t i = 0; i < 2 * PAGE_BYTES - 7; i++)
		cr_assert(memory_read(&memory, (uintptr_t)pages + i, &value));
	for (uintptr_t i = 2 * PAGE_BYTES - 7; i < 3 * PAGE_BYTES; i++)
		cr_assert(!memory_read(&memory, (uintptr_t)pages + i, &value));
}

Test(memory, addresses_no_program_has_are_not_read)
{
	static const uintptr_t bad[] = {
		0,
		8,
		PAGE_BYTES - 1,
		UINT64_C(0x0000800000000000),
		UINT64_C(0xdeadbeefdeadbeef),
		UINT64_C(0xffff888000000000),
		UINTPTR_MAX - 7,
		UINTPTR_MAX,
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert(!can_read((const void *)bad[i]));
}

Test(memory, a_mapped_file_cut_short_is_not_read)
{
	NOT_EMULATED("a bus error in a system call ends the emulator");
	char path[] = "/tmp/stallshim.XXXXXX";
	int fd = mkstemp(path);
	char *page;

	unlink(path);
	cr_assert_eq(ftruncate(fd, PAGE_BYTES), 0);
	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert(can_read(page));
	cr_assert_eq(ftruncate(fd, 0), 0);
	cr_assert(!can_read(page));
}

/* What the program keeps is read where it is, but never past its pages. */
static bool can_read_lasting(const void *at)
{
	struct memory memory;
	uint64_t value;

	memory_begin(&memory, mine);
	memory_expect_lasting(&memory, true);
	return memory_read(&memory, (uintptr_t)at, &value);
}

Test(memory, what_lasts_is_proven_all_the_same)
{
	char *pages = map_pages();

	cr_assert(can_read_lasting(pages + PAGE_BYTES - 3));
	cr_assert(can_read_lasting(pages + 2 * PAGE_BYTES - 8));
	cr_assert(!can_read_lasting(pages + 2 * PAGE_BYTES - 7));
	cr_assert(!can_read_lasting(NULL));
	cr_assert(!can_read_lasting((const void *)(UINTPTR_MAX - 3)));
}

/* Each of the two has another use for the same room. */
Test(memory, what_lasts_and_what_does_not_are_read_in_turns)
{
	char *pages = map_pages();
	struct memory memory;
	uint64_t value, wanted;

	memset(&wanted, 7, sizeof(wanted));
	memory_begin(&memory, mine);
	for (unsigned i = 0; i < 64; i++) {
		memory_expect_lasting(&memory, i % 2);
		cr_assert(memory_read(&memory, (uintptr_t)pages + 16 * i,
				      &value));
		cr_assert_eq(value, wanted);
		cr_assert(!memory_read(
			&memory, (uintptr_t)pages + 2 * PAGE_BYTES, &value));
	}
}

Test(memory, a_copy_is_whole_or_none)
{
	char *pages = map_pages(), to[64] = "";

	cr_assert(!memory_copy(to, pages + 2 * PAGE_BYTES - 63, 64));
	cr_assert(memory_copy(to, pages + 2 * PAGE_BYTES - 64, 64));
	cr_assert_arr_eq(to, pages, 64);
	cr_assert(!memory_copy(to, (const void *)(UINTPTR_MAX - 3), 8));
}

Test(memory, without_copies_what_can_be_read_is_the_same)
{
	char *pages = map_pages(), to[64] = "";

	memory_start(false);
	cr_assert(can_read(pages + PAGE_BYTES - 3));
	cr_assert(can_read(pages + 2 * PAGE_BYTES - 8));
	cr_assert(!can_read(pages + 2 * PAGE_BYTES - 7));
	cr_assert(memory_copy(to, pages + PAGE_BYTES - 30, 61));
	cr_assert_arr_eq(to, pages, 61);
	cr_assert(!memory_copy(to, pages + 2 * PAGE_BYTES - 63, 64));
}

Test(memory, reads_that_are_no_copies_are_counted)
{
	struct recording *rec = fixture_recording(1 << 20);
	char *pages = map_pages();

	cr_assert(can_read(pages));
	memory_start(false);
	cr_assert(can_read(pages));
	cr_assert_eq(rec->lost[LOST_COPY], getenv("EMULATED") ? 2 : 1);
}

/* The first thread has no memory any more, though it is a thread still. */
static bool has_first_thread_left(const char *pages)
{
	char to[8];
	struct iovec local = { to, sizeof(to) },
		     remote = { (void *)pages, sizeof(to) };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 &&
	       errno == ESRCH;
}

static void *copy_alone(void *lost)
{
	char *pages = map_pages();

	alarm(30);
	while (!has_first_thread_left(pages))
		sched_yield();
	_exit(!can_read(pages) || *(uint64_t *)lost);
}

Test(memory, copies_are_made_when_the_first_thread_has_left)
{
	NOT_EMULATED("no copies are made there");
	struct recording *rec = fixture_recording(1 << 20);
	pthread_t thread;
	int status;
	pid_t child = fork();

	if (!child) {
		pthread_create(&thread, NULL, copy_alone,
			       &rec->lost[LOST_COPY]);
		pthread_exit(NULL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

Test(memory, a_trusted_segment_ends_where_it_ends)
{
	char *pages = map_pages();
	uintptr_t end = (uintptr_t)pages + 2 * PAGE_BYTES;
	struct memory memory;
	uint64_t value;

	memory_begin(&memory, mine);
	memory_trust(&memory, (uintptr_t)pages, end);
	cr_assert(memory_read(&memory, end - 8, &value));
	cr_assert(!memory_read(&memory, end - 7, &value));
	memory_trust(&memory, end, end + 4);
	cr_assert(!memory_read(&memory, end, &value));
}

Test(memory, reads_come_to_an_end)
{
	struct memory memory;
	uint64_t value, reads = 0;

	memory_begin(&memory, mine);
	while (memory_read(&memory, (uintptr_t)&value, &value))
		reads++;
	cr_assert_gt(reads, 10000);
}

Test(memory, the_kernel_can_be_asked)
{
	char *pages = map_pages();

	cr_assert(memory_can_be_probed(pages + 2 * PAGE_BYTES));
	cr_assert(!memory_can_be_probed(pages));
}

Test(memory, every_page_of_a_range_is_asked_for)
{
	char *pages = map_pages();

	cr_assert(memory_is_readable(pages, 2 * PAGE_BYTES));
	cr_assert(!memory_is_readable(pages, 2 * PAGE_BYTES + 1));
	cr_assert(!memory_is_readable((void *)(UINTPTR_MAX - 3), 8));
}

Test(memory, what_can_be_written_in_part_is_left_as_it_was)
{
	char *pages = map_pages(), *end = pages + 2 * PAGE_BYTES;

	cr_assert(memory_can_be_written(end - 16, 16));
	cr_assert(memory_can_be_written(pages + PAGE_BYTES - 8, 16));
	memset(pages, 7, 2 * PAGE_BYTES);
	mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_READ);
	cr_assert(!memory_can_be_written(pages + PAGE_BYTES - 8, 16));
	cr_assert(!memory_can_be_written(pages + PAGE_BYTES, 16));
	cr_assert(!memory_can_be_written(end - 8, 16));
	for (size_t i = 0; i < 2 * PAGE_BYTES; i++)
		cr_assert_eq(pages[i], 7);
}
