#include "core/agent/builtin/emit/emit_scan.h"

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

/*
 * Running sums and products along an axis.
 *
 * Along the last axis a work-item processes a row. It scans one vector at a time in log2(width)
 * steps and adds the result of the previous vectors. If `lanes` work-items share a row, each scans
 * its part, and the lanes' totals are scanned in local memory (Hillis and Steele, "Data parallel
 * algorithms", 1986). Along another axis a work-item scans neighbouring columns together as one
 * vector.
 */

struct scan {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    size_t axis;
    int width, lanes;
    const char *type, *identity;
    char operator; /* '+' or '*' */
};

static const char *extent(const struct scan *s, size_t first, size_t end)
{
    return emit_extent(s->e, (struct axes){first, end});
}

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

/* Scan whole vectors of the row, and then single elements. */
static void write_row(const struct scan *s)
{
    struct emitter *e = s->e;
    const char *size = extent(s, s->axis, s->axis + 1);

    emit_line(e, "    const int first = $global_id0 * %s;", size);
    emit_line(e, "    %s running = %s;\n    int i = 0;\n", s->type, s->identity);
    if (s->width > 1) {
        emit_line(e, "    for (; i + %d <= %s; i += %d) {", s->width, size, s->width);
        emit_line(e, "        %s v = %s;\n", emit_vector_type(e, "float", s->width),
                  load(s, s->width, "first + i"));
        for (int distance = 1; distance < s->width; distance *= 2)
            emit_line(e, "        v = v %c %s;", s->operator,
                      emit_vector_shift(e, s->width, "v", distance, s->identity));
        emit_line(e, "        v = v %c running;\n        running = %s;", s->operator,
                  emit_vector_component(e, "v", s->width - 1));
        store(s, s->width, "first + i");
        emit_line(e, "    }");
    }
    emit_line(e, "    for (; i < %s; i++) {", size);
    emit_line(e, "        const %s v = running %c %s;\n\n        running = v;", s->type,
              s->operator, load(s, 1, "(first + i)"));
    store(s, 1, "(first + i)");
    emit_line(e, "    }\n}");
}

/* The loop over the lane's own elements. */
static void open_elements(const struct scan *s, int first)
{
    emit_line(s->e, "#pragma unroll\n        for (int l = %d; l < %d; l++)", first, s->width);
}

/* Scan the totals of the lanes in two buffers that alternate; `sums[turn]` is the current one. */
static void write_lanes(const struct scan *s)
{
    struct emitter *e = s->e;

    emit_line(e, "        int turn = 0;\n");
    emit_line(e, "        sums[0][lane] = v[%d];\n        $barrier;", s->width - 1);
    emit_line(e, "        for (int d = 1; d < %d; d *= 2) {", s->lanes);
    emit_line(e, "            const %s before = lane < d ? %s : sums[turn][lane - d];\n", s->type,
              s->identity);
    emit_line(e, "            sums[1 - turn][lane] = before %c sums[turn][lane];", s->operator);
    emit_line(e, "            turn = 1 - turn;\n            $barrier;\n        }");
    emit_line(e, "        const %s before = running %c (lane > 0 ? sums[turn][lane - 1] : %s);",
              s->type, s->operator, s->identity);
    emit_line(e, "        running = running %c sums[turn][%d];", s->operator, s->lanes - 1);
}

/* Scan a row that `lanes` work-items share, in parts of `lanes` times `width` elements. */
static void write_shared_row(const struct scan *s)
{
    struct emitter *e = s->e;
    const char *size = extent(s, s->axis, s->axis + 1);

    emit_line(e, "    $local %s sums[2][%d];", s->type, s->lanes);
    emit_line(e, "    const int first = $group_id0 * %s, lane = $local_id0;", size);
    emit_line(e, "    %s running = %s;\n", s->type, s->identity);
    emit_line(e, "    for (int part = 0; part < %s; part += %d) {", size, s->lanes * s->width);
    emit_line(e, "        const int i = part + lane * %d;\n        %s v[%d];\n", s->width, s->type,
              s->width);
    open_elements(s, 0);
    emit_line(e, "            v[l] = i + l < %s ? %s : %s;", size, load(s, 1, "(first + i + l)"),
              s->identity);
    open_elements(s, 1);
    emit_line(e, "            v[l] = v[l - 1] %c v[l];", s->operator);
    write_lanes(s);
    open_elements(s, 0);
    emit_line(e, "            if (i + l < %s)", size);
    writer_store(e->writer, s->call.out, "(first + i + l)",
                 emit_text(e, "(before %c v[l])", s->operator), "                ");
    emit_line(e, "        $barrier;\n    }\n}");
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
    emit_line(e, "        const %s v = running %c %s;\n\n        running = v;",
              emit_vector_type(e, s->type, width), s->operator, load(s, width, "at"));
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

void emit_scan(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    struct scan s = {.e = e,
                     .call = graph_call(&e->writer->graph, node),
                     .node = emit_node_at(e, node),
                     .width = emit_width(e),
                     .lanes = e->schedule->of[KNOB_LANES]};
    bool is_sum = s.call.op->name[3] == 's';

    s.axis = (size_t)__builtin_ctz(s.call.op->axes(&s.call));
    s.type = formula_type(s.call.out->dtype)->compute;
    s.identity = is_sum ? "0" : "1";
    s.operator= is_sum ? '+' : '*';
    e->kernel.name = emit_text(e, "%s_%zu", s.call.op->name, e->number);
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    if (s.axis + 1 < s.call.out->shape.rank)
        write_planes(&s);
    else if (s.lanes > 1)
        write_shared_row(&s);
    else
        write_row(&s);
    launch(&s);
}
