/*
 * The module table: the loaded objects that stacks pass through. Turns run-time
 * addresses into (module, offset) words as in base/format.h and enters each
 * object into SECTION_MODULES when it is first met. Lock-free. Signal-safe.
 *
 * An object is the same module again if it lies at the same addresses and has
 * the same build-id; where it has none, the same identity (base/identity.h), or
 * if that is unknown the same path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_RECORD_MODULES_H
#define SIGSAFE_RECORD_MODULES_H

#include "base/format.h"
#include "sigsafe/os/memory.h"

/* An object, or a part of it, that addresses have been found in. 0, 0: none. */
struct located {
	uintptr_t start, end, bias;
	/* NULL: the table is full, or there is no recording. */
	const struct module_record *module;
	uint32_t number;
	/* What lies at the same addresses with the same number is the same. */
	bool is_sure;
};

/*
 * Locates the addresses of one stack. Remembers the objects of the last two
 * that differ: most frames are in the same object as the frame before, and a
 * callback goes to and fro between two.
 *
 * To find others takes copies by the kernel (sigsafe/os/memory.h),
 * LOCATOR_COPIES at most: enough for a hundred objects that have a path to be
 * compared. Addresses further on stay as they are, which is counted:
 * LOST_MODULE.
 */
#define LOCATOR_COPIES 1200u

struct locator {
	struct recording *recording; /* NULL: all is in module 0 */
	struct located last, other;
	/* The walk's, to read by; or NULL. Saves room on the host's stack. */
	struct memory *memory;
	unsigned copies; /* charged so far */
};

/* Where address lies; a word that is not marked exact. */
struct place {
	uint64_t word;
	const struct module_record *module; /* NULL: in none */
	bool is_in_object;
};

static inline bool modules_is_in(const struct located *object,
				 uintptr_t address)
{
	return address - object->start < object->end - object->start;
}

/* Makes the object at address the last one; false: there is none. */
bool modules_move_to(struct locator *locator, uintptr_t address);

/*
 * A return address belongs to the object of the byte in front of it, so behind
 * is 1 for these and 0 for all others. Inlined: it is most of a short walk.
 */
static inline struct place modules_locate(struct locator *locator,
					  uintptr_t address, unsigned behind)
{
	const struct located *last = &locator->last;
	struct place place = { .word = frame_pack(0, address) };

	place.is_in_object = modules_is_in(last, address - behind) ||
			     modules_move_to(locator, address - behind);
	if (!place.is_in_object || !last->module)
		return place;
	place.word = frame_pack(last->number, address - last->bias);
	place.module = last->module;
	return place;
}

/*
 * The place of a datum in the live recording, as a frame word: its own address,
 * module 0 if it is in no object.
 */
uint64_t module_place(const void *address);

/*
 * Copies what is known of each to table, by number, which has room for the live
 * recording's. Signal-safe.
 */
void modules_copy(struct module_record *table);

/*
 * Forgets the modules, as their numbers are of another recording. No other
 * thread may be in here.
 */
void modules_reset(void);

#endif
