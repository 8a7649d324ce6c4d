#ifndef CORE_SUITE_SUITE_STANDING_H
#define CORE_SUITE_SUITE_STANDING_H

#include "core/session/store/process_lease.h"
#include "core/suite/suite_store.h"

/*
 * The state of each task of a suite, as any machine can find it that sees the suite's folder,
 * whether or not the suite's process runs on it.  The suite's journal has what that process has
 * seen; the journal of a session and the record of a scheduler's task may be newer.
 */
enum standing {
    STANDING_WAITS,
    STANDING_QUEUED, /* it waits in a scheduler's queue */
    STANDING_RUNS,
    STANDING_ASKS, /* a step waits for the engineer */
    STANDING_LEFT, /* it has begun, and no process is known to run it */
    STANDING_ENDED,
    STANDING_FAILED,
    STANDINGS
};

/* Names in files, by enum standing; NULL ends the list. */
extern const char *const standing_names[STANDINGS + 1];

struct task_standing {
    enum standing is;
    char session[CATALOG_ID_SIZE]; /* "" if it has no session */
    char *host, *job;              /* NULL: unknown */
    /* the machine on which the run before was cut off; NULL if none was */
    char *lost_on;
    char *reason;  /* the reason of a failure, else NULL */
    unsigned runs; /* how often a scheduler has run it; 0 if unknown */
    unsigned attempts;
    double best_us;  /* time of the best kept kernel; 0 if none is kept */
    double silent_s; /* seconds since the session's last event; below 0 if it has none */
};

struct suite_standings {
    struct task_standing *tasks; /* one for each task */
    size_t count;
    size_t in[STANDINGS]; /* the number of tasks in each state */
    bool is_slurm;        /* tasks were submitted to Slurm */
    /* why Slurm does not answer on this machine; NULL if it did or is not needed */
    char *silence;
    struct lease_process process; /* the suite's process */
};

/*
 * Find the state of each task.  `store` is open for reading.  Sessions of ended tasks are not read,
 * and Slurm's controller is asked once.
 */
void suite_standings_read(struct suite_standings *standings, const struct suite_store *store);

/* Free the contents and leave it empty. */
void suite_standings_release(struct suite_standings *standings);

#endif
