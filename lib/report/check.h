/*
 * The check of a copy's header; base/check_records.h checks the rest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "base/format.h"

/*
 * Does the header describe a recording that lies in file_bytes? If not, one
 * clause that says why is in fault. Ends the header's strings.
 */
bool check_header(struct recording *header, uint64_t file_bytes, char *fault,
		  size_t size);

#endif
