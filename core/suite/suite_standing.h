#ifndef CORE_SUITE_SUITE_STANDING_H
#define CORE_SUITE_SUITE_STANDING_H

#include "core/suite/suite_store.h"

/*
 * How the tasks of a suite stand, for every machine that sees its folder, whether the process of
 * the suite runs there, elsewhere or not at all.  The suite's journal knows what that process has
 * seen; the journal of a session and the record of a scheduler's task know more.
 */
enum standing {
    STANDING_WAITS,
    STANDING_QUEUED, /* by a scheduler */
    STANDING_RUNS,
    STANDING_ASKS, /* a step waits for the engineer */
    STANDING_LEFT, /* it began, and nothing is known to run it */
    STANDING_ENDED,
    STANDING_FAILED,
    STANDINGS
};

/* Names in files, by enum standing; NULL ends the list. */
extern const char *const standing_names[STANDINGS + 1];

struct task_standing {
    enum standing is;
    char session[CATALOG_ID_SIZE]; /* "": none */
    char *host, *job;              /* NULL: unknown */
    char *lost_on;                 /* a machine on which an earlier run was cut off; NULL: none */
    char *reason;                  /* of a failure; NULL else */
    unsigned runs;                 /* of a scheduler's task; 0: unknown */
    unsigned attempts;
    double best_us;  /* 0: nothing is kept */
    double silent_s; /* since the session's last event; below 0: it has none */
};

struct suite_standings {
    struct task_standing *tasks; /* one for each */
    size_t count;
    size_t in[STANDINGS]; /* tasks by their standing */
    bool is_slurm;        /* tasks were handed to Slurm */
    char *silence;        /* why Slurm does not answer here; NULL: it did, or is not needed */
    int owner;            /* the process of the suite, on this machine; 0: none */
};

/*
 * Find how each task of a suite that is open for reading stands.  Sessions of tasks that have ended
 * are not read.  Slurm's controller is asked once.
 */
void suite_standings_read(struct suite_standings *standings, const struct suite_store *store);

/* Free the contents and leave it empty. */
void suite_standings_release(struct suite_standings *standings);

#endif
