#ifndef CORE_JUDGE_TIMING_TIMING_RESULT_H
#define CORE_JUDGE_TIMING_TIMING_RESULT_H

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
    int64_t checks_us; /* time spent on checks of runs */
    int64_t aside_us;  /* time spent on the baselines and on expected values */
    bool is_busy;      /* threads waited for cores: ratios are of CPU times */
    bool is_disturbed; /* other programs took them away */
    bool is_watched;   /* they have done so: runs are watched from then on */
    struct thread_load executor_began, judge_began; /* before the rounds */
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

/* Begin to note the load of the cores, before the first run. */
void timing_result_begin_rounds(struct timing_result *result, const struct executor *executor);

/* Look whether other programs run before the first round, which shall be watched then. */
void timing_result_look_ahead(struct timing_result *result, const struct executor *executor);

/* Note the load so far, after a round. */
void timing_result_note_load(struct timing_result *result, const struct executor *executor);

/*
 * Record how long the executor, and the judge's thread, worked on CPU cores during the timing so
 * far and waited for them. Threads of the executor may wait for each other; the judge works while
 * they sleep, so it waits for other programs only.
 */
void timing_result_load(struct timing_result *result, const struct thread_load *executor,
                        const struct thread_load *judge);

/*
 * The time that the timing may take: longer than `budget_us` if other programs disturb the ratio to
 * the best candidate.
 */
int64_t timing_result_budget_us(const struct timing_result *result, int64_t budget_us);

/*
 * True if the ratio to the best is clear: its interval is on one side of 1, or half of it is at
 * most `precision` of the ratio. True without a best.
 */
bool timing_result_is_clear(const struct timing_result *result, double precision);

/* Store the times, those of the launches, and the comparisons with the rivals in the verdict. */
void timing_result_keep(const struct timing_result *result, const struct launch_list *launches,
                        struct verdict *verdict);

/*
 * On a busy machine add a hazard, and, if no other programs disturbed the timing, widen the
 * intervals of all comparisons, because the division of work among cores is only bounded
 * (program_rounds_doubt()). Call this when all comparisons are there.
 */
void timing_result_report_load(const struct timing_result *result, struct verdict *verdict);

/* Free the sampled runs and the times. */
void timing_result_release(struct timing_result *result);

#endif
