#include <string.h>

#include "core/agent/builtin/emit.h"

/*
 * `lanes` work-items go along a row together, a vector each; what they have
 * found is joined after each pass, from register to register inside a warp
 * and in local memory.  With one lane a work-item has a row to itself.
 *
 * The value that the passes read is computed once for the first `hold`
 * vectors of each lane, which stay in registers until the end; a row that is
 * longer is read again from there on.
 */

struct rows {
    struct emitter *e;
    int width, lanes;
    int hold;              /* 0 with one lane */
    size_t held;           /* the value */
    bool is_held;          /* it is in registers now */
    const char *columns;   /* how many */
    const char *whole_end; /* of the columns that are loaded as vectors */
};

static const struct graph_node *node_at(const struct rows *r, size_t node)
{
    return &r->e->writer->graph.nodes.items[node];
}

/* The loop over whole vectors behind those that are held. */
static void open_vectors(const struct rows *r)
{
    int step = r->width * r->lanes, held = r->hold * step;
    const char *first = r->lanes > 1 ? emit_text(r->e, "lane * %d", r->width) : "0";

    if (held)
        first = emit_text(r->e, "%d + %s", held, first);
    emit_line(r->e, "    for (int col = %s; col + %d <= %s; col += %d) {", first, r->width,
              r->whole_end, step);
}

/* The loop over what is left of the row, or over all of it. */
static void open_rest(const struct rows *r)
{
    const char *lane = r->lanes > 1 ? "lane" : "0", *first = lane;

    if (r->width > 1 && r->whole_end != r->columns)
        first = emit_text(r->e, "%s + %s", r->whole_end, lane);
    else if (r->width > 1)
        first = emit_text(r->e, "%s / %d * %d%s", r->columns, r->width, r->width,
                          r->lanes > 1 ? " + lane" : "");
    emit_line(r->e, "    for (int col = %s; col < %s; col += %d) {", first, r->columns, r->lanes);
}

