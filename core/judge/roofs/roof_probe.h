#ifndef CORE_JUDGE_ROOFS_ROOF_PROBE_H
#define CORE_JUDGE_ROOFS_ROOF_PROBE_H

#include "core/codegen/dialect.h"
#include "core/model/language.h"

/*
 * The microbenchmarks behind the roofs (roofs.h), in the common part of the
 * languages of kernels (dialect.h) as far as that goes.
 */

/* One way to load the device: what it does for each N of its problem, in bytes or operations. */
struct roof_kernel {
    enum dialect_kind dialect; /* the only one that has it; DIALECT_NONE: all have */
    const char *plan;
    double work;
};

/*
 * A microbenchmark: a problem with the dimension N, and kernels over it.
 * They differ in what a device may like; the fastest counts.
 */
struct roof_probe {
    const char *tensors, *graph; /* of the problem, JSON */
    const char *source;
    bool has_matrix; /* the source calls what matrix.h has, for 256 columns of "f16" */
    struct roof_kernel kernels[8]; /* ended by one without a plan */
};

enum { F32_BYTES = 4 };

/* Bytes that go to and from memory; N elements in each of three vectors. */
extern const struct roof_probe roof_memory_probe;

/* Multiply-adds in float, by N work-items. */
extern const struct roof_probe roof_compute_probe;

/* Multiply-adds of halves on matrix units, by N work-items; no kernels where there are none. */
extern const struct roof_probe roof_matrix_probe;

/* What a compiler is given: prelude, functions and source. */
void roof_probe_source(const struct roof_probe *probe, const struct dialect *dialect,
                       struct strbuf *out);

#endif
