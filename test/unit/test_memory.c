/*
 * Reading memory that may not be there.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "sigsafe/memory.h"

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
