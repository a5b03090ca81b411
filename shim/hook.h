/*
 * The hooked functions: the one list. From it come the exported names, the
 * table of real functions and their resolver; each is then defined in one
 * shim/hook_*.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_H
#define SHIM_HOOK_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hook_list_io.h"
#include "hook_list_lock.h"
#include "hook_list_spawn.h"
#include "hook_list_uring.h"
#include "hook_versions.h"

/*
 * X(result, name, parameters, arguments, ...)
 *
 * BOUND: libc exports a second name, __NAME. The real function is bound at link
 * time, so it is valid before any constructor ran.
 */
#define HOOKS_BOUND(X) HOOKS_BOUND_LOCK(X)

/* FOUND: looked up by the first call, or by the constructor. */
#define HOOKS_FOUND(X)                                                         \
	HOOKS_LOCK(X)                                                          \
	HOOKS_IO(X)                                                            \
	HOOKS_WAIT(X)                                                          \
	HOOKS_SYSCALL(X) HOOKS_SIGNAL(X) HOOKS_SPAWN(X) HOOKS_EXIT(X)

#define HOOKS_SYSCALL(X)                                                       \
	X(int, prctl,                                                          \
	  (int option, unsigned long a, unsigned long b, unsigned long c,      \
	   unsigned long d),                                                   \
	  (option, a, b, c, d))                                                \
	X(int, ioctl, (int fd, unsigned long request, void *argument),         \
	  (fd, request, argument))                                             \
	X(long, syscall,                                                       \
	  (long number, long a, long b, long c, long d, long e, long f),       \
	  (number, a, b, c, d, e, f))

#define HOOKS_WAIT(X)                                                          \
	X(int, epoll_wait,                                                     \
	  (int fd, struct epoll_event *events, int n, int timeout),            \
	  (fd, events, n, timeout))                                            \
	X(int, epoll_pwait,                                                    \
	  (int fd, struct epoll_event *events, int n, int timeout,             \
	   const sigset_t *mask),                                              \
	  (fd, events, n, timeout, mask))                                      \
	X(int, epoll_pwait2,                                                   \
	  (int fd, struct epoll_event *events, int n,                          \
	   const struct timespec *timeout, const sigset_t *mask),              \
	  (fd, events, n, timeout, mask))                                      \
	X(int, poll, (struct pollfd * fds, nfds_t n, int timeout),             \
	  (fds, n, timeout))                                                   \
	X(int, ppoll,                                                          \
	  (struct pollfd * fds, nfds_t n, const struct timespec *timeout,      \
	   const sigset_t *mask),                                              \
	  (fds, n, timeout, mask))                                             \
	X(int, __poll_chk,                                                     \
	  (struct pollfd * fds, nfds_t n, int timeout, size_t size),           \
	  (fds, n, timeout, size))                                             \
	X(int, __ppoll_chk,                                                    \
	  (struct pollfd * fds, nfds_t n, const struct timespec *timeout,      \
	   const sigset_t *mask, size_t size),                                 \
	  (fds, n, timeout, mask, size))                                       \
	X(int, select,                                                         \
	  (int n, fd_set *in, fd_set *out, fd_set *err,                        \
	   struct timeval *timeout),                                           \
	  (n, in, out, err, timeout))                                          \
	X(int, pselect,                                                        \
	  (int n, fd_set *in, fd_set *out, fd_set *err,                        \
	   const struct timespec *timeout, const sigset_t *mask),              \
	  (n, in, out, err, timeout, mask))

