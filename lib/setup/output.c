/*
 * The expansion of STALLSHIM_OUTPUT.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/output.h"

/* What has been put together so far; end: one past the last usable byte. */
struct builder {
	char *at;
	char *end;
	bool is_full;
};

static void put(struct builder *b, char c)
{
	if (b->at < b->end)
		*b->at++ = c;
	else
		b->is_full = true;
}

static void put_text(struct builder *b, const char *text)
{
	while (*text)
		put(b, *text++);
}

/* A name the host chose must not lead into another directory. */
static void put_name(struct builder *b, const char *name)
{
	for (; *name; name++)
		put(b, *name == '/' ? '_' : *name);
}

static void put_number(struct builder *b, uint64_t number)
{
	char digits[21];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	put_text(b, at);
}

static void put_value(struct builder *b, char word,
		      const struct output_values *values, unsigned attempt)
{
	switch (word) {
	case 'e':
		put_name(b, values->comm);
		break;
	case 'h':
		put_name(b, values->host);
		break;
	case 'p':
		put_number(b, values->pid);
		break;
	case 't':
		put_number(b, values->start_s);
		break;
	case 'n':
		put_number(b, attempt);
		break;
	default:
		put(b, word);
	}
}

bool output_prefix(char prefix[PREFIX_BYTES], const char *pattern,
		   const struct output_values *values, unsigned attempt)
{
	struct builder b = { prefix, prefix + PREFIX_BYTES - SUFFIX_BYTES,
			     false };
	bool is_numbered = false;

	if (*pattern != '/') {
		put_text(&b, values->directory);
		put(&b, '/');
	}
	for (; *pattern; pattern++) {
		if (*pattern != '%' || !pattern[1]) {
			put(&b, *pattern);
			continue;
		}
		pattern++;
		is_numbered |= *pattern == 'n';
		put_value(&b, *pattern, values, attempt);
	}
	if (attempt && !is_numbered) {
		put(&b, '.');
		put_number(&b, attempt);
	}
	*b.at = '\0';
	return !b.is_full;
}
