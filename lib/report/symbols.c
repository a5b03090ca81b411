/*
 * Symbols. Owns the objects, each opened once for all processes, and the calls
 * that have been looked up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/symbols.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report/demangle.h"
#include "report/naming.h"

/* What is known of one address: the key is object and address. */
struct known {
	const struct object *object;
	uint64_t
		address; /* in the object's own terms, behind the instruction */
	struct named named;
};

struct loaded {
	struct loaded *next;
	struct module module; /* the first that asked for it */
	struct object *object;
};

struct symbols {
	struct arena arena;
	struct loaded *first;
	struct loaded **last;
	void *known; /* tree of struct known */
};

struct symbols *symbols_open(void)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		abort();
	symbols->last = &symbols->first;
	return symbols;
}

static void leave_to_arena(void *known)
{
	(void)known;
}

void symbols_close(struct symbols *symbols)
{
	for (struct loaded *entry = symbols->first; entry; entry = entry->next)
		object_close(entry->object);
	tdestroy(symbols->known, leave_to_arena);
	arena_free(&symbols->arena);
	free(symbols);
}

const struct object *symbols_object(const struct symbols *symbols, size_t i)
{
	const struct loaded *entry = symbols->first;

	while (entry && i--)
		entry = entry->next;
	return entry ? entry->object : NULL;
}

static bool is_same_file(const struct module *a, const struct module *b)
{
	return !strcmp(a->path, b->path) &&
	       a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes) &&
	       (a->build_id_bytes ||
		(a->mapped_ns == b->mapped_ns && a->identity == b->identity));
}

static struct object *find_object(struct symbols *symbols,
				  const struct module *module)
{
	struct loaded *entry;

	for (entry = symbols->first; entry; entry = entry->next) {
		if (is_same_file(&entry->module, module))
			return entry->object;
	}
	entry = arena_alloc(&symbols->arena, 1, sizeof(*entry));
	entry->module = *module;
	entry->module.path = arena_string(&symbols->arena, module->path,
					  strlen(module->path));
	entry->object = object_open(&symbols->arena, module);
	*symbols->last = entry;
	symbols->last = &entry->next;
	return entry->object;
}

/* The module's object, opened when it is first asked for. */
static struct object *object_of(struct symbols *symbols, struct module *module)
{
	if (module->object)
		return module->object;
	module->object = find_object(symbols, module);
	if (!module->bias_is_known && module->object->state == OBJECT_GOOD) {
		module->bias = object_bias(module->object, module->text_start,
					   module->text_offset);
		module->bias_is_known = true;
	}
	return module->object;
}

static int by_key(const void *a, const void *b)
{
	const struct known *left = a;
	const struct known *right = b;

	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return (left->address > right->address) -
	       (left->address < right->address);
}

/* The names at an address, looked up once. */
static struct named named_in_object(struct symbols *symbols,
				    struct object *object, uint64_t address)
{
	struct known key = { .object = object, .address = address };
	struct known **found = tfind(&key, &symbols->known, by_key);
	struct known *known;

	if (found)
		return (*found)->named;
	known = arena_alloc(&symbols->arena, 1, sizeof(*known));
	*known = key;
	known->named = name_address(&symbols->arena, object, address - 1);
	if (!tsearch(known, &symbols->known, by_key))
		abort();
	return known->named;
}

/* The address as in the module's file, as far as that can be told. */
static uint64_t file_address(const struct module *module, uint64_t address)
{
	if (module->bias_is_known)
		return address - module->bias;
	return address - (module->text_start - module->text_offset);
}

/* A frame of which the object says nothing: one call. */
static struct named named_alone(struct symbols *symbols,
				const struct frame *frame)
{
	struct arena *arena = &symbols->arena;
	const struct module *module = frame->module;
	struct call *call = arena_alloc(arena, 1, sizeof(*call));
	uint64_t address = frame->address - 1;

	call->object = module ? module->name : "";
	if (frame->function)
		call->function = demangle(arena, frame->function);
	else if (module)
		call->function = name_place(arena, call->object,
					    file_address(module, address));
	else
		call->function =
			arena_print(arena, "0x%jx", (uintmax_t)address);
	return (struct named){ .calls = call, .count = 1 };
}

