/*
 * The real functions, and the only resolver. Owns the table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <dlfcn.h>
#include <errno.h>

#include "base/units.h"

/* Weak: another libc has no such names, and we do nothing there. */
#pragma weak dlvsym
#define X(result, name, parameters, arguments)                                 \
	extern result bound_##name parameters __attribute__((weak));           \
	__asm__(".symver bound_" #name ",__" #name "@GLIBC_2.2.5");
HOOKS_BOUND(X)
#undef X

/* A FOUND function called before the constructor finds itself, then runs. */
#define X(result, name, parameters, arguments)                                 \
	static cold result find_##name parameters                              \
	{                                                                      \
		real_find();                                                   \
		return real.name arguments;                                    \
	}
HOOKS_FOUND(X)
#undef X
#define X(result, name, parameters, arguments, function, version)              \
	static cold result find_##name parameters                              \
	{                                                                      \
		real_find();                                                   \
		return real.name arguments;                                    \
	}
HOOKS_VERSIONED(X)
#undef X

struct real_functions real = {
#define X(result, name, parameters, arguments) .name = bound_##name,
	HOOKS_BOUND(X)
#undef X
#define X(result, name, parameters, arguments) .name = find_##name,
		HOOKS_FOUND(X)
#undef X
#define X(result, name, parameters, arguments, function, version)              \
	.name = find_##name,
			HOOKS_VERSIONED(X)
#undef X
};

/* In place of a function that this libc lacks. */
static long absent(void)
{
	errno = ENOSYS;
	return -1;
}

static void *find(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	return found ? found : (void *)absent;
}

static void *find_version(const char *name, const char *version)
{
	void *found = dlvsym ? dlvsym(RTLD_NEXT, name, version) : NULL;

	return found ? found : find(name);
}

void real_find(void)
{
#define X(result, name, parameters, arguments)                                 \
	real.name = (result(*) parameters)find(#name);
	HOOKS_FOUND(X)
#undef X
#define X(result, name, parameters, arguments)                                 \
	if (!real.name)                                                        \
		real.name = (result(*) parameters)find(#name);
	HOOKS_BOUND(X)
#undef X
#define X(result, name, parameters, arguments, function, version)              \
	real.name = (result(*) parameters)find_version(#function, version);
	HOOKS_VERSIONED(X)
#undef X
}
