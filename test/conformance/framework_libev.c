/*
 * A loop of libev.
 *
 * SPDX-License-Identifier: MIT
 */
#include <ev.h>

#include "framework.h"

static void on_timer(struct ev_loop *loop, ev_timer *timer, int what)
{
	(void)timer;
	(void)what;
	if (tick())
		ev_break(loop, EVBREAK_ALL);
}

int main(void)
{
	struct ev_loop *loop = ev_default_loop(0);
	ev_timer timer;

	if (!loop)
		return 1;
	timer.data = NULL;
	ev_init(&timer, on_timer);
	ev_timer_set(&timer, TICK_MS / 1e3, TICK_MS / 1e3);
	ev_timer_start(loop, &timer);
	ev_run(loop, 0);
	return 0;
}
