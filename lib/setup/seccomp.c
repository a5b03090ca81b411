/*
 * A seccomp filter. Owns the list of the calls that it is to let pass.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/units.h"
#include "sigsafe/os/sys.h"

/* What lib/sigsafe, lib/setup and the hooks make of their own accord. */
static const short ours[] = {
	SYS_clock_gettime,
	SYS_close,
	SYS_fallocate,
	SYS_fcntl,
	SYS_fstat,
	SYS_futex,
	SYS_get_robust_list,
	SYS_getcwd,
	SYS_getdents64,
	SYS_getpgid,
	SYS_getpid,
	SYS_getppid,
	SYS_getrusage,
	SYS_getsockopt,
	SYS_gettid,
	SYS_ioctl,
	SYS_madvise,
	SYS_mmap,
	SYS_mprotect,
	SYS_munmap,
	SYS_nanosleep,
	SYS_newfstatat,
	SYS_openat,
	SYS_ppoll,
	SYS_prctl,
	SYS_pread64,
	SYS_prlimit64,
	SYS_pwrite64,
	SYS_read,
	SYS_readlinkat,
	SYS_recvmsg,
	SYS_renameat,
	SYS_renameat2,
	SYS_rt_sigaction,
	SYS_rt_sigpending,
	SYS_rt_sigprocmask,
	SYS_rt_sigqueueinfo,
	SYS_rt_sigtimedwait,
	SYS_rt_tgsigqueueinfo,
	SYS_sched_yield,
	SYS_sendmsg,
	SYS_sendto,
	SYS_sigaltstack,
	SYS_tgkill,
	SYS_timer_create,
	SYS_timer_delete,
	SYS_timer_settime,
	SYS_uname,
	SYS_unlinkat,
	SYS_write,
	SYS_writev,
};

/* What it takes to say a line (setup/say.h). */
static const short voice[] = { SYS_newfstatat, SYS_prlimit64, SYS_writev };

/* To copy what may be unmapped: without it there is another way. */
static const short copies[] = { SYS_process_vm_readv };

#define LINE_OF_NONE "\nSeccomp:\t0\n"
#define LINE_BYTES   (sizeof(LINE_OF_NONE) - 1)

/* Is that line in the file? What comes before it may be of any length. */
static bool says_none(int fd)
{
	char text[1024 + LINE_BYTES];
	size_t kept = 0;
	long got;

	while ((got = sys3(SYS_read, fd, text + kept, 1024)) > 0) {
		size_t bytes = kept + (size_t)got;

		if (memmem(text, bytes, LINE_OF_NONE, LINE_BYTES))
			return true;
		kept = min_u64(bytes, LINE_BYTES);
		memmove(text, text + bytes - kept, kept);
	}
	return false;
}

/* Where there is no /proc, it may be so. */
static bool may_be_filtered(void)
{
	long fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/status",
		       O_RDONLY | O_CLOEXEC, 0);
	bool is_free;

	if (fd < 0)
		return true;
	is_free = says_none((int)fd);
	sys1(SYS_close, fd);
	return !is_free;
}

static void take(int sig)
{
	(void)sig;
}

/* With arguments that let each fail. A tick comes as the signal does. */
static void try_calls(const short *calls, size_t n)
{
	const struct rlimit no_core = { 1, 1 };
	struct sigaction act = { .sa_handler = take };

	/* Killed, it is to leave no core: of a byte, not even to a pipe. */
	sys4(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, NULL);
	for (size_t i = 0; i < n; i++)
		sys6(calls[i], -1, -1, -1, -1, -1, -1);
	if (calls == voice)
		return;
	sigaction(SIGUSR1, &act, NULL);
	sys3(SYS_tgkill, sys_getpid(), sys_gettid(), SIGUSR1);
}

/*
 * A child that nobody is told of: no signal says that it ended. 1: it lives
 * through them; 0; or -errno: there can be no child.
 */
static int lives_through(const short *calls, size_t n)
{
	int status = 0;
	long child = sys6(SYS_clone, 0, 0, 0, 0, 0, 0);

	if (child == 0) {
		try_calls(calls, n);
		sys1(SYS_exit_group, 0);
	}
	while (child > 0 &&
	       sys4(SYS_wait4, child, &status, __WALL, NULL) == -EINTR)
		;
	return child < 0 ? (int)child
			 : WIFEXITED(status) && !WEXITSTATUS(status);
}

enum seccomp_allows seccomp_allows_us(void)
{
	int lives = 1;

	if (may_be_filtered())
		lives = lives_through(ours, ARRAY_SIZE(ours));
	if (lives)
		return lives > 0 ? SECCOMP_ALLOWS_ALL : SECCOMP_ALLOWS_NO_CHILD;
	return lives_through(voice, ARRAY_SIZE(voice)) > 0
		       ? SECCOMP_ALLOWS_A_LINE
		       : SECCOMP_ALLOWS_NOTHING;
}

bool seccomp_allows_copies(void)
{
	return !may_be_filtered() ||
	       lives_through(copies, ARRAY_SIZE(copies)) > 0;
}
