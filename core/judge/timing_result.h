#ifndef CORE_JUDGE_TIMING_RESULT_H
#define CORE_JUDGE_TIMING_RESULT_H

#include "core/judge/companion.h"
#include "core/judge/sampled_run.h"
#include "core/judge/stats/program_rounds.h"

/* The times of a candidate and of its rivals (timing.h), and how they become a verdict. */

enum { TIMING_MAX_SAMPLES = 2000, TIMING_MAX_ROUNDS = PROGRAM_ROUNDS_MAX };

/*
 * The rivals of the candidate: SLOT_BEST and SLOT_FIRST. The comparison with TIMING_BEST is the
 * most precise.
 */
enum timing_rival { TIMING_BEST, TIMING_FIRST, TIMING_RIVALS };

/* The name of a rival's comparison (baseline_label.h). */
const char *timing_rival_name(enum timing_rival rival);

struct timing_result {
    double samples[TIMING_MAX_SAMPLES];
    size_t count;
    struct program_rounds own, rivals[TIMING_RIVALS]; /* a rival takes part in the first rounds */
    size_t rounds;
    int64_t checks_us;   /* time spent on checks of runs */
    int64_t aside_us;    /* time spent on the baselines and on expected values */
    bool is_busy;        /* other programs took the cores away */
    double waited_share; /* share of its time that the executor waited for a core */
    double *each_us;     /* mean time of each launch, row by round; owned */
    struct estimate time;
    struct sampled_runs sample; /* for the caller to verify */
    bool rival_failed; /* a rival failed, which ended the timing; the executor may have lost all
                          slots */
};

/* Begin a timing; the work of the rivals is divided among cores like that of the candidate. */
void timing_result_begin(struct timing_result *result, double core_share,
                         const struct companion_run rivals[TIMING_RIVALS]);

/*
 * Record how long the executor worked on CPU cores during the timing, and how long it waited for
 * them.
 */
void timing_result_load(struct timing_result *result, double work_us, double waited_us);

/* Store the times, those of the launches, and the comparisons with the rivals in the verdict. */
void timing_result_keep(const struct timing_result *result, const struct launch_list *launches,
                        struct verdict *verdict);

/*
 * Widen the intervals of all comparisons on a busy machine by the uncertainty about the division of
 * work among cores (program_rounds_doubt()), and add a hazard. Call this when all comparisons are
 * there.
 */
void timing_result_report_load(const struct timing_result *result, struct verdict *verdict);

/* Free the sampled runs and the times. */
void timing_result_release(struct timing_result *result);

#endif
