/*
 * Force-included in front of every file of lib/sigsafe: what allocates, locks
 * or buffers does not compile there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_POISON_H
#define SIGSAFE_POISON_H

/* First the headers that declare them, or the poison would bite there. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#pragma GCC poison malloc calloc realloc free strdup strndup asprintf
#pragma GCC poison printf fprintf snprintf vsnprintf sprintf puts fputs fopen
#pragma GCC poison dlopen dlsym dlclose dl_iterate_phdr getenv setenv qsort
#pragma GCC poison pthread_mutex_lock pthread_once exit abort

#endif
