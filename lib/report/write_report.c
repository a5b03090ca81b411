/*
 * The report of one process: the order of its parts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/write.h"

void write_report(const struct report *report)
{
	write_head(report);
	fputc('\n', report->out);
	write_stalls(report);
	fputc('\n', report->out);
	write_locks(report);
	write_gaps(report);
}
