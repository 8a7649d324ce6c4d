#ifndef BACKENDS_BENCH_H
#define BACKENDS_BENCH_H

#include "core/base/digest.h"
#include "core/judge/executor/executor.h"
#include "core/judge/executor/readback.h"
#include "core/judge/executor/wire.h"

/*
 * The test bench in the executor: an open device, the problem's tensors on
 * it, and the candidates that are loaded beside each other.
 */

/* A candidate on the device. */
struct loaded {
    char key[DIGEST_HEX_SIZE]; /* of source and options; empty: nothing is loaded */
    struct program *program;   /* NULL: the compiler rejected it */
    struct build_report report;
    struct resource_list resources;
    struct dispatch dispatch;
    struct buffer **buffers; /* of the dispatch: the bench's tensors, then own scratch */
    size_t cold_lists; /* of its launches, prepare and run, that have not run since it was loaded */
    double compile_us; /* what the driver took for the first runs of those that have */
};

struct bench {
    const struct backend_ops *ops;
    struct device *device;
    struct tensor_sources sources;
    struct buffer **tensors;
    struct loaded slots[SLOT_COUNT];
    uint64_t param_seed, input_seed; /* that params and inputs were made from last */
    struct memfd readback;
    const struct binary *binary; /* of what is loaded next, as it was compiled before; or NULL */
    bool leaves_memory; /* buffers are not poisoned, so that a tool sees what nobody has written */
    bool is_stepwise;   /* launches are run one by one, and not timed */
};

/* Free all that is on the device, and close it. */
void bench_release(struct bench *bench);

/* Make the tensors, instead of those there; takes `sources`. */
enum status bench_set_tensors(struct bench *bench, struct tensor_sources *sources,
                              struct error *err) MUST_CHECK;

/* Build, make the scratch buffers, and poison everything; takes `dispatch`. */
enum status bench_load(struct bench *bench, struct loaded *slot, const char *source,
                       struct dispatch *dispatch, struct error *err) MUST_CHECK;

/* Make the params from `seed`, poison scratch, and run what the plan prepares. */
enum status bench_prepare(struct bench *bench, struct loaded *slot, uint64_t seed, double *span_us,
                          struct error *err) MUST_CHECK;

/* New inputs from `seed`, poisoned outputs. */
enum status bench_renew(struct bench *bench, const struct loaded *slot, uint64_t seed,
                        struct error *err) MUST_CHECK;

/*
 * Run `launches`, none of them too, and wait.  There are drivers that compile a
 * kernel when they first launch it at some size: the slot says how long.
 */
enum status bench_run(struct bench *bench, struct loaded *slot, const struct launch_list *launches,
                      struct run_times *times, struct error *err) MUST_CHECK;

/*
 * Copy what the judge looks at to a side of the readback: all guard zones, and
 * the outputs.  `changed` is an array with a place for each tensor, which is
 * set where an input or a param is no longer what was put there.
 */
enum status bench_collect(struct bench *bench, const struct loaded *slot, unsigned side,
                          bool *changed, struct error *err) MUST_CHECK;

#endif
