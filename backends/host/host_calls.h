#ifndef BACKENDS_HOST_HOST_CALLS_H
#define BACKENDS_HOST_HOST_CALLS_H

#include "backends/host/team.h"

/* The functions that an object's OpenMP calls. openmp_gnu.inc has a copy of this struct. */
struct host_calls {
    void (*share)(team_fn *work, void *data, unsigned threads);
    unsigned (*number)(void);
    void (*await)(const uint32_t *word, uint32_t value);
    void (*wake)(const uint32_t *word);
    unsigned limit;     /* the most threads of a parallel region */
    void (*meet)(void); /* watch_meet() */
};

/* Make the table for regions of at most `limit` threads; the caller frees it. */
struct host_calls *host_calls_new(unsigned limit);

/* Called before thread 0 makes a call: all objects use this team's threads from now on. */
void host_calls_begin(struct team *team);

/* The number of threads of the widest parallel region since then; 0 without one. */
unsigned host_calls_widest(void);

#endif
