/*
 * A library that comes with liburing, and is loaded at run time. Its
 * constructor starts a thread and waits until that has come back from its first
 * wait.
 *
 * SPDX-License-Identifier: MIT
 */
#include <liburing.h>
#include <pthread.h>
#include <stdlib.h>

#include "victim.h"

void plugin_loop(void);

/* It waits for what is there already, and stalls. */
__attribute__((noinline, noclone)) void plugin_loop(void)
{
	struct io_uring ring;
	struct io_uring_cqe *cqe;

	if (io_uring_queue_init(8, &ring, 0))
		abort();
	for (int i = 0; i < 5; i++) {
		io_uring_prep_nop(io_uring_get_sqe(&ring));
		if (io_uring_submit_and_wait(&ring, 1) != 1 ||
		    io_uring_peek_cqe(&ring, &cqe))
			abort();
		io_uring_cqe_seen(&ring, cqe);
		spin(2 * NS_PER_MS);
	}
	io_uring_queue_exit(&ring);
}

static void *run_engine(void *started)
{
	plugin_loop();
	pthread_barrier_wait(started);
	return NULL;
}

__attribute__((constructor)) static void start_engine(void)
{
	pthread_barrier_t started;
	pthread_t engine;

	pthread_barrier_init(&started, NULL, 2);
	pthread_create(&engine, NULL, run_engine, &started);
	pthread_barrier_wait(&started);
	pthread_join(engine, NULL);
}
