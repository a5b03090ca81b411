/*
 * A loop of libuv, as in Node.js.
 *
 * SPDX-License-Identifier: MIT
 */
#include <uv.h>

#include "framework.h"

static void on_timer(uv_timer_t *timer)
{
	if (tick())
		uv_timer_stop(timer);
}

int main(void)
{
	uv_timer_t timer;

	uv_timer_init(uv_default_loop(), &timer);
	uv_timer_start(&timer, on_timer, TICK_MS, TICK_MS);
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
