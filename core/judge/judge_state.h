#ifndef CORE_JUDGE_JUDGE_STATE_H
#define CORE_JUDGE_JUDGE_STATE_H

#include "core/judge/baselines.h"
#include "core/judge/device_oracle/device_oracle.h"
#include "core/judge/device_turns.h"
#include "core/judge/judge_options.h"
#include "core/judge/task/expectations.h"
#include "core/judge/tool_runs/ncu_process.h"
#include "core/judge/torch/bridge.h"

/*
 * The inside of a judge, which its parts share: judge.c opens devices and problems and evaluates
 * candidates, judge_preparation.c does the work that does not depend on a candidate,
 * judge_listing.c shows a candidate's code.
 */
struct judge {
    struct judge_options options;
    char draws[DIGEST_HEX_SIZE]; /* fill_digest(), for executors */
    struct executor *executor;
    struct bridge *bridge;            /* to the model of a PyTorch problem */
    const struct device_info *device; /* the executor's device; NULL until it is opened */
    struct device_turns turns;        /* with the other judges of the device */
    struct roofs roofs;
    bool is_prepared; /* judge_prepare() was called for the problem */
    unsigned raises;  /* how often the roofs were measured again */
    struct problem problem;
    struct expectations *expectations;   /* NULL if no problem is loaded */
    struct device_oracle *device_oracle; /* NULL: expected values are computed on the CPU */
    double ahead_bytes; /* of the device's memory, for outputs that are computed ahead */
    struct device_oracle *next_oracle; /* started for the next problem, or NULL */
    struct baselines baselines;
    struct ncu_process *profiler; /* started for the next candidate, or NULL */
    int64_t began_us;             /* when the current evaluation began */
    char *chosen; /* the tunables' values that the latest tuning chose; NULL before */
};

/* The objects that all evaluations use; borrowed from the judge. */
struct evaluation_context judge_context(struct judge *judge);

/* Make an oracle of this device; NULL if the CPU computes all expected values. */
struct device_oracle *judge_new_oracle(const struct judge *judge, const struct device_info *device);

/* The oracle for the problem that is loaded: the device's, unless the CPU computes all values. */
struct expected_outputs_device judge_use_oracle(struct judge *judge);

/* Wait for a turn on the device. The wait is not counted in the time of the current evaluation. */
enum status judge_take_turn(struct judge *judge, enum device_work work,
                            struct error *err) MUST_CHECK;

/*
 * Have the device oracle free its tensors, if they would leave too little to the programs that are
 * timed beside a candidate, and nothing is compared with them meanwhile.
 */
void judge_rest_oracle(struct judge *judge);

/*
 * Reserve the memory of a GPU that all processes of the session need. The tested programs, the
 * oracle, and the processes that time and compile baselines each hold the model's tensors; those
 * that do not fuse the graph also hold its largest inner value. The rest of the memory is for
 * contexts.
 */
enum status judge_reserve_memory(struct judge *judge, struct error *err) MUST_CHECK;

/* Report that the roofs have changed. */
void judge_report_roofs(const struct judge *judge);

/* Report that roofs are measured. */
void judge_report_measuring(const struct judge *judge);

/* Measure the roofs again, alone on the device. */
enum status judge_raise_roofs(struct judge *judge, struct error *err) MUST_CHECK;

/*
 * Compute bound and floor of a verdict. A candidate that beats one of them may only show that the
 * roofs were measured while the machine was busy, so they are measured again.
 */
enum status judge_find_limits(struct judge *judge, struct verdict *verdict,
                              struct error *err) MUST_CHECK;

#endif
