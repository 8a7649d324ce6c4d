#ifndef CORE_JUDGE_EXECUTOR_WIRE_H
#define CORE_JUDGE_EXECUTOR_WIRE_H

#include "core/judge/device/backend.h"
#include "core/judge/executor/poison.h"
#include "core/model/graph.h"

/*
 * The messages between judge and executor: one JSON object per line, a request with the member
 * "do", then its answer, which has "error" if the request failed.  The form of a dispatch is in
 * core/model/plan/dispatch.h.
 *
 *	devices device                                   -> devices, containment
 *	open    device leaves_memory warms_profiler      -> device
 *	tensors tensors lent_bytes                       -> internal_kernels
 *	internal_kernels kernels make                    -> kernels
 *	load    slot source language dispatch binary     -> built, build, resources
 *	binary  slot                                     -> binary
 *	code    slot kind                                -> code
 *	run     slot input_seed param_seed poison
 *	        without_launches keeps_data stepwise
 *	        times_each                               -> span_us, each_us, prepare_us,
 *	                                                    compile_us, work
 *	repeat  slot poison
 *	repeated                                         -> times
 *	collect slot input_seed param_seed side in_place
 *	        trusts_kernels                           -> changed, handles
 *	deliver slot buffer handle
 *	stash   place back tensors
 *	close_imports
 *
 * "binary" is the result of compiling a slot's source (binary.h); in "load" it is that of an
 * earlier compilation.  The answer to "tensors" lists the keys of the internal kernels that are not
 * ready (internal_kernels.h).  "kernels" are binaries by these keys: cached ones in the request, in
 * the answer those that the executor compiled because "make" is true.  "lent_bytes" is the number
 * of bytes of contents made in advance, in the memory on descriptor 4.
 *
 * "run" makes one run on new inputs and poisoned outputs; without "param_seed" it prepares nothing.
 * After the answer to "repeat" the executor runs the launches again and again on the inputs of the
 * last run, with poisoned outputs each time, until the next request arrives. The judge sends that
 * one, "repeated", after a time that it has drawn, so that nothing in the executor's memory tells
 * which of these runs is the last, whose outputs may be verified. "times" has an array for each:
 *the span, and the members of "work".
 *
 * "collect" copies what the last run left. The judge decides on it only after the run has ended, so
 * that nothing in the executor's memory tells a candidate on a CPU which runs are verified. For the
 * same reason a request names one seed, and the executor forgets requests and seeds before the
 * candidate runs. "changed" lists the inputs and params that no longer held their data. Seeds are
 * below 2^49, because cJSON prints numbers with 15 digits.
 *
 * With "in_place", "collect" copies no output that has a handle (struct buffer_handle): another
 * process reads it on the device. "handles" has those of all tensors, in base64, and "" for a
 * tensor that is no output or is small; it is absent if the back end has none, and everything was
 * copied.
 *
 * "deliver" writes to a buffer of a slot what the judge has put in its place in the readback
 * memory, or the contents of the buffer of another process that "handle" names. Such buffers stay
 * open until "close_imports", which comes before their process frees them. Only the executor of the
 * device oracle is asked for these, and for runs that keep data.
 */

/* The places that a program can be loaded in: the candidate, the best one so far, the first one of
 * the session, and the plain kernels.  All are loaded at the same time, on the same tensors. */
enum { SLOT_CANDIDATE, SLOT_BEST, SLOT_FIRST, SLOT_PLAIN, SLOT_COUNT };

/* The result of building a program. */
struct executor_build {
    bool is_accepted; /* by the compiler */
    struct build_report report;
    struct resource_list resources;
};

/* A run on new inputs and poisoned outputs. */
struct executor_run {
    unsigned slot;
    uint64_t input_seed;
    bool with_prepare; /* first make the params, poison scratch, and run the plan's prepare launches
                        */
    uint64_t param_seed;
    enum poison_kind poison;
    bool without_launches; /* do everything but the run's launches */
    /* inputs and outputs keep their contents: the program works on what earlier runs have left */
    bool keeps_data;
    bool is_watched; /* the machine is busy: measure the work of threads without their waiting */
    bool stepwise;   /* run the launches one by one (step() of struct backend_ops), without times */
    bool times_each; /* time each launch; on a GPU events then come between the launches */
};

/* The times of a run, on the device's clock. */
struct executor_times {
    double span_us;
    double *each_us;         /* times of each launch if asked for; the caller's array, or NULL */
    double prepare_us;       /* 0 without prepare */
    double free_bytes;       /* of the device's memory after the run, if leaves_memory; else 0 */
    struct thread_work work; /* CPU time of the launches; on a CPU only */
};

