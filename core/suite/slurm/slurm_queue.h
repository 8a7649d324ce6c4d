#ifndef CORE_SUITE_SLURM_SLURM_QUEUE_H
#define CORE_SUITE_SLURM_SLURM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/strbuf.h"

/*
 * Slurm's state of a suite's array jobs, by one call of squeue for all of them: the controller
 * answers it, no file system.  Jobs are found by their names, kforge-SUITE-LIST, so that those are
 * found too whose submission was not written down before a kill.
 */
enum slurm_state {
    SLURM_GONE,  /* it is no longer, or not yet, in the queue */
    SLURM_WAITS, /* it is queued, perhaps again */
    SLURM_RUNS,
    SLURM_ENDED,   /* the script ended */
    SLURM_STOPPED, /* Slurm ended it and does not run it again */
};

struct slurm_element {
    unsigned list; /* the list of tasks whose line it runs */
    size_t index;  /* of the line, from 0 */
    enum slurm_state state;
    char name[24]; /* Slurm's own word for the state: NODE_FAIL */
    char host[64]; /* of the node; "" unless it runs or ran */
    char reason[64];
    char job[24]; /* the id of the array job */
};

/* The line for sh that prints the queue of this user. */
extern const char slurm_queue_command[];

/* Append the name of the job of a list. */
void slurm_queue_add_name(struct strbuf *out, const char *suite, unsigned list);

/*
 * Read the element of a suite in the line at `*at`, and move `*at` to the next line.  False: the
 * line is of something else.
 */
bool slurm_queue_read(const char **at, const char *suite, struct slurm_element *element);

#endif
