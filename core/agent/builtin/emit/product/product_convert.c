#include "core/agent/builtin/emit/product/product_convert.h"

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/product/product_background.h"
#include "core/agent/builtin/emit/product/product_epilogue_loops.h"

enum {
    PER_ITEM = 16, /* elements that a work-item converts; elements of one load */
    PER_LOAD = 4,
    CONVERTERS = 256, /* work-items in a work-group of the conversion */
    LINES = 32,       /* sides of a block that is transposed during the conversion */
    BLOCK_STEPS = 64,
    BLOCK_WARPS = 8, /* lines of the block that are copied at once */
};

/* Begin the loop over the parts of an operand, each of which is stored `count` elements on. */
static void open_parts(const struct matrix *m, const char *indent)
{
    if (m->parts > 1)
        emit_line(m->t->e, "#pragma unroll\n%sfor (int p = 0; p < %d; p++) {", indent, m->parts);
}

static void close_parts(const struct matrix *m, const char *indent)
{
    if (m->parts > 1)
        emit_line(m->t->e, "%s}", indent);
}

static const char *plane(const struct matrix *m)
{
    return m->parts > 1 ? "(size_t)p * count + " : "";
}

static const char *converter(const struct matrix *m)
{
    return m->parts > 1 ? "take_part" : "pack";
}

/* The lines that the conversion kernel converts: the product's own kernel may convert the others.
 */
static const char *converted_lines(const struct matrix *m, size_t operand)
{
    return m->rounds && operand == 0
               ? emit_text(m->t->e, "min(%s, %d)", m->lines[operand], BACKGROUND_FIRST)
               : m->lines[operand];
}

/* No line of those that the product's kernel rounds is rounded yet. */
static void write_counters(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    if ($group_id0 * %d + $local_id0 <= (%s + %d) / %d)", CONVERTERS, m->t->rows,
              BACKGROUND_TILE - 1, BACKGROUND_TILE);
    emit_line(e, "        p_%s[$group_id0 * %d + $local_id0] = 0;", product_background_counters(m),
              CONVERTERS);
}

/*
 * Convert an operand whose steps of the sum are neighbours, four elements at a time. All loads come
 * before the first store.
 */
