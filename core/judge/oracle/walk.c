#include "core/judge/oracle/walk.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/model/op/op_product.h"

void walk_add_broadcast(struct walk *walk, const struct shape *shape)
{
    size_t lead = walk->shape.rank - shape->rank;
    ptrdiff_t *strides = walk->strides[walk->arrays++];
    ptrdiff_t dense[SHAPE_MAX_RANK];

    shape_strides(shape, dense);
    for (size_t i = 0; i < walk->shape.rank; i++)
        strides[i] = i < lead || shape->dims[i - lead] == 1 ? 0 : dense[i - lead];
}

bool walk_find_steps(const struct op_call *call, size_t *steps)
{
    int64_t all = shape_elements(&call->out->shape);

    for (size_t k = 0; k < call->in_count; k++) {
        int64_t elements = shape_elements(&call->in[k]->shape);

        if (elements != all && elements != 1)
            return false;
        steps[k] = elements == all;
    }
    return true;
}

void walk_seek(struct walk *walk, size_t place)
{
    for (size_t a = 0; a < walk->arrays; a++)
        walk->offsets[a] = 0;
    for (size_t i = walk->shape.rank; i-- > 0;) {
        walk->index[i] = (int64_t)place % walk->shape.dims[i];
        place /= (size_t)walk->shape.dims[i];
        for (size_t a = 0; a < walk->arrays; a++)
            walk->offsets[a] += (ptrdiff_t)walk->index[i] * walk->strides[a][i];
    }
}

void walk_skip(struct walk *walk, int64_t count)
{
    for (size_t i = walk->shape.rank; i-- > 0; count = 1) {
        bool wraps = (walk->index[i] += count) == walk->shape.dims[i];
        ptrdiff_t steps = (ptrdiff_t)(wraps ? count - walk->shape.dims[i] : count);

        for (size_t a = 0; a < walk->arrays; a++)
            walk->offsets[a] += steps * walk->strides[a][i];
        if (!wraps)
            return;
        walk->index[i] = 0;
    }
}

void walk_step(struct walk *walk)
{
    walk_skip(walk, 1);
}

static void add_axis(struct walk *walk, int64_t dim, ptrdiff_t stride)
{
    walk->strides[0][walk->shape.rank] = stride;
    walk->shape.dims[walk->shape.rank++] = dim;
    walk->arrays = 1;
}

static ptrdiff_t *list_offsets(struct walk *line, size_t n)
{
    ptrdiff_t *offsets = mem_alloc_zeroed(n, sizeof(*offsets));

    for (size_t i = 0; i < n; i++, walk_step(line))
        offsets[i] = line->offsets[0];
    return offsets;
}

struct walk_lines walk_lines_make(const struct op_call *call)
{
    const struct shape *shape = &call->in[0]->shape;
    unsigned axes = call->op->axes(call);
    ptrdiff_t strides[SHAPE_MAX_RANK];
    struct walk line = {0};
    struct walk_lines lines = {0};

    shape_strides(shape, strides);
    for (size_t i = 0; i < shape->rank; i++)
        add_axis(axes >> i & 1 ? &line : &lines.starts, shape->dims[i], strides[i]);
    lines.count = (size_t)shape_elements(&lines.starts.shape);
    lines.n = (size_t)shape_elements(&line.shape);
    if (axes >> lines.starts.shape.rank != (1U << line.shape.rank) - 1)
        lines.offsets = list_offsets(&line, lines.n);
    return lines;
}

void walk_lines_release(struct walk_lines *lines)
{
    free(lines->offsets);
    *lines = (struct walk_lines){0};
}

/* Add the axes that number the matrices of an operand: all but the last two. */
static void add_matrices(struct walk *walk, const struct shape *shape)
{
    struct shape matrices = *shape;

    matrices.rank = walk->shape.rank > 0 ? shape->rank - 2 : 0;
    walk_add_broadcast(walk, &matrices);
}

struct walk walk_matrices(const struct op_call *call)
{
    struct walk walk = {.shape = product_of(call).batch};

    add_matrices(&walk, &call->in[0]->shape);
    add_matrices(&walk, &call->in[1]->shape);
    return walk;
}
