#include <string.h>

#include "core/agent/builtin/emit.h"

/*
 * `lanes` work-items go along a row together, a vector each; what they have
 * found is joined in local memory after each pass.  With one lane a work-item
 * has a row to itself.
 */

struct rows {
    struct emitter *e;
    int width, lanes;
    const char *columns; /* how many */
};

static const struct graph_node *node_at(const struct rows *r, size_t node)
{
    return &r->e->writer->graph.nodes.items[node];
}

/* The loop over whole vectors, and the one over what is left of the row. */
static void open_loop(const struct rows *r, int width)
{
    const char *step =
        r->lanes > 1 ? emit_text(r->e, "%d", width * r->lanes) : emit_text(r->e, "%d", width);
    const char *lane = r->lanes > 1 ? "lane" : "0";

    if (width > 1)
        emit_line(r->e, "    for (int col = %s; col + %d <= %s; col += %s) {",
                  r->lanes > 1 ? emit_text(r->e, "%s * %d", lane, width) : lane, width, r->columns,
                  step);
    else if (r->width > 1)
        emit_line(r->e, "    for (int col = %s / %d * %d%s; col < %s; col += %s) {", r->columns,
                  r->width, r->width, r->lanes > 1 ? " + lane" : "", r->columns, step);
    else
        emit_line(r->e, "    for (int col = %s; col < %s; col += %s) {", lane, r->columns, step);
}

static bool has_rest(const struct rows *r)
{
    return r->width == 1 || !emit_divides(r->e, group_columns(r->e->writer, r->e->group), r->width);
}

/* What joins two partial results. */
static const char *joined(const struct rows *r, const struct line_pass *pass, const char *a,
                          const char *b)
{
    struct formula_words words = {0};

    words.of['a'] = a;
    words.of['b'] = b;
    return emit_formula(r->e, pass->join, &words);
}

/* Values that are stored and come up in a pass need not be computed in the next one. */
static void keep_values(const struct rows *r, const bool *is_needed, const struct spot *spot)
{
    struct emitter *e = r->e;

    if (!e->schedule->of[KNOB_KEEP])
        return;
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = node_at(r, e->group->nodes[n])->out;

        if (is_needed[out] && e->fusion->is_stored[out] && !e->fusion->is_row[out] &&
            !e->is_kept[out])
            emit_store(e, out, emit_text(e, "v_%s", e->writer->graph.values.items[out].name), spot);
    }
}

/* A pass that is being written. */
struct pass {
    size_t node;
    const struct line_pass *formula;
    const char *name; /* the variable of the result */
    bool keeps;       /* its elements, in the place of the operation's result */
};

static void write_loop(const struct rows *r, const struct pass *pass, int width, const char *name)
{
    struct emitter *e = r->e;
    struct spot spot = {.row = "row", .column = "col", .width = width, .indent = "        "};
    size_t bytes = e->writer->graph.values.count * sizeof(bool);
    bool *is_needed = arena_alloc(&e->arena, e->writer->graph.values.count, sizeof(bool));
    struct formula_words words = {0};
    const char *element;

    open_loop(r, width);
    emit_need(e, node_at(r, pass->node)->in[0]);
    memcpy(is_needed, e->is_needed, bytes);
    emit_values(e, &spot);
    keep_values(r, is_needed, &spot);
    emit_line_words(e, pass->node, &spot, &words);
    element = emit_formula(r->e, pass->formula->element, &words);
    if (pass->keeps) {
        emit_line(e, "        const %s element = %s;", words.of['T'], element);
        emit_store(e, node_at(r, pass->node)->out, "element", &spot);
        element = "element";
    }
    emit_line(e, "        %s = %s;", name, joined(r, pass->formula, name, element));
    emit_line(e, "    }");
}

/* Fold a vector's halves upon each other until one element is left. */
static void fold(const struct rows *r, const struct pass *pass, const char *type, const char *wide)
{
    for (int width = r->width / 2; width >= 1; width /= 2) {
        const char *half = width > 1 ? emit_text(r->e, "%s_%d", pass->name, width) : pass->name;

        emit_line(r->e, "    %s %s = %s;", emit_type(r->e, type, width), half,
                  joined(r, pass->formula, emit_text(r->e, "%s.lo", wide),
                         emit_text(r->e, "%s.hi", wide)));
        wide = half;
    }
}

/* Join what the lanes have found. */
static void join_lanes(const struct rows *r, const struct pass *pass, const char *type)
{
    struct emitter *e = r->e;
    const char *shared = emit_text(e, "shared_%s", pass->name);

    if (r->lanes == 1)
        return;
    emit_line(e, "    local %s %s[%d];", type, shared, r->lanes);
    emit_line(e, "    %s[lane] = %s;", shared, pass->name);
    emit_line(e, "    barrier(CLK_LOCAL_MEM_FENCE);");
    emit_line(e, "    for (int others = %d; others > 0; others /= 2) {", r->lanes / 2);
    emit_line(e, "        if (lane < others)");
    emit_line(e, "            %s[lane] = %s;", shared,
              joined(r, pass->formula, emit_text(e, "%s[lane]", shared),
                     emit_text(e, "%s[lane + others]", shared)));
    emit_line(e, "        barrier(CLK_LOCAL_MEM_FENCE);\n    }");
    emit_line(e, "    %s = %s[0];", pass->name, shared);
}

