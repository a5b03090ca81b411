/*
 * A program that exports functions of libc's names, which take its own lock: an
 * event loop that computes, and lets go of a mutex, with that lock in its hand.
 * What the shim does then must not come back to it.
 *
 * usage: victim_exports bytes|objects
 * prints "done"; or which function was called under the lock, and ends
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "victim.h"

static const char *armed = "";
static volatile bool is_locked_here;

/* A true lock would never be let go of again. */
static void take_lock(const char *kind, const char *name)
{
	static const char says[] = " was called under the lock\n";
	size_t length = 0;

	if (!is_locked_here || *kind != *armed)
		return;
	while (name[length])
		length++;
	if (write(STDOUT_FILENO, name, length) < 0 ||
	    write(STDOUT_FILENO, says, sizeof(says) - 1) < 0)
		_exit(4);
	_exit(3);
}

void *memmove(void *to, const void *from, size_t bytes)
{
	char *t = to;
	const char *f = from;

	take_lock("bytes", "memmove");
	if (t < f) {
		for (size_t i = 0; i < bytes; i++)
			t[i] = f[i];
	} else {
		while (bytes--)
			t[bytes] = f[bytes];
	}
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	take_lock("bytes", "memcpy");
	return memmove(to, from, bytes);
}

void *memset(void *start, int byte, size_t bytes)
{
	take_lock("bytes", "memset");
	for (size_t i = 0; i < bytes; i++)
		((char *)start)[i] = (char)byte;
	return start;
}

int memcmp(const void *one, const void *other, size_t bytes)
{
	const unsigned char *a = one, *b = other;

	take_lock("bytes", "memcmp");
	for (; bytes; bytes--, a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}

size_t strnlen(const char *text, size_t most)
{
	size_t length = 0;

	take_lock("bytes", "strnlen");
	while (length < most && text[length])
		length++;
	return length;
}

size_t strlen(const char *text)
{
	take_lock("bytes", "strlen");
	return strnlen(text, SIZE_MAX);
}

int strncmp(const char *one, const char *other, size_t most)
{
	take_lock("bytes", "strncmp");
	for (; most && *one && *one == *other; one++, other++)
		most--;
	return most ? (unsigned char)*one - (unsigned char)*other : 0;
}

int strcmp(const char *one, const char *other)
{
	take_lock("bytes", "strcmp");
	return strncmp(one, other, SIZE_MAX);
}

/* As static unwinders have it, whose table has a lock. */
int _dl_find_object(void *address, struct dl_find_object *found)
{
	static int (*libcs)(void *, struct dl_find_object *);

	take_lock("objects", "_dl_find_object");
	if (!libcs)
		*(void **)&libcs = dlsym(RTLD_NEXT, "_dl_find_object");
	return libcs(address, found);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *contend(void *none)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return none;
}

static __attribute__((noinline)) void let_go(void)
{
	pthread_mutex_unlock(&mutex);
	__asm__ volatile(""); /* the call is not the last */
}

static __attribute__((noinline)) void compute_and_let_go(void)
{
	spin(20 * NS_PER_MS);
	let_go();
	__asm__ volatile("");
}

/* Calls it in a frame whose rules only an interpreter can follow. */
void call_strangely(void (*function)(void));

__asm__(".text\n"
	".globl call_strangely\n"
	".type call_strangely, @function\n"
	"call_strangely:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_escape 0x0f, 3, 0x76, 16, 0x96\n"
	"	callq *%rdi\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size call_strangely, . - call_strangely\n");

static __attribute__((noinline)) void under_lock(void)
{
	pthread_t waiter;

	pthread_mutex_lock(&mutex);
	pthread_create(&waiter, NULL, contend, NULL);
	await_waiter(&mutex);
	is_locked_here = true;
	call_strangely(compute_and_let_go);
	is_locked_here = false;
	pthread_join(waiter, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	armed = argv[1];
	for (int i = 0; i < 3; i++)
		poll(NULL, 0, 1);
	under_lock();
	poll(NULL, 0, 1);
	puts("done");
	return 0;
}
