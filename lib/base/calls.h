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
	X(CALL_CONNECT, "connect")

enum blocking_call {
#define X(name, text) name,
	BLOCKING_CALLS(X)
#undef X
	CALL_COUNT
};

#endif
