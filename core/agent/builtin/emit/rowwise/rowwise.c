#include "core/agent/builtin/emit/rowwise/rowwise.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"
#include "core/agent/builtin/emit/rowwise/rowwise_loops.h"
#include "core/agent/builtin/emit/rowwise/rowwise_pass.h"
#include "core/agent/builtin/emit/rowwise/rowwise_registers.h"

/*
 * Reductions and row-wise operations. `lanes` work-items share a row and process one vector each at
 * a time. After each pass they combine their results: with shuffles within a warp and in local
 * memory between warps. With one lane each work-item processes a row of its own.
 *
 * The value that the passes read is computed once for the first `hold` vectors of each lane, which
 * stay in registers to the end. The rest of a longer row is read again in each pass.
 *
 * If the epilogue of a product has computed partial results of the first node's passes, they are
 * merged and the elements are not read.
 *
 * A row that is split (plan/fusion_split.h) has two kernels: parts_N computes the partial results
 * of its slices, rows_N merges them.
 */

static void write_rowwise_node(struct rowwise *r, size_t node)
{
    struct emitter *e = r->e;
    size_t out = emit_node_at(r->e, node)->out;
    const struct rowwise_formula *formula = emit_rowwise_formula(e, node);
    struct formula_words words = {0};
    struct position position = {.row = "row", .column = "0", .width = 1};

    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++) {
        struct pass pass = {.node = node, .formula = &formula->passes[i]};

        pass.is_last = i + 1 == FORMULA_MAX_PASSES || !formula->passes[i + 1].name;
        pass.stores_elements = pass.is_last && e->schedule->of[KNOB_STORE] && !e->group->slices &&
                               !rowwise_reads_partials(r, node) && strstr(formula->result, "$e") &&
                               e->fusion->is_stored[out];
        rowwise_write_pass(r, &pass);
    }
    if (!e->fusion->is_row[out] || r->is_partial)
        return;
    emit_rowwise_words(e, node, &position, &words);
    emit_row_value(e, node, emit_formula(r->e, formula->result, &words), r->once);
}

/* Row-wise nodes are computed in the graph's order; elementwise results come at the end. */
static void write_nodes(struct rowwise *r)
{
    struct emitter *e = r->e;

    for (size_t n = 0; n < e->group->count; n++) {
        size_t node = e->group->nodes[n];

        if (!emit_is_elementwise(e, node))
            write_rowwise_node(r, node);
        else if (e->fusion->is_row[emit_node_at(r->e, node)->out] && !r->is_partial)
            emit_row_element(e, node, r->once);
    }
}

static bool has_elements(const struct emitter *e)
{
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = e->writer->graph.nodes.items[e->group->nodes[n]].out;

        if (e->fusion->is_stored[out] && !e->fusion->is_row[out] && !e->is_in_memory[out])
            return true;
    }
    return false;
}

static void write_stores(const struct rowwise *r, const struct position *position,
                         const struct pass *pass)
{
    (void)pass;
    emit_results(r->e, position);
}

static void write_results(struct rowwise *r)
{
    if (!has_elements(r->e))
        return;
    if (r->width > 1 || r->hold)
        rowwise_write_vectors(r, write_stores, NULL);
    rowwise_write_rest(r, write_stores, NULL);
}

/* The columns of a work-group's slice, and the slices of a row. */
static int slice_of(const struct rowwise *r)
{
    return (int)(r->is_partial ? r->e->group->slice : r->e->group->result_slice);
}

static int slices_of(const struct rowwise *r)
{
    int64_t all = r->e->group->slices * r->e->group->slice;

    return (int)((all + slice_of(r) - 1) / slice_of(r));
}

static void write_start(const struct rowwise *r)
{
    struct emitter *e = r->e;
    const char *rows = emit_extent(e, group_rows(e->writer, e->group));

    if (r->first) {
        emit_line(e, "    const int row = $group_id0 / %d, lane = $local_id0;", slices_of(r));
        emit_line(e, "    const int first = $group_id0 %% %d * %d, end = min(first + %d, %s);",
                  slices_of(r), slice_of(r), slice_of(r), r->columns);
    } else if (r->rows > 1) {
        emit_line(e, "    const int row = $group_id0 * %d + $local_id0 / %d;", r->rows, r->lanes);
        emit_line(e, "    const int lane = $local_id0 %% %d;\n", r->lanes);
        emit_line(e, "    if (row >= %s)\n        return;", rows);
    } else if (r->lanes > 1) {
        emit_line(e, "    const int row = $group_id0, lane = $local_id0;");
    } else {
        emit_line(e, "    const int row = $global_id0;");
        if (e->schedule->of[KNOB_GROUP] > 1)
            emit_line(e, "    if (row >= %s)\n        return;", rows);
    }
    emit_row_axes(e, "    ");
    if (r->whole_end != r->end)
        emit_line(
            e, "    const int %s = %s %% %d == 0 ? %s : %s; /* vectors of every row are aligned */",
            r->whole_end, r->columns, r->width, r->end, r->first ? r->first : "0");
    rowwise_declare_held(r);
    emit_line(e, "%s", "");
}

