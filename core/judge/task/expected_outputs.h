#ifndef CORE_JUDGE_TASK_EXPECTED_OUTPUTS_H
#define CORE_JUDGE_TASK_EXPECTED_OUTPUTS_H

#include "core/judge/compare/verify.h"
#include "core/judge/oracle/oracle.h"

/*
 * Expected outputs for given seeds: from the oracle on the CPU, or from the device for large
 * graphs.
 */

struct expectation;
struct expected_comparison;

/*
 * Computes the outputs of a large graph in place of the oracle, with the contracts of
 * device_oracle_expect() and device_oracle_compare(). If it fails, the oracle computes them, if
 * this machine's memory suffices.
 */
struct expected_outputs_device {
    enum status (*expect)(void *data, const struct problem *problem, const struct graph *graph,
                          struct expectation *made, struct error *err);
    enum status (*compare)(void *data, const struct expected_comparison *comparison,
                           struct trial *trial, struct error_map *map, struct error *err);
    void *data;       /* NULL: there is no such device */
    bool takes_small; /* also graphs that the oracle computes as fast */
};

/*
 * The outputs for params and inputs made from two seeds. The oracle's doubles are stored as floats
 * if the output type is no wider, which halves the memory: that loses no more than the output's own
 * rounding. A 16-bit output is stored as floats too: its own type would round the expected element
 * by as much as the tolerance allows the candidate. Tolerances are stored in 16 bits
 * (tolerance16.h).
 */
struct expectation {
    uint64_t param_seed, input_seed; /* the latter with its variation (variation.h) */
    bool is_unfair; /* the data are varied and not fair (varied_data.h): no trial uses them */
    struct wanted *outputs; /* by value of the graph, with their magnitude; no elements for a value
                               that is no output; NULL if they are deferred. The blocks are of
                               disk_memory.h */
    /*
     * Very large outputs are deferred: this device computes them when something is compared with
     * them, which takes about `compare_us`, and they stay there.
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
    bool are_kept; /* outputs are kept for long: those of the CPU's oracle can rest on the disk */
};

/*
 * Outputs under a derived tolerance that take this many bytes are deferred, if a GPU computes them:
 * with their tolerances they would take twice as much memory of the host, in new pages that take
 * longer than the device needs to compute them again.
 */
#define EXPECTED_OUTPUTS_DEFERRED_BYTES 0x1p28

/* Bytes of all outputs, or 0 if the type of one is none that can be deferred. */
double expected_outputs_deferrable_bytes(const struct graph *graph);

/* The type in which the expected elements of an output are kept. */
enum dtype expected_outputs_dtype(const struct value *output);

/* True if the CPU would take long to compute the outputs of the graph, so a GPU does. */
bool expected_outputs_are_large(const struct graph *graph);

/* Bytes of memory that computing the outputs on the CPU takes. */
double expected_outputs_host_bytes(const struct problem *problem, const struct graph *graph);

/*
 * STATUS_UNAVAILABLE, with the remedy, if `bytes` are more than this machine's memory: running out
 * of it would end the judge.
 */
enum status expected_outputs_check_memory(double bytes, struct error *err) MUST_CHECK;

/* True if there is a device, and the CPU would take long to compute the outputs of the graph. */
bool expected_outputs_suit(const struct expected_outputs_device *device, const struct graph *graph);

/*
 * Compute the outputs for the seeds of `made`. Where varied data are unfair and there is a milder
 * variation, the seeds of `made` get that.
 */
enum status expected_outputs_make(const struct expected_outputs_source *source,
                                  const struct graph *graph, struct expectation *made,
                                  struct error *err) MUST_CHECK;

/* An output to compare with its expected elements, at the graph's size. Borrows everything. */
struct expected_comparison {
    const struct problem *problem;
    const struct graph *graph;
    const struct expectation *expected;
    size_t output;      /* value of the graph */
    const void *got;    /* its elements, in host memory */
    const char *handle; /* NULL, or where they are on the device (executor_handle()): `got` is not
                           used then */
};

/*
 * Compare one output: fill the numbers of `trial`, and replace `map` unless it is NULL, as
 * verify_output() does. Where the device fails, the CPU computes deferred outputs; it needs the
 * elements in host memory, so the call fails if they are on the device.
 */
enum status expected_outputs_compare(const struct expected_comparison *comparison,
                                     struct trial *trial, struct error_map *map,
                                     struct error *err) MUST_CHECK;

/* Let the outputs of an expectation rest (disk_memory.h); NULL is allowed. */
void expected_outputs_rest(const struct graph *graph, const struct wanted *outputs);

/* Free the outputs of an expectation; NULL is allowed. */
void expected_outputs_release(const struct graph *graph, struct wanted *outputs);

#endif
