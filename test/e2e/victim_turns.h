/*
 * Two threads that take turns at one epoll descriptor: one polls, the other one
 * parks until that gives its place up.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_TURNS_H
#define E2E_VICTIM_TURNS_H

#include <sys/epoll.h>

#include "victim.h"

#define STALL_NS (60 * NS_PER_MS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int epoll_fd;

static pthread_cond_t place_free = PTHREAD_COND_INITIALIZER;
static bool has_poller;
static unsigned turns;
static int next_thread; /* whose turn it is */

static inline void wait_for_events(int ms)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, ms);
}

static inline void take_place(int self)
{
	pthread_mutex_lock(&lock);
	while (has_poller || next_thread != self)
		pthread_cond_wait(&place_free, &lock);
	has_poller = true;
	pthread_mutex_unlock(&lock);
}

static inline unsigned give_place(int self)
{
	unsigned turn;

	pthread_mutex_lock(&lock);
	has_poller = false;
	next_thread = 1 - self;
	turn = turns++;
	pthread_cond_broadcast(&place_free);
	pthread_mutex_unlock(&lock);
	return turn;
}

#endif
