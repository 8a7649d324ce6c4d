#ifndef CORE_JUDGE_JUDGE_STATE_H
#define CORE_JUDGE_JUDGE_STATE_H

#include "core/judge/evaluation.h"
#include "core/judge/roofs/roof_measure.h"
#include "core/judge/stats/baseline.h"
#include "core/judge/torch/model_baselines.h"

/*
 * The inside of the judge, shared by its parts: judge.c takes a candidate from
 * step to step, judge_baselines.c times what it is compared with.
 */

struct judge {
    struct judge_options options;
    struct executor *executor;
    struct bridge *bridge;            /* to the model of a PyTorch problem */
    const struct device_info *device; /* the executor's; NULL until it is known */
    struct roofs roofs;
    bool is_prepared; /* for the problem */
    unsigned raises;  /* of the roofs */
    struct problem problem;
    struct expectations *expectations;
    struct candidate plain;
    struct error no_plain; /* why there is none */
    struct baseline plain_times, host_times;
    struct model_baselines model_times;
    int64_t began_us; /* when the evaluation under way began */
    struct {
        double run_us, data_us; /* spent on running it, and on its tensors, since then */
    } host;
};

/* What was judged before, to be loaded beside a candidate. */
struct companion {
    unsigned slot;
    const struct candidate *candidate;
    uint64_t param_seed;
};

/* Load it at the main dimensions and run it once; `*run_us` stays when it no longer works. */
enum status judge_place(struct judge *judge, const struct companion *companion, double *run_us,
                        struct error *err) MUST_CHECK;

/* The same in an executor without a candidate, where what came of compiling it is then kept; 0 us
 * where there is nothing to keep. */
enum status judge_keep(struct judge *judge, const struct companion *companion, double *run_us,
                       struct error *err) MUST_CHECK;

/* Have the reference compiled before any candidate. */
enum status judge_keep_plain(struct judge *judge, struct error *err) MUST_CHECK;

/* The baselines of the problem that has just been read; one that it cannot have is left out. */
void judge_make_baselines(struct judge *judge);

/* Compare a timed candidate with what an engineer has without it. */
enum status judge_compare_baselines(struct judge *judge, struct verdict *verdict,
                                    struct error *err) MUST_CHECK;

#endif
