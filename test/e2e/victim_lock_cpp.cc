/*
 * The locks of C++, which reach libc through libstdc++'s inline functions: one
 * thread holds, another waits.
 *
 * usage: victim_lock_cpp CASE (see main)
 * prints "FUNCTION NANOSECONDS NANOSECONDS": who lets go, and the bounds of
 * what that costs
 *
 * SPDX-License-Identifier: MIT
 */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unistd.h>

#include "victim.h"

#define HOLD_NS (20 * NS_PER_MS)

using namespace std::chrono_literals;

static std::shared_mutex shared_mutex;
static std::shared_timed_mutex shared_timed_mutex;
static std::timed_mutex timed_mutex;
static std::mutex mutex;
static std::condition_variable condition;
static bool is_said;
static std::once_flag once;

/* Written by the one who waits. */
static std::atomic<int> tid;
static std::atomic<uint64_t> asked_ns, got_ns;

/* By their C names, as a text has no others. */
#define RELEASE(name, call)                                                    \
	extern "C" __attribute__((noinline, noclone)) void release_##name()    \
	{                                                                      \
		call;                                                          \
		__asm__ volatile("");                                          \
	}
RELEASE(shared_mutex, shared_mutex.unlock())
RELEASE(shared_timed_mutex, shared_timed_mutex.unlock())
RELEASE(timed_mutex, timed_mutex.unlock())
RELEASE(mutex, mutex.unlock())

static std::thread start_waiter(std::function<void()> take)
{
	std::thread waiter([take] {
		asked_ns = now_ns();
		tid = gettid();
		take();
		got_ns = now_ns();
	});

	while (!tid || !sleeps(tid))
		;
	return waiter;
}

static void book(const char *name, uint64_t least_ns, uint64_t since_ns)
{
	printf("%s %llu %llu\n", name, (unsigned long long)least_ns,
	       (unsigned long long)(got_ns - since_ns));
}

/* The lock is held. */
static void contend(const char *name, std::function<void()> take,
		    void (*release)())
{
	std::thread waiter = start_waiter(take);
	uint64_t seen_ns = now_ns(), least_ns;

	spin(HOLD_NS);
	least_ns = now_ns() - seen_ns;
	release();
	waiter.join();
	book(name, least_ns, asked_ns);
}

static void wait_until_said()
{
	std::unique_lock<std::mutex> guard(mutex);

	condition.wait_for(guard, 60s, [] { return is_said; });
}

/* Who is woken waits for the mutex, held from the wake-up on. */
static void notify_and_hold()
{
	std::thread waiter = start_waiter(wait_until_said);
	uint64_t begun_ns, least_ns;

	mutex.lock();
	is_said = true;
	begun_ns = now_ns();
	condition.notify_one();
	least_ns = now_ns();
	spin(HOLD_NS);
	least_ns = now_ns() - least_ns;
	release_mutex();
	waiter.join();
	book("release_mutex", least_ns, begun_ns);
}

static std::thread second;
static uint64_t once_ns;

static void init_slowly()
{
	second = start_waiter([] { std::call_once(once, init_slowly); });
	once_ns = now_ns();
	spin(HOLD_NS);
	once_ns = now_ns() - once_ns;
}

extern "C" __attribute__((noinline, noclone)) void need_once()
{
	std::call_once(once, init_slowly);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	std::string which = argc > 1 ? argv[1] : "";

	if (which == "shared_mutex") {
		shared_mutex.lock();
		contend(
			"release_shared_mutex",
			[] { shared_mutex.lock_shared(); },
			release_shared_mutex);
	} else if (which == "shared_timed_mutex") {
		shared_timed_mutex.lock();
		contend(
			"release_shared_timed_mutex",
			[] { shared_timed_mutex.try_lock_shared_for(60s); },
			release_shared_timed_mutex);
	} else if (which == "timed_mutex") {
		timed_mutex.lock();
		contend(
			"release_timed_mutex",
			[] { timed_mutex.try_lock_for(60s); },
			release_timed_mutex);
	} else if (which == "condition_variable") {
		notify_and_hold();
	} else if (which == "call_once") {
		need_once();
		second.join();
		book("need_once", once_ns, asked_ns);
	} else {
		return 2;
	}
	return 0;
}
