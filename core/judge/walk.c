#include "core/judge/walk.h"

void walk_dense_strides(const struct shape *shape, ptrdiff_t strides[SHAPE_MAX_RANK])
{
    ptrdiff_t stride = 1;

    for (size_t i = shape->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= (ptrdiff_t)shape->dims[i];
    }
}

void walk_add_broadcast(struct walk *walk, const struct shape *shape)
{
    size_t lead = walk->shape.rank - shape->rank;
    ptrdiff_t *strides = walk->strides[walk->arrays++];
    ptrdiff_t dense[SHAPE_MAX_RANK];

    walk_dense_strides(shape, dense);
    for (size_t i = 0; i < walk->shape.rank; i++)
        strides[i] = i < lead || shape->dims[i - lead] == 1 ? 0 : dense[i - lead];
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

void walk_step(struct walk *walk)
{
    for (size_t i = walk->shape.rank; i-- > 0;) {
        bool wraps = ++walk->index[i] == walk->shape.dims[i];
        ptrdiff_t steps = wraps ? 1 - (ptrdiff_t)walk->shape.dims[i] : 1;

        for (size_t a = 0; a < walk->arrays; a++)
            walk->offsets[a] += steps * walk->strides[a][i];
        if (!wraps)
            return;
        walk->index[i] = 0;
    }
}