static void write_convert(const struct matrix *m, size_t operand)
{
    struct emitter *e = m->t->e;
    const char *loop =
        emit_text(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", PER_ITEM / PER_LOAD);

    emit_line(e, "    const int first = $group_id0 * %d + $local_id0 * %d;", CONVERTERS * PER_ITEM,
              PER_LOAD);
    emit_line(e, "    const int count = %s * %s;\n    float4 part[%d];\n\n%s",
              converted_lines(m, operand), m->t->depth, PER_ITEM / PER_LOAD, loop);
    emit_line(e, "        if (first + i * %d < count)", CONVERTERS * PER_LOAD);
    emit_line(e, "            part[i] = __ldcs((const float4 *)(p_%s + first + i * %d));",
              m->t->call.in[operand]->name, CONVERTERS * PER_LOAD);
    open_parts(m, "    ");
    emit_line(e, "%s\n        if (first + i * %d < count)", loop, CONVERTERS * PER_LOAD);
    emit_line(e,
              "            *(uint2 *)(p_%s + %sfirst + i * %d) =\n                make_uint2("
              "%s(part[i].x, part[i].y), %s(part[i].z, part[i].w));",
              m->operands[operand], plane(m), CONVERTERS * PER_LOAD, converter(m), converter(m));
    close_parts(m, "    ");
    if (m->rounds && operand == 0)
        write_counters(m);
    emit_line(e, "}\n");
}

/* Convert an operand with zeros after each line. */
static void write_convert_lines(const struct matrix *m, size_t operand)
{
    struct emitter *e = m->t->e;
    const char *lines = converted_lines(m, operand);
    const char *at =
        emit_text(e, "p_%s + (size_t)line * %s + step", m->t->call.in[operand]->name, m->t->depth);
    int pitch = m->pitch[operand];

    emit_line(e, "    const int count = %s * %d, pair = $group_id0 * %d + $local_id0;", lines,
              pitch, CONVERTERS);
    emit_line(e, "    const int line = pair / %d, step = pair %% %d * 2;\n", pitch / 2, pitch / 2);
    if (m->rounds && operand == 0)
        write_counters(m);
    emit_line(e, "    if (line >= %s)\n        return;", lines);
    emit_line(e, "    float low = step < %s ? __ldcs(%s) : 0;", m->t->depth, at);
    emit_line(e, "    float high = step + 1 < %s ? __ldcs(%s + 1) : 0;\n", m->t->depth, at);
    open_parts(m, "    ");
    emit_line(e, "    ((uint *)p_%s)[(%spair * 2) / 2] = %s(low, high);", m->operands[operand],
              plane(m), converter(m));
    close_parts(m, "    ");
    emit_line(e, "}\n");
}

/* Load a block of an operand whose lines are neighbours, from matrix `$group_id2`. */
static void write_load_block(const struct matrix *m, size_t operand, const char *lines)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    $local float block[%d][%d];", BLOCK_STEPS, LINES + 1);
    emit_line(e, "    const int lane = $local_id0 %% %d, first = $local_id0 / %d;", LINES, LINES);
    emit_line(e, "    const int line = $group_id0 * %d, step = $group_id1 * %d;", LINES,
              BLOCK_STEPS);
    if (product_has_batch(m->t))
        emit_line(e, "    p_%s += (size_t)$group_id2 * %s * %s;", m->t->call.in[operand]->name,
                  m->t->depth, lines);
    emit_line(e, "\n#pragma unroll\n    for (int i = 0; i < %d; i += %d)", BLOCK_STEPS,
              BLOCK_WARPS);
    emit_line(e, "        if (line + lane < %s)", lines);
    emit_line(e, "            block[i + first][lane] = step + i + first < %s ?", m->t->depth);
    emit_line(e, "                p_%s[(step + i + first) * %s + line + lane] : 0.0f;",
              m->t->call.in[operand]->name, lines);
    emit_line(e, "    $barrier;");
}

/* Convert an operand whose lines are neighbours, through a block in shared memory. */
static void write_convert_transposed(const struct matrix *m, size_t operand)
{
    struct emitter *e = m->t->e;
    const char *lines = operand == 0 ? m->t->rows : m->t->columns;
    const char *matrix = product_has_batch(m->t) ? emit_text(e, "$group_id2 * %s + ", lines) : "";

    if (m->parts > 1)
        emit_line(e, "    const int count = %s * %d;", m->lines[operand], m->pitch[operand]);
    write_load_block(m, operand, lines);
    emit_line(e, "#pragma unroll\n    for (int i = first; i < %d; i += %d) {", LINES, BLOCK_WARPS);
    emit_line(e, "        if (line + i >= %s || step + lane * 2 >= %d)\n            break;", lines,
              m->pitch[operand]);
    emit_line(e, "        float low = block[lane * 2][i], high = block[lane * 2 + 1][i];");
    open_parts(m, "        ");
    emit_line(e,
              "            *(uint *)(p_%s + %s(%sline + i) * %d + step + lane * 2) =\n"
              "                %s(low, high);",
              m->operands[operand], plane(m), matrix, m->pitch[operand], converter(m));
    close_parts(m, "        ");
    emit_line(e, "    }\n}\n");
}

const char *product_planes(const struct matrix *m, size_t operand)
{
    return m->parts > 1 ? emit_text(m->t->e, "%d * %s", m->parts, m->lines[operand])
                        : m->lines[operand];
}

/* The launch of the kernel that converts by blocks, a matrix for each step of the last axis. */
static struct space block_space(const struct matrix *m, size_t operand)
{
    struct emitter *e = m->t->e;
    const char *lines = operand == 0 ? m->t->rows : m->t->columns;
    struct space space = {
        .global = {emit_text(e, "ceildiv(%s, %d) * %d", lines, LINES, CONVERTERS),
                   emit_text(e, "ceildiv(%d, %d)", m->pitch[operand], BLOCK_STEPS)},
        .local = {emit_text(e, "%d", CONVERTERS), "1"},
        .rank = 2};

