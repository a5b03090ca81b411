/*
 * The head of a text: what its comment lines say of the process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_TEXT_FACTS_H
#define REPORT_TEXT_FACTS_H

#include "report/process.h"

struct text_facts {
	struct process *process;
	enum sample_kind kind;
	size_t lines; /* of the text: more of anything there can't be */
};

/* Takes one line over: line is behind "# ", and is changed. */
void text_fact(struct text_facts *facts, char *line);

#endif
