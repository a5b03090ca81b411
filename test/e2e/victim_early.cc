// Locks in static constructors, ahead of main; and std::mutex under threads.
//
// prints "early N late N": how often the lock was taken
//
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static int taken;

__attribute__((noinline)) static void take_often()
{
	for (int i = 0; i < 20000; i++) {
		std::lock_guard<std::mutex> guard(lock);
		taken++;
	}
}

static int contend()
{
	std::vector<std::thread> threads;

	taken = 0;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(take_often);
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
