#ifndef BACKENDS_HOST_TEAM_H
#define BACKENDS_HOST_TEAM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The threads that run kernels, one for each core. All of them start before the first kernel is
 * loaded, and afterwards the process can start no other (backends/containment). So no work outlives
 * a call: a call has ended when each of these threads waits again.
 *
 * Thread 0 makes the calls, because its stack is larger than that of the thread that answers the
 * judge. The others join when the kernel's OpenMP begins a region (openmp_gnu.inc). A waiting
 * thread polls for some microseconds, and then sleeps.
 */
struct team;

/* A thread's share of the work; `number` is that of the thread, from 0. */
typedef void team_fn(void *data, unsigned number);

/* Start `size` threads, at least one; NULL if the system refuses. */
struct team *team_new(unsigned size);
void team_free(struct team *team);
unsigned team_size(const struct team *team);

/* Let thread 0 do the work, and wait until it is done. */
void team_call(struct team *team, team_fn *work, void *data);

/*
 * Called on thread 0 only: let the first `threads` threads do the work, and wait for all of them.
 */
void team_share(struct team *team, team_fn *work, void *data, unsigned threads);

/*
 * Called on thread 0 only: wake all threads, each on a core of its own. The scheduler may have put
 * two on one core, where each waits for the other to sleep, and leaves them there. With `stay`
 * threads also stay where they are until a call without it, because on a busy machine the scheduler
 * soon puts them together again.
 */
void team_spread(struct team *team, bool stay);

/* The number of the calling thread; 0 outside of a team. */
unsigned team_number(void);

/*
 * Wait until the word is no longer `value`; and wake all threads that wait for a word, after a
 * change of it (futex(2)).
 */
void team_await(const uint32_t *word, uint32_t value);
void team_wake(const uint32_t *word);

#endif
