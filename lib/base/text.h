/*
 * The one text writer: pprof's legacy "contention" format, from a recording,
 * for the dying process and for the command alike. Format: go tool pprof's
 * legacy_profile.go, google-pprof's ReadSynchProfile; the rules are in
 * text.c. Allocates nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/format.h"

/* Where the text goes, in pieces. */
struct text_out {
	void (*write)(void *ctx, const char *bytes, size_t length);
	void *ctx;
};

struct text_name {
	const char *name; /* valid until the next question */
	uint64_t offset;  /* of the address in it */
};

/* Who knows names. Questions are (module, offset) words as in format.h. */
struct text_names {
	bool (*function)(void *ctx, const struct recording *rec, uint64_t frame,
			 struct text_name *answer);
	bool (*variable)(void *ctx, const struct recording *rec, uint64_t place,
			 struct text_name *answer);
	void *ctx;
};

/* Bytes of scratch memory text_write() needs for this recording. */
size_t text_scratch_bytes(const struct recording *rec);

/*
 * Writes one profile as it stood at now_ns. names may be NULL: raw addresses.
 * Signal-safe if out and names are.
 */
void text_write(const struct recording *rec, enum sample_kind kind,
		uint64_t now_ns, void *scratch, const struct text_out *out,
		const struct text_names *names);

/*
 * The summary: one line without its newline, of what was seen ("no stall >=
 * 10ms in 61s on 4 loops, longest run 7.9ms; 3 locks made threads wait 1.2s in
 * 60 waits, longest 50ms"). Ends in a 0, cut to size bytes. Returns its length.
 * Signal-safe.
 */
size_t text_summary(const struct recording *rec, uint64_t now_ns, char *line,
		    size_t size);

#endif
