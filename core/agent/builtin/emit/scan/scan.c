#include "core/agent/builtin/emit/scan/scan.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/scan/scan_kernel.h"

/*
 * Running sums and products along an axis.
 *
 * Along the last axis a work-item scans a row, one vector at a time in log2(width) steps, or
 * `lanes` work-items share it (scan_group.c). Along another axis a work-item scans neighbouring
 * columns together as one vector.
 *
 * A row may be scanned from its end, or its results may move by one place (fusion_group.h).
 */

static const char *extent(const struct scan *s, size_t first, size_t end)
{
    return emit_extent(s->e, (struct axes){first, end});
}

/* A vector that repeats one element. */
static const char *repeated(const struct scan *s, const char *element)
{
    const char *elements[16];

    for (int i = 0; i < s->width; i++)
        elements[i] = element;
    return emit_vector_of(s->e, "float", elements, s->width);
}

static void write_row_vectors(struct scan *s)
{
    struct emitter *e = s->e;

    emit_line(e, "    for (; at + %d <= %s; at += %d) {", s->width, scan_length(s, s->in),
              s->width);
    emit_line(e, "        %s v = %s;\n", emit_vector_type(e, "float", s->width),
              scan_load(s, s->width, "at", "        "));
    for (int distance = 1; distance < s->width; distance *= 2)
        emit_line(e, "        v = %s;",
                  scan_joined(s, "v", emit_vector_shift(e, s->width, "v", distance, s->identity)));
    emit_line(e, "        v = %s;\n        running = %s;",
              scan_joined(s, "v", repeated(s, "running")),
              emit_vector_component(e, "v", s->width - 1));
    emit_line(e, "        %s;\n    }",
              emit_vector_store(e, s->width, "v", scan_pointer(s, s->width, "at")));
}

/* Scan whole vectors of the row, and then single elements. */
static void write_row(struct scan *s)
{
    struct emitter *e = s->e;
    const char *rows = extent(s, 0, s->axis), *loaded, *late = "running";
    int group = e->schedule->of[KNOB_GROUP];

    emit_line(e, "    const int i = $global_id0;");
    writer_axes(e->writer, s->out, (1U << s->axis) - 1, "i", "    ");
    if (group > 1)
        emit_line(e, "    if (i >= %s)\n        return;", rows);
    emit_line(e, "    %s running = %s;\n    int at = 0;\n", s->type, s->identity);
    if (s->width > 1)
        write_row_vectors(s);
    if (s->is_late)
        late = emit_text(e, "(at == 0 ? %s : running)", scan_first(s));
    emit_line(e, "    for (; at < %s; at++) {", scan_length(s, s->in));
    loaded = scan_load(s, 1, "at", "        ");
    if (s->is_late)
        scan_store(s, 1, "at", &late, "        ");
    emit_line(e, "        running = %s;", scan_joined(s, "running", loaded));
    if (!s->is_late)
        scan_store(s, 1, "at", (const char *[]){"running"}, "        ");
    emit_line(e, "    }");
    if (s->is_late)
        scan_store(s, 1, scan_length(s, s->in), &late, "    ");
    emit_line(e, "}");
}

/* The expression that loads an element, or a vector, of the operand in memory. */
static const char *load(const struct scan *s, int width, const char *index)
{
    struct strbuf scalar = {0};
    const char *text;

    if (width > 1)
        return emit_vector_load(s->e, width,
                                emit_text(s->e, "p_%s + %s", s->call.in[0]->name, index));
    writer_load(s->call.in[0], index, &scalar);
    text = emit_text(s->e, "%s", strbuf_cstr(&scalar));
    strbuf_release(&scalar);
    return text;
}

static void store(const struct scan *s, int width, const char *index)
{
    if (width > 1)
        emit_line(s->e, "        %s;",
                  emit_vector_store(s->e, width, "v",
                                    emit_text(s->e, "p_%s + %s", s->call.out->name, index)));
    else
        writer_store(s->e->writer, s->call.out, index, "v", "        ");
}

/* Scan groups of `width` columns while they are before `columns`. */
static void write_columns(const struct scan *s, int width, const char *columns)
{
    struct emitter *e = s->e;
    size_t rank = s->call.out->shape.rank;
    const char *step = extent(s, s->axis + 1, rank);

    emit_line(e, "    for (; column + %d <= %s; column += %d) {", width, columns, width);
    emit_line(e, "    const int first = plane * %s * %s + column;", extent(s, s->axis, s->axis + 1),
              step);
    emit_line(e, "    %s running = %s;\n", emit_vector_type(e, s->type, width),
              emit_vector_initial(e, s->type, s->identity, width));
    emit_line(e, "    for (int i = 0; i < %s; i++) {", extent(s, s->axis, s->axis + 1));
    emit_line(e, "        const int at = first + i * %s;", step);
    emit_line(e, "        const %s v = %s;\n\n        running = v;",
              emit_vector_type(e, s->type, width), scan_joined(s, "running", load(s, width, "at")));
    store(s, width, "at");
    emit_line(e, "    }\n    }");
}

static void write_planes(const struct scan *s)
{
    struct emitter *e = s->e;

    emit_line(e, "    const int plane = $global_id1;");
    emit_line(e, "    int column = $global_id0 * %d;", s->width);
    emit_line(e, "    const int end = min(column + %d, %s);\n", s->width,
              extent(s, s->axis + 1, s->call.out->shape.rank));
    if (s->width > 1)
        write_columns(s, s->width, "end");
    write_columns(s, 1, "end");
    emit_line(e, "}");
}

