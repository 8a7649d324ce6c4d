#ifndef CORE_MODEL_ROOFLINE_ROOFS_H
#define CORE_MODEL_ROOFLINE_ROOFS_H

#include "core/base/record.h"

/*
 * The roofs of a device: its highest bandwidth and arithmetic rate, measured by the judge
 * (core/judge/roofs/roof_measure.h). A verdict contains the roofs of its bound, so that a session
 * can be replayed without the device.
 */

enum { ROOFS_MEMORY_LEVELS = 6 };

/* The bandwidth for a working set of `bytes`, read and written bytes together. */
struct memory_roof {
    double bytes, bytes_per_us;
};

/* When other processes kept this many cores busy, the measured roofs may be too low. */
#define ROOFS_DISTURBED_CORES 0.25

/* A value of zero is unknown. */
struct roofs {
    struct memory_roof memory[ROOFS_MEMORY_LEVELS]; /* sorted by size */
    size_t memory_count;
    /* rate of f32 multiply-adds, each of which counts as 2 operations */
    double flops_per_us;
    double matrix_flops_per_us; /* rate of matrix units with 16-bit operands */
    double launch_us;           /* time of an empty launch */
    double busy_cores; /* cores of the host that other processes kept busy during the measurement */
};

/* The table for a member of another record. */
extern const struct field roofs_fields[];

/*
 * To JSON, which the caller owns, and back. Unknown roofs are encoded as null. A value that is
 * absent or invalid decodes as unknown.
 */
struct json *roofs_encode(const struct roofs *roofs);
void roofs_decode(struct roofs *roofs, const struct json *encoded);

#endif
