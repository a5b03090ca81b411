/*
 * The hooked functions that a tick could break, other than waits for events:
 * their part of the one list (hook.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_LIST_IO_H
#define SHIM_HOOK_LIST_IO_H

#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* X(result, name, parameters, arguments, call): sleeps, in which ticks come. */
#define HOOKS_SLEEP(X)                                                         \
	X(unsigned int, sleep, (unsigned int seconds), (seconds), CALL_SLEEP)  \
	X(int, usleep, (useconds_t us), (us), CALL_USLEEP)                     \
	X(int, nanosleep,                                                      \
	  (const struct timespec *want, struct timespec *left), (want, left),  \
	  CALL_NANOSLEEP)                                                      \
	X(int, clock_nanosleep,                                                \
	  (clockid_t clock, int flags, const struct timespec *want,            \
	   struct timespec *left),                                             \
	  (clock, flags, want, left), CALL_CLOCK_NANOSLEEP)                    \
	X(int, thrd_sleep,                                                     \
	  (const struct timespec *want, struct timespec *left), (want, left),  \
	  CALL_THRD_SLEEP)                                                     \
	X(int, pause, (void), (), CALL_PAUSE)

/*
 * X(result, name, parameters, arguments, call)
 *
 * Rare ones, round which the timer is stopped. CALL_NONE: it need not be. (Of
 * files in memory fallocate(2) may end with EINTR: mm/shmem.c, fs/hugetlbfs.)
 */
#define HOOKS_BLOCK(X)                                                         \
	X(int, semop, (int set, struct sembuf *ops, size_t n), (set, ops, n),  \
	  CALL_SEMOP)                                                          \
	X(int, semtimedop,                                                     \
	  (int set, struct sembuf *ops, size_t n,                              \
	   const struct timespec *timeout),                                    \
	  (set, ops, n, timeout), CALL_SEMTIMEDOP)                             \
	X(ssize_t, msgrcv,                                                     \
	  (int queue, void *message, size_t n, long type, int flags),          \
	  (queue, message, n, type, flags), CALL_MSGRCV)                       \
	X(int, msgsnd, (int queue, const void *message, size_t n, int flags),  \
	  (queue, message, n, flags), CALL_MSGSND)                             \
	X(int, aio_suspend,                                                    \
	  (const struct aiocb *const list[], int n,                            \
	   const struct timespec *timeout),                                    \
	  (list, n, timeout), CALL_AIO_SUSPEND)                                \
	X(int, aio_suspend64,                                                  \
	  (const struct aiocb64 *const list[], int n,                          \
	   const struct timespec *timeout),                                    \
	  (list, n, timeout), CALL_AIO_SUSPEND)                                \
	X(int, gai_suspend,                                                    \
	  (const struct gaicb *const list[], int n,                            \
	   const struct timespec *timeout),                                    \
	  (list, n, timeout), CALL_GAI_SUSPEND)                                \
	X(int, lio_listio,                                                     \
	  (int mode, struct aiocb *const list[restrict], int n,                \
	   struct sigevent *restrict event),                                   \
	  (mode, list, n, event), CALL_LIO_LISTIO)                             \
	X(int, lio_listio64,                                                   \
	  (int mode, struct aiocb64 *const list[restrict], int n,              \
	   struct sigevent *restrict event),                                   \
	  (mode, list, n, event), CALL_LIO_LISTIO)                             \
	X(ssize_t, getrandom, (void *to, size_t n, unsigned int flags),        \
	  (to, n, flags), call_of_getrandom(n))                                \
	X(ssize_t, splice,                                                     \
	  (int from, off64_t *at, int to, off64_t *to_at, size_t n,            \
	   unsigned int flags),                                                \
	  (from, at, to, to_at, n, flags), call_of_splice(flags))              \
	X(ssize_t, copy_file_range,                                            \
	  (int from, off64_t *at, int to, off64_t *to_at, size_t n,            \
	   unsigned int flags),                                                \
	  (from, at, to, to_at, n, flags), CALL_COPY_FILE_RANGE)               \
	X(int, fallocate, (int fd, int mode, off_t at, off_t n),               \
	  (fd, mode, at, n), CALL_FALLOCATE)                                   \
	X(int, fallocate64, (int fd, int mode, off64_t at, off64_t n),         \
	  (fd, mode, at, n), CALL_FALLOCATE)                                   \
	X(int, posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n),      \
	  CALL_FALLOCATE)                                                      \
	X(int, posix_fallocate64, (int fd, off64_t at, off64_t n),             \
	  (fd, at, n), CALL_FALLOCATE)                                         \
	X(int, tcdrain, (int fd), (fd), CALL_IOCTL)                            \
	X(int, tcsendbreak, (int fd, int duration), (fd, duration),            \
	  CALL_IOCTL)                                                          \
	X(int, close, (int fd), (fd), call_of_close(fd))                       \
	X(int, fclose, (FILE * file), (file), call_of_fclose(file))            \
	X(int, dup2, (int from, int fd), (from, fd), call_of_close(fd))        \
	X(int, dup3, (int from, int fd, int flags), (from, fd, flags),         \
	  call_of_close(fd))

