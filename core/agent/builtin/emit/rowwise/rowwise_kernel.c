#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"

#include "core/agent/builtin/emit/emit_space.h"

/* Elements of a row; 0 if that is not fixed. */
static int64_t column_count(const struct rowwise *r)
{
    const struct writer *w = r->e->writer;
    const struct group *group = r->e->group;
    unsigned columns = group_column_bits(w, group);
    int64_t count = 1;

    for (size_t axis = 0; axis < w->graph.values.items[group->space].shape.rank; axis++) {
        if (!(columns >> axis & 1))
            continue;
        if (!w->extents.is_fixed[group->space][axis])
            return 0;
        count *= w->graph.values.items[group->space].shape.dims[axis];
    }
    return group->parts ? count / group->part_count : count;
}

int64_t rowwise_length(const struct rowwise *r)
{
    return r->is_partial ? r->e->group->slice : column_count(r);
}

struct position rowwise_vector_position(const struct rowwise *r)
{
    return (struct position){.row = "row",
                             .column = "col",
                             .width = r->width,
                             .indent = "        ",
                             .is_aligned = r->whole_end != r->end || emit_is_whole(r->e, r->width)};
}