/* The times of runs that were repeated on the same inputs. */
enum { REPEATS_MAX = 32 };
struct repeat_times {
    struct repeat_time {
        double span_us;
        struct thread_work work;
    } items[REPEATS_MAX];
    size_t count;
};

/* A request to copy what the last run left, with the seeds of the data that the run worked on. */
struct executor_copy {
    unsigned slot;
    uint64_t input_seed, param_seed;
    unsigned side;       /* 0 or 1: destination of the copy */
    bool in_place;       /* copy no output that has a handle */
    bool trusts_kernels; /* do not check that inputs and params hold their data */
};

/*
 * A request to copy the contents of tensors to one of a few places besides them on the device, or
 * back.
 */
enum { STASH_COUNT = 12, STASH_TENSORS = 16 };
struct executor_stash {
    size_t place; /* below STASH_COUNT */
    bool back;
    size_t tensors[STASH_TENSORS], count;
};

/* Room for a handle in base64, with its end. */
enum { WIRE_HANDLE_SIZE = (BUFFER_HANDLE_BYTES + 2) / 3 * 4 + 1 };

/* True if the buffer of an output has a handle, provided that the back end has handles. */
bool wire_has_handle(const struct buffer_spec *output);

/* A tensor of the problem at concrete dimensions, and how its contents are made. */
struct tensor_source {
    struct value value; /* the value; this struct owns its name */
    uint32_t stream;
};

struct tensor_sources {
    struct tensor_source *items;
    size_t count, capacity;
};

/* Free the names. All zeros afterwards. */
void wire_tensors_release(struct tensor_sources *sources);

/* The tensors of the problem at the graph's dimensions; the caller owns the array. */
struct json *wire_encode_tensors(const struct problem *problem, const struct graph *graph);

/*
 * Read the tensors; STATUS_INVALID if they are not valid. `lent` is the memory with contents made
 * in advance, as it is mapped in this process.
 */
enum status wire_decode_tensors(struct tensor_sources *sources, const struct json_ref *at,
                                const struct lent_memory *lent, struct error *err) MUST_CHECK;

/* A request to do `what`, to run, or to collect; the caller owns it. */
struct json *wire_request(const char *what);
struct json *wire_encode_run(const struct executor_run *run);
struct json *wire_encode_copy(const struct executor_copy *copy);
struct json *wire_encode_repeat(unsigned slot, enum poison_kind poison);

/* A request to copy to a stash or back: as the judge writes it, and as the executor reads it. */
struct json *wire_encode_stash(const struct executor_stash *stash);
struct executor_stash wire_decode_stash(const struct json *request);

/* A request to run as the executor reads it, without the slot. */
struct wire_run {
    bool with_prepare, without_launches, keeps_data, is_watched, times_each;
    uint64_t input_seed, param_seed;
    uint32_t poison;
};
struct wire_run wire_decode_run(const struct json *request);

/* A request to collect, without the slot. */
struct executor_copy wire_decode_copy(const struct json *request);

/*
 * A request to deliver; the caller owns it. `handle` is the source in base64; NULL: the readback
 * memory.
 */
struct json *wire_encode_delivery(unsigned slot, size_t buffer, const char *handle);

/* A handle in base64, which the caller owns, and back; STATUS_INVALID if the text is not a handle.
 */
struct json *wire_encode_handle(const struct buffer_handle *handle);
enum status wire_decode_handle(struct buffer_handle *handle, const char *text,
                               struct error *err) MUST_CHECK;

/* CPU time as an array, which the caller owns: total, longest, threads. */
struct json *wire_encode_work(const struct thread_work *work);

/* The answer to "repeated", put into `answer`, and back. */
void wire_put_repeats(struct json *answer, const struct repeat_times *times);
void wire_decode_repeats(const struct json *answer, struct repeat_times *times);

/* Read the answer to "run".  The array of times->each_us is the caller's, or NULL. */
void wire_decode_times(const struct json *answer, size_t launches, struct executor_times *times);

/* Read the devices, or a build; STATUS_INVALID if a member is missing or has another type. */
enum status wire_decode_devices(struct device_list *devices, const struct json *answer,
                                struct error *err) MUST_CHECK;
enum status wire_decode_build(struct executor_build *build, const struct json *answer,
                              struct error *err) MUST_CHECK;

/* An answer that reports a failure; the caller owns it. */
struct json *wire_encode_error(const struct error *err);

/* STATUS_OK, or the failure that the answer reports. */
enum status wire_check(const struct json *answer, struct error *err) MUST_CHECK;

#endif
