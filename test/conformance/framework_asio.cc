/*
 * A loop of asio, in one thread or, given a number, in so many: one of them
 * waits for events, the others park in a condition variable. "last": the main
 * thread comes to it once the others have been there.
 *
 * SPDX-License-Identifier: MIT
 */
#include <asio.hpp>
#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "framework.h"

static const auto period = std::chrono::milliseconds(TICK_MS);

static void set(asio::steady_timer &timer)
{
	timer.expires_after(period);
	timer.async_wait([&timer](const asio::error_code &) {
		if (!tick())
			set(timer);
	});
}

int main(int argc, char **argv)
{
	asio::io_context context;
	asio::steady_timer timer(context);
	std::vector<std::thread> others;
	std::promise<void> begun;

	set(timer);
	for (int i = argc > 1 ? std::atoi(argv[1]) : 1; i > 1; i--)
		others.emplace_back([&context] { context.run(); });
	if (argc > 2 && argv[2] == std::string("last")) {
		asio::post(context, [&begun] { begun.set_value(); });
		begun.get_future().wait();
	}
	context.run();
	for (auto &other : others)
		other.join();
}
