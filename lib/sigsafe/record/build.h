/*
 * Whether an object is the one that a record was made of, or another build of
 * it that has come to the same addresses. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_RECORD_BUILD_H
#define SIGSAFE_RECORD_BUILD_H

#include "sigsafe/walk/object.h"

/*
 * What tells: where in the object its build-id lies, from its start; or one of
 * these; or this bit and the number of its load (sigsafe/walk/loader_record.h).
 */
enum build_tell {
	TELL_PATH,   /* compare paths */
	TELL_NOTHING /* it stays: no other one can be there */
};

#define TELL_LOAD (UINT32_C(1) << 31)

/*
 * The object that is looked up, as far as it has been read: its build-id; or
 * its load and its identity. Builds that come at the same addresses, one after
 * the other, have the build-id in the same place: so one system call tells all
 * of them apart.
 */
struct build {
	uint32_t tell; /* TELL_PATH: none read yet; TELL_LOAD: that bit alone */
	uint32_t bytes;
	bool is_there;
	/*
	 * Has it the same unwind information as the record's? Not known where
	 * a file without a build-id was loaded again: it may be an unlike one
	 * that has come to have the same identity.
	 */
	bool is_sure;
	union {
		uint8_t id[BUILD_ID_BYTES];
		struct {
			uint64_t load;
			uint64_t identity; /* 0: not read, or unknown */
		};
	};
};

/* What tells of an object that has been described so. */
uint32_t build_tell(const struct object *object,
		    const struct module_record *record, uint32_t id_at);

/* An object's path takes: the loader's record, and the string piece by piece.
 */
#define BUILD_PATH_COPIES (2 + PATH_BYTES / OBJECT_PIECE_BYTES + 1)

/* How many copies by the kernel build_is_same() will take. */
unsigned build_copies(const struct build *read,
		      const struct module_record *record, uint32_t tell);

/* read: of object, and filled in here, is_sure as well where it is the same. */
bool build_is_same(struct build *read, const struct module_record *record,
		   const struct object *object, uint32_t tell);

#endif
