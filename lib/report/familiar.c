/*
 * Familiar calls. Owns the lists of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/familiar.h"

#include <string.h>

/*
 * Beginnings of the names of objects: libc and the languages', and those that
 * work on bytes for everybody, where the question is who gave them so many.
 */
static const char *const objects[] = {
	"libc.so",	"libc-2.",	"libpthread", "ld-linux",
	"libstdc++.so", "libc++",	"libgcc_s",   "libm.so",
	"librt.so",	"libdl.so",	"libunwind",  "libstallshim",
	"libjemalloc",	"libtcmalloc",	"[vdso]",     "libz.so",
	"libzstd.so",	"liblz4.so",	"liblzma.so", "libbz2.so",
	"libbrotli",	"libcrypto.so", "libssl.so",  "libpcre",
};

/* Beginnings of the names of functions, also where they were inlined. */
static const char *const functions[] = {
	"std::",	"__gnu_cxx::", "__gthread",    "__cxxabiv1::",
	"pthread_",	"__pthread_",  "operator new", "operator delete",
	"core::",	"alloc::",     "<alloc::",     "<core::",
	"<std::",	"__rust_",     "_start",       "__libc_start_",
	"start_thread", "mtx_",	       "__memcpy",     "__memset",
};

static bool begins_with_any(const char *name, const char *const *beginnings,
			    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	}
	return false;
}

bool is_familiar_object(const char *name)
{
	return begins_with_any(name, objects, ARRAY_SIZE(objects));
}

/* Nobody's of the program, however it was compiled. */
static bool is_foreign(const struct call *call)
{
	return !*call->object || is_familiar_object(call->object) ||
	       begins_with_any(call->function, functions,
			       ARRAY_SIZE(functions));
}

bool is_familiar(const struct call *call)
{
	return call->is_helper || is_foreign(call);
}

uint32_t stack_headline(const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->calls_count; i++) {
		if (!is_familiar(&stack->calls[i]))
			return i;
	}
	/* All that is the program's was inlined: a method of a class, say. */
	for (uint32_t i = 0; i < stack->calls_count; i++) {
		if (!is_foreign(&stack->calls[i]))
			return i;
	}
	return 0;
}

/* Where libc starts a stripped program, without the name _start. */
static bool is_start(const struct stack *stack, uint32_t i)
{
	const struct call *call = &stack->calls[i];

	return i && !has_name(call) &&
	       is_familiar_object(stack->calls[i - 1].object);
}

uint32_t stack_shown(const struct stack *stack)
{
	uint32_t count = stack->calls_count;

	if (count && is_start(stack, count - 1))
		count--;
	while (count && is_foreign(&stack->calls[count - 1]))
		count--;
	return count ? count : stack->calls_count;
}

bool has_name(const struct call *call)
{
	size_t length = strlen(call->object);

	return length && (strncmp(call->function, call->object, length) ||
			  strncmp(call->function + length, "+0x", 3));
}
