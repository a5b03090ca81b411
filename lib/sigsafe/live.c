/*
 * The live recording's pointer. Until lib/setup maps the page that the kernel
 * wipes on fork, it lives in a page of zeroes: no recording.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/live.h"

static struct live nowhere;

struct live *live_page = &nowhere;
