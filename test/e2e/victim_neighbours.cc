/*
 * A loop with one stall and threads with one contention, in a program that
 * allocates, throws, cancels threads and loads libraries: to live together with
 * what else is preloaded or built in.
 *
 * usage: victim_neighbours [stay | spare]
 * prints what it did; stay: and then turns for ever, with a stall each time;
 * spare: cancels no thread
 *
 * SPDX-License-Identifier: MIT
 */
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static std::mutex cache;
static std::atomic<bool> is_held(false);
static std::atomic<int> destroyed(0);

/* Of the processor's time: a debugger that stops us does not count. */
static void compute_ms(long ms)
{
	struct timespec begun, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begun.tv_sec) * 1000 +
			 (now.tv_nsec - begun.tv_nsec) / 1000000 <
		 ms);
}

extern "C" __attribute__((noinline)) void read_config(long ms)
{
	compute_ms(ms);
	__asm__ volatile("");
}

static void turn(void)
{
	poll(nullptr, 0, 1);
}

extern "C" __attribute__((noinline)) void let_go_of_cache(void)
{
	cache.unlock();
	__asm__ volatile("");
}

/* Holds it until the other thread must be asleep. */
static void contend(void)
{
	std::thread other([] {
		while (!is_held)
			std::this_thread::yield();
		cache.lock();
		cache.unlock();
	});

	cache.lock();
	is_held = true;
	usleep(50000);
	let_go_of_cache();
	other.join();
}

struct counted {
	~counted()
	{
		destroyed++;
	}
};

__attribute__((noinline)) static void throw_deep(int depth)
{
	counted here;

	if (depth == 0)
		throw std::runtime_error(std::string(100, 'x'));
	throw_deep(depth - 1);
}

static int catch_many(void)
{
	int caught = 0;

	for (int i = 0; i < 200; i++) {
		try {
			throw_deep(i % 20);
		} catch (const std::exception &) {
			caught++;
		}
	}
	return caught;
}

static sem_t begun;

static void *wait_for_ever(void *)
{
	counted here;

	sem_post(&begun);
	for (;;)
		poll(nullptr, 0, 1000);
	return nullptr;
}

static int cancel_many(void)
{
	int cancelled = 0;

	sem_init(&begun, 0, 0);
	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		void *result = nullptr;

		if (pthread_create(&thread, nullptr, wait_for_ever, nullptr))
			return -1;
		sem_wait(&begun);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	return cancelled;
}

static unsigned long allocate_much(void)
{
	unsigned long sum[4] = { 0, 0, 0, 0 };
	std::vector<std::thread> threads;

	for (unsigned which = 0; which < 4; which++)
		threads.emplace_back([&sum, which] {
			for (size_t i = 1; i < 5000; i++) {
				std::unique_ptr<char[]> some(new char[i]);

				memset(some.get(), 1, i);
				sum[which] +=
					static_cast<unsigned char>(some[i / 2]);
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	return sum[0] + sum[1] + sum[2] + sum[3];
}

static int load_many(void)
{
	int loaded = 0;

	for (int i = 0; i < 20; i++) {
		void *library = dlopen("libanl.so.1", RTLD_NOW);

		loaded += library != nullptr;
		if (library)
			dlclose(library);
	}
	return loaded;
}

int main(int argc, char **argv)
{
	turn();
	turn();
	read_config(60);
	turn();
	contend();
	int caught = catch_many();
	int cancelled =
		argc > 1 && !strcmp(argv[1], "spare") ? 0 : cancel_many();
	std::printf("caught %d cancelled %d destroyed %d\n", caught, cancelled,
		    destroyed.load());
	std::printf("allocated %lu loaded %d\n", allocate_much(), load_many());
	std::fflush(stdout);
	turn();
	while (argc > 1 && !strcmp(argv[1], "stay")) {
		read_config(20);
		turn();
	}
	return 3;
}
