/*
 * The two ends of a stream, which stay open up to the next call.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_STREAM_H
#define E2E_VICTIM_STREAM_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int near = -1, far = -1;

static inline void fail_if(bool bad)
{
	if (bad)
		abort();
}

static inline void end_stream(void)
{
	close(near);
	close(far);
}

static inline void be_unix(void)
{
	int fds[2];

	end_stream();
	fail_if(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	near = fds[0];
	far = fds[1];
}

static inline void be_tcp(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), at_once = 1;

	end_stream();
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fail_if(bind(listener, (void *)&address, bytes) ||
		listen(listener, 1) ||
		getsockname(listener, (void *)&address, &bytes));
	near = socket(AF_INET, SOCK_STREAM, 0);
	fail_if(connect(near, (void *)&address, bytes));
	far = accept(listener, NULL, NULL);
	fail_if(far < 0 || setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &at_once,
				      sizeof(at_once)));
	close(listener);
}

#endif
