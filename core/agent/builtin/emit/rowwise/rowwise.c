#include "core/agent/builtin/emit/rowwise/rowwise.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/rowwise/rowwise_combine.h"
#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"
#include "core/agent/builtin/emit/rowwise/rowwise_loops.h"
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
 */

static const char *value_name(const struct rowwise *r, size_t node)
{
    return r->e->writer->graph.values.items[emit_node_at(r->e, node)->out].name;
}

static bool reads_partials(const struct rowwise *r, size_t node)
{
    return r->e->group->reads_partials && node == r->e->group->nodes[0];
}

/* Partial results of a row: one for each tile of the product's columns. */
static int partial_count(const struct rowwise *r)
{
    const struct shape *shape = &r->e->writer->graph.values.items[r->e->group->space].shape;
    int span = r->e->schedule->of[KNOB_SPAN];

    return ((int)shape->dims[shape->rank - 1] + span - 1) / span;
}

/*
 * True if a pass stores a value that it computes: if the schedule says so, or if all of the value
 * is in registers, where storing early delays nothing.
 */
static bool is_stored_by_passes(const struct rowwise *r, size_t value)
{
    const struct fusion *fusion = r->e->fusion;

    return fusion->is_stored[value] && !fusion->is_row[value] &&
           (r->e->schedule->of[KNOB_STORE] ||
            (r->hold && value == r->held && !rowwise_has_more(r)));
}

/* Store the values that a pass has computed, so that the next pass need not compute them again. */
static void store_values(const struct rowwise *r, const bool *is_needed,
                         const struct position *position)
{
    struct emitter *e = r->e;

    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = emit_node_at(r->e, e->group->nodes[n])->out;

        if (is_needed[out] && is_stored_by_passes(r, out) && !e->is_in_memory[out])
            emit_store(e, out, emit_text(e, "v_%s", emit_value_at(e, out)->name), position);
    }
}

/* Combine the pass's elements at the position with its result so far. */
static void write_elements(const struct rowwise *r, const struct position *position,
                           const struct pass *pass)
{
    struct emitter *e = r->e;
    size_t bytes = e->writer->graph.values.count * sizeof(bool);
    bool *is_needed = arena_alloc(&e->arena, e->writer->graph.values.count, sizeof(bool));
    struct formula_words words = {0};
    const char *element;
    const char *name = position->width > 1 ? pass->wide : pass->name;

    emit_need(e, emit_node_at(r->e, pass->node)->in[0]);
    memcpy(is_needed, e->is_needed, bytes);
    emit_values(e, position);
    store_values(r, is_needed, position);
    emit_rowwise_words(e, pass->node, position, &words);
    element = emit_formula(r->e, emit_vector_choices(r->e, pass->formula->element, position->width),
                           &words);
    if (pass->stores_elements) {
        emit_line(e, "        const %s element = %s;", words.of['T'], element);
        emit_store(e, emit_node_at(r->e, pass->node)->out, "element", position);
        element = "element";
    }
    emit_line(e, "        %s = %s;", name, rowwise_combined(r, pass->formula, name, element));
}

/* Mark the values that the pass has stored as being in memory. */
static void mark_stored(const struct rowwise *r, const struct pass *pass)
{
    struct emitter *e = r->e;

    emit_need(e, emit_node_at(r->e, pass->node)->in[0]);
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = emit_node_at(r->e, e->group->nodes[n])->out;

        if (e->is_needed[out] && is_stored_by_passes(r, out))
            e->is_in_memory[out] = true;
    }
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(bool));
    if (pass->stores_elements)
        e->has_element_in_memory[emit_node_at(r->e, pass->node)->out] = true;
}

/* A lane's part of a pass over the elements of the row. */
static void pass_over_row(struct rowwise *r, const struct pass *pass, const char *type,
                          const char *start)
{
    struct emitter *e = r->e;

    if (r->width > 1) {
        emit_line(e, "    %s %s = %s;", emit_vector_type(e, type, r->width), pass->wide,
                  emit_vector_initial(e, type, start, r->width));
        rowwise_write_vectors(r, write_elements, pass);
        rowwise_fold(r, pass, type);
    } else {
        emit_line(e, "    %s %s = %s;", type, pass->name, start);
        if (r->hold)
            rowwise_write_vectors(r, write_elements, pass);
    }
    r->is_filled = r->hold > 0;
    rowwise_write_rest(r, write_elements, pass);
}

