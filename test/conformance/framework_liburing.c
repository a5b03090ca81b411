/*
 * A loop of liburing.
 *
 * SPDX-License-Identifier: MIT
 */
#include <liburing.h>

#include "framework.h"

int main(void)
{
	struct __kernel_timespec time = { .tv_nsec = TICK_MS * 1000000 };
	struct io_uring_cqe *cqe;
	struct io_uring ring;

	if (io_uring_queue_init(4, &ring, 0))
		return 1;
	do
		io_uring_wait_cqe_timeout(&ring, &cqe, &time);
	while (!tick());
	io_uring_queue_exit(&ring);
	return 0;
}
