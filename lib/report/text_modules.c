/*
 * The memory map of a text: of the two lines for each mapping the brief one,
 * which has the build-id:
 *
 *   55d0c0a00000-55d0c0b00000 r-xp /usr/bin/app (@1000) 5f3a...
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/text_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/text_words.h"

static char *last_bracket(char *text)
{
	char *found = NULL;

	for (char *at = strstr(text, " (@"); at; at = strstr(at + 1, " (@"))
		found = at;
	return found;
}

static void read_build_id(struct module *module, const char *digits)
{
	unsigned byte;

	while (module->build_id_bytes < BUILD_ID_BYTES &&
	       sscanf(digits, "%2x", &byte) == 1) {
		module->build_id[module->build_id_bytes++] = (uint8_t)byte;
		digits += 2;
	}
}

void text_modules_add(struct text_modules *modules, struct arena *arena,
		      char *line)
{
	struct module module = { .bias_is_known = false };
	int behind = 0;
	char *bracket;
	char *path;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " r-xp %n", &module.text_start,
		   &module.text_end, &behind) != 2 ||
	    !behind)
		return;
	path = line + behind;
	bracket = last_bracket(path);
	if (!bracket || sscanf(bracket, " (@%" SCNx64 ") %n",
			       &module.text_offset, &behind) != 1)
		return;
	read_build_id(&module, bracket + behind);
	*bracket = '\0';
	text_unescape(path);
	module.path = arena_string(arena, path, strlen(path));
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
