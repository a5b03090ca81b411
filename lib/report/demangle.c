/*
 * Names of functions, by way of libiberty.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* Longer names lose the arguments of their templates. */
#define LONG_NAME 60

/* What compilers append to the name of a copy or a part of a function. */
static const char *const copies[] = { ".cold",	     ".part.",	   ".isra.",
				      ".constprop.", ".lto_priv.", ".llvm.",
				      ".localalias" };

/* The length of symbol without its version and the name of the copy. */
static size_t original_length(const char *symbol)
{
	size_t length = strcspn(symbol, "@");

	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		const char *at = strstr(symbol, copies[i]);

		if (at && at > symbol && (size_t)(at - symbol) < length)
			length = (size_t)(at - symbol);
	}
	return length;
}

/* Is the < or > at this place part of the name of an operator? */
static bool is_operator(const char *name, const char *at)
{
	const char *word = at;

	while (word > name && strchr("<>=-", word[-1]))
		word--;
	return word - name >= 8 && !memcmp(word - 8, "operator", 8);
}

/* A < that follows no name is of Rust's <Type as Trait>::function. */
static bool follows_name(const char *name, const char *at)
{
	return at > name && !strchr(" &*(", at[-1]);
}

/* Leaves out the arguments of templates and generics: what < and > hold. */
static void shorten(char *name)
{
	const char *from = name;
	char *to = name;
	unsigned depth = 0;

	for (; *from; from++) {
		bool is_plain = is_operator(name, from);

		if (*from == '>' && !is_plain && depth && from[-1] != '-')
			depth--;
		if (!depth)
			*to++ = *from;
		if (*from == '<' && !is_plain &&
		    (depth || follows_name(name, from)))
			depth++;
	}
	*to = '\0';
}

char *demangle(struct arena *arena, const char *symbol)
{
	char *plain;
	char *demangled;

	/* What glibc calls itself by, to pass over the caller's own. */
	if (!strncmp(symbol, "__GI_", 5))
		symbol += 5;
	plain = arena_string(arena, symbol, original_length(symbol));
	demangled = cplus_demangle(plain, DMGL_AUTO);
	if (demangled) {
		plain = arena_string(arena, demangled, strlen(demangled));
		free(demangled);
	}
	if (strlen(plain) > LONG_NAME)
		shorten(plain);
	return plain;
}
