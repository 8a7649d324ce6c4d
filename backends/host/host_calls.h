#ifndef BACKENDS_HOST_HOST_CALLS_H
#define BACKENDS_HOST_HOST_CALLS_H

#include "backends/host/team.h"

/* Functions that an object's OpenMP calls; the same struct is in openmp_gnu.inc. */
struct host_calls {
    void (*share)(team_fn *work, void *data, unsigned threads);
    unsigned (*number)(void);
    void (*await)(const uint32_t *word, uint32_t value);
    void (*wake)(const uint32_t *word);
    unsigned limit; /* threads of a region at most */
};

/* The calls, for regions of at most `limit` threads; the caller frees them. */
struct host_calls *host_calls_new(unsigned limit);

/* On thread 0 of the team: the objects that it calls from now on share its threads. */
void host_calls_begin(struct team *team);

#endif