static struct named named_frame(struct symbols *symbols,
				const struct frame *frame)
{
	struct object *object =
		frame->module ? object_of(symbols, frame->module) : NULL;
	struct named named;

	if (!object || object->state != OBJECT_GOOD)
		return named_alone(symbols, frame);
	named = named_in_object(symbols, object,
				frame->address - frame->module->bias);
	/* A text that was written with names may know better. */
	if (frame->function && !named.has_name)
		return named_alone(symbols, frame);
	return named;
}

static void name_stack(struct symbols *symbols, struct stack *stack)
{
	struct named *named;
	uint32_t count = 0;

	if (!stack || stack->calls)
		return;
	named = arena_alloc(&symbols->arena, stack->depth, sizeof(*named));
	for (uint32_t i = 0; i < stack->depth; i++) {
		named[i] = named_frame(symbols, &stack->frames[i]);
		count += named[i].count;
	}
	stack->calls = arena_alloc(&symbols->arena, count, sizeof(struct call));
	for (uint32_t i = 0; i < stack->depth; i++) {
		memcpy(stack->calls + stack->calls_count, named[i].calls,
		       named[i].count * sizeof(struct call));
		stack->calls_count += named[i].count;
	}
}

/* name+0x8: the name is demangled alone. */
static const char *name_of_text(struct arena *arena, const char *name)
{
	const char *plus = strrchr(name, '+');
	const char *alone;

	if (!plus || strncmp(plus, "+0x", 3))
		return demangle(arena, name);
	alone = arena_string(arena, name, (size_t)(plus - name));
	return arena_print(arena, "%s%s", demangle(arena, alone), plus);
}

static const char *name_of_variable(struct symbols *symbols,
				    const struct lock *lock)
{
	struct object *object = object_of(symbols, lock->module);
	const char *symbol;
	const char *name;
	uint64_t offset;

	if (object->state != OBJECT_GOOD)
		return NULL;
	symbol = object_variable(object, lock->address - lock->module->bias,
				 &offset);
	if (!symbol)
		return NULL;
	name = demangle(&symbols->arena, symbol);
	return offset ? name_place(&symbols->arena, name, offset) : name;
}

static void name_lock(struct symbols *symbols, struct lock *lock)
{
	if (lock->name)
		lock->name = name_of_text(&symbols->arena, lock->name);
	else if (lock->module)
		lock->name = name_of_variable(symbols, lock);
}

static void name_stall(struct symbols *symbols, const struct stall *stall)
{
	name_stack(symbols, stall->stack);
	name_stack(symbols, stall->apart);
	name_stack(symbols, stall->latest);
	name_stack(symbols, stall->release);
}

void symbols_name_all(struct symbols *symbols, struct process *process)
{
	for (unsigned kind = 0; kind < SAMPLE_KINDS; kind++) {
		const struct samples *samples = &process->samples[kind];

		for (size_t i = 0; i < samples->count; i++)
			name_stack(symbols, samples->list[i].stack);
	}
	for (size_t i = 0; i < process->stalls_count; i++)
		name_stall(symbols, &process->stalls[i]);
	for (size_t i = 0; i < process->loops_count; i++) {
		name_stack(symbols, process->loops[i].stuck_stack);
		name_stack(symbols, process->loops[i].nested_stack);
		if (process->loops[i].left_last)
			name_stall(symbols, process->loops[i].left_last);
	}
	for (size_t i = 0; i < process->open_waits_count; i++)
		name_stack(symbols, process->open_waits[i].stack);
	for (size_t i = 0; i < process->locks_count; i++) {
		name_lock(symbols, process->locks[i]);
		name_stack(symbols, process->locks[i]->first);
	}
}
