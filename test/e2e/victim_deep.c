/*
 * A library that is loaded with RTLD_DEEPBIND: its calls of libc go past every
 * preloaded library. It and the program lock and unlock for each other.
 *
 * usage: victim_deep PLUGIN (plugin_contend.so)
 * prints "done"
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>

#include "victim.h"

#define ROUNDS 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sum; /* guarded by lock */

static void (*contend)(pthread_mutex_t *lock);
static void (*release)(pthread_mutex_t *lock);

static __attribute__((noinline, noclone)) void *wait_in_program(void *none)
{
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
	return none;
}

/* The program waits for what the library lets go. */
static __attribute__((noinline, noclone)) void unlock_in_plugin(void)
{
	pthread_t waiter;

	pthread_mutex_lock(&lock);
	pthread_create(&waiter, NULL, wait_in_program, NULL);
	await_waiter(&lock);
	spin(2 * NS_PER_MS);
	release(&lock);
	pthread_join(waiter, NULL);
}

static bool is_free(void)
{
	if (pthread_mutex_trylock(&lock))
		return false;
	pthread_mutex_unlock(&lock);
	return true;
}

int main(int argc, char **argv)
{
	void *plugin =
		argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND) : NULL;
	bool well = true;

	if (!plugin)
		return 2;
	*(void **)&contend = dlsym(plugin, "plugin_contend");
	*(void **)&release = dlsym(plugin, "plugin_release");
	for (int i = 0; i < ROUNDS; i++) {
		well &= poll(NULL, 0, 1) == 0;
		contend(NULL);
		contend(&lock);
		unlock_in_plugin();
		well &= is_free();
	}
	puts(well && sum == ROUNDS ? "done" : "not as it should be");
	return 0;
}
