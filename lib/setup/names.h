/*
 * Names for addresses at an orderly exit, from the symbol tables of the files
 * on disk, through libelf loaded privately (RTLD_LOCAL).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_NAMES_H
#define SETUP_NAMES_H

#include "base/text.h"

/*
 * NULL where libelf is not loaded: the texts are then raw. What is asked takes
 * up to 64 KiB of the stack, and no memory of the host's: signal-safe, but not
 * quick. One thread at a time. Pairs with names_close().
 */
const struct text_names *names_open(void);
void names_close(void);

#endif
