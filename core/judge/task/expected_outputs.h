#ifndef CORE_JUDGE_TASK_EXPECTED_OUTPUTS_H
#define CORE_JUDGE_TASK_EXPECTED_OUTPUTS_H

#include <stdatomic.h>

#include "core/judge/compare/verify.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/device_info.h"

/*
 * Expected outputs for given seeds, from the oracle on the CPU or, for large graphs, from the
 * device.
 */

struct expectation;
struct expected_comparison;

/* Expectations in the order in which they will be compared. Borrows everything. */
enum { EXPECTATION_LIST_MAX = 16 };
struct expectation_list {
    const struct expectation *items[EXPECTATION_LIST_MAX];
    size_t count;
    const atomic_bool *is_late; /* true when the first is about to be compared; NULL: never */
    size_t computed;            /* by look_ahead(): so many from the first on */
};

/*
 * A device that computes the outputs of large graphs instead of the oracle, by the contracts of
 * device_oracle_expect(), device_oracle_compare(), device_oracle_digest(),
 * device_oracle_look_ahead() and device_oracle_load(), which may be NULL. If it fails, the oracle
 * on the CPU computes them, provided that this machine's memory suffices.
 */
struct expected_outputs_device {
    enum status (*expect)(void *data, const struct problem *problem, const struct graph *graph,
                          struct expectation *made, struct error *err);
    enum status (*compare)(void *data, const struct expected_comparison *comparison,
                           struct trial *trial, struct error_map *map, struct error *err);
    enum status (*digest)(void *data, const struct expected_comparison *comparison,
                          uint64_t *digest, struct error *err);
    void (*look_ahead)(void *data, const struct problem *problem, const struct graph *graph,
                       struct expectation_list *next);
    enum status (*load)(void *data, const struct problem *problem, const struct graph *graph,
                        struct error *err);
    void *data;       /* NULL if there is no such device */
    bool takes_small; /* it also computes graphs for which the oracle on the CPU is fast enough */
};

/*
 * The expected outputs for params and inputs that are made from two seeds. The oracle's doubles are
 * stored as floats if the output type is no wider, which halves the memory: that loses no more than
 * the output's own rounding. A 16-bit output is stored as floats too: its own type would round the
 * expected element by as much as the tolerance allows the candidate. Tolerances are stored in 16
 * bits (tolerance16.h).
 */
struct expectation {
    uint64_t param_seed, input_seed; /* input_seed includes the variation (variation.h) */
    bool is_unfair; /* the varied data are not fair (varied_data.h), so no trial uses them */
    bool is_larger; /* for a larger case, whose data are checked too */
    /*
     * by value of the graph, with their magnitudes; values that are no outputs have no elements;
     * NULL if the outputs are deferred. The memory blocks are those of disk_memory.h
     */
    struct wanted *outputs;
    /*
     * Large outputs are deferred: this device computes them only when a candidate's output is
     * compared with them, which takes about `compare_us`; they never leave the device.
     */
    struct expected_outputs_device deferred;
    double compare_us;
};

/* The source of expected outputs: a graph or an evaluator, and a device. Borrows everything. */
struct expected_outputs_source {
    const struct problem *problem;
    const struct oracle_evaluator *evaluator; /* for a problem without a graph, else NULL */
    struct expected_outputs_device device;
    struct block_pool *blocks; /* for the oracle; may be NULL */
    bool are_kept; /* outputs are kept for long, so those from the CPU may move to the disk */
    /*
     * Called when the CPU begins to compute, which may take long, and when the device begins after
     * that; may be NULL.
     */
    void (*begins_on_host)(void *data);
    void (*begins_on_device)(void *data);
    void *data;
};

/* True if the CPU first checks whether the data from the seeds are fair. */
bool expected_outputs_are_checked(const struct expected_outputs_device *device,
                                  const struct graph *graph, const struct expectation *made);

/* Bytes of all outputs; 0 if the type of one of them cannot be deferred. */
double expected_outputs_deferrable_bytes(const struct graph *graph);

/*
 * True if outputs with a derived tolerance are deferred, if a GPU computes them: those of 256 MB
 * and more, which with their tolerances would need twice as much host memory, and smaller ones that
 * the GPU computes again sooner than the host receives and compares them. Smaller ones are not
 * where drivers name no buffers, which other processes can read (judge_state.c).
 */
bool expected_outputs_are_deferred(const struct graph *graph);

/* The size from which on outputs are deferred whatever it costs to compute them. */
#define EXPECTED_OUTPUTS_VERY_LARGE_BYTES 0x1p28

/* The type in which the expected elements of an output are kept. */
enum dtype expected_outputs_dtype(const struct value *output);

/* True if the CPU would take long to compute the graph's outputs, so that a GPU should. */
bool expected_outputs_are_large(const struct graph *graph);

/* True if a GPU that computes them has too little memory left for several programs beside. */
bool expected_outputs_take_much(const struct graph *graph, const struct device_info *device);

/* Bytes of memory that computing the outputs on the CPU takes. */
double expected_outputs_host_bytes(const struct problem *problem, const struct graph *graph);

/*
 * STATUS_UNAVAILABLE, with the remedy, if `bytes` exceed this machine's memory, because the judge
 * ends when memory runs out.
 */
enum status expected_outputs_check_memory(double bytes, struct error *err) MUST_CHECK;

/* True if there is a device, and the CPU would take long to compute the outputs of the graph. */
bool expected_outputs_suit(const struct expected_outputs_device *device, const struct graph *graph);

/*
 * Compute the outputs for the seeds of `made`. If varied data are unfair and a milder variation
 * exists, the input seed of `made` gets that variation.
 */
enum status expected_outputs_make(const struct expected_outputs_source *source,
                                  const struct graph *graph, struct expectation *made,
                                  struct error *err) MUST_CHECK;

/* An output to compare with its expected elements, at the graph's size. Borrows everything. */
struct expected_comparison {
    const struct problem *problem;
    const struct graph *graph;
    const struct expectation *expected;
    size_t output;   /* number of the output's value in the graph */
    const void *got; /* the elements to compare, in host memory */
    /*
     * the place of the elements on the device (executor_handle()), which replaces `got`; else NULL
     */
    const char *handle;
    bool is_followed; /* another call for this output comes soon: the device keeps its memory */
};

/*
 * Compare one output, like verify_output(): fill the numbers of `trial`, and replace `map` unless
 * it is NULL. If the device fails, the CPU computes deferred outputs. It needs the elements in host
 * memory, so the call then fails if they are on the device.
 */
enum status expected_outputs_compare(const struct expected_comparison *comparison,
                                     struct trial *trial, struct error_map *map,
                                     struct error *err) MUST_CHECK;

/*
 * Make a digest of the output's bits on the device, so that two runs can be compared without their
 * elements. STATUS_UNAVAILABLE if the outputs are not deferred.
 */
enum status expected_outputs_digest(const struct expected_comparison *comparison, uint64_t *digest,
                                    struct error *err) MUST_CHECK;

/* Move the outputs of an expectation to the disk (disk_memory.h); NULL is allowed. */
void expected_outputs_rest(const struct graph *graph, const struct wanted *outputs);

/* Free the outputs of an expectation; NULL is allowed. */
void expected_outputs_release(const struct graph *graph, struct wanted *outputs);

#endif
