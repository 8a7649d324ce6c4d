#ifndef CORE_JUDGE_TORCH_BRIDGE_TENSORS_H
#define CORE_JUDGE_TORCH_BRIDGE_TENSORS_H

#include "core/judge/oracle/oracle.h"
#include "core/judge/torch/bridge_process.h"
#include "core/model/problem.h"

/*
 * The tensors that travel between the judge and the bridge's process.  They lie one after the other
 * in memory that both map; a request lists their names, types, shapes and offsets.
 */

/* Sets of data that the model makes in advance, in memory that its process cannot change. */
struct bridge_sets {
    struct memfd memory;
    unsigned serial; /* changes with the contents */
};

/* See bridge_evaluate().  `*is_coarse` becomes true if the model computed in float32. */
enum status bridge_tensors_evaluate(struct bridge_process *process, const struct graph *graph,
                                    struct oracle_values *values, bool *is_coarse,
                                    struct error *err) MUST_CHECK;

/* A run of the model on the data that candidates get from two seeds. */
struct bridge_run {
    const struct graph *graph;
    struct oracle_seeds seeds;
};

/*
 * Send the request, which is taken, with these tensors.  `outputs` receives the outputs in their
 * own types, the caller's, by value of the graph; the others are not changed.  NULL: the request
 * has no outputs.
 */
enum status bridge_tensors_run(struct bridge_process *process, const struct bridge_run *run,
                               struct json *request, void **outputs, struct error *err) MUST_CHECK;

/* The problem to lend to, its graph at the main dimensions, and its device. Borrows everything. */
struct bridge_loan {
    struct problem *problem;
    const struct graph *graph;
    const struct device_info *device; /* a GPU draws large inputs; NULL: the CPU draws all */
};

/* Have the model make all tensors of the problem that only it can fill, and lend them to it. */
enum status bridge_tensors_lend(struct bridge_process *process, const struct bridge_loan *loan,
                                struct bridge_sets *sets, struct error *err) MUST_CHECK;

#endif
