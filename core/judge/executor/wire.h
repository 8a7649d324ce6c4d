#ifndef CORE_JUDGE_EXECUTOR_WIRE_H
#define CORE_JUDGE_EXECUTOR_WIRE_H

#include "core/judge/device/backend.h"
#include "core/model/graph.h"

/*
 * The messages between judge and executor: one JSON object per line, a request with the member
 * "do", then its answer, which has "error" if the request failed.  The form of a dispatch is in
 * core/model/plan/dispatch.h.
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
 * "binary" is the result of compiling a slot's source (binary.h); in "load" it is that of an
 * earlier compilation.  The answer to "tensors" lists the keys of the internal kernels that are not
 * ready (internal_kernels.h).  "kernels" are binaries by these keys: cached ones in the request, in
 * the answer those that the executor compiled because "make" is true.  "lent_bytes" is the number
 * of bytes of contents made in advance, in the memory on descriptor 4.
 *
 * "run" without "param_seed" prepares nothing, and without "collect" copies nothing.  "changed"
 * lists the inputs and params that no longer held their data when buffers were copied.  Seeds are
 * below 2^49, because cJSON prints numbers with 15 digits.
 */

/* The places that a program can be loaded in: the candidate, the best one so far, and the plain
 * kernels.  All are loaded at the same time, on the same tensors. */
enum { SLOT_CANDIDATE, SLOT_BEST, SLOT_PLAIN, SLOT_COUNT };

/* The result of building a program. */
struct executor_build {
    bool is_accepted; /* by the compiler */
    struct build_report report;
    struct resource_list resources;
};

/* Several runs, each with new inputs and poisoned outputs. */
struct executor_batch {
    unsigned slot;
    const uint64_t *input_seeds; /* one for each run */
    size_t count;
    bool with_prepare; /* first make the params, poison scratch, and run the plan's prepare launches
                        */
    uint64_t param_seed;
    /*
     * After this run, copy the guard zones and outputs, and compare inputs and params with the data
     * that was put there; `count`: after none. For SLOT_CANDIDATE only.
     */
    size_t collect;
    unsigned side;         /* 0 or 1: destination of the copy */
    bool without_launches; /* do everything but the runs' launches */
    bool stepwise; /* run the launches one by one (step() of struct backend_ops), without times */
};

/* The times of a batch, on the device's clock. */
struct executor_times {
    double *spans_us;  /* of each run; the caller's array */
    double *each_us;   /* mean of each launch over the runs; the caller's array; may be NULL */
    double prepare_us; /* 0 without prepare */
};

/* A tensor of the problem at concrete dimensions, and how its contents are made. */
struct tensor_source {
    struct value value; /* its name is owned here */
    uint32_t stream;
};

struct tensor_sources {
    struct tensor_source *items;
    size_t count, capacity;
};

/* Free the names. All zeros afterwards. */
void wire_tensors_release(struct tensor_sources *sources);
struct json *wire_encode_tensors(const struct problem *problem, const struct graph *graph);

/* `lent` is the memory with contents made in advance, as it is mapped in this process. */
enum status wire_decode_tensors(struct tensor_sources *sources, const struct json_ref *at,
                                const struct lent_memory *lent, struct error *err) MUST_CHECK;

/* A request to do `what`. */
struct json *wire_request(const char *what);
struct json *wire_encode_batch(const struct executor_batch *batch);

/* Read the numbers of an array; those that are missing are not changed. */
void wire_decode_numbers(const struct json *array, double *numbers, size_t count);
enum status wire_decode_devices(struct device_list *devices, const struct json *answer,
                                struct error *err) MUST_CHECK;
enum status wire_decode_build(struct executor_build *build, const struct json *answer,
                              struct error *err) MUST_CHECK;

/* An answer that reports a failure. */
struct json *wire_encode_error(const struct error *err);

/* STATUS_OK, or the failure that the answer reports. */
enum status wire_check(const struct json *answer, struct error *err) MUST_CHECK;

#endif
