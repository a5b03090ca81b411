/*
 * An event loop whose callbacks follow a null pointer, throw an exception out
 * of the handler of that, and compute for 100 ms: in the same run, after a
 * while. (-fnon-call-exceptions)
 *
 * prints "done"
 *
 * SPDX-License-Identifier: MIT
 */
#include <chrono>
#include <csignal>
#include <cstdio>
#include <poll.h>

using std::chrono::milliseconds;
using std::chrono::steady_clock;

static volatile int *volatile nowhere;

static void throw_out(int sig)
{
	throw sig;
}

__attribute__((noinline)) static void follow()
{
	*nowhere = 0;
}

static void compute(milliseconds time)
{
	auto begun = steady_clock::now();

	while (steady_clock::now() - begun < time)
		;
}

static void callback()
{
	compute(milliseconds(3));
	try {
		follow();
	} catch (int) {
	}
	compute(milliseconds(100));
}

int main()
{
	struct sigaction act = {};

	act.sa_handler = throw_out;
	act.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &act, nullptr);
	for (int turn = 0; turn < 9; turn++) {
		poll(nullptr, 0, 1);
		if (turn > 2 && turn < 8)
			callback();
	}
	std::puts("done");
}
