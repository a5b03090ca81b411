/*
 * Naming: from an address in an object to the calls there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/naming.h"

#include "report/demangle.h"

const char *name_place(struct arena *arena, const char *object, uint64_t offset)
{
	return arena_print(arena, "%s+0x%jx", object, (uintmax_t)offset);
}

static bool name_without_dwarf(struct arena *arena, struct object *object,
			       uint64_t address, struct call *call)
{
	uint64_t offset;
	const char *symbol = object_function(object, address, &offset);

	if (symbol)
		call->function = demangle(arena, symbol);
	else
		call->function =
			name_place(arena, base_name(object->path),
				   object_function_start(object, address));
	return symbol;
}

static bool name_by_dwarf(struct arena *arena, struct object *object,
			  uint64_t address, const struct source_call *source,
			  struct call *call)
{
	if (source->file)
		call->source = base_name(source->file);
	call->line = source->line;
	if (!source->symbol)
		return name_without_dwarf(arena, object, address, call);
	call->function = demangle(arena, source->symbol);
	return true;
}

static struct named new_named(struct arena *arena, struct object *object,
			      uint32_t count)
{
	struct named named = {
		.calls = arena_alloc(arena, count, sizeof(struct call)),
		.count = count,
	};

	for (uint32_t i = 0; i < count; i++)
		named.calls[i].object = base_name(object->path);
	return named;
}

struct named name_address(struct arena *arena, struct object *object,
			  uint64_t address)
{
	struct source_call source[MAX_INLINED];
	uint32_t count = object_calls(object, address, source);
	struct named named = new_named(arena, object, count ? count : 1);

	if (!count)
		named.has_name =
			name_without_dwarf(arena, object, address, named.calls);
	for (uint32_t i = 0; i < count; i++)
		named.has_name = name_by_dwarf(arena, object, address,
					       &source[i], &named.calls[i]);
	object->addresses++;
	object->named += named.has_name;
	object->with_lines += named.calls[0].line != 0;
	return named;
}