/* Partial result `i` of a pass for the row, in scratch. */
static const char *partial_text(const struct rowwise *r, const struct pass *pass, size_t index)
{
    const struct rowwise_formula *formula = emit_rowwise_formula(r->e, pass->node);

    return emit_text(r->e, "p_%s[row * %d + i]",
                     emit_partials_arg(r->e, pass->node, &formula->passes[index], false).name,
                     partial_count(r));
}

/* A lane's part of a pass over the row's partial results. */
static void pass_over_partials(struct rowwise *r, const struct pass *pass, const char *type,
                               const char *start)
{
    struct emitter *e = r->e;
    size_t index = (size_t)(pass->formula - emit_rowwise_formula(e, pass->node)->passes);
    const char *part = partial_text(r, pass, index);
    int span = e->schedule->of[KNOB_SPAN];
    struct formula_words words = {
        .of = {['x'] = part,
               ['p'] = partial_text(r, pass, 0),
               ['m'] = emit_text(e, "(float)min(%d, %s - i * %d)", span, r->columns, span),
               ['T'] = type,
               ['@'] = emit_text(e, "_%s", value_name(r, pass->node))}};

    if (pass->formula->merge)
        part = emit_formula(e, pass->formula->merge, &words);
    emit_line(e, "    %s %s = %s;", type, pass->name, start);
    emit_line(e, "    for (int i = %s; i < %d; i += %d)", r->lanes > 1 ? "lane" : "0",
              partial_count(r), r->lanes);
    emit_line(e, "        %s = %s;", pass->name,
              rowwise_combined(r, pass->formula, pass->name, part));
}

static void write_pass(struct rowwise *r, struct pass *pass)
{
    struct emitter *e = r->e;
    struct position position = {.row = "row", .column = "col", .width = 1};
    struct formula_words words = {0};
    const char *type, *start;

    emit_rowwise_words(e, pass->node, &position, &words);
    type = emit_formula(r->e, pass->formula->type, &words);
    start = emit_formula(r->e, pass->formula->start, &words);
    pass->name = emit_text(e, "%s%s", pass->formula->name, words.of['@']);
    pass->wide = emit_text(e, "%s_%d", pass->name, r->width);
    (reads_partials(r, pass->node) ? pass_over_partials : pass_over_row)(r, pass, type, start);
    rowwise_combine_lanes(r, pass, type);
    if (pass->formula->then)
        emit_line(e, "    %s", emit_formula(r->e, pass->formula->then, &words));
    mark_stored(r, pass);
}

static void write_rowwise_node(struct rowwise *r, size_t node)
{
    struct emitter *e = r->e;
    size_t out = emit_node_at(r->e, node)->out;
    const struct rowwise_formula *formula = emit_rowwise_formula(e, node);
    struct formula_words words = {0};
    struct position position = {.row = "row", .column = "0", .width = 1};

    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++) {
        struct pass pass = {.node = node, .formula = &formula->passes[i]};
        bool is_last = i + 1 == FORMULA_MAX_PASSES || !formula->passes[i + 1].name;

        pass.stores_elements = is_last && e->schedule->of[KNOB_STORE] && !reads_partials(r, node) &&
                               strstr(formula->result, "$e") && e->fusion->is_stored[out];
        write_pass(r, &pass);
    }
    if (!e->fusion->is_row[out])
        return;
    emit_rowwise_words(e, node, &position, &words);
    emit_row_value(e, node, emit_formula(r->e, formula->result, &words),
                   r->lanes > 1 ? "lane == 0" : NULL);
}

