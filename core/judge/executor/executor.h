#ifndef CORE_JUDGE_EXECUTOR_EXECUTOR_H
#define CORE_JUDGE_EXECUTOR_EXECUTOR_H

#include "core/judge/device/backend.h"
#include "core/judge/executor/child.h"
#include "core/judge/executor/wire.h"
#include "core/model/graph.h"

/*
 * The executor as the judge sees it: a child process that owns the device
 * and runs candidates, because a candidate may crash it, hang it or fill its
 * memory.  What a candidate leaves behind reaches the judge through memory
 * that both share; the judge looks at it there and trusts nothing else.
 *
 * A slot holds a loaded candidate, so that several can be timed in turn on
 * the same tensors.  When the executor dies it is started again by the next
 * call, empty.
 */
struct executor;

struct executor_options {
    const char *const *argv; /* how to start it; borrowed */
    const char *device;      /* id or the beginning of one; NULL: the first; borrowed */
    int64_t build_limit_us, run_limit_us;
    int64_t grace_us;   /* how long it may take to end by itself: a tool that it runs under writes
                           its report then */
    bool leaves_memory; /* buffers are left as the driver gives them, instead of poisoned */
    struct child_cancel cancel; /* ends its work */
};

/* Nothing is started before the first call that needs it. */
struct executor *executor_new(const struct executor_options *options);
void executor_free(struct executor *executor);

/*
 * What a failed call says about the candidate: crashed, timed_out,
 * out_of_memory, flooded or launch_failed.  OUTCOME_NONE when the call was cancelled
 * or failed for reasons of its own.
 */
enum outcome executor_outcome(const struct executor *executor);

/* The devices that the executor's back ends find and its options mean, one at least. */
enum status executor_probe(struct executor *executor, struct device_list *devices,
                           struct error *err) MUST_CHECK;

/* The device that is used; opens it where it is not. Borrowed, valid until the executor is freed.
 */
enum status executor_device(struct executor *executor, const struct device_info **device,
                            struct error *err) MUST_CHECK;

/* Make the graph's tensors on the device, instead of those there.  Empties all slots. */
enum status executor_set_tensors(struct executor *executor, const struct problem *problem,
                                 const struct graph *graph, struct error *err) MUST_CHECK;

/* Free the report and the resources. */
void executor_build_release(struct executor_build *build);

/* What is loaded into a slot; kforge's own kernels into SLOT_PLAIN.  Borrows everything. */
struct executor_load {
    unsigned slot;
    const char *source;
    const struct dispatch *dispatch; /* with the options that it is compiled with */
};

/*
 * Build and load into a slot.  A rejection by the compiler is STATUS_OK.
 * Building the same source with the same options again costs nothing.
 */
enum status executor_load(struct executor *executor, const struct executor_load *load,
                          struct executor_build *build, struct error *err) MUST_CHECK;

/*
 * Whether what comes of compiling it and of its first run could be kept, and is not yet.  On a CPU
 * a candidate may take over the executor: there it is that of kforge's own kernels, before any
 * candidate.  On a GPU executor_load() keeps what it compiles.
 */
bool executor_may_keep(const struct executor *executor, const struct executor_load *load);

/* Keep it for other executors.  Where that fails it is compiled again. */
void executor_keep(struct executor *executor, const struct executor_load *load);

/*
 * What the compiler made of the candidate in a slot, appended to `text`; that of the machine is in
 * base64.  STATUS_UNAVAILABLE where the back end has none.
 */
enum status executor_code(struct executor *executor, unsigned slot, enum code_kind kind,
                          struct strbuf *text, struct error *err) MUST_CHECK;

/* Run a batch, and write its times to `times`.  Fails as executor_outcome() tells. */
enum status executor_run(struct executor *executor, const struct executor_batch *batch,
                         struct executor_times *times, struct error *err) MUST_CHECK;

/* What the executor was waited for since it was made, on the judge's clock. */
struct executor_spent {
    double build_us;   /* also what a driver compiles when it first launches a kernel */
    double batches_us; /* the rest of all batches: runs, new data and copies */
    double kernels_us; /* the runs alone, on the device's clock */
};

/* All so far: differences are what counts. */
struct executor_spent executor_spent(const struct executor *executor);

/* What the child has worked on the host's cores since it was started, on the system's clock. */
double executor_cpu_us(const struct executor *executor);

/* Forget what was copied, and give its memory back: the next candidate shares it. */
void executor_wipe(struct executor *executor);

/*
 * The allocation of buffer `index` of the candidate's dispatch as it was copied
 * last to `side`: guard, contents, guard (backend.h), where the contents are of
 * an output.  Borrowed until the next call.
 */
const unsigned char *executor_allocation(const struct executor *executor, unsigned side,
                                         size_t index, size_t *contents_bytes);

/* Whether tensor `index`, an input or a param, no longer held what had been put there when buffers
 * were copied last.  The executor has looked: the judge would be told the same by a copy of it. */
bool executor_has_changed(const struct executor *executor, size_t index);

#endif
