/*
 * The files of this process, all of one prefix: PREFIX.rec and the texts. Owns
 * the prefix and the directory it is relative to. A forked child has its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_RESULTS_H
#define SETUP_RESULTS_H

#include "base/format.h"
#include "base/options.h"

/* Notes the directory results go to: the host may leave it. Constructor. */
void results_start(void);

/*
 * Chooses a prefix none of whose files is there yet and makes the recording.
 * identity: its comm, host, pid and start are set. NULL where it can't be made
 * (said). Signal-safe: raw system calls only.
 */
struct recording *results_make_recording(const struct options *options,
					 const struct recording *identity);

/* Was a thread a loop, or did one wait for a lock? Signal-safe. */
bool results_are_due(const struct recording *rec, uint64_t now_ns);

/*
 * Writes the texts as of rec->end_ns; where they can't be, that is said. One
 * caller at a time. Signal-safe without names.
 */
void results_publish(const struct recording *rec, bool with_names);

/*
 * Ends the log, and takes a snapshot (setup/snapshot.h) to write them from, or
 * NULL: somebody else has written to the file, or there is no memory (said).
 * Signal-safe.
 */
struct recording *results_snapshot(const struct recording *rec);

/* Says in one line what was seen, and how to look at it. Signal-safe. */
void results_summarise(const struct recording *rec);

/* Removes the recording: there was nothing to record. Signal-safe. */
void results_remove(void);

/*
 * The program goes on all the same: if it was removed, rec, the live recording,
 * has a file again; where it can't, that is said. Signal-safe.
 */
void results_restore(const struct recording *rec);

#endif
