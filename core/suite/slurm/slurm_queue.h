#ifndef CORE_SUITE_SLURM_SLURM_QUEUE_H
#define CORE_SUITE_SLURM_SLURM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/strbuf.h"

/*
 * The states of a suite's array jobs, from one call of squeue for all of them.  Slurm's controller
 * answers it, so the shared file system has no work.  Jobs are found by their names,
 * kforge-SUITE-LIST, so a job is found even if kforge was killed before it had recorded the
 * submission.
 */
enum slurm_state {
    SLURM_GONE,  /* it is not in the queue: not yet, or no longer */
    SLURM_WAITS, /* it is queued, for the first time or again */
    SLURM_RUNS,
    SLURM_ENDED,   /* its script ended by itself */
    SLURM_STOPPED, /* Slurm ended it and will not run it again */
};

struct slurm_element {
    unsigned list; /* the list of tasks to which it belongs */
    size_t index;  /* the index of its line in the list, from 0 */
    enum slurm_state state;
    char name[24]; /* Slurm's own name of the state, such as NODE_FAIL */
    char host[64]; /* its node; "" if it never ran */
    char reason[64];
    char job[24]; /* the id of the array job */
};

/* A line for sh that prints this user's queue. */
extern const char slurm_queue_command[];

/* Append the name of a list's job. */
void slurm_queue_add_name(struct strbuf *out, const char *suite, unsigned list);

/*
 * Read an element from the line at `*at`, and move `*at` to the next line.  False if the line is
 * not about this suite.
 */
bool slurm_queue_read(const char **at, const char *suite, struct slurm_element *element);

#endif
