#ifndef CORE_JUDGE_EXECUTOR_WIRE_H
#define CORE_JUDGE_EXECUTOR_WIRE_H

#include "core/judge/device/backend.h"
#include "core/model/graph.h"

/*
 * What judge and executor say to each other, beside the dispatch
 * (core/model/plan/dispatch.h): one JSON object a line, a request with the member
 * "do", then its answer with "error" where it failed.
 *
 *	devices device                                   -> devices, containment
 *	open    device leaves_memory                     -> device
 *	tensors tensors lent_bytes                       -> internal_kernels
 *	internal_kernels kernels make                    -> kernels
 *	load    slot source dispatch binary              -> built, build, resources
 *	binary  slot                                     -> binary
 *	code    slot kind                                -> code
 *	run     slot input_seeds param_seed collect side
 *	        without_launches stepwise                -> spans_us, each_us, prepare_us,
 *	                                                    changed, compile_us
 *
 * A run without "param_seed" prepares nothing, one without "collect" copies nothing; "changed" are
 * the tensors among the inputs and params that did not hold what was put there when it was copied.
 * A "binary" is what a compiler made of a slot's source (binary.h), in a load what it made before.
 * The "internal_kernels" of tensors are keys of kforge's own kernels that are not ready; "kernels"
 *are binaries by such keys, in the answer those that were compiled because "make" is true
 *(internal_kernels.h). Of the memory on descriptor 4 "lent_bytes" hold contents that were made
 *ahead.  Seeds are below 2^49: cJSON prints numbers with 15 digits, and they must arrive as they
 *were.
 */

/* The places that a program can be loaded in: the candidate, the best one so far, and the plain
 * kernels.  All are loaded at the same time, on the same tensors. */
enum { SLOT_CANDIDATE, SLOT_BEST, SLOT_PLAIN, SLOT_COUNT };

/* What came of building. */
struct executor_build {
    bool is_accepted; /* by the compiler */
    struct build_report report;
    struct resource_list resources;
};

/* Runs in a row, each with new inputs and poisoned outputs before it. */
struct executor_batch {
    unsigned slot;
    const uint64_t *input_seeds; /* one for each run */
    size_t count;
    bool with_prepare; /* first make the params, poison scratch, and run what the plan prepares */
    uint64_t param_seed;
    /* After this run the guard zones and outputs are copied, and inputs and params are compared
     * with what was put there; `count`: after none.  For SLOT_CANDIDATE only. */
    size_t collect;
    unsigned side;         /* 0 or 1: where the copy goes */
    bool without_launches; /* the same, but the runs are left out */
    bool stepwise;         /* launches one by one (struct backend_ops, step), without times */
};

/* What it took, on the device's clock. */
struct executor_times {
    double *spans_us;  /* of each run; the caller's array */
    double *each_us;   /* of each launch, the mean of the runs; the caller's array; may be NULL */
    double prepare_us; /* 0 without prepare */
};

/* A tensor of the problem at concrete dimensions, and how it gets its values. */
struct tensor_source {
    struct value value; /* its name is owned here */
    uint32_t stream;
};

struct tensor_sources {
    struct tensor_source *items;
    size_t count, capacity;
};

/* Free the names; all zeros afterwards. */
void wire_tensors_release(struct tensor_sources *sources);
struct json *wire_encode_tensors(const struct problem *problem, const struct graph *graph);

/* `lent` is the memory that contents made ahead are in, as it is mapped here. */
enum status wire_decode_tensors(struct tensor_sources *sources, const struct json_ref *at,
                                const struct lent_memory *lent, struct error *err) MUST_CHECK;

/* A request to do `what`. */
struct json *wire_request(const char *what);
struct json *wire_encode_batch(const struct executor_batch *batch);

/* The numbers of an array; those that are missing stay as they are. */
void wire_decode_numbers(const struct json *array, double *numbers, size_t count);
enum status wire_decode_devices(struct device_list *devices, const struct json *answer,
                                struct error *err) MUST_CHECK;
enum status wire_decode_build(struct executor_build *build, const struct json *answer,
                              struct error *err) MUST_CHECK;

/* An answer that says why there is none. */
struct json *wire_encode_error(const struct error *err);

/* STATUS_OK, or the failure that the answer reports. */
enum status wire_check(const struct json *answer, struct error *err) MUST_CHECK;

#endif