static void launch(const struct scan *s)
{
    struct emitter *e = s->e;
    size_t rank = s->call.out->shape.rank;
    struct space space = {.global = {extent(s, 0, s->axis)}, .local = {"1"}, .rank = 1};

    if (s->axis + 1 < rank)
        space = (struct space){
            .global = {emit_text(e, "ceildiv(%s, %d)", extent(s, s->axis + 1, rank), s->width),
                       extent(s, 0, s->axis)},
            .local = {"1", "1"},
            .rank = 2};
    if (!e->schedule->of[KNOB_GROUP] || e->schedule->of[KNOB_GROUP] > 1)
        space.local[0] = NULL;
    if (s->axis + 1 == rank && s->lanes > 1) {
        space.global[0] = emit_text(e, "%s * %d", space.global[0], s->lanes);
        space.local[0] = emit_text(e, "%d", s->lanes);
    }
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

/* The fewest lanes and vectors that need no more parts for the row. */
static void fit_lanes(struct scan *s)
{
    const struct schedule *schedule = s->e->schedule;
    int warp = s->e->writer->dialect->warp;
    int64_t length = s->e->writer->extents.is_fixed[s->out][s->axis]
                         ? emit_value_at(s->e, s->out)->shape.dims[s->axis]
                         : INT32_MAX;

    s->lanes = schedule->of[KNOB_LANES];
    s->warp = warp ? warp : s->lanes;
    s->rounds = warp && schedule->of[KNOB_HOLD] ? schedule->of[KNOB_HOLD] : 1;
    while (s->rounds > 1 && length <= (int64_t)s->lanes * s->width * s->rounds / 2)
        s->rounds /= 2;
    while (warp && s->lanes > warp && length <= (int64_t)s->lanes * s->width / 2)
        s->lanes /= 2;
}

/* Set what the group's second node does with the result (fusion_group.h). */
static void set_end(struct scan *s)
{
    const struct graph_node *last = emit_node_at(s->e, s->e->group->nodes[s->e->group->count - 1]);

    s->out = last->out;
    s->is_mirrored = last->op->kind == OP_MOVEMENT && last->in_count == 1;
    s->is_late = last->in_count == 2;
    if (s->is_mirrored)
        s->in = fusion_scan_node_of(s->e->writer, s->in)->in[0];
    if (s->is_late)
        s->first = last->in[0];
}

/* Write the body with the widest vectors that the operand allows. */
static void write_rows(struct scan *s)
{
    struct strbuf *source = &s->e->writer->source, kept = *source;

    if (s->lanes == 1 && (s->is_mirrored || s->is_late))
        s->width = 1;
    for (s->load_width = s->width;; s->load_width /= 2) {
        *source = (struct strbuf){0};
        s->inliner = (struct inliner){.e = s->e, .is_single = true, .stack = NO_AXIS};
        if (s->lanes > 1)
            scan_write_group(s);
        else
            write_row(s);
        inliner_release(&s->inliner);
        if (!s->inliner.needs_narrower)
            break;
        strbuf_release(source);
        if (s->lanes == 1)
            s->width /= 2;
    }
    kernel_add_value(&s->e->kernel, emit_value_at(s->e, s->out), true);
    struct strbuf body = *source;

    *source = kept;
    writer_head(s->e->writer, &s->e->kernel);
    strbuf_add(source, strbuf_cstr(&body), body.len);
    strbuf_release(&body);
}

/* How results are combined, and what they begin with. The logarithm of a sum takes no vectors. */
static void set_operator(struct scan *s)
{
    static const struct {
        const char *op, *operator, * function, *identity; /* NULL: the lowest number */
    } scans[] = {{"cumsum", "+", NULL, "0"},
                 {"cumprod", "*", NULL, "1"},
                 {"cummax", NULL, "larger", NULL},
                 {"logcumsumexp", NULL, "log_add", NULL}};
    size_t i = 0;

    while (strcmp(scans[i].op, s->call.op->name) != 0)
        i++;
    s->operator= scans[i].operator;
    s->function = scans[i].function;
    s->identity = scans[i].identity ? scans[i].identity : formula_type(s->call.out->dtype)->lowest;
    if (s->function && (s->lanes == 1 || s->axis + 1 < s->call.out->shape.rank) &&
        strcmp(s->function, "log_add") == 0)
        s->width = 1;
}

void emit_scan(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    struct scan s = {
        .e = e, .call = graph_call(&e->writer->graph, node), .in = emit_node_at(e, node)->in[0]};

    s.axis = (size_t)__builtin_ctz(s.call.op->axes(&s.call));
    s.width = emit_width(e);
    s.type = formula_type(s.call.out->dtype)->compute;
    set_end(&s);
    fit_lanes(&s);
    set_operator(&s);
    e->kernel.name = emit_text(e, "%s_%zu", s.call.op->name, e->number);
    if (s.axis + 1 < s.call.out->shape.rank) {
        emit_args(e, 0);
        writer_head(e->writer, &e->kernel);
        write_planes(&s);
    } else {
        write_rows(&s);
    }
    launch(&s);
}
