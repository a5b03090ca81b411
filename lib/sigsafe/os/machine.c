/*
 * What is the same on every processor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/machine.h"

/* A load, and what is behind it: each as the distance from the word itself. */
struct load {
	int32_t at;
	int32_t behind;
};

/* The linker's names for the ends of the table. */
extern const struct load __start_stallshim_reads[]
	__attribute__((visibility("hidden")));
extern const struct load __stop_stallshim_reads[]
	__attribute__((visibility("hidden")));

static uintptr_t target(const int32_t *distance)
{
	return (uintptr_t)distance + (uintptr_t)(intptr_t)*distance;
}

bool machine_skip_read(ucontext_t *uc)
{
	size_t loads = ((uintptr_t)__stop_stallshim_reads -
			(uintptr_t)__start_stallshim_reads) /
		       sizeof(struct load);

	for (size_t i = 0; i < loads; i++) {
		const struct load *load = &__start_stallshim_reads[i];

		if (target(&load->at) == context_pc(uc)) {
			context_set_pc(uc, target(&load->behind));
			return true;
		}
	}
	return false;
}
