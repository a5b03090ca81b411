/*
 * tick() for framework_python.py: the stack of a function in Python shows the
 * interpreter's own functions, that of one in C its name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "framework.h"

bool framework_tick(void);

bool framework_tick(void)
{
	return tick();
}
