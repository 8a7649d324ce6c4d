#ifndef BACKENDS_BENCH_H
#define BACKENDS_BENCH_H

#include "backends/given_copies.h"
#include "backends/stash.h"
#include "core/base/digest.h"
#include "core/judge/executor/executor.h"
#include "core/judge/executor/readback.h"
#include "core/judge/executor/wire.h"

/*
 * The test bench of the executor: an open device, the problem's tensors on it, and the programs
 * that are loaded side by side, one in each slot. Calls fail with the status of the back end, and
 * with STATUS_INVALID if a request does not match the tensors.
 */

/* A program on the device with the buffers of its dispatch. */
struct loaded {
    char key[DIGEST_HEX_SIZE]; /* SHA-256 of source and options; empty if nothing is loaded */
    struct program *program;   /* NULL if the compiler rejected it */
    struct build_report report;
    struct resource_list resources;
    struct dispatch dispatch;
    struct buffer *
        *buffers; /* the bench's tensors (borrowed), then the dispatch's scratch buffers (owned) */
    /* number of its launch lists (prepare, run) that have not run since it was loaded */
    size_t cold_lists;
    double
        /* time that the driver spent compiling during the first runs of its other launch lists */
        compile_us;
};

struct bench {
    const struct backend_ops *ops;
    struct device *device;
    bool is_cpu; /* true if its kernels run on threads of this process */
    struct tensor_sources sources;
    struct buffer **tensors;
    struct given_copies *given; /* of each tensor */
    struct loaded slots[SLOT_COUNT];
    struct stash stashes[STASH_COUNT];
    struct memfd readback;
    const struct binary
        *binary;        /* the earlier binary of the program being loaded, or NULL; borrowed */
    bool leaves_memory; /* buffers are not poisoned, so that a tool sees reads of memory that
                           nothing has written */
    bool is_stepwise;   /* launches run one by one and are not timed */
};

/* Free everything on the device, and close it. */
void bench_release(struct bench *bench);

/* Free the tensors, and the buffers of all slots. */
void bench_drop_tensors(struct bench *bench);

/*
 * Replace the tensors; their contents are undefined until bench_renew_params() and
 * bench_renew_inputs().  Takes `sources`.  If it fails there are no tensors, and no program can be
 * loaded.
 */
enum status bench_set_tensors(struct bench *bench, struct tensor_sources *sources,
                              struct error *err) MUST_CHECK;

/* A source to build. Borrows everything. */
struct bench_source {
    const char *text;
    const char *language; /* a name in language.h; NULL: the device's own */
};

/*
 * Build the program unless the slot holds it already, allocate its scratch buffers, and poison all
 * buffers.  Takes `dispatch`.  If it fails the slot has no buffers, so its program cannot run.
 */
enum status bench_load(struct bench *bench, struct loaded *slot, const struct bench_source *source,
                       struct dispatch *dispatch, struct error *err) MUST_CHECK;

/* Fill the params from `seed`, and fill the scratch buffers with `word`. */
enum status bench_renew_params(struct bench *bench, const struct loaded *slot, uint64_t seed,
                               uint32_t word, struct error *err) MUST_CHECK;

/* Fill the inputs from `seed`, and the outputs with `word`. */
enum status bench_renew_inputs(struct bench *bench, const struct loaded *slot, uint64_t seed,
                               uint32_t word, struct error *err) MUST_CHECK;

/* Fill the outputs with `word`. */
enum status bench_renew_outputs(struct bench *bench, const struct loaded *slot, uint32_t word,
                                struct error *err) MUST_CHECK;

/* Run the plan's prepare launches. `*span_us` is their time. */
enum status bench_prepare(struct bench *bench, struct loaded *slot, double *span_us,
                          struct error *err) MUST_CHECK;

/*
 * Run `launches`, which may be empty, and wait.  Some drivers compile a kernel when it is first
 * launched at some size; slot->compile_us adds up the time that this takes.
 */
enum status bench_run(struct bench *bench, struct loaded *slot, const struct launch_list *launches,
                      struct run_times *times, struct error *err) MUST_CHECK;

/*
 * Copy what the judge checks to one side of the readback memory: all guard zones, and the outputs,
 * unless they stay in place.
 * `changed` is an array with an element for each tensor; it is set for inputs and params that no
 * longer have the contents of the seeds of `wanted`.
 */
enum status bench_collect(struct bench *bench, const struct loaded *slot,
                          const struct executor_copy *wanted, bool *changed,
                          struct error *err) MUST_CHECK;

/*
 * Copy tensors to a stash, or back, on the device. A stash lasts as long as the tensors.
 * STATUS_UNAVAILABLE if there is no room or the back end copies nothing.
 */
enum status bench_stash(struct bench *bench, const struct executor_stash *stash,
                        struct error *err) MUST_CHECK;

/*
 * The handles of the tensors of a slot: an array of texts, "" for a tensor without one (wire.h).
 * STATUS_UNAVAILABLE if the back end has none.
 */
enum status bench_handles(const struct bench *bench, const struct loaded *slot,
                          struct json *handles, struct error *err) MUST_CHECK;

/* Write to buffer `index` the contents of the buffer of another process. */
enum status bench_import(struct bench *bench, const struct loaded *slot, size_t index,
                         const char *handle, struct error *err) MUST_CHECK;

/* Close what bench_import() has left open. */
void bench_close_imports(struct bench *bench);

/* Write to buffer `index` the contents at its place on side 0 of the readback memory. */
enum status bench_deliver(struct bench *bench, const struct loaded *slot, size_t index,
                          struct error *err) MUST_CHECK;

#endif