#define HOOKS_SIGNAL(X)                                                        \
	X(int, sigaction,                                                      \
	  (int sig, const struct sigaction *act, struct sigaction *old),       \
	  (sig, act, old))                                                     \
	X(sighandler_t, signal, (int sig, sighandler_t handler),               \
	  (sig, handler))                                                      \
	X(sighandler_t, sysv_signal, (int sig, sighandler_t handler),          \
	  (sig, handler))                                                      \
	X(int, siginterrupt, (int sig, int interrupt), (sig, interrupt))       \
	X(sighandler_t, sigset, (int sig, sighandler_t handler),               \
	  (sig, handler))                                                      \
	X(int, sigignore, (int sig), (sig))                                    \
	X(int, sighold, (int sig), (sig))                                      \
	X(int, sigrelse, (int sig), (sig))                                     \
	X(int, sigblock, (int mask), (mask))                                   \
	X(int, sigsetmask, (int mask), (mask))                                 \
	X(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old),     \
	  (how, set, old))                                                     \
	X(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), \
	  (how, set, old))                                                     \
	X(int, pthread_attr_setsigmask_np,                                     \
	  (pthread_attr_t * attr, const sigset_t *set), (attr, set))           \
	X(int, pthread_attr_getsigmask_np,                                     \
	  (const pthread_attr_t *attr, sigset_t *set), (attr, set))            \
	X(int, setcontext, (const ucontext_t *to), (to))                       \
	X(int, swapcontext, (ucontext_t * from, const ucontext_t *to),         \
	  (from, to))                                                          \
	X(void, longjmp, (struct __jmp_buf_tag to[1], int value), (to, value)) \
	X(void, __longjmp_chk, (struct __jmp_buf_tag to[1], int value),        \
	  (to, value))                                                         \
	X(int, sigaltstack, (const stack_t *stack, stack_t *old),              \
	  (stack, old))                                                        \
	X(int, sigpending, (sigset_t * set), (set))                            \
	X(int, raise, (int sig), (sig))                                        \
	X(int, kill, (pid_t process, int sig), (process, sig))                 \
	X(int, killpg, (pid_t group, int sig), (group, sig))                   \
	X(int, sigqueue, (pid_t process, int sig, const union sigval value),   \
	  (process, sig, value))                                               \
	X(int, pthread_kill, (pthread_t thread, int sig), (thread, sig))       \
	X(int, pthread_sigqueue,                                               \
	  (pthread_t thread, int sig, const union sigval value),               \
	  (thread, sig, value))                                                \
	X(int, tgkill, (pid_t process, pid_t thread, int sig),                 \
	  (process, thread, sig))                                              \
	X(int, sigwait, (const sigset_t *set, int *sig), (set, sig))           \
	X(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info),            \
	  (set, info))                                                         \
	X(int, sigtimedwait,                                                   \
	  (const sigset_t *set, siginfo_t *info,                               \
	   const struct timespec *timeout),                                    \
	  (set, info, timeout))                                                \
	X(int, signalfd, (int fd, const sigset_t *set, int flags),             \
	  (fd, set, flags))                                                    \
	X(int, sigsuspend, (const sigset_t *mask), (mask))                     \
	X(int, sigpause, (int mask), (mask))                                   \
	X(int, __sigpause, (int sig_or_mask, int is_sig),                      \
	  (sig_or_mask, is_sig))                                               \
	X(int, __xpg_sigpause, (int sig), (sig))

#define HOOKS_EXIT(X)                                                          \
	X(void, exit, (int status), (status))                                  \
	X(void, _exit, (int status), (status))                                 \
	X(void, _Exit, (int status), (status))                                 \
	X(void, abort, (void), ())                                             \
	X(void, __assert_fail,                                                 \
	  (const char *claim, const char *file, unsigned line,                 \
	   const char *function),                                              \
	  (claim, file, line, function))                                       \
	X(int, execve,                                                         \
	  (const char *path, char *const argv[], char *const envp[]),          \
	  (path, argv, envp))                                                  \
	X(int, execv, (const char *path, char *const argv[]), (path, argv))    \
	X(int, execvp, (const char *file, char *const argv[]), (file, argv))   \
	X(int, execvpe,                                                        \
	  (const char *file, char *const argv[], char *const envp[]),          \
	  (file, argv, envp))                                                  \
	X(int, fexecve, (int fd, char *const argv[], char *const envp[]),      \
	  (fd, argv, envp))                                                    \
	X(int, execveat,                                                       \
	  (int fd, const char *path, char *const argv[], char *const envp[],   \
	   int flags),                                                         \
	  (fd, path, argv, envp, flags))

/*
 * X(result, name, parameters, arguments, function, version)
 *
 * VERSIONED: libc has two functions under one name, for programs of different
 * age; real.NAME is the one of that version.
 */
