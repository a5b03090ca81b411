/*
 * The vDSO, which has no file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_VDSO_H
#define REPORT_VDSO_H

#define VDSO_PATH "[vdso]" /* of its module */

/*
 * A file that holds the vDSO of this process, which is that of every other one
 * under the same kernel: a descriptor, or -1. Not signal-safe.
 */
int vdso_open(void);

#endif
