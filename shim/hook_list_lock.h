/*
 * The hooked functions that have to do with locks: their part of the one list
 * (hook.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_LIST_LOCK_H
#define SHIM_HOOK_LIST_LOCK_H

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#define HOOKS_BOUND_LOCK(X)                                                    \
	X(int, pthread_mutex_lock, (pthread_mutex_t * m), (m))                 \
	X(int, pthread_mutex_trylock, (pthread_mutex_t * m), (m))              \
	X(int, pthread_mutex_unlock, (pthread_mutex_t * m), (m))               \
	X(int, pthread_mutex_init,                                             \
	  (pthread_mutex_t * m, const pthread_mutexattr_t *attr), (m, attr))   \
	X(int, pthread_mutex_destroy, (pthread_mutex_t * m), (m))              \
	X(int, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))             \
	X(int, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))             \
	X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))          \
	X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))          \
	X(int, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))             \
	X(int, pthread_rwlock_init,                                            \
	  (pthread_rwlock_t * l, const pthread_rwlockattr_t *attr), (l, attr)) \
	X(int, pthread_rwlock_destroy, (pthread_rwlock_t * l), (l))            \
	X(int, pthread_once, (pthread_once_t * control, void (*init)(void)),   \
	  (control, init))

#define HOOKS_LOCK(X)                                                          \
	X(int, pthread_mutex_timedlock,                                        \
	  (pthread_mutex_t * m, const struct timespec *until), (m, until))     \
	X(int, pthread_mutex_clocklock,                                        \
	  (pthread_mutex_t * m, clockid_t clock,                               \
	   const struct timespec *until),                                      \
	  (m, clock, until))                                                   \
	X(int, pthread_cond_clockwait,                                         \
	  (pthread_cond_t * c, pthread_mutex_t * m, clockid_t clock,           \
	   const struct timespec *until),                                      \
	  (c, m, clock, until))                                                \
	X(int, mtx_lock, (mtx_t * m), (m))                                     \
	X(int, mtx_trylock, (mtx_t * m), (m))                                  \
	X(int, mtx_timedlock, (mtx_t * m, const struct timespec *until),       \
	  (m, until))                                                          \
	X(int, mtx_unlock, (mtx_t * m), (m))                                   \
	X(int, cnd_signal, (cnd_t * c), (c))                                   \
	X(int, cnd_broadcast, (cnd_t * c), (c))                                \
	X(int, cnd_wait, (cnd_t * c, mtx_t * m), (c, m))                       \
	X(int, cnd_timedwait,                                                  \
	  (cnd_t * c, mtx_t * m, const struct timespec *until), (c, m, until)) \
	X(int, pthread_rwlock_timedrdlock,                                     \
	  (pthread_rwlock_t * l, const struct timespec *until), (l, until))    \
	X(int, pthread_rwlock_timedwrlock,                                     \
	  (pthread_rwlock_t * l, const struct timespec *until), (l, until))    \
	X(int, pthread_rwlock_clockrdlock,                                     \
	  (pthread_rwlock_t * l, clockid_t clock,                              \
	   const struct timespec *until),                                      \
	  (l, clock, until))                                                   \
	X(int, pthread_rwlock_clockwrlock,                                     \
	  (pthread_rwlock_t * l, clockid_t clock,                              \
	   const struct timespec *until),                                      \
	  (l, clock, until))                                                   \
	X(int, pthread_spin_lock, (pthread_spinlock_t * l), (l))               \
	X(int, pthread_spin_trylock, (pthread_spinlock_t * l), (l))            \
	X(int, pthread_spin_unlock, (pthread_spinlock_t * l), (l))             \
	X(int, pthread_spin_init, (pthread_spinlock_t * l, int shared),        \
	  (l, shared))                                                         \
	X(int, pthread_spin_destroy, (pthread_spinlock_t * l), (l))            \
	X(int, sem_wait, (sem_t * s), (s))                                     \
	X(int, sem_trywait, (sem_t * s), (s))                                  \
	X(int, sem_timedwait, (sem_t * s, const struct timespec *until),       \
	  (s, until))                                                          \
	X(int, sem_clockwait,                                                  \
	  (sem_t * s, clockid_t clock, const struct timespec *until),          \
	  (s, clock, until))                                                   \
	X(int, sem_post, (sem_t * s), (s))                                     \
	X(int, sem_init, (sem_t * s, int shared, unsigned int value),          \
	  (s, shared, value))                                                  \
	X(int, sem_destroy, (sem_t * s), (s))                                  \
	X(int, pthread_barrier_wait, (pthread_barrier_t * b), (b))             \
	X(int, pthread_barrier_init,                                           \
	  (pthread_barrier_t * b, const pthread_barrierattr_t *attr,           \
	   unsigned int count),                                                \
	  (b, attr, count))                                                    \
	X(int, pthread_barrier_destroy, (pthread_barrier_t * b), (b))          \
	X(int, pthread_join, (pthread_t thread, void **value),                 \
	  (thread, value))                                                     \
	X(int, pthread_tryjoin_np, (pthread_t thread, void **value),           \
	  (thread, value))                                                     \
	X(int, pthread_timedjoin_np,                                           \
	  (pthread_t thread, void **value, const struct timespec *until),      \
	  (thread, value, until))                                              \
	X(int, pthread_clockjoin_np,                                           \
	  (pthread_t thread, void **value, clockid_t clock,                    \
	   const struct timespec *until),                                      \
	  (thread, value, clock, until))                                       \
	X(int, thrd_join, (thrd_t thread, int *value), (thread, value))        \
	X(void, call_once, (once_flag * flag, void (*init)(void)), (flag, init))

#endif
