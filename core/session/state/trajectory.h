#ifndef CORE_SESSION_STATE_TRAJECTORY_H
#define CORE_SESSION_STATE_TRAJECTORY_H

#include "core/session/state/session.h"

/*
 * The trajectory of a session: its attempts as points, and the times to compare them with as named
 * levels.  All speeds are on one scale: 1 is the first correct attempt of the session, 2 is twice
 * as fast.  It is computed from the state, so in a replay it ends at the moment shown.
 */

/* How an attempt ended. */
enum trajectory_result {
    TRAJECTORY_UNJUDGED, /* not judged yet, or edited before it was */
    /* the attempt's reply, plan or build failed, or it did not run to its end */
    TRAJECTORY_FAILED,
    TRAJECTORY_WRONG,   /* it ran, and its outcome is wrong or suspect */
    TRAJECTORY_VETOED,  /* as a candidate, or when it was to be kept */
    TRAJECTORY_CORRECT, /* correct and not kept */
    TRAJECTORY_KEPT,
    TRAJECTORY_BEST, /* the fastest kept attempt */
};

/* "not judged", "failed", "kept".  Static. */
const char *trajectory_result_name(enum trajectory_result result);

struct trajectory_point {
    unsigned attempt;
    unsigned parent; /* 0 for none */
    enum trajectory_result result;
    enum outcome outcome;
    bool is_by_hand; /* the engineer wrote or edited it */
    bool is_undone;
    double seconds;          /* from the opening of the session to its proposal */
    double speed, low, high; /* with its 95 % interval; 0 if it was not timed or is unknown */
    double best;             /* the highest speed kept so far; 0 for none */
    double bound_fraction;   /* the graph's bound over its time; 0 if unknown */
    const char *title;       /* borrowed from the session; "" for none */
};

/* A time to compare with, as a speed on the same scale.  The name is static or the verdict's. */
struct trajectory_level {
    const char *name; /* "floor", "bound", or the label of a baseline */
    double speed;
};

enum { TRAJECTORY_LEVELS = 8 };

/* All zeros is empty. */
struct trajectory {
    struct {
        struct trajectory_point *items; /* points of attempt 1, 2, ... */
        size_t count, capacity;
    } points;
    struct trajectory_level levels[TRAJECTORY_LEVELS]; /* the fastest first */
    size_t level_count;
};

/* Replace the points by the attempts of the session, and remove the levels. */
void trajectory_read(struct trajectory *trajectory, const struct session *session);

/*
 * Add the levels that the verdict of an attempt knows: floor, bound and baselines.  The attempt
 * must be timed; names of baselines are borrowed from the verdict.
 */
void trajectory_add_levels(struct trajectory *trajectory, unsigned attempt,
                           const struct verdict *verdict);

/* The attempt whose verdict has the levels: the best, else the last that was timed; 0 for none. */
unsigned trajectory_reference(const struct session *session);

/* Free the contents and leave it empty. */
void trajectory_release(struct trajectory *trajectory);

#endif
