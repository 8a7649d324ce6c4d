#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_STATE_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/judge/device_oracle/oracle_program.h"
#include "core/judge/executor/executor.h"
#include "core/judge/executor/wire.h"
#include "core/judge/task/expected_outputs.h"

/* The state of the device oracle, for the files in this folder only. */

/* Expected values that were computed ahead, and lie in a stash of the executor. */
struct oracle_stash {
    bool is_used;
    uint64_t param_seed, input_seed;
};

struct device_oracle {
    pthread_mutex_t lock;
    struct executor *executor;
    const char *build;
    double compares_bytes;
    int64_t inlined_elements;
    size_t most_kernels;
    const struct graph *loaded; /* the graph whose program is loaded; NULL if none is */
    const struct graph *slow;   /* the graph whose program took too long to build; or NULL */
    bool has_params;            /* the params on the device are those of param_seed */
    uint64_t param_seed;
    bool has_values; /* the expected values on the device are those of these seeds */
    uint64_t value_param_seed, value_input_seed;
    struct oracle_program program;
    /* the graph to which compare_us belongs, so that its outputs can be compared here */
    const struct graph *timed;
    /* time of the last comparison, as if its expected values had not been there */
    double compare_us;
    double compute_us; /* time of computing expected values, the last time */
    struct oracle_stash stashes[STASH_COUNT];
    double ahead_bytes;      /* that the stashes may take */
    double free_bytes;       /* of the device's memory after the last run */
    double last_bytes;       /* of the tensors of the program that was loaded last */
    atomic_bool has_imports; /* true while buffers of the candidate's executor may be mapped */
};

/*
 * SLOT_CANDIDATE has the program that makes the results: the oracle's own, or the comparison if
 * there is one. SLOT_MAP then has the program that makes the error map, and SLOT_DIGEST the one
 * that makes digests.
 */
enum { SLOT_MAP = SLOT_BEST, SLOT_DIGEST = SLOT_FIRST };

/*
 * The share of the device's memory that must be free if the oracle occupies much of it while a
 * candidate runs.
 */
#define ORACLE_FREE_SHARE 0.3

/* Make the tensors and the programs of a graph, unless they are there. Hold the lock. */
enum status oracle_state_load(struct device_oracle *oracle, const struct problem *problem,
                              const struct graph *graph, struct error *err) MUST_CHECK;

/* Forget the graph whose program is loaded. Hold the lock. */
void oracle_state_unload(struct device_oracle *oracle);

/* Compute the expected values for two seeds, unless they are there. Hold the lock. */
enum status oracle_state_compute(struct device_oracle *oracle, const struct expectation *seeds,
                                 struct error *err) MUST_CHECK;

/*
 * Free the buffers if they take much of the device's memory, unless ORACLE_FREE_SHARE of it is
 * free, and wait until the driver has cleared them, because a candidate may be timed next. Hold the
 * lock.
 */
void oracle_state_make_room(struct device_oracle *oracle);

#endif
