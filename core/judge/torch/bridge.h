#ifndef CORE_JUDGE_TORCH_BRIDGE_H
#define CORE_JUDGE_TORCH_BRIDGE_H

#include "core/judge/device/backend.h"
#include "core/judge/executor/child.h"
#include "core/judge/oracle/oracle.h"

/*
 * The bridge to PyTorch as the judge sees it: a child process that holds one
 * model in KernelBench's form (backends/torch, which has the protocol), says
 * what problem it is, makes its data, computes what is expected of it, and
 * times it.  The model is a stranger's code, so the child is contained and
 * every request has a deadline; tensors travel in shared memory.
 *
 * The child stays up until the bridge is freed; where it dies, the next call
 * starts another and opens the model again.  Calls may come from several
 * threads, and wait for each other.  STATUS_CANCELLED is none of the model's doing.
 */
struct bridge;

struct bridge_options {
    const char *const *argv;    /* how to start it; borrowed */
    int64_t limit_us;           /* for each request */
    struct child_cancel cancel; /* ends its work for the thread that made the bridge */
};

/* Nothing is started before the first call that needs it. */
struct bridge *bridge_new(const struct bridge_options *options);
void bridge_free(struct bridge *bridge);

/* A model in KernelBench's form. */
struct model_source {
    const char *text;
    const char *file;      /* what errors call it */
    const char *tolerance; /* the class that its problem gets */
};

/*
 * Take up a model.  `*problem`, which is the caller's and may be NULL, is the
 * problem that it is, as the child says.  STATUS_INVALID says in a line what is wrong with the
 * file, STATUS_UNAVAILABLE what this machine lacks.
 */
enum status bridge_open(struct bridge *bridge, const struct model_source *source,
                        struct json **problem, struct error *err) MUST_CHECK;

/* The same, and the problem is in order: a graph over its limits is an error that names the place.
 */
enum status bridge_describe(struct bridge *bridge, const struct model_source *source,
                            struct json **problem, struct error *err) MUST_CHECK;

/*
 * Open the model of a PyTorch problem, and give the problem what only its model has: those tensors
 * that are filled by it, and its outputs where there is no graph.  They are lent until the next
 * such call or bridge_free().  STATUS_INVALID where the problem does not fit the device (NULL for
 * none) or this machine.  Other problems are left alone.
 */
enum status bridge_attach(struct bridge *bridge, const struct device_info *device,
                          struct problem *problem, struct error *err) MUST_CHECK;

/*
 * Compute the outputs from inputs and params, as oracle_evaluate() does, for a problem without a
 * graph: in double precision, or where the model insists in float32.
 */
enum status bridge_evaluate(struct bridge *bridge, const struct graph *graph,
                            struct oracle_values *values, struct error *err) MUST_CHECK;

/* bridge_evaluate() as the oracle's evaluator; valid until bridge_free(). */
const struct oracle_evaluator *bridge_evaluator(const struct bridge *bridge);

/* Whether expected values were computed in float32, because the model cannot do better. */
bool bridge_is_coarse(struct bridge *bridge);

/*
 * Put the model on the same device in PyTorch; `*names`, the caller's, are its baselines there,
 * those of lower precision only where the tolerance allows candidates that.
 */
enum status bridge_place(struct bridge *bridge, const struct device_info *device,
                         const struct tolerance *tolerance, struct json **names,
                         struct error *err) MUST_CHECK;

/*
 * Time a baseline, each of `runs` runs with cold caches.  With none it is only made ready, which
 * for a compiled one may take four times the limit of a request, and held against the model as it
 * is: STATUS_UNAVAILABLE where its results are not within the tolerance.
 */
enum status bridge_time(struct bridge *bridge, const char *name, size_t runs, double *times_us,
                        struct error *err) MUST_CHECK;

#endif