/*
 * X(result, name, parameters, arguments, call, end)
 *
 * Those that no tick breaks, and by which threads wait for work.
 */
#define HOOKS_WORK(X)                                                          \
	X(ssize_t, mq_receive,                                                 \
	  (mqd_t queue, char *message, size_t n, unsigned int *priority),      \
	  (queue, message, n, priority), CALL_MQ_RECEIVE, BLOCK_BY_OTHERS)     \
	X(ssize_t, mq_timedreceive,                                            \
	  (mqd_t queue, char *restrict message, size_t n,                      \
	   unsigned int *restrict priority,                                    \
	   const struct timespec *restrict until),                             \
	  (queue, message, n, priority, until), CALL_MQ_RECEIVE,               \
	  BLOCK_AT_DEADLINE)                                                   \
	X(int, flock, (int fd, int operation), (fd, operation), CALL_FLOCK,    \
	  BLOCK_BY_OTHERS)

/*
 * X(result, name, parameters, arguments, number, kind, sends, work, call)
 *
 * Frequent ones (lib/sigsafe/signals/transfer.h): the descriptor is fd. work:
 * as which it is told where a thread waits for work by it; CALL_NONE: none
 * does. As call where no tick may come; CALL_NONE: one may.
 */
#define HOOKS_TRANSFER(X)                                                      \
	X(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), SYS_read,  \
	  TRANSFER_READ, false, CALL_READ, call_of_read(fd))                   \
	X(ssize_t, readv, (int fd, const struct iovec *parts, int n),          \
	  (fd, parts, n), SYS_readv, TRANSFER_ONCE, false, CALL_READV,         \
	  call_of_read(fd))                                                    \
	X(ssize_t, preadv2,                                                    \
	  (int fd, const struct iovec *parts, int n, off_t at, int flags),     \
	  (fd, parts, n, at, flags), SYS_preadv2, TRANSFER_ONCE, false,        \
	  CALL_NONE, CALL_NONE)                                                \
	X(ssize_t, preadv64v2,                                                 \
	  (int fd, const struct iovec *parts, int n, off64_t at, int flags),   \
	  (fd, parts, n, at, flags), SYS_preadv2, TRANSFER_ONCE, false,        \
	  CALL_NONE, CALL_NONE)                                                \
	X(ssize_t, recv, (int fd, void *to, size_t n, int flags),              \
	  (fd, to, n, flags), SYS_recvfrom, kind_to_receive(flags), false,     \
	  work_by_receive(CALL_RECV, flags),                                   \
	  call_of_receive(CALL_RECV, fd, flags))                               \
	X(ssize_t, recvfrom,                                                   \
	  (int fd, void *restrict to, size_t n, int flags,                     \
	   __SOCKADDR_ARG from, socklen_t *restrict length),                   \
	  (fd, to, n, flags, from, length), SYS_recvfrom,                      \
	  kind_to_receive(flags), false,                                       \
	  work_by_receive(CALL_RECVFROM, flags),                               \
	  call_of_receive(CALL_RECVFROM, fd, flags))                           \
	X(int, accept,                                                         \
	  (int fd, __SOCKADDR_ARG from, socklen_t *restrict length),           \
	  (fd, from, length), SYS_accept, TRANSFER_ONCE, false, CALL_ACCEPT,   \
	  CALL_NONE)                                                           \
	X(int, accept4,                                                        \
	  (int fd, __SOCKADDR_ARG from, socklen_t *restrict length,            \
	   int flags),                                                         \
	  (fd, from, length, flags), SYS_accept4, TRANSFER_ONCE, false,        \
	  CALL_ACCEPT4, CALL_NONE)                                             \
	X(int, connect, (int fd, __CONST_SOCKADDR_ARG to, socklen_t length),   \
	  (fd, to, length), SYS_connect, TRANSFER_ONCE, true, CALL_NONE,       \
	  call_of_connect(fd))                                                 \
	X(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), \
	  SYS_write, TRANSFER_ALL, true, CALL_NONE, CALL_NONE)                 \
	X(ssize_t, send, (int fd, const void *from, size_t n, int flags),      \
	  (fd, from, n, flags), SYS_sendto, kind_to_send(flags), true,         \
	  CALL_NONE, CALL_NONE)                                                \
	X(ssize_t, sendto,                                                     \
	  (int fd, const void *from, size_t n, int flags,                      \
	   __CONST_SOCKADDR_ARG to, socklen_t length),                         \
	  (fd, from, n, flags, to, length), SYS_sendto, kind_to_send(flags),   \
	  true, CALL_NONE, CALL_NONE)                                          \
	X(ssize_t, sendfile, (int fd, int from, off_t *at, size_t n),          \
	  (fd, from, at, n), SYS_sendfile, TRANSFER_COUNT, true, CALL_NONE,    \
	  CALL_NONE)                                                           \
	X(ssize_t, sendfile64, (int fd, int from, off64_t *at, size_t n),      \
	  (fd, from, at, n), SYS_sendfile, TRANSFER_COUNT, true, CALL_NONE,    \
	  CALL_NONE)

