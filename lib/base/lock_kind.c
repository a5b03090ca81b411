/*
 * The kinds of lock.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/lock_kind.h"

#include <string.h>

static const char *const texts[] = {
#define X(name, text) text,
	LOCK_KINDS(X)
#undef X
};

const char *lock_kind_text(uint32_t kind)
{
	return kind < LOCK_KIND_COUNT ? texts[kind] : "";
}

enum lock_kind lock_kind_named(const char *word)
{
	unsigned kind = LOCK_KIND_COUNT - 1;

	while (kind && strcmp(word, texts[kind]))
		kind--;
	return kind;
}
