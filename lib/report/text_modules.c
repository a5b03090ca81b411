/*
 * The memory map of a text: of the two lines for each mapping the brief one,
 * which has the build-id:
 *
 *   55d0c0a00000-55d0c0b00000 r-xp /usr/bin/app (@1000) 5f3a...
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/text_modules.h"

#include <string.h>

#include "report/scan.h"
#include "report/text_words.h"

#define BRACKET " (@"

/* A path may have brackets of its own. */
static char *last_bracket(char *text)
{
	char *found = NULL;

	for (char *at = strstr(text, BRACKET); at; at = strstr(at + 1, BRACKET))
		found = at;
	return found;
}

static void read_build_id(struct module *module, const char *digits)
{
	while (module->build_id_bytes < BUILD_ID_BYTES && digits[0] &&
	       digits[1]) {
		char pair[] = { digits[0], digits[1], '\0' };
		char *at = pair;
		uint64_t byte;

		if (!scan_number(&at, 16, &byte) || *at)
			return;
		module->build_id[module->build_id_bytes++] = (uint8_t)byte;
		digits += 2;
	}
}

/* Behind the bracket: "1000) 5f3a..." */
static bool read_tail(struct module *module, char *tail)
{
	if (!scan_number(&tail, 16, &module->text_offset) ||
	    !scan_text(&tail, ")"))
		return false;
	if (scan_text(&tail, " "))
		read_build_id(module, tail);
	return true;
}

void text_modules_add(struct text_modules *modules, struct process *process,
		      char *line)
{
	struct module module = { .bias_is_known = false };
	char *bracket;

	if (!scan_number(&line, 16, &module.text_start) ||
	    !scan_text(&line, "-") ||
	    !scan_number(&line, 16, &module.text_end) ||
	    !scan_text(&line, " r-xp "))
		return;
	bracket = last_bracket(line);
	if (!bracket || !read_tail(&module, bracket + strlen(BRACKET)))
		return;
	*bracket = '\0';
	text_unescape(line);
	module.path = arena_string(&process->arena, line, strlen(line));
	module.name = process_module_name(process, module.path);
	module.mapped_ns = process->start_realtime_ns;
	modules->list[modules->count++] = module;
}

struct module *text_modules_find(const struct text_modules *modules,
				 uint64_t address)
{
	for (size_t i = 0; i < modules->count; i++) {
		struct module *module = &modules->list[i];

		if (address >= module->text_start && address < module->text_end)
			return module;
	}
	return NULL;
}