/* Row-wise nodes are computed in the graph's order; elementwise results come at the end. */
static void write_nodes(struct rowwise *r)
{
    struct emitter *e = r->e;

    for (size_t n = 0; n < e->group->count; n++) {
        size_t node = e->group->nodes[n];

        if (!emit_is_elementwise(e, node))
            write_rowwise_node(r, node);
        else if (e->fusion->is_row[emit_node_at(r->e, node)->out])
            emit_row_element(e, node, r->lanes > 1 ? "lane == 0" : NULL);
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

static void write_start(const struct rowwise *r)
{
    struct emitter *e = r->e;
    const char *rows = emit_extent(e, group_rows(e->writer, e->group));

    if (r->lanes > 1) {
        emit_line(e, "    const int row = $group_id0, lane = $local_id0;");
    } else {
        emit_line(e, "    const int row = $global_id0;");
        if (e->schedule->of[KNOB_GROUP] > 1)
            emit_line(e, "    if (row >= %s)\n        return;", rows);
    }
    emit_row_axes(e, "    ");
    if (r->whole_end != r->columns)
        emit_line(
            e, "    const int %s = %s %% %d == 0 ? %s : 0; /* vectors of every row are aligned */",
            r->whole_end, r->columns, r->width, r->columns);
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
           fusion_span(e->writer, value, group->space, group_rows(e->writer, group)) == SPAN_ONE &&
           fusion_span(e->writer, value, group->space, group_columns(e->writer, group)) == SPAN_ALL;
}

/* Prefetch the operands that all rows share, such as weights, while the passes run. */
static void write_prefetches(const struct rowwise *r)
{
    struct emitter *e = r->e;
    const char *text = e->writer->dialect->prefetch;
    struct formula_words words = {0};

    for (size_t i = 0; text && r->lanes > 1 && i < e->kernel.args.count; i++)
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
    int group = r->lanes > 1 ? r->lanes : e->schedule->of[KNOB_GROUP];
    const char *rows = emit_extent(e, group_rows(e->writer, e->group));
    struct space space = {.rank = 1};

    if (r->lanes > 1)
        space.global[0] = emit_text(e, "%s * %d", rows, r->lanes);
    else
        space.global[0] = group > 1 ? emit_text(e, "align(%s, %d)", rows, group) : rows;
    if (group)
        space.local[0] = emit_text(e, "%d", group);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

/* Reduce the lanes to the fewest whole warps that need the same number of steps for the row. */
static int lanes_of(const struct rowwise *r)
{
    const struct emitter *e = r->e;
    int lanes = e->schedule->of[KNOB_LANES], warp = e->writer->dialect->warp;
    int64_t work = rowwise_column_count(r) / r->width, steps;

    if (e->group->reads_partials && !has_elements(e))
        work = partial_count(r);
    if (!warp || !work || lanes <= warp)
        return lanes;
    steps = (work + lanes - 1) / lanes;
    work = (work + steps - 1) / steps;
    return (int)((work + warp - 1) / warp) * warp;
}

static struct rowwise rows_of(struct emitter *e)
{
    struct rowwise r = {.e = e,
                        .width = emit_width(e),
                        .columns = emit_extent(e, group_columns(e->writer, e->group))};

    r.lanes = lanes_of(&r);
    r.whole_end = r.columns;
    if (r.width > 1 && e->writer->dialect->is_aligned && !emit_is_whole(e, r.width))
        r.whole_end = "whole_end";
    rowwise_choose_held(&r, rowwise_column_count(&r));
    return r;
}

/*
 * Add the kernel's arguments. With partial results, the first operand itself is needed only if it
 * is stored.
 */
static void add_args(const struct rowwise *r)
{
    struct emitter *e = r->e;
    size_t node = e->group->nodes[0];
    bool reads_partials = e->group->reads_partials;

    emit_args(e, reads_partials && !e->fusion->is_stored[r->held] ? 1U << 0 : 0);
    for (size_t i = 0; reads_partials && i < FORMULA_MAX_PASSES; i++) {
        const struct rowwise_pass *pass = &emit_rowwise_formula(e, node)->passes[i];
        struct kernel_arg arg;

        if (!pass->name)
            break;
        arg = emit_partials_arg(e, node, pass, false);
        kernel_add_arg(&e->kernel, &arg);
    }
}

void emit_rowwise(struct emitter *e)
{
    struct rowwise r = rows_of(e);

    e->kernel.name = emit_text(e, "rows_%zu", e->number);
    e->held = r.held;
    e->kernel.work_items = r.lanes > 1 ? r.lanes : 0;
    add_args(&r);
    writer_head(e->writer, &e->kernel);
    write_start(&r);
    write_prefetches(&r);
    write_nodes(&r);
    write_results(&r);
    emit_line(e, "}");
    launch(&r);
}
