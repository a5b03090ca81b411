/*
 * Loads a library, has it wait for events, and unloads it; again and again, at
 * other addresses.
 *
 * usage: victim_reload PLUGIN (plugin_uring.so)
 * prints "done"
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "victim.h"

#define TIMES	   5
#define PAGE_BYTES 4096

/* So that what is loaded next can't come there. */
static void occupy(void *function)
{
	uintptr_t page = (uintptr_t)function & ~(uintptr_t)(PAGE_BYTES - 1);

	mmap((void *)page, PAGE_BYTES, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < TIMES; i++) {
		void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
		void (*loop)(void);
		void *wait;

		if (!plugin)
			return 2;
		*(void **)&loop = dlsym(plugin, "plugin_loop");
		wait = dlsym(plugin, "io_uring_queue_init");
		loop();
		dlclose(plugin);
		occupy((void *)loop);
		occupy(wait);
	}
	puts("done");
	return 0;
}