#define HOOKS_VERSIONED(X)                                                     \
	HOOKS_OLD_COND(X)                                                      \
	HOOKS_SPAWN_VERSIONED(X)                                               \
	X(void, quick_exit_new, (int status), (status), quick_exit,            \
	  VERSION_QUICK_EXIT)                                                  \
	X(void, quick_exit_old, (int status), (status), quick_exit,            \
	  VERSION_FIRST_QUICK_EXIT)                                            \
	X(int, libc_start_main_new, START_MAIN_PARAMETERS,                     \
	  START_MAIN_ARGUMENTS, __libc_start_main, VERSION_START_MAIN)         \
	X(int, libc_start_main_old, START_MAIN_PARAMETERS,                     \
	  START_MAIN_ARGUMENTS, __libc_start_main, VERSION_FIRST)              \
	X(int, cond_wait_new, (pthread_cond_t * c, pthread_mutex_t * m),       \
	  (c, m), pthread_cond_wait, VERSION_COND)                             \
	X(int, cond_signal_new, (pthread_cond_t * c), (c),                     \
	  pthread_cond_signal, VERSION_COND)                                   \
	X(int, cond_broadcast_new, (pthread_cond_t * c), (c),                  \
	  pthread_cond_broadcast, VERSION_COND)                                \
	X(int, cond_timedwait_new,                                             \
	  (pthread_cond_t * c, pthread_mutex_t * m,                            \
	   const struct timespec *until),                                      \
	  (c, m, until), pthread_cond_timedwait, VERSION_COND)

#if HAS_OLD_COND
#define HOOKS_OLD_COND(X)                                                      \
	X(int, cond_wait_old, (pthread_cond_t * c, pthread_mutex_t * m),       \
	  (c, m), pthread_cond_wait, VERSION_FIRST)                            \
	X(int, cond_signal_old, (pthread_cond_t * c), (c),                     \
	  pthread_cond_signal, VERSION_FIRST)                                  \
	X(int, cond_broadcast_old, (pthread_cond_t * c), (c),                  \
	  pthread_cond_broadcast, VERSION_FIRST)                               \
	X(int, cond_timedwait_old,                                             \
	  (pthread_cond_t * c, pthread_mutex_t * m,                            \
	   const struct timespec *until),                                      \
	  (c, m, until), pthread_cond_timedwait, VERSION_FIRST)
#else
#define HOOKS_OLD_COND(X)
#endif

#define START_MAIN_PARAMETERS                                                  \
	(int (*main)(int, char **, char **), int argc, char **argv,            \
	 void (*init)(void), void (*fini)(void), void (*loader_fini)(void),    \
	 void *stack_end)
#define START_MAIN_ARGUMENTS                                                   \
	(main, argc, argv, init, fini, loader_fini, stack_end)

/*
 * X(name, other)
 *
 * What libc has by two names, public both. Programs with a function of their
 * own by the one go on by the other: Erlang's sigaction() calls the next
 * __sigaction(). (The other name of what is BOUND is left to libc.)
 */
#define HOOKS_ALSO(X)                                                          \
	X(sigaction, __sigaction)                                              \
	X(signal, bsd_signal)                                                  \
	X(signal, ssignal)                                                     \
	X(sysv_signal, __sysv_signal)                                          \
	X(sigsuspend, __sigsuspend)                                            \
	X(raise, gsignal)                                                      \
	X(longjmp, _longjmp)                                                   \
	X(longjmp, siglongjmp)                                                 \
	X(poll, __poll)                                                        \
	X(select, __select)                                                    \
	X(nanosleep, __nanosleep)                                              \
	X(read, __read)                                                        \
	X(write, __write)                                                      \
	X(send, __send)                                                        \
	X(connect, __connect)                                                  \
	X(close, __close)                                                      \
	X(dup2, __dup2)                                                        \
	X(fclose, _IO_fclose)                                                  \
	X(popen, _IO_popen)

/* Hooks that call another hooked function of libc. */
#define HOOKS_THROUGH(X)                                                       \
	X(execl)                                                               \
	X(execlp)                                                              \
	X(execle)

/* The real functions: real.NAME(...). */
struct real_functions {
#define X(result, name, parameters, arguments, ...) result(*name) parameters;
	HOOKS_BOUND(X)
	HOOKS_FOUND(X)
#undef X
#define X(result, name, parameters, arguments, function, version)              \
	result(*name) parameters;
	HOOKS_VERSIONED(X)
#undef X
};

extern struct real_functions real;

/* Declared by libc's headers only to programs that are fortified. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		const sigset_t *mask, size_t size);
#define X(result, name, parameters, arguments) result name parameters;
HOOKS_FORTIFIED(X)
#undef X

/*
 * Looks up every function that is not BOUND. Not signal-safe: constructor, or
 * first use.
 */
void real_find(void);

/* The same of liburing, if the program starts with it: shim/hook_liburing.c. */
void liburing_find(void);

#define HOOK __attribute__((visibility("default")))

/* Of HOOKS_ALSO(), in the file that has the hook. */
#define HOOK_ALSO(name, other)                                                 \
	HOOK __typeof(name) other __attribute__((alias(#name), copy(name)))

/* In a hook: where the host called it from. */
#define CALLER __builtin_return_address(0)

#endif
