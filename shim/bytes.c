/*
 * The shim's own mem*() and str*(), in libstallshim.so alone and visible there
 * alone. The program may export functions of these names, and they may take a
 * lock or allocate: in a walk, under any lock, that would be the end. So none
 * of libc's is imported (scripts/check-imports), and what the compiler makes
 * of a copied or cleared struct comes here, too. Signal-safe, all of them.
 *
 * They do what the C standard, POSIX and, for memmem(), strchrnul() and
 * stpcpy(), the manual pages say. Compiled so that no loop here is taken for a
 * call of one of these functions: see the Makefile.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/units.h"

/* Anywhere, and of whatever type the bytes are. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));

static word load(const void *from)
{
	return *(const word *)from;
}

static void store(void *to, word value)
{
	*(word *)to = value;
}

/* The end is read first: where both overlap, it may be written meanwhile. */
static void copy_upwards(char *to, const char *from, size_t bytes)
{
	const size_t last = bytes - sizeof(word);
	word end;

	if (bytes < sizeof(word)) {
		for (size_t i = 0; i < bytes; i++)
			to[i] = from[i];
		return;
	}
	end = load(from + last);
	for (size_t i = 0; i < last; i += sizeof(word))
		store(to + i, load(from + i));
	store(to + last, end);
}

static void copy_downwards(char *to, const char *from, size_t bytes)
{
	while (bytes >= sizeof(word)) {
		bytes -= sizeof(word);
		store(to + bytes, load(from + bytes));
	}
	while (bytes--)
		to[bytes] = from[bytes];
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	copy_upwards(to, from, bytes);
	return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
	/* As one comparison: is `to` outside of the bytes that are moved? */
	if ((uintptr_t)to - (uintptr_t)from >= bytes)
		copy_upwards(to, from, bytes);
	else
		copy_downwards(to, from, bytes);
	return to;
}

void *memset(void *start, int byte, size_t bytes)
{
	const size_t last = bytes - sizeof(word);
	const word all = (unsigned char)byte * UINT64_C(0x0101010101010101);
	char *to = start;

	if (bytes < sizeof(word)) {
		for (size_t i = 0; i < bytes; i++)
			to[i] = (char)byte;
		return start;
	}
	for (size_t i = 0; i < last; i += sizeof(word))
		store(to + i, all);
	store(to + last, all);
	return start;
}

int memcmp(const void *one, const void *other, size_t bytes)
{
	const unsigned char *a = one, *b = other;
	size_t i = 0;

	while (bytes - i >= sizeof(word) && load(a + i) == load(b + i))
		i += sizeof(word);
	while (i < bytes && a[i] == b[i])
		i++;
	return i < bytes ? a[i] - b[i] : 0;
}

void *memchr(const void *start, int byte, size_t bytes)
{
	const unsigned char *p = start;

	for (; bytes; bytes--, p++)
		if (*p == (unsigned char)byte)
			return (void *)p;
	return NULL;
}

void *memmem(const void *start, size_t bytes, const void *wanted,
	     size_t wanted_bytes)
{
	const char *p = start;

	for (; bytes >= wanted_bytes; bytes--, p++)
		if (memcmp(p, wanted, wanted_bytes) == 0)
			return (void *)p;
	return NULL;
}

size_t strnlen(const char *text, size_t most)
{
	size_t length = 0;

	while (length < most && text[length])
		length++;
	return length;
}

size_t strlen(const char *text)
{
	return strnlen(text, SIZE_MAX);
}

int strncmp(const char *one, const char *other, size_t most)
{
	const unsigned char *a = (const void *)one, *b = (const void *)other;

	while (most && *a && *a == *b) {
		a++;
		b++;
		most--;
	}
	return most ? *a - *b : 0;
}

int strcmp(const char *one, const char *other)
{
	return strncmp(one, other, SIZE_MAX);
}

char *strchrnul(const char *text, int byte)
{
	while (*text && *text != (char)byte)
		text++;
	return (char *)text;
}

char *strchr(const char *text, int byte)
{
	char *at = strchrnul(text, byte);

	return *at == (char)byte ? at : NULL;
}

char *strrchr(const char *text, int byte)
{
	const char *last = NULL;

	do
		if (*text == (char)byte)
			last = text;
	while (*text++);
	return (char *)last;
}

char *strstr(const char *text, const char *wanted)
{
	return memmem(text, strlen(text), wanted, strlen(wanted));
}

/* How many bytes in front are, or are not, among these. */
static size_t span(const char *text, const char *these, bool among)
{
	size_t length = 0;

	while (text[length] && !!strchr(these, text[length]) == among)
		length++;
	return length;
}

size_t strspn(const char *text, const char *these)
{
	return span(text, these, true);
}

size_t strcspn(const char *text, const char *these)
{
	return span(text, these, false);
}

char *stpcpy(char *restrict to, const char *restrict text)
{
	size_t length = strlen(text);

	copy_upwards(to, text, length + 1);
	return to + length;
}

char *strcpy(char *restrict to, const char *restrict text)
{
	stpcpy(to, text);
	return to;
}
