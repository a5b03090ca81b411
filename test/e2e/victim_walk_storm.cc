// Event loops that do all at once, and again and again, what walks have been
// seen to hang in or to die of. In all of it they contend for locks.
//
// usage: victim_walk_storm SECONDS LIBRARIES PART...
// LIBRARIES: the directory of plugin_storm_even.so and plugin_storm_odd.so
// prints "done" if nothing went wrong
//
// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <link.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "victim.h"

namespace
{
std::string libraries;
std::atomic<bool> is_over, has_failed;

void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	has_failed = true;
}

pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void hold_contended()
{
	pthread_mutex_lock(&contended);
	spin(NS_PER_MS / 20);
	pthread_mutex_unlock(&contended);
	KEEP_FRAME();
}

__attribute__((noinline)) void work()
{
	hold_contended();
	spin(NS_PER_MS / 2);
	KEEP_FRAME();
}

// An event loop. Each of its runs is long enough for some ticks.
template <typename Act> void loop_until(Act act, int turns)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	epoll_event event;

	while (!is_over && turns--) {
		uint64_t begun_ns = now_ns();

		epoll_wait(fd, &event, 1, 0);
		while (now_ns() - begun_ns < 3 * NS_PER_MS)
			act();
	}
	close(fd);
}

// Objects on the way, so that the unwinder has something to do.
__attribute__((noinline)) void throw_deep(int depth)
{
	std::string held(static_cast<size_t>(depth) + 20, 'x');

	if (depth == 0)
		throw std::runtime_error(held);
	throw_deep(depth - 1);
}

__attribute__((noinline)) void storm_throw()
{
	for (int depth = 0; depth < 20; depth++) {
		try {
			throw_deep(depth);
			fail("nothing was thrown");
		} catch (const std::exception &) {
		}
	}
	hold_contended();
}

__attribute__((noinline)) void storm_malloc()
{
	std::vector<void *> blocks;

	for (size_t i = 0; i < 200; i++)
		blocks.push_back(malloc(i * i * 7 % 70000));
	for (void *block : blocks)
		free(block);
	hold_contended();
}

typedef void library_function(void (*)());

void with_library(const char *name, void (*then)(library_function *))
{
	std::string path = libraries + "/plugin_" + name + ".so";
	void *library = dlopen(path.c_str(), RTLD_NOW);

	if (!library)
		return fail(dlerror());
	then(reinterpret_cast<library_function *>(dlsym(library, name)));
	dlclose(library);
}

__attribute__((noinline)) void through_even(library_function *function)
{
	function(work);
	KEEP_FRAME();
}

__attribute__((noinline)) void through_odd(library_function *function)
{
	function(work);
	KEEP_FRAME();
}

__attribute__((noinline)) void storm_dlopen()
{
	with_library("storm_even", through_even);
	with_library("storm_odd", through_odd);
}

// What exceptions are found by where libc or the compiler is older.
int look_at(dl_phdr_info *info, size_t, void *sum)
{
	*static_cast<size_t *>(sum) += info->dlpi_phnum;
	return 0;
}

__attribute__((noinline)) void storm_iterate()
{
	size_t sum = 0;

	for (int i = 0; i < 1000; i++)
		dl_iterate_phdr(look_at, &sum);
	if (!sum)
		fail("no objects");
}

// A sanitizer's frames are larger.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t coroutine_bytes = 65536;
#else
constexpr size_t coroutine_bytes = 4096;
#endif

struct coroutine {
	ucontext_t home, self;
	char *stack;
};

thread_local coroutine *current;

void run_coroutine()
{
	spin(NS_PER_MS / 2);
	swapcontext(&current->self, &current->home);
	hold_contended();
	swapcontext(&current->self, &current->home);
}

// A page of its own above an unreadable one, which is gone afterwards.
__attribute__((noinline)) void storm_coroutine()
{
	coroutine one;
	void *pages =
		mmap(nullptr, 4096 + coroutine_bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return fail("no memory");
	mprotect(pages, 4096, PROT_NONE);
	current = &one;
	getcontext(&one.self);
	one.self.uc_stack.ss_sp = static_cast<char *>(pages) + 4096;
	one.self.uc_stack.ss_size = coroutine_bytes;
	one.self.uc_link = nullptr;
	makecontext(&one.self, run_coroutine, 0);
	swapcontext(&one.home, &one.self);
	swapcontext(&one.home, &one.self);
	munmap(pages, 4096 + coroutine_bytes);
}

// The child is a loop, too, and does what a child may do.
__attribute__((noinline)) void storm_fork()
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		loop_until([] { spin(NS_PER_MS); }, 2);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return fail("no child");
	if (status)
		fail("a child has not ended well");
}

// The program's own descriptors, again and again those a library has lost.
__attribute__((noinline)) void storm_pipes()
{
	const char sent[] = "HELLO";
	char got[sizeof(sent)] = "";
	int fd[2];

	for (int i = 3; i < 64; i++)
		close(i);
	if (pipe(fd))
		return fail("no pipe");
	if (write(fd[1], sent, sizeof(sent)) != sizeof(sent))
		return fail("not written");
	spin(NS_PER_MS);
	if (read(fd[0], got, sizeof(got)) != sizeof(got) ||
	    memcmp(got, sent, sizeof(sent)) != 0)
		fail("other bytes came out of the pipe");
}

// By spin() alone there is something to walk.
__attribute__((noinline)) void storm_spin()
{
	spin(NS_PER_MS);
	KEEP_FRAME();
}

// Little but unlocks that others have waited for, and are walked from.
__attribute__((noinline)) void storm_hold()
{
	hold_contended();
	KEEP_FRAME();
}

const struct part {
	const char *name;
	void (*act)();
} parts[] = {
	{ "throw", storm_throw },	  { "malloc", storm_malloc },
	{ "dlopen", storm_dlopen },	  { "iterate", storm_iterate },
	{ "coroutine", storm_coroutine }, { "fork", storm_fork },
	{ "pipes", storm_pipes },	  { "spin", storm_spin },
	{ "hold", storm_hold },
};

void (*act_of(const char *name))()
{
	for (const part &one : parts)
		if (strcmp(one.name, name) == 0)
			return one.act;
	fprintf(stderr, "no part %s\n", name);
	exit(2);
}
} // namespace

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;

	if (argc < 4)
		return 2;
	libraries = argv[2];
	// Functions are bound here, where there is room for that.
	hold_contended();
	for (int i = 3; i < argc; i++)
		threads.emplace_back(
			[act = act_of(argv[i])] { loop_until(act, -1); });
	for (int s = atoi(argv[1]); s > 0 && !has_failed; s--)
		sleep(1);
	is_over = true;
	for (std::thread &thread : threads)
		thread.join();
	if (!has_failed)
		puts("done");
	return has_failed;
}
