/*
 * A loop of libevent, as in memcached and tor.
 *
 * SPDX-License-Identifier: MIT
 */
#include <event2/event.h>

#include "framework.h"

static void on_timer(evutil_socket_t fd, short what, void *base)
{
	(void)fd;
	(void)what;
	if (tick())
		event_base_loopbreak(base);
}

int main(void)
{
	struct event_base *base = event_base_new();
	const struct timeval period = { .tv_usec = TICK_MS * 1000 };
	struct event *timer = event_new(base, -1, EV_PERSIST, on_timer, base);

	event_add(timer, &period);
	return event_base_dispatch(base) < 0;
}
