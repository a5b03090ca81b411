/*
 * A small server to watch, with two faults planted. One thread turns an epoll
 * loop, eight workers answer from a cache, one thread keeps the cache small.
 *
 *   - RELOAD parses the rules on the loop's own thread: 62 ms in which nobody
 *     is served (parse_rules).
 *   - The housekeeper holds cache_lock while it looks through the whole cache,
 *     and all workers wait (evict_expired_entries).
 *
 * Speaks lines on a loopback port of its choice, which it prints: "GET key" is
 * answered by a value, "RELOAD" by "reloaded", "QUIT" by the server's end.
 *
 * SPDX-License-Identifier: MIT
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WORKERS	    8
#define MAX_EVENTS  16
#define CACHE_SLOTS 4096
#define LINE_BYTES  128

#define MS	 UINT64_C(1000000)
#define PARSE_NS (62 * MS) /* to parse all rules; no tick comes at its end */
#define EVICT_NS (8 * MS)  /* what looking through the cache takes */
#define REST_NS	 (20 * MS) /* between two rounds of housekeeping */
#define LIFE_NS	 (1000 * MS)

/* Not inlined, so that stacks show them as they stand here. */
#define PLANTED __attribute__((noinline))

struct entry {
	uint64_t key;
	uint64_t value;
	uint64_t expires_ns;
};

struct job {
	int client;
	uint64_t key;
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry cache[CACHE_SLOTS]; /* under cache_lock */

static int jobs[2]; /* a pipe from the loop to the workers */

static uint64_t evicted_ever;	/* the housekeeper only */
static uint64_t rules_checksum; /* the loop's thread only */

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t hash(const char *text)
{
	uint64_t h = 1469598103934665603u;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 1099511628211u;
	return h;
}

/* The cache. */

static uint64_t cache_lookup(uint64_t key)
{
	struct entry *entry = &cache[key % CACHE_SLOTS];
	uint64_t value;

	pthread_mutex_lock(&cache_lock);
	if (entry->key != key)
		*entry = (struct entry){ key, hash("value") ^ key,
					 now_ns() + LIFE_NS };
	value = entry->value;
	pthread_mutex_unlock(&cache_lock);
	return value;
}

/* Planted: the lock is held for the whole walk, not for an entry at a time. */
static PLANTED unsigned evict_expired_entries(void)
{
	uint64_t begun_ns = now_ns();
	unsigned evicted = 0;

	pthread_mutex_lock(&cache_lock);
	do {
		for (int i = 0; i < CACHE_SLOTS; i++) {
			if (cache[i].key && cache[i].expires_ns < begun_ns) {
				cache[i].key = 0;
				evicted++;
			}
		}
	} while (now_ns() < begun_ns + EVICT_NS);
	pthread_mutex_unlock(&cache_lock);
	return evicted;
}

static void *keep_house(void *unused)
{
	const struct timespec rest = { .tv_nsec = REST_NS };

	pthread_setname_np(pthread_self(), "housekeeper");
	for (;;) {
		evicted_ever += evict_expired_entries();
		nanosleep(&rest, NULL);
	}
	return unused;
}

/* The workers. They take their jobs from a pipe: a job is less than PIPE_BUF.
 */

static void give_to_workers(struct job job)
{
	if (write(jobs[1], &job, sizeof(job)) != sizeof(job))
		die("write");
}

static struct job take_job(void)
{
	struct job job;

	if (read(jobs[0], &job, sizeof(job)) != sizeof(job))
		die("read");
	return job;
}

static void *answer_requests(void *unused)
{
	pthread_setname_np(pthread_self(), "worker");
	for (;;) {
		struct job job = take_job();

		dprintf(job.client, "%016lx\n",
			(unsigned long)cache_lookup(job.key));
	}
	return unused;
}

/* The loop. */

/* Planted: far too much work for the thread that has to turn the loop. */
static PLANTED uint64_t parse_rules(const char *rule)
{
	uint64_t begun_ns = now_ns(), checksum = 0;

	do {
		for (int i = 0; i < 10000; i++)
			for (const char *c = rule; *c; c++)
				checksum = checksum * 31 + (unsigned char)*c;
	} while (now_ns() < begun_ns + PARSE_NS);
	return checksum;
}

static PLANTED void reload_configuration(int client)
{
	rules_checksum = parse_rules("allow from 10.0.0.0/8 to port 443");
	dprintf(client, "reloaded\n");
}

/* False when the server is to end. */
static bool serve_line(int client, const char *line)
{
	if (strncmp(line, "GET ", 4) == 0)
		give_to_workers((struct job){ client, hash(line + 4) });
	else if (strcmp(line, "RELOAD") == 0)
		reload_configuration(client);
	else if (strcmp(line, "QUIT") == 0)
		return false;
	else
		dprintf(client, "what?\n");
	return true;
}

/* Clients send one line and wait for its answer, so a read is a line. */
static bool serve_client(int client)
{
	char line[LINE_BYTES];
	ssize_t n = read(client, line, sizeof(line) - 1);

	if (n <= 0) {
		close(client);
		return true;
	}
	line[n] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return serve_line(client, line);
}

static void watch_fd(int loop, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) < 0)
		die("epoll_ctl");
}

static bool serve_event(int loop, int listener, int fd)
{
	int client;

	if (fd != listener)
		return serve_client(fd);
	client = accept(listener, NULL, NULL);
	if (client >= 0)
		watch_fd(loop, client);
	return true;
}

static void turn_loop(int listener)
{
	struct epoll_event events[MAX_EVENTS];
	int loop = epoll_create1(EPOLL_CLOEXEC);

	if (loop < 0)
		die("epoll_create1");
	watch_fd(loop, listener);
	for (;;) {
		int n = epoll_wait(loop, events, MAX_EVENTS, -1);

		for (int i = 0; i < n; i++)
			if (!serve_event(loop, listener, events[i].data.fd))
				return;
	}
}

static int listen_on_loopback(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) < 0 ||
	    listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		die("listen");
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

static void start_thread(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL) != 0)
		die("pthread_create");
	pthread_detach(thread);
}

int main(void)
{
	int listener = listen_on_loopback();

	if (pipe(jobs) < 0)
		die("pipe");
	for (int i = 0; i < WORKERS; i++)
		start_thread(answer_requests);
	start_thread(keep_house);
	turn_loop(listener);
	return EXIT_SUCCESS;
}
