// Locks in static constructors, ahead of main; and std::mutex under threads.
//
// prints "early N late N": how often the lock was taken
//
// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

#include "victim.h"

static std::mutex lock;
static std::atomic<int> some_tid;
static int taken;

__attribute__((noinline)) static void take_often()
{
	some_tid = gettid();
	for (int i = 0; i < 20000; i++) {
		std::lock_guard<std::mutex> guard(lock);
		taken++;
	}
}

static int contend()
{
	std::vector<std::thread> threads;

	// One of them at least has to wait.
	lock.lock();
	some_tid = 0;
	taken = 0;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(take_often);
	while (!some_tid || !sleeps(some_tid))
		;
	lock.unlock();
	for (auto &thread : threads)
		thread.join();
	return taken;
}

static int early = contend();

int main()
{
	std::printf("early %d late %d\n", early, contend());
	return 0;
}