/* The loop over the vectors that are held. */
static void open_held(const struct rows *r)
{
    emit_line(r->e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", r->hold);
    emit_line(r->e, "        const int col = (i * %d + lane) * %d;\n", r->lanes, r->width);
    emit_line(r->e, "        if (col + %d > %s)\n            continue;", r->width, r->whole_end);
}

/* Whether there may be vectors behind those that are held. */
static bool has_more(const struct rows *r)
{
    const struct writer *w = r->e->writer;
    const struct group *group = r->e->group;
    struct axes columns = group_columns(w, group);
    int64_t count = 1, rows_in_them = group->parts ? group->part_count : 1;

    for (size_t axis = columns.first; axis < columns.end; axis++) {
        if (!w->extents.is_fixed[group->space][axis])
            return true;
        count *= w->graph.values.items[group->space].shape.dims[axis];
    }
    return count > (int64_t)r->hold * r->lanes * r->width * rows_in_them;
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
    const char *wide; /* the one of vectors, which are folded into that */
    bool keeps;       /* its elements, in the place of the operation's result */
};

/* What is done with the elements at the spot. */
typedef void body_writer(const struct rows *r, const struct spot *spot, const struct pass *pass);

/* The body with the held value: taken from the registers, or put there. */
static void write_held(struct rows *r, body_writer *body, const struct pass *pass,
                       const struct spot *spot)
{
    struct emitter *e = r->e;
    const char *name = e->writer->graph.values.items[r->held].name;

    open_held(r);
    if (r->is_held) {
        emit_line(e, "        const %s v_%s = held[i];", emit_type(e, "float", r->width), name);
        e->is_given[r->held] = true;
    }
    body(r, spot, pass);
    if (!r->is_held)
        emit_line(e, "        held[i] = v_%s;", name);
    e->is_given[r->held] = false;
    emit_line(e, "    }");
}

/* The body for all whole vectors of the row. */
static void write_vectors(struct rows *r, body_writer *body, const struct pass *pass)
{
    const struct spot spot = {.row = "row",
                              .column = "col",
                              .width = r->width,
                              .indent = "        ",
                              .is_aligned =
                                  r->whole_end != r->columns || emit_is_whole(r->e, r->width)};

    if (r->hold)
        write_held(r, body, pass, &spot);
    if (r->hold && !has_more(r))
        return;
    open_vectors(r);
    body(r, &spot, pass);
    emit_line(r->e, "    }");
}

/* The body for the columns behind the last whole vector. */
static void write_rest(const struct rows *r, body_writer *body, const struct pass *pass)
{
    const struct spot spot = {.row = "row", .column = "col", .width = 1, .indent = "        "};

    if (!has_rest(r))
        return;
    open_rest(r);
    body(r, &spot, pass);
    emit_line(r->e, "    }");
}

/* Join the pass's elements at the spot to what was found before. */
static void write_elements(const struct rows *r, const struct spot *spot, const struct pass *pass)
{
    struct emitter *e = r->e;
    size_t bytes = e->writer->graph.values.count * sizeof(bool);
    bool *is_needed = arena_alloc(&e->arena, e->writer->graph.values.count, sizeof(bool));
    struct formula_words words = {0};
    const char *element;
    const char *name = spot->width > 1 ? pass->wide : pass->name;

    emit_need(e, node_at(r, pass->node)->in[0]);
    memcpy(is_needed, e->is_needed, bytes);
    emit_values(e, spot);
    keep_values(r, is_needed, spot);
    emit_line_words(e, pass->node, spot, &words);
    element = emit_formula(r->e, emit_choices(r->e, pass->formula->element, spot->width), &words);
    if (pass->keeps) {
        emit_line(e, "        const %s element = %s;", words.of['T'], element);
        emit_store(e, node_at(r, pass->node)->out, "element", spot);
        element = "element";
    }
    emit_line(e, "        %s = %s;", name, joined(r, pass->formula, name, element));
}

/* Fold a vector's halves upon each other until one element is left. */
static void fold(const struct rows *r, const struct pass *pass, const char *type)
{
    const char *wide = pass->wide;

    for (int width = r->width / 2; width >= 1; width /= 2) {
        const char *half = width > 1 ? emit_text(r->e, "%s_%d", pass->name, width) : pass->name;

        emit_line(r->e, "    %s %s = %s;", emit_type(r->e, type, width), half,
                  emit_fold(r->e, pass->formula->join, wide));
        wide = half;
    }
}

/* Join what a warp's lanes have found, from register to register. */
static void join_warp(const struct rows *r, const struct pass *pass)
{
    const struct dialect *dialect = r->e->writer->dialect;
    struct formula_words words = {0};

    words.of['x'] = pass->name;
    words.of['i'] = "others";
    emit_line(r->e, "#pragma unroll\n    for (int others = %d; others > 0; others /= 2)",
              dialect->warp / 2);
    emit_line(r->e, "        %s = %s;", pass->name,
              joined(r, pass->formula, pass->name, emit_formula(r->e, dialect->shuffle, &words)));
}

/* Join the first of what each warp has found. */
static void join_warps(const struct rows *r, const struct pass *pass, const char *type)
{
    struct emitter *e = r->e;
    const char *shared = emit_text(e, "shared_%s", pass->name);
    int warp = e->writer->dialect->warp;

    emit_line(e, "    $local %s %s[%d];", type, shared, r->lanes / warp);
    emit_line(e, "    if (lane %% %d == 0)\n        %s[lane / %d] = %s;", warp, shared, warp,
              pass->name);
    emit_line(e, "    $barrier;\n    %s = %s[0];", pass->name, shared);
    emit_line(e, "#pragma unroll\n    for (int i = 1; i < %d; i++)", r->lanes / warp);
    emit_line(e, "        %s = %s;", pass->name,
              joined(r, pass->formula, pass->name, emit_text(e, "%s[i]", shared)));
}

/* Join what the lanes have found in local memory, halves of them upon each other. */
static void join_halves(const struct rows *r, const struct pass *pass, const char *type)
{
    struct emitter *e = r->e;
    const char *shared = emit_text(e, "shared_%s", pass->name);

    emit_line(e, "    $local %s %s[%d];", type, shared, r->lanes);
    emit_line(e, "    %s[lane] = %s;", shared, pass->name);
    emit_line(e, "    $barrier;");
    emit_line(e, "    for (int others = %d; others > 0; others /= 2) {", r->lanes / 2);
    emit_line(e, "        if (lane < others)");
    emit_line(e, "            %s[lane] = %s;", shared,
              joined(r, pass->formula, emit_text(e, "%s[lane]", shared),
                     emit_text(e, "%s[lane + others]", shared)));
    emit_line(e, "        $barrier;\n    }");
    emit_line(e, "    %s = %s[0];", pass->name, shared);
}

static void join_lanes(const struct rows *r, const struct pass *pass, const char *type)
{
    int warp = r->e->writer->dialect->warp;

    if (r->lanes == 1)
        return;
    if (!warp || r->lanes % warp != 0) {
        join_halves(r, pass, type);
        return;
    }
    join_warp(r, pass);
    if (r->lanes > warp)
        join_warps(r, pass, type);
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

static void write_pass(struct rows *r, struct pass *pass)
{
    struct emitter *e = r->e;
    struct spot spot = {.row = "row", .column = "col", .width = 1};
    struct formula_words words = {0};
    const char *type, *start;

    emit_line_words(e, pass->node, &spot, &words);
    type = emit_formula(r->e, pass->formula->type, &words);
    start = emit_formula(r->e, pass->formula->start, &words);
    pass->name = emit_text(e, "%s%s", pass->formula->name, words.of['@']);
    pass->wide = emit_text(e, "%s_%d", pass->name, r->width);
    if (r->width > 1) {
        emit_line(e, "    %s %s = %s;", emit_type(e, type, r->width), pass->wide, start);
        write_vectors(r, write_elements, pass);
        fold(r, pass, type);
        r->is_held = r->hold > 0;
    } else {
        emit_line(e, "    %s %s = %s;", type, pass->name, start);
    }
    write_rest(r, write_elements, pass);
    join_lanes(r, pass, type);
    if (pass->formula->then)
        emit_line(e, "    %s", emit_formula(r->e, pass->formula->then, &words));
    mark_kept(r, pass);
}

static void write_line(struct rows *r, size_t node)
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
static void write_nodes(struct rows *r)
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

static void write_stores(const struct rows *r, const struct spot *spot, const struct pass *pass)
{
    (void)pass;
    emit_results(r->e, spot);
}

static void write_results(struct rows *r)
{
    if (!has_elements(r))
        return;
    if (r->width > 1)
        write_vectors(r, write_stores, NULL);
    write_rest(r, write_stores, NULL);
}

static void write_start(const struct rows *r)
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
    if (r->hold)
        emit_line(e, "    %s held[%d];", emit_type(e, "float", r->width), r->hold);
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

/* The value that the first pass reads; it is of floats where there are vectors. */
static size_t value_read(const struct rows *r)
{
    size_t n = 0;

    while (node_at(r, r->e->group->nodes[n])->op->kind == OP_ELEMENTWISE)
        n++;
    return node_at(r, r->e->group->nodes[n])->in[0];
}

static struct rows rows_of(struct emitter *e)
{
    struct rows r = {.e = e,
                     .width = emit_width(e),
                     .lanes = e->schedule->of[KNOB_LANES],
                     .columns = emit_extent(e, group_columns(e->writer, e->group))};

    r.whole_end = r.columns;
    if (r.width > 1 && e->writer->dialect->is_aligned && !emit_is_whole(e, r.width))
        r.whole_end = "whole_end";
    r.held = value_read(&r);
    if (r.lanes > 1 && r.width > 1)
        r.hold = e->schedule->of[KNOB_HOLD];
    return r;
}

void emit_rows(struct emitter *e)
{
    struct rows r = rows_of(e);

    e->kernel.name = emit_text(e, "rows_%zu", e->number);
    e->held = r.held;
    e->kernel.work_items = r.lanes > 1 ? r.lanes : 0;
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    write_start(&r);
    write_nodes(&r);
    write_results(&r);
    emit_line(e, "}");
    launch(&r);
}