/* True if all rows read the same elements of the value, one for each column. */
static bool is_shared(const struct emitter *e, size_t value)
{
    const struct group *group = e->group;
    const struct value *v = &e->writer->graph.values.items[value];

    return v->role != TENSOR_CONSTANT && !emit_is_own(e, value) && !group->parts &&
           group_rows(e->writer, group).end > 0 &&
           fusion_span(e->writer, value, group->space, axes_bits(group_rows(e->writer, group))) ==
               SPAN_ONE &&
           fusion_span(e->writer, value, group->space, group_column_bits(e->writer, group)) ==
               SPAN_ALL;
}

/* Prefetch the operands that all rows share, such as weights, while the passes run. */
static void write_prefetches(const struct rowwise *r)
{
    struct emitter *e = r->e;
    const char *text = e->writer->dialect->prefetch;
    struct formula_words words = {0};

    for (size_t i = 0; text && r->lanes > 1 && !r->first && i < e->kernel.args.count; i++)
        for (size_t v = 0; v < e->writer->graph.values.count; v++) {
            const char *name = emit_value_at(e, v)->name;

            if (strcmp(name, e->kernel.args.items[i].name) != 0 || !is_shared(e, v) ||
                e->is_preloaded[v])
                continue;
            words.of['p'] = emit_text(e, "p_%s + col", name);
            emit_line(e, "    for (int col = lane * %d; col < %s; col += %d)", r->width, r->columns,
                      r->lanes * r->width);
            emit_line(e, "        %s;", emit_formula(e, text, &words));
        }
}

static void launch(const struct rowwise *r)
{
    struct emitter *e = r->e;
    int group = r->lanes > 1 ? r->rows * r->lanes : e->schedule->of[KNOB_GROUP];
    const char *rows = emit_extent(e, group_rows(e->writer, e->group));
    struct space space = {.rank = 1};

    if (r->first)
        space.global[0] = emit_text(e, "%s * %d * %d", rows, slices_of(r), r->lanes);
    else if (r->rows > 1)
        space.global[0] = emit_text(e, "ceildiv(%s, %d) * %d", rows, r->rows, group);
    else if (r->lanes > 1)
        space.global[0] = emit_text(e, "%s * %d", rows, r->lanes);
    else
        space.global[0] = group > 1 ? emit_text(e, "align(%s, %d)", rows, group) : rows;
    if (group)
        space.local[0] = emit_text(e, "%d", group);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

/* The passes over the rows of all nodes. */
static int count_passes(const struct emitter *e)
{
    int passes = 0;

    for (size_t n = 0; n < e->group->count; n++)
        for (size_t i = 0; !emit_is_elementwise(e, e->group->nodes[n]) && i < FORMULA_MAX_PASSES &&
                           emit_rowwise_formula(e, e->group->nodes[n])->passes[i].name;
             i++)
            passes++;
    return passes;
}

/*
 * More lanes than the schedule asks for, if a row that is read more than once would not fit in
 * their registers: the rest would come from memory again.
 */
static int lanes_to_hold(const struct rowwise *r)
{
    const struct emitter *e = r->e;
    int lanes = e->schedule->of[KNOB_LANES];
    int64_t floats = (int64_t)e->schedule->of[KNOB_HOLD] * e->schedule->of[KNOB_VEC];

    if (lanes == 1 || !floats || !e->writer->dialect->warp || e->group->slices ||
        e->group->reads_partials || !(has_elements(e) || count_passes(e) > 1))
        return lanes;
    while (lanes < ROWWISE_MOST_LANES && rowwise_length(r) > lanes * floats)
        lanes *= 2;
    return lanes;
}

/* True for very many rows of a few elements, of which a warp would leave most lanes idle. */
static bool has_tiny_rows(const struct rowwise *r)
{
    enum { MOST_ELEMENTS = 16, LEAST_ROWS = 1 << 16 };
    const struct emitter *e = r->e;
    int64_t length = rowwise_length(r);

    return length > 0 && length <= MOST_ELEMENTS && e->writer->dialect->warp && !r->is_partial &&
           !e->group->slices && !e->group->reads_partials &&
           shape_elements(&emit_value_at(e, e->group->space)->shape) / length >= LEAST_ROWS;
}

/* Reduce the lanes to the fewest whole warps that need the same number of steps for the row. */
static int lanes_of(const struct rowwise *r)
{
    const struct emitter *e = r->e;
    int lanes = lanes_to_hold(r), warp = e->writer->dialect->warp;
    int64_t work = rowwise_length(r) / r->width, steps;

    if (has_tiny_rows(r))
        return 1;
    if (!r->is_partial && (e->group->reads_partials || e->group->slices) && !has_elements(e))
        work = rowwise_partial_count(r);
    if (!warp || !work || lanes <= warp)
        return lanes;
    steps = (work + lanes - 1) / lanes;
    work = (work + steps - 1) / steps;
    return (int)((work + warp - 1) / warp) * warp;
}

/*
 * The rows of a work-group: many short ones, each of a warp, because a GPU takes longer to start a
 * work-group than a warp to process a short row.
 */
static int rows_of_group(const struct rowwise *r)
{
    enum { MANY_ROWS = 1 << 14, ROWS = 8 };
    int64_t length = rowwise_length(r);
    const struct emitter *e = r->e;

    return !r->first && e->writer->dialect->warp && r->lanes == e->writer->dialect->warp &&
                   length &&
                   shape_elements(&emit_value_at(e, e->group->space)->shape) / length >= MANY_ROWS
               ? ROWS
               : 1;
}

static struct rowwise rows_of(struct emitter *e, bool is_partial)
{
    struct rowwise r = {.e = e,
                        .width = emit_aligned_width(e),
                        .is_partial = is_partial,
                        .columns = emit_extent(e, group_columns(e->writer, e->group))};

    r.lanes = lanes_of(&r);
    if (e->group->slices && (is_partial || has_elements(e)))
        r.first = "first";
    r.rows = rows_of_group(&r);
    r.end = r.first ? "end" : r.columns;
    if (r.lanes > 1)
        r.once = r.first ? "lane == 0 && first == 0" : "lane == 0";
    r.whole_end = r.end;
    if (r.width > 1 && e->writer->dialect->is_aligned && !emit_is_whole(e, r.width))
        r.whole_end = "whole_end";
    rowwise_choose_held(&r, rowwise_length(&r));
    return r;
}

/* Add the partial results of a node's passes to the kernel's arguments. */
static void add_partials(const struct rowwise *r, size_t node)
{
    const struct rowwise_formula *formula = emit_rowwise_formula(r->e, node);
    const char *shape[] = {emit_extent(r->e, group_rows(r->e->writer, r->e->group)),
                           emit_text(r->e, "%d", rowwise_partial_count(r))};

    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++) {
        struct kernel_arg arg = emit_partials_arg(r->e, node, &formula->passes[i], r->is_partial);

        kernel_add_arg(&r->e->kernel, &arg);
        if (r->is_partial)
            writer_scratch(r->e->writer, arg.name, arg.dtype, shape, 2);
    }
}

