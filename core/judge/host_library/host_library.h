#ifndef CORE_JUDGE_HOST_LIBRARY_HOST_LIBRARY_H
#define CORE_JUDGE_HOST_LIBRARY_HOST_LIBRARY_H

#include "core/model/graph.h"

/*
 * The host library, a baseline for CPUs: the graph node by node in float32 on the host's cores.
 * OpenBLAS computes products; everything else is plain loops that the compiler vectorises. This is
 * what an engineer has without writing kernels. Verdicts call it "library".
 *
 * Integers too are stored as float32, which is exact up to 2^24: they can be moved, cast and used
 * as indices, but not computed with.
 */
struct host_library;

/* STATUS_NOT_FOUND if an operation has no float32 version here, or an integer may exceed 2^24. */
enum status host_library_check(const struct problem *problem, const struct graph *graph,
                               struct error *err) MUST_CHECK;

/*
 * Make inputs from `seed`, and run once to warm up. `graph` has passed host_library_check(), and
 * must outlive the library.
 */
struct host_library *host_library_new(const struct graph *graph, uint64_t seed);
void host_library_free(struct host_library *library);

/* Compute all outputs once. Returns the time on the wall clock. */
double host_library_run_us(struct host_library *library);

/* The value `value` (an index into the graph's values) of the last run; borrowed. */
const float *host_library_output(const struct host_library *library, size_t value);

/* Append OpenBLAS's version and the processor that its kernels are for. */
void host_library_add_version(struct strbuf *out);

#endif
