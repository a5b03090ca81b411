/*
 * A library that takes a kilobyte of what libc keeps for the thread-local
 * memory of libraries which are loaded late: half of it.
 *
 * SPDX-License-Identifier: MIT
 */
static __thread char kept[1024] __attribute__((tls_model("initial-exec")));

char *local_memory(void);

char *local_memory(void)
{
	return kept;
}
