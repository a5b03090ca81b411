/*
 * Whether a process is still there: by its number, its name and its host, as
 * numbers are used again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/alive.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"

static bool is_this_host(const char *host)
{
	char name[HOST_BYTES] = "";

	gethostname(name, sizeof(name) - 1);
	return !strcmp(name, host);
}

/* The name in a file of /proc; "" where there is none. */
static void read_comm(const char *path, char name[NAME_BYTES + 1])
{
	FILE *file = fopen(path, "re");

	name[0] = '\0';
	if (!file)
		return;
	if (!fgets(name, NAME_BYTES + 1, file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
}

static bool has_name(int pid, const char *comm)
{
	char path[64];
	char name[NAME_BYTES + 1];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	read_comm(path, name);
	return *comm && !strcmp(name, comm);
}

void alive_thread_name(int pid, int tid, char name[NAME_BYTES + 1])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	read_comm(path, name);
}

/* A process that has died and that nobody has waited for. */
static bool is_zombie(int pid)
{
	char path[64];
	char link[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, link, sizeof(link)) < 0 && errno == ENOENT;
}

bool is_alive(int pid, const char *comm, const char *host)
{
	if (pid <= 0 || !is_this_host(host))
		return false;
	if (kill(pid, 0) && errno != EPERM)
		return false;
	return has_name(pid, comm) && !is_zombie(pid);
}