/* After a pass over the values that it needs, those that are stored are kept. */
static void mark_kept(const struct rows *r, const struct pass *pass)
{
    struct emitter *e = r->e;

    if (!e->schedule->of[KNOB_KEEP])
        return;
    emit_need(e, node_at(r, pass->node)->in[0]);
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = node_at(r, e->group->nodes[n])->out;

        if (e->is_needed[out] && e->fusion->is_stored[out] && !e->fusion->is_row[out])
            e->is_kept[out] = true;
    }
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(bool));
    if (pass->keeps)
        e->has_element[node_at(r, pass->node)->out] = true;
}

static void write_pass(const struct rows *r, struct pass *pass)
{
    struct emitter *e = r->e;
    struct spot spot = {.row = "row", .column = "col", .width = 1};
    struct formula_words words = {0};
    const char *type, *start, *wide;

    emit_line_words(e, pass->node, &spot, &words);
    type = emit_formula(r->e, pass->formula->type, &words);
    start = emit_formula(r->e, pass->formula->start, &words);
    pass->name = emit_text(e, "%s%s", pass->formula->name, words.of['@']);
    wide = emit_text(e, "%s_%d", pass->name, r->width);
    if (r->width > 1) {
        emit_line(e, "    %s %s = %s;", emit_type(e, type, r->width), wide, start);
        write_loop(r, pass, r->width, wide);
        fold(r, pass, type, wide);
    } else {
        emit_line(e, "    %s %s = %s;", type, pass->name, start);
    }
    if (has_rest(r))
        write_loop(r, pass, 1, pass->name);
    join_lanes(r, pass, type);
    if (pass->formula->then)
        emit_line(e, "    %s", emit_formula(r->e, pass->formula->then, &words));
    mark_kept(r, pass);
}

static void write_line(const struct rows *r, size_t node)
{
    struct emitter *e = r->e;
    size_t out = node_at(r, node)->out;
    const struct line_formula *formula = emit_line_formula(e, node);
    struct formula_words words = {0};
    struct spot spot = {.row = "row", .column = "0", .width = 1};

    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++) {
        struct pass pass = {.node = node, .formula = &formula->passes[i]};
        bool is_last = i + 1 == FORMULA_MAX_PASSES || !formula->passes[i + 1].name;

        pass.keeps = is_last && e->schedule->of[KNOB_KEEP] && strstr(formula->result, "$e") &&
                     e->fusion->is_stored[out];
        write_pass(r, &pass);
    }
    if (!e->fusion->is_row[out])
        return;
    emit_line_words(e, node, &spot, &words);
    emit_row_value(e, node, emit_formula(r->e, formula->result, &words),
                   r->lanes > 1 ? "lane == 0" : NULL);
}

/* What is computed over whole rows comes in the graph's order, all other elements at the end. */
static void write_nodes(const struct rows *r)
{
    struct emitter *e = r->e;

    for (size_t n = 0; n < e->group->count; n++) {
        size_t node = e->group->nodes[n];

        if (node_at(r, node)->op->kind != OP_ELEMENTWISE)
            write_line(r, node);
        else if (e->fusion->is_row[node_at(r, node)->out])
            emit_row_element(e, node, r->lanes > 1 ? "lane == 0" : NULL);
    }
}

static bool has_elements(const struct rows *r)
{
    const struct emitter *e = r->e;

    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = node_at(r, e->group->nodes[n])->out;

        if (e->fusion->is_stored[out] && !e->fusion->is_row[out] && !e->is_kept[out])
            return true;
    }
    return false;
}

static void write_results(const struct rows *r)
{
    struct spot spot = {.row = "row", .column = "col", .width = r->width, .indent = "        "};

    if (!has_elements(r))
        return;
    for (; spot.width > 0; spot.width = spot.width > 1 && has_rest(r) ? 1 : 0) {
        open_loop(r, spot.width);
        emit_results(r->e, &spot);
        emit_line(r->e, "    }");
    }
}

static void write_start(const struct rows *r)
{
    struct emitter *e = r->e;
    const char *rows = emit_extent(e, group_rows(e->writer, e->group));

    if (r->lanes > 1) {
        emit_line(e, "    const int row = get_group_id(0), lane = get_local_id(0);");
    } else {
        emit_line(e, "    const int row = get_global_id(0);");
        if (e->schedule->of[KNOB_GROUP] > 1)
            emit_line(e, "    if (row >= %s)\n        return;", rows);
    }
    emit_row_axes(e, "    ");
    emit_line(e, "%s", "");
}

static void launch(const struct rows *r)
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

void emit_rows(struct emitter *e)
{
    struct rows r = {.e = e,
                     .width = emit_width(e),
                     .lanes = e->schedule->of[KNOB_LANES],
                     .columns = emit_extent(e, group_columns(e->writer, e->group))};

    e->kernel.name = emit_text(e, "rows_%zu", e->number);
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    write_start(&r);
    write_nodes(&r);
    write_results(&r);
    emit_line(e, "}");
    launch(&r);
}
