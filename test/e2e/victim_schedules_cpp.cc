/*
 * The schedules of victim_schedules.c in C++: std::mutex and std::thread, the
 * same functions, the same lines.
 *
 * usage: victim_schedules_cpp SCHEDULE
 *   drop, five, two, hundred: see victim_schedules.c
 * prints a line per holder: "FUNCTION NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

#include "victim.h"

static const uint64_t UNIT_NS = 20 * NS_PER_MS;

static std::mutex lock;

/* One function a holder, so that the profile tells them apart. */
#define UNLOCK_BY(who)                                                         \
	extern "C" __attribute__((noinline, noclone)) void unlock_##who()      \
	{                                                                      \
		lock.unlock();                                                 \
		__asm__ volatile("");                                          \
	}
UNLOCK_BY(A)
UNLOCK_BY(B)
UNLOCK_BY(C)
UNLOCK_BY(D)
UNLOCK_BY(E)
UNLOCK_BY(others)

/* Times are written by the holder's own thread, read when all have ended. */
struct holder {
	void (*unlock)() = unlock_others;
	uint64_t hold_ns = 0;
	std::atomic<int> tid{ 0 };
	uint64_t asked_ns = 0, got_ns = 0, gave_ns = 0;
};

typedef std::vector<holder> holders;

static void wait_and_hold(holder &me)
{
	me.tid = gettid();
	me.asked_ns = now_ns();
	lock.lock();
	me.got_ns = now_ns();
	spin(me.hold_ns);
	me.gave_ns = now_ns();
	me.unlock();
}

/* One after the other: the kernel wakes them in that order. */
static std::vector<std::thread> start_waiters(holders &all)
{
	std::vector<std::thread> threads;

	for (auto waiter = all.begin() + 1; waiter != all.end(); ++waiter) {
		threads.emplace_back(wait_and_hold, std::ref(*waiter));
		while (!waiter->tid || !sleeps(waiter->tid))
			;
	}
	return threads;
}

/* Main is the first holder: it holds from when all are waiting. */
static void run(holders &all)
{
	holder &first = all.front();
	std::vector<std::thread> threads;

	first.asked_ns = now_ns();
	lock.lock();
	first.got_ns = now_ns();
	threads = start_waiters(all);
	while (now_ns() - all.back().asked_ns < first.hold_ns)
		;
	first.gave_ns = now_ns();
	first.unlock();
	for (auto &thread : threads)
		thread.join();
}

/* What a hold cost those who waited for it meanwhile. */
static uint64_t cost(const holder &who, const holders &all)
{
	uint64_t ns = 0;

	for (auto &other : all) {
		uint64_t from = std::max(other.asked_ns, who.got_ns);
		uint64_t to = std::min(other.got_ns, who.gave_ns);

		if (&other != &who && to > from)
			ns += to - from;
	}
	return ns;
}

static const struct schedule {
	const char *name;
	size_t holders;
	size_t named; /* unlock in a function of their own */
} schedules[] = {
	{ "drop", 6, 1 },
	{ "five", 5, 5 },
	{ "two", 3, 1 },
	{ "hundred", 101, 1 },
};

static holders plan(const schedule &schedule)
{
	static void (*const unlocks[])() = { unlock_A, unlock_B, unlock_C,
					     unlock_D, unlock_E };
	static const unsigned units[] = { 1, 5, 2, 3, 4 };
	holders all(schedule.holders);

	for (size_t i = 0; i < schedule.named; i++) {
		all[i].unlock = unlocks[i];
		all[i].hold_ns = units[i] * UNIT_NS;
	}
	return all;
}

static void run_and_print(const schedule &schedule)
{
	holders all = plan(schedule);
	unsigned long long others = 0;
	char letter = 'A';

	run(all);
	for (auto &who : all) {
		if (who.unlock == unlock_others)
			others += cost(who, all);
		else
			std::printf("unlock_%c %llu\n", letter++,
				    (unsigned long long)cost(who, all));
	}
	std::printf("unlock_others %llu\n", others);
}

int main(int argc, char **argv)
{
	for (auto &schedule : schedules) {
		if (argc > 1 && !strcmp(argv[1], schedule.name)) {
			run_and_print(schedule);
			return 0;
		}
	}
	return 2;
}
