/*
 * Which system call is which call of base/calls.h. A call that a machine lacks
 * is left out there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_SYSTEM_CALLS_H
#define SIGSAFE_OS_SYSTEM_CALLS_H

#include <sys/syscall.h>

#include "base/calls.h"

#define SYSTEM_CALLS(X)                                                        \
	X(SYS_read, CALL_READ)                                                 \
	X(SYS_readv, CALL_READV)                                               \
	X(SYS_pread64, CALL_PREAD)                                             \
	X(SYS_preadv, CALL_PREADV)                                             \
	X(SYS_preadv2, CALL_PREADV)                                            \
	X(SYS_write, CALL_WRITE)                                               \
	X(SYS_writev, CALL_WRITEV)                                             \
	X(SYS_pwrite64, CALL_PWRITE)                                           \
	X(SYS_pwritev, CALL_PWRITEV)                                           \
	X(SYS_pwritev2, CALL_PWRITEV)                                          \
	X(SYS_recvfrom, CALL_RECVFROM)                                         \
	X(SYS_recvmsg, CALL_RECVMSG)                                           \
	X(SYS_recvmmsg, CALL_RECVMMSG)                                         \
	X(SYS_sendto, CALL_SENDTO)                                             \
	X(SYS_sendmsg, CALL_SENDMSG)                                           \
	X(SYS_sendmmsg, CALL_SENDMMSG)                                         \
	X(SYS_accept, CALL_ACCEPT)                                             \
	X(SYS_accept4, CALL_ACCEPT4)                                           \
	X(SYS_connect, CALL_CONNECT)                                           \
	X(SYS_fsync, CALL_FSYNC)                                               \
	X(SYS_fdatasync, CALL_FDATASYNC)                                       \
	X(SYS_sync, CALL_SYNC)                                                 \
	X(SYS_syncfs, CALL_SYNCFS)                                             \
	X(SYS_sync_file_range, CALL_SYNC_FILE_RANGE)                           \
	X(SYS_msync, CALL_MSYNC)                                               \
	X(SYS_openat, CALL_OPEN)                                               \
	X(SYS_close, CALL_CLOSE)                                               \
	X(SYS_newfstatat, CALL_STAT)                                           \
	X(SYS_fstat, CALL_STAT)                                                \
	X(SYS_statx, CALL_STAT)                                                \
	X(SYS_getdents64, CALL_GETDENTS)                                       \
	X(SYS_renameat, CALL_RENAME)                                           \
	X(SYS_renameat2, CALL_RENAME)                                          \
	X(SYS_linkat, CALL_LINK)                                               \
	X(SYS_unlinkat, CALL_UNLINK)                                           \
	X(SYS_mkdirat, CALL_MKDIR)                                             \
	X(SYS_truncate, CALL_TRUNCATE)                                         \
	X(SYS_ftruncate, CALL_TRUNCATE)                                        \
	X(SYS_fallocate, CALL_FALLOCATE)                                       \
	X(SYS_flock, CALL_FLOCK)                                               \
	X(SYS_fcntl, CALL_FCNTL)                                               \
	X(SYS_ioctl, CALL_IOCTL)                                               \
	X(SYS_sendfile, CALL_SENDFILE)                                         \
	X(SYS_splice, CALL_SPLICE)                                             \
	X(SYS_copy_file_range, CALL_COPY_FILE_RANGE)                           \
	X(SYS_bpf, CALL_BPF)                                                   \
	X(SYS_mmap, CALL_MMAP)                                                 \
	X(SYS_munmap, CALL_MUNMAP)                                             \
	X(SYS_mprotect, CALL_MPROTECT)                                         \
	X(SYS_madvise, CALL_MADVISE)                                           \
	X(SYS_mremap, CALL_MREMAP)                                             \
	X(SYS_brk, CALL_BRK)                                                   \
	X(SYS_wait4, CALL_WAIT4)                                               \
	X(SYS_waitid, CALL_WAITID)                                             \
	X(SYS_clone, CALL_CLONE)                                               \
	X(SYS_clone3, CALL_CLONE)                                              \
	X(SYS_sched_yield, CALL_SCHED_YIELD)                                   \
	X(SYS_nanosleep, CALL_NANOSLEEP)                                       \
	X(SYS_clock_nanosleep, CALL_CLOCK_NANOSLEEP)                           \
	X(SYS_rt_sigsuspend, CALL_SIGSUSPEND)                                  \
	X(SYS_rt_sigtimedwait, CALL_SIGTIMEDWAIT)                              \
	X(SYS_futex, CALL_FUTEX)                                               \
	X(SYS_semop, CALL_SEMOP)                                               \
	X(SYS_semtimedop, CALL_SEMTIMEDOP)                                     \
	X(SYS_msgrcv, CALL_MSGRCV)                                             \
	X(SYS_msgsnd, CALL_MSGSND)                                             \
	X(SYS_mq_timedreceive, CALL_MQ_RECEIVE)                                \
	X(SYS_mq_timedsend, CALL_MQ_SEND)                                      \
	X(SYS_getrandom, CALL_GETRANDOM)                                       \
	X(SYS_epoll_pwait, CALL_EPOLL_PWAIT)                                   \
	X(SYS_epoll_pwait2, CALL_EPOLL_PWAIT2)                                 \
	X(SYS_ppoll, CALL_PPOLL)                                               \
	X(SYS_pselect6, CALL_PSELECT)                                          \
	X(SYS_io_getevents, CALL_IO_GETEVENTS)                                 \
	X(SYS_io_uring_enter, CALL_IO_URING_ENTER)

/* Those of the older machines; a newer one has only what came after them. */
#ifdef SYS_open
#define SYSTEM_CALLS_OLD(X)                                                    \
	X(SYS_open, CALL_OPEN)                                                 \
	X(SYS_creat, CALL_OPEN)                                                \
	X(SYS_stat, CALL_STAT)                                                 \
	X(SYS_lstat, CALL_STAT)                                                \
	X(SYS_getdents, CALL_GETDENTS)                                         \
	X(SYS_rename, CALL_RENAME)                                             \
	X(SYS_link, CALL_LINK)                                                 \
	X(SYS_unlink, CALL_UNLINK)                                             \
	X(SYS_rmdir, CALL_UNLINK)                                              \
	X(SYS_mkdir, CALL_MKDIR)                                               \
	X(SYS_fork, CALL_CLONE)                                                \
	X(SYS_vfork, CALL_VFORK)                                               \
	X(SYS_pause, CALL_PAUSE)                                               \
	X(SYS_epoll_wait, CALL_EPOLL_WAIT)                                     \
	X(SYS_poll, CALL_POLL)                                                 \
	X(SYS_select, CALL_SELECT)
#else
#define SYSTEM_CALLS_OLD(X)
#endif

#endif
