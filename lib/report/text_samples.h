/*
 * The samples of a text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_TEXT_SAMPLES_H
#define REPORT_TEXT_SAMPLES_H

#include "report/process.h"

struct text_samples {
	struct process *process;
	enum sample_kind kind;
	struct sample *sample; /* the latest, NULL: none yet */
	uint32_t named;	       /* frames of it that have had their line */
};

/*
 * Takes a sample's line over; false where it is not understood. The lists of
 * process have room for a sample and a lock a line.
 */
bool text_sample_add(struct text_samples *text, char *line);

/* Takes one of its comment lines over: line is behind "#\t". */
void text_sample_comment(struct text_samples *text, char *line);

#endif
