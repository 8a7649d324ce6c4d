#include "core/agent/builtin/plan/fusion_split.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/family.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"
#include "core/base/mem.h"

/* Fewer rows than this leave multiprocessors idle, if a row is long enough to share. */
static const int64_t few_rows = 128, long_row = 1 << 16;

/*
 * Longer rows, of all work-groups that run at once, do not fit in a GPU's second-level cache; those
 * up to held_row fit in the registers of a work-group, if lanes can exchange results.
 */
static const int64_t cached_row = 9 << 10, held_row = 32 << 10, cached_elements = 8 << 20;

/* Each work-group of the second kernel merges all slices of its row. */
static const int64_t most_slices = 4096;

/* Parts of a row whose results are computed apart, and work-groups that fill a GPU. */
static const int64_t most_result_slices = 32, many_groups = 1024;

/* The number of elements along axes of the group's space; 0 if that is not fixed. */
static int64_t elements_along(const struct writer *writer, const struct group *group,
                              struct axes axes)
{
    int64_t count = 1;

    for (size_t axis = axes.first; axis < axes.end; axis++)
        count *= writer->extents.is_fixed[group->space][axis]
                     ? writer->graph.values.items[group->space].shape.dims[axis]
                     : 0;
    return count;
}

/* The passes over a row of a row-wise node; 0 for other nodes. */
static int pass_count(const struct writer *writer, const struct graph_node *node,
                      const struct op_call *call)
{
    const struct rowwise_formula *formula = family_rowwise_formula(call->op);
    int passes = 0;

    if (family_is_elementwise(writer, node, call))
        return 0;
    while (formula && passes < FORMULA_MAX_PASSES && formula->passes[passes].name)
        passes++;
    return passes;
}

/*
 * The passes over a row of all nodes of the group; 0 if one of them cannot be merged from partial
 * results, or reads what another one has computed from the row.
 */
static int passes_to_split(const struct writer *writer, const struct group *group)
{
    bool *is_late = mem_alloc_zeroed(writer->graph.values.count + 1, sizeof(*is_late));
    int passes = 0;
    bool can_split = true;

    for (size_t n = 0; n < group->count; n++) {
        const struct graph_node *node = &writer->graph.nodes.items[group->nodes[n]];
        const struct op_call call = graph_call(&writer->graph, group->nodes[n]);
        int own = pass_count(writer, node, &call);

        passes += own;
        can_split &= !own || (!is_late[node->in[0]] && dtype_is_float(call.in[0]->dtype) &&
                              fusion_epilogue_can_merge(family_rowwise_formula(call.op)));
        is_late[node->out] = own > 0;
        for (size_t i = 0; i < node->in_count; i++)
            is_late[node->out] |= is_late[node->in[i]];
    }
    free(is_late);
    return can_split ? passes : 0;
}

/* Elements of a row that a work-group keeps in registers, in multiples of a vector. */
static int64_t registers_of(const struct schedule *schedule)
{
    int64_t step = (int64_t)schedule->of[KNOB_LANES] * schedule->of[KNOB_VEC];

    return step * (schedule->of[KNOB_HOLD] ? schedule->of[KNOB_HOLD] : 4);
}

/*
 * The slices in a slice of results: more than one if there are so many that to merge them takes
 * long, and if all rows together still fill the GPU.
 */
static int64_t merged_slices(int64_t slices, int64_t rows)
{
    int64_t wanted = (many_groups + rows - 1) / rows;

    wanted = wanted > most_result_slices ? wanted : most_result_slices;
    return (slices + wanted - 1) / wanted;
}

static void split(const struct writer *writer, const struct schedule *schedule, struct group *group)
{
    enum { STEP = 16 }; /* elements of the widest vector */
    int64_t rows = elements_along(writer, group, group_rows(writer, group));
    int64_t columns = elements_along(writer, group, group_columns(writer, group));
    int64_t slice = registers_of(schedule);
    int passes = passes_to_split(writer, group);
    bool is_held = writer->dialect->warp && schedule->of[KNOB_HOLD], is_few, is_long;

    if (group->parts) {
        rows *= group->part_count;
        columns /= group->part_count;
    }
    is_few = rows < few_rows && columns >= long_row;
    is_long = passes > 1 && columns > (is_held ? held_row : cached_row) &&
              rows * columns > cached_elements;
    if (!rows || !passes || columns < 2 * slice || !(is_few || is_long))
        return;
    if (columns > most_slices * slice)
        slice = ((columns + most_slices - 1) / most_slices + STEP - 1) / STEP * STEP;
    group->slice = slice;
    group->slices = (columns + slice - 1) / slice;
    group->result_slice = slice * merged_slices(group->slices, rows);
}

void fusion_split_rows(const struct writer *writer, const struct schedule *schedule,
                       struct fusion *fusion)
{
    for (size_t g = 0; schedule->of[KNOB_LANES] > 1 && g < fusion->groups.count; g++) {
        struct group *group = &fusion->groups.items[g];

        if (group->family == FAMILY_ROWWISE && !group->reads_partials && !group->has_batch)
            split(writer, schedule, group);
    }
}
