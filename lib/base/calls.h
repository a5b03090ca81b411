/*
 * The calls a thread may be found in, by number and name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_CALLS_H
#define BASE_CALLS_H

/* Calls a thread may be found in: waits that make a loop, then the rest. */
#define BLOCKING_CALLS(X)                                                      \
	X(CALL_NONE, "")                                                       \
	X(CALL_EPOLL_WAIT, "epoll_wait")                                       \
	X(CALL_EPOLL_PWAIT, "epoll_pwait")                                     \
	X(CALL_EPOLL_PWAIT2, "epoll_pwait2")                                   \
	X(CALL_POLL, "poll")                                                   \
	X(CALL_PPOLL, "ppoll")                                                 \
	X(CALL_SELECT, "select")                                               \
	X(CALL_PSELECT, "pselect")                                             \
	X(CALL_SLEEP, "sleep")                                                 \
	X(CALL_USLEEP, "usleep")                                               \
	X(CALL_NANOSLEEP, "nanosleep")                                         \
	X(CALL_CLOCK_NANOSLEEP, "clock_nanosleep")                             \
	X(CALL_THRD_SLEEP, "thrd_sleep")                                       \
	X(CALL_PAUSE, "pause")                                                 \
	X(CALL_SIGSUSPEND, "sigsuspend")                                       \
	X(CALL_SIGTIMEDWAIT, "sigtimedwait")                                   \
	X(CALL_SIGWAITINFO, "sigwaitinfo")                                     \
	X(CALL_SIGWAIT, "sigwait")                                             \
	X(CALL_SEM_TIMEDWAIT, "sem_timedwait")                                 \
	X(CALL_SEM_CLOCKWAIT, "sem_clockwait")                                 \
	X(CALL_FUTEX, "futex")                                                 \
	X(CALL_SEMOP, "semop")                                                 \
	X(CALL_SEMTIMEDOP, "semtimedop")                                       \
	X(CALL_MSGRCV, "msgrcv")                                               \
	X(CALL_MSGSND, "msgsnd")                                               \
	X(CALL_AIO_SUSPEND, "aio_suspend")                                     \
	X(CALL_READ, "read")                                                   \
	X(CALL_READV, "readv")                                                 \
	X(CALL_WRITE, "write")                                                 \
	X(CALL_WRITEV, "writev")                                               \
	X(CALL_RECV, "recv")                                                   \
	X(CALL_RECVFROM, "recvfrom")                                           \
	X(CALL_RECVMSG, "recvmsg")                                             \
	X(CALL_SEND, "send")                                                   \
	X(CALL_SENDTO, "sendto")                                               \
	X(CALL_SENDMSG, "sendmsg")                                             \
	X(CALL_ACCEPT, "accept")                                               \
	X(CALL_ACCEPT4, "accept4")                                             \
	X(CALL_CONNECT, "connect")                                             \
	X(CALL_PREAD, "pread")                                                 \
	X(CALL_PWRITE, "pwrite")                                               \
	X(CALL_PREADV, "preadv")                                               \
	X(CALL_PWRITEV, "pwritev")                                             \
	X(CALL_FSYNC, "fsync")                                                 \
	X(CALL_FDATASYNC, "fdatasync")                                         \
	X(CALL_SYNC, "sync")                                                   \
	X(CALL_SYNCFS, "syncfs")                                               \
	X(CALL_SYNC_FILE_RANGE, "sync_file_range")                             \
	X(CALL_MSYNC, "msync")                                                 \
	X(CALL_OPEN, "open")                                                   \
	X(CALL_CLOSE, "close")                                                 \
	X(CALL_STAT, "stat")                                                   \
	X(CALL_GETDENTS, "getdents")                                           \
	X(CALL_RENAME, "rename")                                               \
	X(CALL_LINK, "link")                                                   \
	X(CALL_UNLINK, "unlink")                                               \
	X(CALL_MKDIR, "mkdir")                                                 \
	X(CALL_TRUNCATE, "truncate")                                           \
	X(CALL_FALLOCATE, "fallocate")                                         \
	X(CALL_FLOCK, "flock")                                                 \
	X(CALL_FCNTL, "fcntl")                                                 \
	X(CALL_IOCTL, "ioctl")                                                 \
	X(CALL_SENDFILE, "sendfile")                                           \
	X(CALL_SPLICE, "splice")                                               \
	X(CALL_COPY_FILE_RANGE, "copy_file_range")                             \
	X(CALL_MMAP, "mmap")                                                   \
	X(CALL_MUNMAP, "munmap")                                               \
	X(CALL_MPROTECT, "mprotect")                                           \
	X(CALL_MADVISE, "madvise")                                             \
	X(CALL_MREMAP, "mremap")                                               \
	X(CALL_BRK, "brk")                                                     \
	X(CALL_WAIT4, "wait4")                                                 \
	X(CALL_WAITID, "waitid")                                               \
	X(CALL_CLONE, "clone")                                                 \
	X(CALL_VFORK, "vfork")                                                 \
	X(CALL_SCHED_YIELD, "sched_yield")                                     \
	X(CALL_RECVMMSG, "recvmmsg")                                           \
	X(CALL_SENDMMSG, "sendmmsg")                                           \
	X(CALL_MQ_RECEIVE, "mq_receive")                                       \
	X(CALL_MQ_SEND, "mq_send")                                             \
	X(CALL_GETRANDOM, "getrandom")                                         \
	X(CALL_IO_GETEVENTS, "io_getevents")                                   \
	X(CALL_IO_URING_ENTER, "io_uring_enter")                               \
	X(CALL_LIO_LISTIO, "lio_listio")                                       \
	X(CALL_IO_PGETEVENTS, "io_pgetevents")                                 \
	X(CALL_COND_WAIT, "pthread_cond_wait")                                 \
	X(CALL_COND_TIMEDWAIT, "pthread_cond_timedwait")                       \
	X(CALL_COND_CLOCKWAIT, "pthread_cond_clockwait")                       \
	X(CALL_CND_WAIT, "cnd_wait")                                           \
	X(CALL_CND_TIMEDWAIT, "cnd_timedwait")                                 \
	X(CALL_SHELL, "system")                                                \
	X(CALL_POPEN, "popen")                                                 \
	X(CALL_SPAWN, "posix_spawn")                                           \
	X(CALL_GAI_SUSPEND, "gai_suspend")                                     \
	X(CALL_BPF, "bpf")

enum blocking_call {
#define X(name, text) name,
	BLOCKING_CALLS(X)
#undef X
	CALL_COUNT
};

#endif
