#ifndef CORE_JUDGE_TORCH_BRIDGE_H
#define CORE_JUDGE_TORCH_BRIDGE_H

#include "core/judge/device/backend.h"
#include "core/judge/executor/child.h"
#include "core/judge/oracle/oracle.h"
#include "core/judge/stats/program_rounds.h"
#include "core/judge/torch/bridge_tensors.h"

/*
 * The bridge to PyTorch: a child process that holds one model in KernelBench's form. It describes
 * the model as a problem, makes its data, computes its expected outputs and times it.
 * backends/torch has the protocol. The model is untrusted code, so the child is contained, and
 * every request has a deadline. Tensors travel in shared memory.
 *
 * The child runs until the bridge is freed. If it dies, the next call starts another one and opens
 * the model again. Calls may come from several threads; they wait for each other. The model is to
 * blame for any error but STATUS_CANCELLED and STATUS_UNAVAILABLE.
 */
struct bridge;

struct bridge_options {
    const char *const *argv;    /* the command that starts it; borrowed */
    int64_t limit_us;           /* for each request */
    struct child_cancel cancel; /* ends a request of the thread that made the bridge */
    const char *kept;           /* see struct bridge_process; borrowed */
    bool may_pause;
};

/* No process is started before the first call that needs it. */
struct bridge *bridge_new(const struct bridge_options *options);
void bridge_free(struct bridge *bridge);

/* Stop the process of a bridge with `may_pause`, or let it go on; in any thread. */
void bridge_pause(struct bridge *bridge, bool is_paused);

/* End a request that waits in another thread, by killing the process. */
void bridge_interrupt(struct bridge *bridge);

/* The command that starts the process. Borrowed. */
const char *const *bridge_command(const struct bridge *bridge);

/* The version of PyTorch that opened a model; "" before. Borrowed until the bridge is freed. */
const char *bridge_pytorch(const struct bridge *bridge);

/* A model in KernelBench's form. */
struct model_source {
    const char *text;
    const char *file;      /* the file's name in error messages */
    const char *tolerance; /* the class of tolerance for its problem */
};

/*
 * True if the model has to compute or to fill something: the problem has no graph, or a fill is the
 * model's own.
 */
bool bridge_is_needed(const struct problem *problem);

/* Start the process, which imports PyTorch for seconds, and return at once. Later calls need it. */
void bridge_wake(struct bridge *bridge);

/*
 * Open a model. `*problem` receives its description as a problem, the caller's; may be NULL.
 * STATUS_INVALID describes the fault of the file in a line, STATUS_UNAVAILABLE names what this
 * machine lacks.
 */
enum status bridge_open(struct bridge *bridge, const struct model_source *source,
                        struct json **problem, struct error *err) MUST_CHECK;

/*
 * Like bridge_open(), and check the problem: a graph over its limits is an error that names the
 * place.
 */
enum status bridge_describe(struct bridge *bridge, const struct model_source *source,
                            struct json **problem, struct error *err) MUST_CHECK;

/*
 * Open the model of a PyTorch problem, and lend the problem the tensors that only the model can
 * fill. If there is no graph, have the model compute outputs once, to see whether it can, and
 * whether in float32 only. The tensors are lent until the next such call or bridge_free().
 * STATUS_INVALID if the problem does not fit the device (NULL: none) or this machine. Other
 * problems are not changed.
 */
enum status bridge_attach(struct bridge *bridge, const struct device_info *device,
                          struct problem *problem, struct error *err) MUST_CHECK;

/*
 * Compute the outputs of a problem without a graph from its inputs and params, like
 * oracle_evaluate(): in double precision, or in float32 if the model supports nothing else.
 */
enum status bridge_evaluate(struct bridge *bridge, const struct graph *graph,
                            struct oracle_values *values, struct error *err) MUST_CHECK;

/* bridge_evaluate() as the oracle's evaluator; valid until bridge_free(). */
const struct oracle_evaluator *bridge_evaluator(const struct bridge *bridge);

/* True if expected values were computed in float32, because the model supports nothing else. */
bool bridge_is_coarse(struct bridge *bridge);

/*
 * Move the model to the device in PyTorch. `*names` receives the baselines of the model there, the
 * caller's. Baselines of lower precision are listed only if the tolerance allows candidates of
 * lower precision.
 */
enum status bridge_place(struct bridge *bridge, const struct device_info *device, bool allows_mixed,
                         struct json **names, struct error *err) MUST_CHECK;

/*
 * Begin to move the model to the device, and return at once. bridge_place() takes the result; any
 * other request waits for the move.
 */
void bridge_place_ahead(struct bridge *bridge, const struct device_info *device, bool allows_mixed);

/* Wait until a move of the model has ended, because something is to be timed. */
void bridge_settle(struct bridge *bridge);

/* Give the model the data of `run`, before a baseline is compiled. */
enum status bridge_take(struct bridge *bridge, const struct bridge_run *run,
                        struct error *err) MUST_CHECK;

/* Compile a baseline, within four times the limit of a request. */
enum status bridge_compile(struct bridge *bridge, const char *name, struct error *err) MUST_CHECK;

/*
 * Prepare a baseline: it is run on the data of `run`, within the same limit, as it may have to be
 * compiled again. `outputs` receives what it computed, by value of the graph; the caller frees
 * each.
 */
enum status bridge_prepare(struct bridge *bridge, const char *name, const struct bridge_run *run,
                           void **outputs, struct error *err) MUST_CHECK;

/*
 * Time `runs` runs of a baseline, each with cold caches. The process keeps the memory of a GPU that
 * they took until another request: a driver clears memory that is given back, and slows down what
 * runs meanwhile.
 */
enum status bridge_time(struct bridge *bridge, const char *name, size_t runs,
                        struct run_time *times, struct error *err) MUST_CHECK;

/* Give back the memory of the device that timed runs took. */
enum status bridge_rest(struct bridge *bridge, struct error *err) MUST_CHECK;

#endif
