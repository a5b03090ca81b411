/*
 * A loop of Qt: its dispatcher is GLib's main loop, or with QT_NO_GLIB=1 its
 * own.
 *
 * SPDX-License-Identifier: MIT
 */
#include <QCoreApplication>
#include <QTimer>

#include "framework.h"

static void on_timer()
{
	if (tick())
		QCoreApplication::quit();
}

int main(int argc, char **argv)
{
	QCoreApplication application(argc, argv);
	QTimer timer;

	QObject::connect(&timer, &QTimer::timeout, on_timer);
	timer.setTimerType(Qt::PreciseTimer);
	timer.start(TICK_MS);
	return application.exec();
}
