/*
 * A main loop of GLib, as in GTK and GStreamer.
 *
 * SPDX-License-Identifier: MIT
 */
#include <glib.h>

#include "framework.h"

static gboolean on_timer(gpointer loop)
{
	if (tick())
		g_main_loop_quit(loop);
	return G_SOURCE_CONTINUE;
}

int main(void)
{
	GMainLoop *loop = g_main_loop_new(NULL, FALSE);

	g_timeout_add(TICK_MS, on_timer, loop);
	g_main_loop_run(loop);
	g_main_loop_unref(loop);
	return 0;
}
