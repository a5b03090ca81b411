/*
 * The real functions, and the only resolver. Owns the table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/units.h"

/* Weak: another libc has no such names, and we do nothing there. */
#pragma weak dlvsym
#define X(result, name, parameters, arguments, ...)                            \
	extern result bound_##name parameters __attribute__((weak));           \
	__asm__(".symver bound_" #name ",__" #name "@" VERSION_FIRST);
HOOKS_BOUND(X)
#undef X

/* A FOUND function called before the constructor finds itself, then runs. */
#define X(result, name, parameters, arguments, ...)                            \
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
#define X(result, name, parameters, arguments, ...) .name = bound_##name,
	HOOKS_BOUND(X)
#undef X
#define X(result, name, parameters, arguments, ...) .name = find_##name,
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

/* Where each function's address goes, and what it is found by. */
static const struct entry {
	void *slot;
	const char *name;
	const char *version; /* NULL: any */
} entries[] = {
#define X(result, name, parameters, arguments, ...) { &real.name, #name, NULL },
	HOOKS_FOUND(X)
#undef X
#define X(result, name, parameters, arguments, function, version)              \
	{ &real.name, #function, version },
		HOOKS_VERSIONED(X)
#undef X
};

static const struct entry bound_entries[] = {
#define X(result, name, parameters, arguments, ...)                            \
	{ &real.name, "__" #name, VERSION_FIRST },
	HOOKS_BOUND(X)
#undef X
};

static void find_entry(const struct entry *entry)
{
	void *found = entry->version ? find_version(entry->name, entry->version)
				     : find(entry->name);

	/* A function's address is as large as any other here: POSIX says so. */
	memcpy(entry->slot, &found, sizeof(found));
}

/*
 * A library in front of us may have a function of that name, too, and call us
 * in turn: a sanitizer has. Another libc has none, so that none is bound.
 */
static void find_bound(const struct entry *entry)
{
	void *found =
		dlvsym ? dlvsym(RTLD_NEXT, entry->name, entry->version) : NULL;

	if (!found)
		memcpy(&found, entry->slot, sizeof(found));
	if (!found)
		found = find(entry->name + strlen("__"));
	memcpy(entry->slot, &found, sizeof(found));
}

void real_find(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		find_entry(&entries[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bound_entries); i++)
		find_bound(&bound_entries[i]);
}