/*
 * Add the kernel's arguments. With partial results of a product, the first operand itself is needed
 * only if it is stored.
 */
static void add_args(const struct rowwise *r)
{
    struct emitter *e = r->e;
    const struct group *group = e->group;

    emit_args(e, group->reads_partials && !e->fusion->is_stored[r->held] ? 1U << 0 : 0);
    for (size_t n = 0; n < group->count; n++)
        if (!emit_is_elementwise(e, group->nodes[n]) && rowwise_reads_partials(r, group->nodes[n]))
            add_partials(r, group->nodes[n]);
}

/* Add the operands of the passes, and the buffers of their partial results. */
static void add_partial_args(const struct rowwise *r)
{
    struct emitter *e = r->e;

    for (size_t n = 0; n < e->group->count; n++) {
        size_t node = e->group->nodes[n];

        if (emit_is_elementwise(e, node))
            continue;
        add_partials(r, node);
        emit_need(e, emit_node_at(e, node)->in[0]);
    }
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (emit_is_loaded(e, v))
            kernel_add_value(&e->kernel, emit_value_at(e, v), false);
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(bool));
}

/* Store the partial results of all passes. */
static void store_partials(const struct rowwise *r)
{
    struct emitter *e = r->e;

    emit_line(e, "    if (lane == 0) {");
    for (size_t n = 0; n < e->group->count; n++) {
        size_t node = e->group->nodes[n];
        const struct rowwise_formula *formula = emit_rowwise_formula(e, node);

        for (size_t i = 0;
             !emit_is_elementwise(e, node) && i < FORMULA_MAX_PASSES && formula->passes[i].name;
             i++)
            emit_line(e, "        p_%s[$group_id0] = %s_%s;",
                      emit_partials_arg(e, node, &formula->passes[i], true).name,
                      formula->passes[i].name, rowwise_node_name(r, node));
    }
    emit_line(e, "    }\n}\n");
}

/* The kernel of partial results of slices of rows. */
static void emit_partials(struct emitter *e)
{
    struct rowwise r = rows_of(e, true);

    e->kernel.name = emit_text(e, "parts_%zu", e->number);
    e->held = r.held;
    e->kernel.work_items = r.lanes;
    add_partial_args(&r);
    writer_head(e->writer, &e->kernel);
    write_start(&r);
    write_nodes(&r);
    store_partials(&r);
    launch(&r);
    kernel_release(&e->kernel);
    e->kernel = (struct kernel){0};
    memset(e->is_preloaded, 0, e->writer->graph.values.count * sizeof(bool));
}

void emit_rowwise(struct emitter *e)
{
    struct rowwise r;

    if (e->group->slices)
        emit_partials(e);
    r = rows_of(e, false);

    e->kernel.name = emit_text(e, "rows_%zu", e->number);
    e->held = r.held;
    e->kernel.work_items = r.lanes > 1 ? r.rows * r.lanes : 0;
    add_args(&r);
    writer_head(e->writer, &e->kernel);
    write_start(&r);
    write_prefetches(&r);
    write_nodes(&r);
    write_results(&r);
    emit_line(e, "}");
    launch(&r);
}
