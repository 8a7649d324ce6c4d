#ifndef CORE_JUDGE_HOST_LIBRARY_HOST_LIBRARY_H
#define CORE_JUDGE_HOST_LIBRARY_HOST_LIBRARY_H

#include "core/model/graph.h"

/*
 * The baseline "library": the graph node by node in float32 on the host's
 * cores, products by OpenBLAS, everything else by plain loops that the
 * compiler vectorises.  What an engineer would have without writing kernels.
 *
 * Integers, too, are held as float32, which is exact up to 2^24: they are
 * looked up by, moved and cast, but not computed with.
 */
struct host_library;

/* STATUS_NOT_FOUND where an operation has no float32 version here, or an integer may go beyond
 * 2^24.
 */
enum status host_library_check(const struct problem *problem, const struct graph *graph,
                               struct error *err) MUST_CHECK;

/*
 * Make inputs from `seed`, and run once, so that later runs are alike.  `graph` has passed
 * host_library_check(), and must outlive the library.
 */
struct host_library *host_library_new(const struct graph *graph, uint64_t seed);
void host_library_free(struct host_library *library);

/* Compute every output once, and return how long it took on the wall clock. */
double host_library_run_us(struct host_library *library);

/* The output `value` (index into the graph's values) of the last run; borrowed. */
const float *host_library_output(const struct host_library *library, size_t value);

/* Append OpenBLAS's version, and for which processor it was built. */
void host_library_add_version(struct strbuf *out);

#endif
