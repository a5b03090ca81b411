/*
 * The shim's own mem*() and str*(), against libc's: at every alignment, of
 * every length that takes another way, and up to the last byte that is there.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "base/units.h"

/* They are in no library but libstallshim.so: so here once more. */
#define memchr	  own_memchr
#define memcmp	  own_memcmp
#define memcpy	  own_memcpy
#define memmem	  own_memmem
#define memmove	  own_memmove
#define memset	  own_memset
#define stpcpy	  own_stpcpy
#define strchr	  own_strchr
#define strchrnul own_strchrnul
#define strcmp	  own_strcmp
#define strcpy	  own_strcpy
#define strcspn	  own_strcspn
#define strlen	  own_strlen
#define strncmp	  own_strncmp
#define strnlen	  own_strnlen
#define strrchr	  own_strrchr
#define strspn	  own_strspn
#define strstr	  own_strstr
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "bytes.c"
#pragma GCC diagnostic pop
#undef memchr
#undef memcmp
#undef memcpy
#undef memmem
#undef memmove
#undef memset
#undef stpcpy
#undef strchr
#undef strchrnul
#undef strcmp
#undef strcpy
#undef strcspn
#undef strlen
#undef strncmp
#undef strnlen
#undef strrchr
#undef strspn
#undef strstr

#define MOST 70u /* bytes: several words, and what is left of one */

static void fill(char buffer[3 * MOST])
{
	for (unsigned i = 0; i < 3 * MOST; i++)
		buffer[i] = (char)(i * 37 + 11);
}

/* from, to: all places that overlap, and some that do not. */
Test(bytes, are_moved_as_by_libc)
{
	char ours[3 * MOST], libcs[3 * MOST];

	for (unsigned bytes = 0; bytes < MOST; bytes++)
		for (unsigned from = 0; from < 20; from++)
			for (unsigned to = 0; to < 2 * MOST; to++) {
				fill(ours);
				fill(libcs);
				cr_assert(own_memmove(ours + to, ours + from,
						      bytes) == ours + to);
				memmove(libcs + to, libcs + from, bytes);
				cr_assert_arr_eq(ours, libcs, sizeof(ours));
			}
}

Test(bytes, are_copied_and_set_as_by_libc)
{
	char ours[3 * MOST], libcs[3 * MOST];

	for (unsigned bytes = 0; bytes < MOST; bytes++)
		for (unsigned to = 0; to < 9; to++) {
			fill(ours);
			fill(libcs);
			own_memcpy(ours + to, libcs + MOST + 10, bytes);
			own_memset(ours + 2 * MOST - to, 0x1a5, bytes);
			memcpy(libcs + to, libcs + MOST + 10, bytes);
			memset(libcs + 2 * MOST - to, 0x1a5, bytes);
			cr_assert_arr_eq(ours, libcs, sizeof(ours));
		}
}

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

Test(bytes, are_compared_as_by_libc)
{
	char one[MOST], other[MOST];

	for (unsigned bytes = 1; bytes < MOST; bytes++)
		for (unsigned at = 0; at < bytes; at++)
			for (int difference = -200; difference <= 200;
			     difference += 100) {
				memset(one, 'x', MOST);
				memset(other, 'x', MOST);
				one[at] = (char)(one[at] + difference);
				cr_assert_eq(
					sign(own_memcmp(one, other, bytes)),
					sign(memcmp(one, other, bytes)));
				cr_assert_eq(
					sign(own_strncmp(one, other, bytes)),
					sign(strncmp(one, other, bytes)));
			}
}

static const char *const texts[] = {
	"",    "a",   "b",	  "ab", "ba",  "/a/b/", "aaab",
	"aab", "abc", "\xe4\xf6", "/",	"a=b", "=",
};

static void check_search(const char *text, int byte)
{
	size_t bytes = strlen(text) + 1;

	cr_assert(own_strchr(text, byte) == strchr(text, byte));
	cr_assert(own_strchrnul(text, byte) == strchrnul(text, byte));
	cr_assert(own_strrchr(text, byte) == strrchr(text, byte));
	cr_assert(own_memchr(text, byte, bytes) == memchr(text, byte, bytes));
}

static void check_pair(const char *one, const char *other)
{
	char ours[16], libcs[16];

	cr_assert_eq(sign(own_strcmp(one, other)), sign(strcmp(one, other)));
	cr_assert(own_strstr(one, other) == strstr(one, other));
	cr_assert(own_memmem(one, strlen(one), other, strlen(other)) ==
		  memmem(one, strlen(one), other, strlen(other)));
	cr_assert_eq(own_strspn(one, other), strspn(one, other));
	cr_assert_eq(own_strcspn(one, other), strcspn(one, other));
	cr_assert_eq(own_stpcpy(own_strcpy(ours, one) + strlen(one), other) -
			     ours,
		     stpcpy(strcpy(libcs, one) + strlen(one), other) - libcs);
	cr_assert_str_eq(ours, libcs);
}

Test(bytes, of_text_are_searched_and_compared_as_by_libc)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		for (int byte = 0; byte < 256; byte++)
			check_search(texts[i], byte);
		for (size_t j = 0; j < ARRAY_SIZE(texts); j++)
			check_pair(texts[i], texts[j]);
	}
}

/* The page behind it can't be read. */
static char *end_of_page(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert(pages != MAP_FAILED && !mprotect(pages + 4096, 4096, 0));
	return pages + 4096;
}

Test(bytes, behind_the_last_one_are_not_read)
{
	char *end = end_of_page(), copy[MOST];

	for (unsigned bytes = 1; bytes < MOST; bytes++) {
		char *start = own_memset(end - bytes, 'x', bytes);

		own_memcpy(copy, start, bytes);
		cr_assert_eq(own_memcmp(copy, start, bytes), 0);
		cr_assert_eq(own_strnlen(start, bytes), bytes);
		cr_assert_null(own_memchr(start, 'y', bytes));
		cr_assert_eq(own_strncmp(copy, start, bytes), 0);
		end[-1] = '\0';
		cr_assert_eq(own_strlen(start), bytes - 1);
	}
}
