/*
 * An event loop whose callback throws and catches for 200 ms, while another
 * thread does nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
#include <thread>

/* Objects on the way, so that the unwinder has something to do. */
__attribute__((noinline)) static void throw_deep(int depth)
{
	std::string held(static_cast<size_t>(depth) + 20, 'x');

	if (depth == 0)
		throw std::runtime_error(held);
	throw_deep(depth - 1);
}

extern "C" __attribute__((noinline)) void callback_throw()
{
	for (int depth = 0; depth < 20; depth++) {
		try {
			throw_deep(depth);
		} catch (const std::exception &) {
		}
	}
}

int main()
{
	using clock = std::chrono::steady_clock;
	struct epoll_event event;
	std::atomic<bool> over(false);
	std::thread other([&] {
		while (!over)
			callback_throw();
	});
	int fd = epoll_create1(EPOLL_CLOEXEC);

	epoll_wait(fd, &event, 1, 1);
	epoll_wait(fd, &event, 1, 1);
	auto begun = clock::now();
	while (clock::now() - begun < std::chrono::milliseconds(200))
		callback_throw();
	epoll_wait(fd, &event, 1, 1);
	over = true;
	other.join();
	std::puts("done");
}
