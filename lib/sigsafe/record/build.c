/*
 * Builds, told apart.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/record/build.h"

#include <string.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/walk/loader_record.h"

/* Not inlined: a path takes much of the host's stack, and is seldom needed. */
__attribute__((noinline)) static bool
is_same_path(const struct module_record *record, const struct object *object)
{
	char path[PATH_BYTES];

	object_path(object, path);
	return strcmp(path, record->path) == 0;
}

uint32_t build_tell(const struct object *object,
		    const struct module_record *record, uint32_t id_at)
{
	uint64_t load;

	if (object_stays(object))
		return TELL_NOTHING;
	if (id_at)
		return id_at;
	load = record->identity ? loader_record_load(object->map) : 0;
	return load && load <= LOADER_RECORD_MAX_LOAD
		       ? TELL_LOAD | (uint32_t)load
		       : TELL_PATH;
}

/* Of what tells, the part that says what is to be read. */
static uint32_t kind_of(uint32_t tell)
{
	return tell & TELL_LOAD ? TELL_LOAD : tell;
}

static bool is_read(const struct build *read,
		    const struct module_record *record, uint32_t tell)
{
	return read->tell == kind_of(tell) &&
	       read->bytes == record->build_id_bytes;
}

static void read_build(struct build *read, const struct object *object,
		       uint32_t tell, uint32_t bytes)
{
	read->tell = kind_of(tell);
	read->bytes = bytes;
	if (tell & TELL_LOAD) {
		read->load = loader_record_load(object->map);
		read->is_there = read->load;
		read->identity = 0;
	} else {
		read->is_there = memory_copy(
			read->id, (const void *)(object->start + tell), bytes);
	}
}

static bool is_same_file(struct build *read, const struct module_record *record,
			 const struct object *object, uint32_t tell)
{
	read->is_sure = read->load == (tell & ~TELL_LOAD);
	if (read->is_sure)
		return true;
	if (!read->identity && !object_identity(object, &read->identity))
		return false;
	return read->identity == record->identity;
}

unsigned build_copies(const struct build *read,
		      const struct module_record *record, uint32_t tell)
{
	if (tell == TELL_NOTHING)
		return 0;
	if (tell == TELL_PATH)
		return BUILD_PATH_COPIES;
	if (is_read(read, record, tell))
		return 0;
	return tell & TELL_LOAD ? 1 + OBJECT_IDENTITY_COPIES : 1;
}

bool build_is_same(struct build *read, const struct module_record *record,
		   const struct object *object, uint32_t tell)
{
	read->is_sure = tell != TELL_PATH;
	if (tell == TELL_NOTHING)
		return true;
	if (tell == TELL_PATH)
		return is_same_path(record, object);
	if (!is_read(read, record, tell))
		read_build(read, object, tell, record->build_id_bytes);
	/* What can't be read any more is unloaded just now: it was this one. */
	if (!read->is_there)
		return true;
	if (tell & TELL_LOAD)
		return is_same_file(read, record, object, tell);
	return memcmp(read->id, record->build_id, record->build_id_bytes) == 0;
}
