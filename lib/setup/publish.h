/*
 * The texts: PREFIX.mutex.txt, PREFIX.wait.txt and PREFIX.stall.txt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_PUBLISH_H
#define SETUP_PUBLISH_H

#include "base/text.h"

/* The files PREFIX.SUFFIX of one process. */
extern const char *const text_suffix[SAMPLE_KINDS];

/*
 * Writes the three texts as of now_ns. Each appears whole or not at all. An
 * older one of the same name is replaced only if replace says so. names may be
 * NULL. Returns 0 or the first -errno. One caller at a time. Signal-safe if
 * names is.
 */
int publish_texts(const struct recording *rec, const char *prefix,
		  uint64_t now_ns, bool replace,
		  const struct text_names *names);

#endif
