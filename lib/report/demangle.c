/*
 * Names of functions, by way of libiberty: what it hands on piece by piece, as
 * the name of a symbol of some bytes can take gigabytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "report/words.h"

/* Longer names lose the arguments of their templates. */
#define LONG_NAME 60

/* The symbols of still longer ones are shown as they are. */
#define MAX_DEMANGLED 65536

/* A name as far as it has been handed on. */
struct draft {
	char text[MAX_DEMANGLED + 1];
	size_t length;
	jmp_buf is_full;
};

typedef int demangler(const char *symbol, int options, demangle_callbackref add,
		      void *draft);

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

/*
 * A < that follows no name is of Rust's <Type as Trait>::function; but there is
 * a space behind operator<.
 */
static bool follows_name(const char *name, const char *at)
{
	if (at - name > 2 && at[-1] == ' ' && strchr("<>=-", at[-2]))
		return is_operator(name, at - 1);
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

static void add(const char *bytes, size_t length, void *opaque)
{
	struct draft *draft = opaque;

	if (length > MAX_DEMANGLED - draft->length)
		longjmp(draft->is_full, 1);
	memcpy(draft->text + draft->length, bytes, length);
	draft->length += length;
}

static bool demangle_by(demangler *by, const char *symbol, struct draft *draft)
{
	draft->length = 0;
	/* What is left in its midst has no memory but the stack's, or little.
	 */
	if (setjmp(draft->is_full) || !by(symbol, DMGL_AUTO, add, draft))
		return false;
	draft->text[draft->length] = '\0';
	return true;
}

const char *demangle(struct arena *arena, const char *symbol)
{
	struct draft draft;
	char *plain;

	/* What glibc calls itself by, to pass over the caller's own. */
	if (!strncmp(symbol, "__GI_", 5))
		symbol += 5;
	plain = arena_string(arena, symbol, original_length(symbol));
	/* Rust's first: one form of its symbols is C++'s, too, with a hash. */
	if (demangle_by(rust_demangle_callback, plain, &draft) ||
	    demangle_by(cplus_demangle_v3_callback, plain, &draft))
		plain = draft.text;
	if (strlen(plain) > LONG_NAME)
		shorten(plain);
	return words_name(arena, plain);
}
