#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"

#include "core/agent/builtin/emit/emit_space.h"

int64_t rowwise_column_count(const struct rowwise *r)
{
    const struct writer *w = r->e->writer;
    const struct group *group = r->e->group;
    struct axes columns = group_columns(w, group);
    int64_t count = 1;

    for (size_t axis = columns.first; axis < columns.end; axis++) {
        if (!w->extents.is_fixed[group->space][axis])
            return 0;
        count *= w->graph.values.items[group->space].shape.dims[axis];
    }
    return group->parts ? count / group->part_count : count;
}

struct position rowwise_vector_position(const struct rowwise *r)
{
    return (struct position){.row = "row",
                             .column = "col",
                             .width = r->width,
                             .indent = "        ",
                             .is_aligned =
                                 r->whole_end != r->columns || emit_is_whole(r->e, r->width)};
}