    if (product_has_batch(m->t)) {
        space.global[2] = product_batch_extent(m->t, operand);
        space.local[2] = "1";
        space.rank = 3;
    }
    return space;
}

static struct space line_space(const struct matrix *m, size_t operand, bool is_whole)
{
    struct emitter *e = m->t->e;

    return (struct space){
        .global = {emit_text(e, "align(ceildiv(%s * %d, %d), %d)", converted_lines(m, operand),
                             m->pitch[operand], is_whole ? PER_ITEM : 2, CONVERTERS)},
        .local = {emit_text(e, "%d", CONVERTERS)},
        .rank = 1};
}

void product_convert(const struct matrix *m, size_t operand)
{
    const struct tile *t = m->t;
    struct emitter *e = t->e;
    const struct value *from = t->call.in[operand];
    bool is_transposed = operand == 0 ? t->product.a_transposed : !t->product.b_transposed;
    bool is_whole = t->product.k == m->pitch[operand];
    const char *shape[] = {product_planes(m, operand), emit_text(e, "%d", m->pitch[operand])};
    struct kernel kernel = {.name =
                                emit_text(e, "halve_%s_%zu", operand == 0 ? "a" : "b", e->number)};
    struct space space = is_transposed ? block_space(m, operand) : line_space(m, operand, is_whole);

    writer_scratch(e->writer, m->operands[operand], m->dtype, shape, 2);
    if (operand == 0 && product_is_converted(t))
        return;
    kernel_add_value(&kernel, from, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){m->operands[operand], m->dtype, true, NULL});
    if (m->rounds && operand == 0) {
        product_background_declare(m);
        kernel_add_arg(&kernel,
                       &(struct kernel_arg){product_background_counters(m), DTYPE_I32, true, NULL});
    }
    writer_head(e->writer, &kernel);
    if (is_transposed)
        write_convert_transposed(m, operand);
    else
        (is_whole ? write_convert : write_convert_lines)(m, operand);
    writer_launch(e->writer, emit_copies_of(e, from), &kernel, &space);
    kernel_release(&kernel);
}

const char *product_converted_name(struct emitter *e, size_t value, size_t number)
{
    return emit_text(e, "%s_rows_%zu", emit_value_at(e, value)->name, number);
}

bool product_convert_packs(const struct matrix *m)
{
    return m->t->e->packs_runs && m->parts == 1;
}

void product_convert_pair(const struct matrix *m, size_t value, const struct position *position)
{
    struct emitter *e = m->t->e;
    const char *name = emit_text(e, "v_%s", emit_value_at(e, value)->name);
    const char *to = product_converted_name(e, value, e->fusion->converted_for[value]);
    const char *low = emit_vector_component(e, name, 0), *high = emit_vector_component(e, name, 1);
    const char *rows = emit_extent(e, group_rows(e->writer, e->group)), *indent = position->indent;
    const char *only = position->condition ? emit_text(e, "if (%s) ", position->condition) : "";

    if (product_convert_packs(m)) {
        emit_line(e, "%spacked_%s[j %% %d] = pack(%s, %s);", indent, to, RUNS, low, high);
        return;
    }
    emit_line(e, "%sfloat low_%s = %s, high_%s = %s;", indent, to, low, to, high);
    open_parts(m, indent);
    emit_line(e, "%sconst uint both_%s = %s(low_%s, high_%s);",
              m->parts > 1 ? emit_text(e, "%s    ", indent) : indent, to, converter(m), to, to);
    emit_line(e, "%s    %s*(uint *)(p_%s + %s(size_t)row * %s + c) = both_%s;", indent, only, to,
              m->parts > 1 ? emit_text(e, "(size_t)p * %s * %s + ", rows, m->t->columns) : "",
              m->t->columns, to);
    close_parts(m, indent);
}
