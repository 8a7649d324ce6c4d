#ifndef CORE_MODEL_OP_REGION_H
#define CORE_MODEL_OP_REGION_H

#include "core/model/dtype.h"

/*
 * Regions of a tensor: sets of elements that are strided along each axis. A list of regions is a
 * known subset of some set of elements: elements that do not fit the form are left out, so the size
 * of a list is a lower bound.
 */

struct region_axis {
    int64_t first, step, count; /* elements first, first + step, ...; the step is at least 1 */
};

struct region {
    size_t rank;
    struct region_axis axes[SHAPE_MAX_RANK];
    /* only the number of elements is known, as for rows of a table that random indices select */
    bool is_anywhere;
};

enum { REGIONS_MAX = 64 };

struct region_list {
    struct region items[REGIONS_MAX]; /* no element is in two of them */
    size_t count;
};

/* All elements of a tensor. */
struct region region_whole(const struct shape *shape);

/* The number of elements in all regions of a list. */
double region_list_elements(const struct region_list *list);

/* True if the region has all indices below `size` along the axis. */
bool region_axis_is_whole(const struct region_axis *axis, int64_t size);
bool region_is_whole(const struct region *region, const struct shape *shape);

/*
 * Add a region. If regions may overlap, only the larger one is kept; if there are too many, the
 * largest ones are kept. An empty region is not added.
 */
void region_list_add(struct region_list *list, const struct region *region);

/* The part of an axis that is in [0, size) after it was moved by `shift`; its count may be 0. */
struct region_axis region_axis_move(const struct region_axis *axis, int64_t shift, int64_t size);

/*
 * The elements of an operand of `shape` that broadcasting (op_family.h) brings to the elements of
 * `region`.
 */
struct region region_broadcast(const struct region *region, const struct shape *shape);

/*
 * The same elements in another shape with as many elements, in row-major order. False if they form
 * no region there; a part of a row may be left out.
 */
bool region_reshape(const struct region *region, const struct shape *from, const struct shape *to,
                    struct region *result);

#endif
