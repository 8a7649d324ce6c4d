#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PARTS_LOADS_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PARTS_LOADS_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"
#include "core/agent/builtin/plan/family.h"

/*
 * How work-items of a convolution in parts (convolution_parts.h) find and load the operand's
 * elements. A work-item loads half of the steps of a stage for one place.
 */

enum {
    PARTS_ITEMS = 256, /* work-items of a work-group: two warpgroups */
    PARTS_CHUNK = 8,   /* steps whose parts are stored at once, 16 bytes */
    PARTS_CHUNKS = 4,  /* of a line of a stage */
    PARTS_OF_ITEM = 2, /* chunks that a work-item loads for a stage */
    PARTS_STAGES = 2   /* in shared memory */
};

/* The kernel that is being written. */
struct parts {
    const struct convolution_kernel *c;
    struct parts_tile tile;
    enum dtype dtype; /* of the parts */
    int sections;     /* of the sum, each by other work-groups; 1 for a whole sum */
};

/* Declare `j<axis>`, the coordinates of `tap`. */
void convolution_parts_tap(const struct parts *p, const char *indent);

/* Declare `row_of_tile`, `half_of_line`, and `copied`, the place that the work-item loads for. */
void convolution_parts_own(const struct parts *p);

/*
 * Declare what loads need: `table`, unless the loads of all steps are written one by one, and the
 * place that the work-item loads for.
 */
void convolution_parts_place(const struct parts *p);

/* Write the function `load`, which loads the work-item's elements of a stage to `loaded`. */
void convolution_parts_loads(const struct parts *p);

#endif