/* X(result, name, parameters, arguments): several buffers at a time. */
#define HOOKS_PARTS(X)                                                         \
	X(ssize_t, writev, (int fd, const struct iovec *parts, int n),         \
	  (fd, parts, n))                                                      \
	X(ssize_t, pwritev2,                                                   \
	  (int fd, const struct iovec *parts, int n, off_t at, int flags),     \
	  (fd, parts, n, at, flags))                                           \
	X(ssize_t, pwritev64v2,                                                \
	  (int fd, const struct iovec *parts, int n, off64_t at, int flags),   \
	  (fd, parts, n, at, flags))                                           \
	X(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), \
	  (fd, message, flags))                                                \
	X(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags),       \
	  (fd, message, flags))

/* The same of many messages at a time. */
#define HOOKS_MESSAGES(X)                                                      \
	X(int, recvmmsg,                                                       \
	  (int fd, struct mmsghdr *messages, unsigned int n, int flags,        \
	   struct timespec *timeout),                                          \
	  (fd, messages, n, flags, timeout), SYS_recvmmsg, TRANSFER_ONCE,      \
	  false, work_by_receive(CALL_RECVMMSG, flags),                        \
	  call_of_recvmmsg(fd, n, flags))                                      \
	X(int, sendmmsg,                                                       \
	  (int fd, struct mmsghdr *messages, unsigned int n, int flags),       \
	  (fd, messages, n, flags), SYS_sendmmsg, TRANSFER_ONCE, true,         \
	  CALL_NONE, call_of_sendmmsg(fd, flags))

/* Fortified: libc checks the room, then calls what no hook sees. */
#define HOOKS_FORTIFIED(X)                                                     \
	X(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room),      \
	  (fd, to, n, room))                                                   \
	X(ssize_t, __recv_chk,                                                 \
	  (int fd, void *to, size_t n, size_t room, int flags),                \
	  (fd, to, n, room, flags))                                            \
	X(ssize_t, __recvfrom_chk,                                             \
	  (int fd, void *restrict to, size_t n, size_t room, int flags,        \
	   __SOCKADDR_ARG from, socklen_t *restrict length),                   \
	  (fd, to, n, room, flags, from, length))

/* By which others may last (hook_settings.h). */
#define HOOKS_SETTINGS(X)                                                      \
	X(int, setsockopt,                                                     \
	  (int fd, int level, int option, const void *value, socklen_t bytes), \
	  (fd, level, option, value, bytes))                                   \
	X(int, tcsetattr, (int fd, int when, const struct termios *settings),  \
	  (fd, when, settings))

#define HOOKS_IO(X)                                                            \
	HOOKS_SETTINGS(X)                                                      \
	HOOKS_SLEEP(X)                                                         \
	HOOKS_BLOCK(X)                                                         \
	HOOKS_WORK(X)                                                          \
	HOOKS_TRANSFER(X) HOOKS_PARTS(X) HOOKS_MESSAGES(X) HOOKS_FORTIFIED(X)

#endif
