#ifndef BACKENDS_HOST_TEAM_H
#define BACKENDS_HOST_TEAM_H

#include <stdint.h>

/*
 * The threads that run kernels, one for each core. All of them exist before the first kernel is
 * loaded, and the process can start no other afterwards (backends/containment), so that no work
 * outlives a call: a call has ended when each of these threads waits again.
 *
 * Thread 0 makes the calls, because it has a larger stack than the thread that answers the judge.
 * The others help it when the kernel's OpenMP asks for them (openmp_gnu.inc). A thread that waits
 * looks for work for some microseconds, and then sleeps.
 */
struct team;

/* Work of one thread; `number` counts from 0. */
typedef void team_fn(void *data, unsigned number);

/* Start `size` threads, at least one; NULL if the system has no room for them. */
struct team *team_new(unsigned size);
void team_free(struct team *team);
unsigned team_size(const struct team *team);

/* Have thread 0 do the work, and wait for it. */
void team_call(struct team *team, team_fn *work, void *data);

/* On thread 0 only: have the first `threads` threads do the work, and wait for all of them. */
void team_share(struct team *team, team_fn *work, void *data, unsigned threads);

/* The number of the thread that asks; 0 outside of a team. */
unsigned team_number(void);

/*
 * Wait until the word is no longer `value`; and wake those who wait for a word after it was
 * changed (futex(2)).
 */
void team_await(const uint32_t *word, uint32_t value);
void team_wake(const uint32_t *word);

#endif
