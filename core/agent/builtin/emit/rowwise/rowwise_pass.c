#include "core/agent/builtin/emit/rowwise/rowwise_pass.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/rowwise/rowwise_combine.h"
#include "core/agent/builtin/emit/rowwise/rowwise_loops.h"

const char *rowwise_node_name(const struct rowwise *r, size_t node)
{
    return r->e->writer->graph.values.items[emit_node_at(r->e, node)->out].name;
}

bool rowwise_reads_partials(const struct rowwise *r, size_t node)
{
    const struct group *group = r->e->group;

    return group->slices ? !r->is_partial : group->reads_partials && node == group->nodes[0];
}

/* Columns of each partial result: a tile of the product, or a slice. */
static int partial_columns(const struct rowwise *r)
{
    const struct group *group = r->e->group;

    return group->slices ? (int)group->slice : r->e->schedule->of[KNOB_SPAN];
}

int rowwise_partial_count(const struct rowwise *r)
{
    const struct shape *shape = &r->e->writer->graph.values.items[r->e->group->space].shape;
    int span = partial_columns(r);

    return r->e->group->slices ? (int)r->e->group->slices
                               : ((int)shape->dims[shape->rank - 1] + span - 1) / span;
}

/*
 * True if a pass stores a value that it computes: if the schedule says so, or if all of the value
 * is in registers, where storing early delays nothing.
 */
static bool is_stored_by_passes(const struct rowwise *r, size_t value)
{
    const struct fusion *fusion = r->e->fusion;

    return fusion->is_stored[value] && !fusion->is_row[value] && !r->e->group->slices &&
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
                     rowwise_partial_count(r));
}

/*
 * The lanes that merge a row's partial results: as many as there are results, if the other lanes of
 * each warp can do the same beside them, so that none waits for another warp; else all of a row.
 */
static int merging_lanes(const struct rowwise *r)
{
    int warp = r->e->writer->dialect->warp, count = rowwise_partial_count(r), lanes = 1;

    if (!warp || r->lanes % warp != 0 || count > warp)
        return r->lanes;
    while (lanes < count)
        lanes *= 2;
    return lanes;
}

/* A pass over the row's partial results, with the result of all in each lane. */
static void pass_over_partials(struct rowwise *r, const struct pass *pass, const char *type,
                               const char *start)
{
    struct emitter *e = r->e;
    size_t index = (size_t)(pass->formula - emit_rowwise_formula(e, pass->node)->passes);
    const char *part = partial_text(r, pass, index);
    int span = partial_columns(r), lanes = merging_lanes(r);
    struct formula_words words = {
        .of = {['x'] = part,
               ['p'] = partial_text(r, pass, 0),
               ['m'] = emit_text(e, "(float)min(%d, %s - i * %d)", span, r->columns, span),
               ['T'] = type,
               ['@'] = emit_text(e, "_%s", rowwise_node_name(r, pass->node))}};

    if (pass->formula->merge)
        part = emit_formula(e, pass->formula->merge, &words);
    emit_line(e, "    %s %s = %s;", type, pass->name, start);
    emit_line(e, "    for (int i = %s; i < %d; i += %d)",
              lanes < r->lanes ? emit_text(e, "lane %% %d", lanes)
              : lanes > 1      ? "lane"
                               : "0",
              rowwise_partial_count(r), lanes);
    emit_line(e, "        %s = %s;", pass->name,
              rowwise_combined(r, pass->formula, pass->name, part));
    if (lanes == r->lanes)
        rowwise_combine_lanes(r, pass, type);
    else if (lanes > 1)
        rowwise_combine_neighbours(r, pass, lanes);
}

/* The earlier node of the group whose first pass is the same; the node itself if there is none. */
static size_t same_pass(const struct rowwise *r, const struct pass *pass)
{
    const struct rowwise_formula *formula = emit_rowwise_formula(r->e, pass->node);
    const struct group *group = r->e->group;

    for (size_t n = 0; pass->formula == formula->passes && group->nodes[n] != pass->node; n++) {
        const struct rowwise_formula *other = emit_rowwise_formula(r->e, group->nodes[n]);

        if (!emit_is_elementwise(r->e, group->nodes[n]) &&
            emit_node_at(r->e, group->nodes[n])->in[0] == emit_node_at(r->e, pass->node)->in[0] &&
            strcmp(other->passes[0].element, pass->formula->element) == 0 &&
            strcmp(other->passes[0].name, pass->formula->name) == 0 &&
            rowwise_reads_partials(r, group->nodes[n]) == rowwise_reads_partials(r, pass->node))
            return group->nodes[n];
    }
    return pass->node;
}

/* A lane's part of the pass, and the results of all lanes combined. */
static void compute_pass(struct rowwise *r, struct pass *pass, const char *type, const char *start)
{
    size_t node = same_pass(r, pass);

    if (node != pass->node) {
        emit_line(r->e, "    const %s %s = %s_%s;", type, pass->name, pass->formula->name,
                  rowwise_node_name(r, node));
        return;
    }
    if (rowwise_reads_partials(r, pass->node)) {
        pass_over_partials(r, pass, type, start);
        return;
    }
    pass_over_row(r, pass, type, start);
    rowwise_combine_lanes(r, pass, type);
}

void rowwise_write_pass(struct rowwise *r, struct pass *pass)
{
    struct emitter *e = r->e;
    struct position position = {.row = "row", .column = "col", .width = 1};
    struct formula_words words = {0};
    const char *type, *start;

    emit_rowwise_words(e, pass->node, &position, &words);
    if (r->is_partial)
        words.of['n'] = emit_text(e, "(float)(%s - %s)", r->end, r->first);
    type = emit_formula(r->e, pass->formula->type, &words);
    start = emit_formula(r->e, pass->formula->start, &words);
    pass->name = emit_text(e, "%s%s", pass->formula->name, words.of['@']);
    pass->wide = emit_text(e, "%s_%d", pass->name, r->width);
    compute_pass(r, pass, type, start);
    if (pass->formula->then && !(r->is_partial && pass->is_last))
        emit_line(e, "    %s", emit_formula(r->e, pass->formula->then, &words));
    mark_stored(r, pass);
}
