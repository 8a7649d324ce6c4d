#ifndef CORE_MODEL_ROOFS_H
#define CORE_MODEL_ROOFS_H

#include "core/base/record.h"

/*
 * What a device can do at best, as the judge measured it (core/judge/roofs/roof_measure.h).
 * A verdict holds the roofs that its bound was computed from, so that a
 * session can be told again where the device is not.
 */

enum { ROOFS_MEMORY_LEVELS = 6 };

/* The bandwidth seen while working on `bytes` in all, read and write together. */
struct memory_roof {
    double bytes, bytes_per_us;
};

/* So many cores that others keep busy may well have made roofs look low. */
#define ROOFS_DISTURBED_CORES 0.25

/* What a device can do at best; zero is unknown. */
struct roofs {
    struct memory_roof memory[ROOFS_MEMORY_LEVELS]; /* by growing size */
    size_t memory_count;
    double flops_per_us;        /* multiply-adds in f32, counted as 2 */
    double matrix_flops_per_us; /* those of matrix units, of operands of 16 bits */
    double busy_cores;          /* of the host, that others kept busy while this was measured */
};

/* As a member of another record. */
extern const struct field roofs_fields[];

/* What is unknown is null; what is not there, or is none, reads as unknown. */
struct json *roofs_encode(const struct roofs *roofs);
void roofs_decode(struct roofs *roofs, const struct json *encoded);

#endif
