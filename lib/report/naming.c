/*
 * Naming: from an address in an object to the calls there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/naming.h"

#include "report/demangle.h"
#include "report/function_start.h"
#include "report/words.h"

const char *name_place(struct arena *arena, const char *object, uint64_t offset)
{
	return arena_print(arena, "%s+0x%jx", object, (uintmax_t)offset);
}

static void take_source(struct arena *arena, const struct source_call *source,
			struct call *call)
{
	call->function =
		source->symbol ? demangle(arena, source->symbol) : "(inlined)";
	if (source->file)
		call->source = words_name(arena, base_name(source->file));
	call->line = source->line;
	call->is_helper = source->is_helper;
}

/*
 * The function itself, in which the other calls are inlined. Its symbol says
 * more than DWARF does of what has no linkage, such as a lambda.
 */
static bool name_function(struct arena *arena, struct object *object,
			  uint64_t address, const struct source_call *source,
			  struct call *call)
{
	uint64_t offset;
	const char *symbol = object_function(object, address, &offset);

	if (!symbol && source)
		symbol = source->symbol;
	if (symbol)
		call->function = demangle(arena, symbol);
	else
		call->function = name_place(arena, object->name,
					    function_start(object, address));
	return symbol;
}

static struct named new_named(struct arena *arena, struct object *object,
			      uint32_t count)
{
	struct named named = {
		.calls = arena_alloc(arena, count, sizeof(struct call)),
		.count = count,
	};

	for (uint32_t i = 0; i < count; i++)
		named.calls[i].object = object->name;
	return named;
}

struct named name_address(struct arena *arena, struct object *object,
			  uint64_t address)
{
	struct source_call source[MAX_INLINED];
	uint32_t count = object_calls(object, address, source);
	struct named named = new_named(arena, object, count ? count : 1);

	for (uint32_t i = 0; i < count; i++)
		take_source(arena, &source[i], &named.calls[i]);
	named.has_name = name_function(arena, object, address,
				       count ? &source[count - 1] : NULL,
				       &named.calls[named.count - 1]);
	object->addresses++;
	object->named += named.has_name;
	object->with_lines += named.calls[0].line != 0;
	return named;
}
