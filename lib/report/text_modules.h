/*
 * The memory map of a text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_TEXT_MODULES_H
#define REPORT_TEXT_MODULES_H

#include "report/process.h"

struct text_modules {
	struct module *list;
	size_t count;
};

/*
 * Takes one line of the map over if it is the brief one of a file; the list
 * has room for it.
 */
void text_modules_add(struct text_modules *modules, struct process *process,
		      char *line);

/* The module that is mapped at address, or NULL. */
struct module *text_modules_find(const struct text_modules *modules,
				 uint64_t address);

#endif
