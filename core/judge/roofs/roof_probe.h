#ifndef CORE_JUDGE_ROOFS_ROOF_PROBE_H
#define CORE_JUDGE_ROOFS_ROOF_PROBE_H

#include "core/codegen/dialect.h"
#include "core/model/language.h"

/*
 * The microbenchmarks that measure the roofs (roofs.h), as far as possible in the common subset of
 * the kernel languages (dialect.h).
 */

/*
 * A kernel of a microbenchmark. `work` is what it does for each N of its problem, in bytes or
 * operations.
 */
struct roof_kernel {
    enum dialect_kind dialect; /* the only dialect that has it; DIALECT_NONE: all with work-items */
    const char *plan;
    double work;
};

enum { ROOF_PROBE_KERNELS = 9 };

/*
 * A microbenchmark: a problem with the dimension N, and several kernels for it, because devices
 * differ in what suits them. The fastest kernel counts.
 */
struct roof_probe {
    const char *tensors, *graph;                    /* members of the problem, in JSON */
    bool is_matrix;                                 /* its kernels are in a separate source */
    struct roof_kernel kernels[ROOF_PROBE_KERNELS]; /* ended by a kernel without a plan */
};

enum { F32_BYTES = 4 };

/* Measures bytes moved to and from memory, with N elements in each of three vectors. */
extern const struct roof_probe roof_memory_probe;

/* Measures multiply-adds in float, by N work-items. */
extern const struct roof_probe roof_compute_probe;

/* Measures launches that do nothing: 1 for each N, so N is 1. */
extern const struct roof_probe roof_launch_probe;

/*
 * Measures multiply-adds of halves on matrix units, by N work-items. It has no kernels for devices
 * without matrix units.
 */
extern const struct roof_probe roof_matrix_probe;

/*
 * Append the source for the compiler: prelude, functions and kernels. It is the same for all probes
 * but that of matrix units, because a compiler takes longer for several small programs.
 */
void roof_probe_source(const struct roof_probe *probe, const struct dialect *dialect,
                       struct strbuf *out);

#endif
