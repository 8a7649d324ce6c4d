#include "core/agent/builtin/emit/product/product_matrix.h"

#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/product/product_epilogue.h"
#include "core/agent/builtin/emit/product/product_matrix_tile.h"
#include "core/agent/builtin/emit/product/product_warp.h"

enum {
    LINE_STEP = 8,   /* elements in 16 bytes, of which a line consists */
    STEPS = 64,      /* steps of the sum in a stage: 128 bytes, the width of the swizzle */
    WARPGROUP = 128, /* work-items that multiply together */
    WARPGROUP_ROWS = 64,
    WARPS = 4,          /* warps of a warpgroup; they need not run in lockstep */
    FEW_REGISTERS = 40, /* registers of a work-item that copies */
    /* registers of a work-item that multiplies, so that 2 * 128 of these fit */
    MANY_REGISTERS = 232,
    PER_ITEM = 16, /* elements that a work-item converts; elements of one load */
    PER_LOAD = 4,
    CONVERTERS = 256, /* work-items in a work-group of the conversion */
    SIDE = 32,        /* side of a square that is transposed during the conversion */
    SQUARE_LINES = 8, /* lines of the square that are copied at once */
};

/*
 * A float is the sum of three parts in bf16. Three of the nine products of the parts of two floats
 * are below the last bit; the others are added in this order, the smallest first. Digit i of a
 * constant is the operand's part in product i.
 */
enum { PARTS = 3, PART_PRODUCTS = 6, PARTS_OF_ROWS = 0x001012, PARTS_OF_COLUMNS = 0x010210 };

/*
 * The number of stages after which the sums of products of parts are added to the results. Matrix
 * units truncate the last bits of a sum, which after thousands of steps is a larger error than
 * rounding to f32.
 */
enum { STAGES_OF_SUM = 8 };

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

/*
 * Convert an operand whose steps of the sum are neighbours, four elements at a time. All loads come
 * before the first store.
 */
static void write_convert(const struct matrix *m, const struct value *from, const char *to,
                          const char *lines)
{
    struct emitter *e = m->t->e;
    const char *loop =
        emit_text(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", PER_ITEM / PER_LOAD);

    emit_line(e, "    const int first = $group_id0 * %d + $local_id0 * %d;", CONVERTERS * PER_ITEM,
              PER_LOAD);
    emit_line(e, "    const int count = %s * %s;\n    float4 part[%d];\n\n%s", lines, m->t->depth,
              PER_ITEM / PER_LOAD, loop);
    emit_line(e, "        if (first + i * %d < count)", CONVERTERS * PER_LOAD);
    emit_line(e, "            part[i] = __ldcs((const float4 *)(p_%s + first + i * %d));",
              from->name, CONVERTERS * PER_LOAD);
    open_parts(m, "    ");
    emit_line(e, "%s\n        if (first + i * %d < count)", loop, CONVERTERS * PER_LOAD);
    emit_line(e,
              "            *(uint2 *)(p_%s + %sfirst + i * %d) =\n                make_uint2("
              "%s(part[i].x, part[i].y), %s(part[i].z, part[i].w));",
              to, plane(m), CONVERTERS * PER_LOAD, converter(m), converter(m));
    close_parts(m, "    ");
    emit_line(e, "}\n");
}

/* Convert an operand whose lines do not begin at whole 16 bytes, with zeros after each line. */
static void write_convert_lines(const struct matrix *m, const struct value *from, const char *to,
                                const char *lines)
{
    struct emitter *e = m->t->e;
    const char *at = emit_text(e, "p_%s + (size_t)line * %s + step", from->name, m->t->depth);

    emit_line(e, "    const int count = %s * %d, pair = $group_id0 * %d + $local_id0;", lines,
              m->depth, CONVERTERS);
    emit_line(e, "    const int line = pair / %d, step = pair %% %d * 2;\n", m->depth / 2,
              m->depth / 2);
    emit_line(e, "    if (line >= %s)\n        return;", lines);
    emit_line(e, "    float low = step < %s ? __ldcs(%s) : 0;", m->t->depth, at);
    emit_line(e, "    float high = step + 1 < %s ? __ldcs(%s + 1) : 0;\n", m->t->depth, at);
    open_parts(m, "    ");
    emit_line(e, "    ((uint *)p_%s)[(%spair * 2) / 2] = %s(low, high);", to, plane(m),
              converter(m));
    close_parts(m, "    ");
    emit_line(e, "}\n");
}

/* Convert an operand whose lines are neighbours, through a square in shared memory. */
static void write_convert_transposed(const struct matrix *m, const struct value *from,
                                     const char *to, const char *lines)
{
    struct emitter *e = m->t->e;
    const char *loop = emit_text(e, "#pragma unroll\n    for (int i = first; i < %d; i += %d)",
                                 SIDE, SQUARE_LINES);
    emit_line(e, "    $local float square[%d][%d];", SIDE, SIDE + 1);
    if (m->parts > 1)
        emit_line(e, "    const int count = %s * %d;", lines, m->depth);
    emit_line(e, "    const int lane = $local_id0 %% %d, first = $local_id0 / %d;", SIDE, SIDE);
    emit_line(e, "    const int line = $group_id0 * %d, step = $group_id1 * %d;\n\n%s", SIDE, SIDE,
              loop);
    emit_line(e, "        if (line + lane < %s)", lines);
    emit_line(e,
              "            square[i][lane] = step + i < %s ? p_%s[(step + i) * %s + line + lane] : "
              "0.0f;",
              m->t->depth, from->name, lines);
    emit_line(e, "    $barrier;\n%s {", loop);
    emit_line(e, "        if (line + i >= %s || step + lane >= %d)\n            break;", lines,
              m->depth);
    emit_line(e, "        float element = square[lane][i], none = 0;");
    open_parts(m, "        ");
    emit_line(e,
              "            ((ushort *)p_%s)[%s(line + i) * %d + step + lane] = %s(element, none);",
              to, plane(m), m->depth, converter(m));
    close_parts(m, "        ");
    emit_line(e, "    }\n}\n");
}

/* The lines of all parts of an operand, as C text. */
static const char *planes(const struct matrix *m, const char *lines)
{
    return m->parts > 1 ? emit_text(m->t->e, "%d * %s", m->parts, lines) : lines;
}

/*
 * Write the kernel that converts an operand to 16 bits as [line][step], or its parts as
 * [part][line][step], and its launch.
 */
static void convert(const struct matrix *m, size_t operand)
{
    const struct tile *t = m->t;
    struct emitter *e = t->e;
    const struct value *from = t->call.in[operand];
    const char *to = m->operands[operand], *lines = operand == 0 ? t->rows : t->columns;
    bool is_transposed = operand == 0 ? t->product.a_transposed : !t->product.b_transposed;
    bool is_whole = t->product.k == m->depth;
    const char *shape[] = {planes(m, lines), emit_text(e, "%d", m->depth)};
    struct kernel kernel = {.name =
                                emit_text(e, "halve_%s_%zu", operand == 0 ? "a" : "b", e->number)};
    struct space space = {.global = {emit_text(e, "align(ceildiv(%s * %d, %d), %d)", lines,
                                               m->depth, is_whole ? PER_ITEM : 2, CONVERTERS)},
                          .local = {emit_text(e, "%d", CONVERTERS)},
                          .rank = 1};

    writer_scratch(e->writer, to, m->dtype, shape, 2);
    kernel_add_value(&kernel, from, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){to, m->dtype, true, NULL});
    writer_head(e->writer, &kernel);
    if (is_transposed) {
        space = (struct space){
            .global = {emit_text(e, "ceildiv(%s, %d) * %d", lines, SIDE, SIDE * SQUARE_LINES),
                       emit_text(e, "ceildiv(%d, %d)", m->depth, SIDE)},
            .local = {emit_text(e, "%d", SIDE * SQUARE_LINES), "1"},
            .rank = 2};
        write_convert_transposed(m, from, to, lines);
    } else {
        (is_whole ? write_convert : write_convert_lines)(m, from, to, lines);
    }
    writer_launch(e->writer, emit_copies_of(e, from), &kernel, &space);
    kernel_release(&kernel);
}

static void write_start(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    int order = product_column_dimension(e);

    emit_line(e, "    extern __shared__ uchar memory[];");
    emit_line(e, "    __shared__ ulong full[%d], empty[%d];", m->stages, m->stages);
    emit_line(e, "    uchar *const a_tiles = memory + (-shared_address(memory) & 1023);");
    emit_line(e, "    uchar *const b_tiles = a_tiles + %d;", m->stages * m->rows * STEPS * 2);
    emit_line(e, "    const int first_row = $group_id%d * %d;", !order, m->rows);
    emit_line(e, "    const int warpgroup = threadIdx.x / %d, part_steps = (%d + %d) / %d;",
              WARPGROUP, m->depth, STEPS - 1, STEPS);
    emit_line(e, "    const int steps = part_steps%s;",
              m->parts > 1 ? emit_text(e, " * %d", PART_PRODUCTS) : "");
    emit_line(e, "    int stage = 0, phase = 0;\n\n    if (threadIdx.x == 0) {");
    emit_line(e, "        for (int i = 0; i < %d; i++) {", m->stages);
    emit_line(e, "            barrier_init(&full[i], 1);\n            barrier_init(&empty[i], %d);",
              m->consumers * WARPS * m->cluster);
    emit_line(e, "        }\n        barriers_visible();\n    }\n    %s;\n",
              m->cluster > 1 ? "cluster_barrier()" : "$barrier");
}

/*
 * Change the number of registers of a warpgroup. The copying one gives registers up for the others;
 * with one multiplying warpgroup that is not needed.
 */
static const char *registers(const struct matrix *m, const char *change, int count)
{
    return m->consumers > 1 ? emit_text(m->t->e, "registers_%s<%d>();", change, count) : "";
}

/*
 * The line before a loop over stages. Without it NVRTC unrolls the loop four or eight times, copies
 * each multiplication with all its operands, and takes twice as long.
 */
#define ONE_COPY "#pragma unroll 1\n"

/* Declare the first column of the work-group's tile, or loop over several tiles. */
static void open_tiles(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    int order = product_column_dimension(e);
    const char *first = emit_text(e, "first_col = $group_id%d * %d", order, m->columns);

    if (m->turns == 1)
        emit_line(e, "    const int %s;\n", first);
    else
        emit_line(e, "    for (int %s; first_col < %s; first_col += %d * $group_count%d) {", first,
                  m->t->columns, m->columns, order);
}

static const char *close_tiles(const struct matrix *m)
{
    return m->turns > 1 ? "    }\n" : "";
}

static void write_next_stage(const struct matrix *m, const char *indent)
{
    emit_line(m->t->e, "%sif (++stage == %d) {\n%s    stage = 0;\n%s    phase ^= 1;\n%s}", indent,
              m->stages, indent, indent, indent);
}

/*
 * The statement before a work-item ends: in a cluster the other work-group may still write to this
 * one's memory.
 */
static const char *end_of_use(const struct matrix *m)
{
    return m->cluster > 1 ? "cluster_barrier();" : "";
}

/* Copy the columns' tile, or this work-group's half of it to both work-groups of the cluster. */
static void write_copy_columns(const struct matrix *m)
{
    int bytes = m->columns * STEPS * 2, part = m->columns / m->cluster;

    if (m->cluster == 1)
        emit_line(m->t->e,
                  "            copy_box(b_tiles + stage * %d, &b_map, step, column, &full[stage]);",
                  bytes);
    else
        emit_line(m->t->e,
                  "            copy_box_to_all(b_tiles + stage * %d + cluster_rank() * %d, &b_map, "
                  "step,\n"
                  "                            column + cluster_rank() * %d, &full[stage]);",
                  bytes, bytes / m->cluster, part);
}

/* Declare the first step and lines of the next stage. */
static void write_place(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    if (m->parts == 1) {
        emit_line(e, "            const int step = k * %d, row = first_row, column = first_col;",
                  STEPS);
        return;
    }
    emit_line(e, "            const int digit = k / part_steps * 4, step = k %% part_steps * %d;",
              STEPS);
    emit_line(e, "            const int row = first_row + (%#x >> digit & 15) * %s;", PARTS_OF_ROWS,
              m->t->rows);
    emit_line(e, "            const int column = first_col + (%#x >> digit & 15) * %s;",
              PARTS_OF_COLUMNS, m->t->columns);
}

/* One work-item of the copying warpgroup starts all copies. */
static void write_producer(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    if (warpgroup == %d) {\n        %s", m->consumers,
              registers(m, "down", FEW_REGISTERS));
    open_tiles(m);
    emit_line(e, ONE_COPY "        for (int k = 0; k < steps && threadIdx.x %% %d == 0; k++) {",
              WARPGROUP);
    write_place(m);
    emit_line(e, "            barrier_wait(&empty[stage], phase ^ 1);");
    emit_line(e, "            barrier_expect(&full[stage], %d);",
              (m->rows + m->columns) * STEPS * 2);
    emit_line(e, "            copy_box(a_tiles + stage * %d, &a_map, step, row, &full[stage]);",
              m->rows * STEPS * 2);
    write_copy_columns(m);
    write_next_stage(m, "            ");
    emit_line(e, "        }\n%s        %s\n        return;\n    }\n", close_tiles(m),
              end_of_use(m));
}

/* Write a warp's signal that it no longer needs the previous stage. */
static void write_leave(const struct matrix *m, const char *condition, const char *indent)
{
    emit_line(m->t->e, "%sif (%sthreadIdx.x %% %d == 0)\n%s    barrier_arrive%s(&empty[before]);",
              indent, condition, WARPGROUP / WARPS, indent, m->cluster > 1 ? "_at_all" : "");
}

/*
 * The number of copies of the multiplication in the unrolled loop over a stage's steps. NVRTC takes
 * a tenth of a second for each copy, because all sums are its operands. With two copies instead of
 * four the product takes 3 % longer.
 */
enum { COPIES = 4 };

/* Write a statement for each sum of a work-item. */
static void write_for_sums(const struct matrix *m, const char *statement)
{
    emit_line(m->t->e, "#pragma unroll\n    for (int i = 0; i < %d; i++)\n        %s",
              m->columns / 2, statement);
}

/* Begin the loop over the stages. Sums of parts begin again at 0 after each STAGES_OF_SUM. */
static void open_stages(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    write_for_sums(m, "sums[i] = 0;");
    if (m->parts == 1) {
        emit_line(e, ONE_COPY "    for (int k = 0; k < steps; k++) {");
        return;
    }
    emit_line(e, ONE_COPY "    for (int begin = 0; begin < steps; begin += %d) {", STAGES_OF_SUM);
    write_for_sums(m, "added[i] = 0;");
    emit_line(e, ONE_COPY "    for (int k = begin; k < min(begin + %d, steps); k++) {",
              STAGES_OF_SUM);
}

static void close_stages(const struct matrix *m)
{
    emit_line(m->t->e, "    }\n    multiply_wait<0>();");
    if (m->parts == 1)
        return;
    write_for_sums(m, "sums[i] += added[i];");
    emit_line(m->t->e, "    }");
}

/*
 * Multiply the stages. A stage is released one step later: after multiply_wait<1>() only the newest
 * multiplications may still read their stage.
 */
static void write_consumer(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    const char *sums = m->parts > 1 ? "added" : "sums";

    emit_line(e, "    %s", registers(m, "up", MANY_REGISTERS));
    emit_line(e, "    float sums[%d];\n    int before = 0;\n", m->columns / 2);
    if (m->parts > 1)
        emit_line(e, "    float added[%d];", m->columns / 2);
    open_tiles(m);
    open_stages(m);
    emit_line(e, "        barrier_wait(&full[stage], phase);");
    emit_line(e, "        const ulong a = descriptor(a_tiles + stage * %d + warpgroup * %d);",
              m->rows * STEPS * 2, WARPGROUP_ROWS * STEPS * 2);
    emit_line(e, "        const ulong b = descriptor(b_tiles + stage * %d);\n",
              m->columns * STEPS * 2);
    emit_line(e,
              "        multiply_begin();\n#pragma unroll %d\n        for (int i = 0; i < %d; i++)",
              COPIES, STEPS / 16);
    emit_line(e, "            multiply_%d(%s, a + 2 * i, b + 2 * i);", m->columns, sums);
    emit_line(e, "        multiply_end();\n        multiply_wait<1>();");
    write_leave(m, "k > 0 && ", "        ");
    emit_line(e, "        before = stage;");
    write_next_stage(m, "        ");
    close_stages(m);
    if (m->turns > 1)
        write_leave(m, "", "    ");
}

static void launch(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    int order = product_column_dimension(e), threads = (m->consumers + 1) * WARPGROUP;
    const char *global[2];
    struct space space = {.rank = 2};

    global[order] = emit_text(e, "ceildiv(%s, %d)", m->t->columns, m->columns * m->turns);
    global[!order] = emit_text(e, "align(ceildiv(%s, %d), %d)", m->t->rows, m->rows, m->cluster);
    space.global[0] = emit_text(e, "%s * %d", global[0], threads);
    space.global[1] = global[1];
    space.local[0] = emit_text(e, "%d", threads);
    space.local[1] = "1";
    if (m->cluster > 1) {
        space.cluster[order] = 1;
        space.cluster[!order] = m->cluster;
    }
    space.shared_bytes = schedule_stage_bytes(e->schedule);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

static struct matrix matrix_of(const struct tile *t)
{
    const int *of = t->e->schedule->of;
    struct matrix m = {.t = t,
                       .stages = of[KNOB_STAGES],
                       .columns = of[KNOB_SPAN],
                       .depth = (int)(t->product.k + LINE_STEP - 1) / LINE_STEP * LINE_STEP,
                       .cluster = of[KNOB_CLUSTER],
                       .turns = of[KNOB_TURNS]};

    m.consumers = of[KNOB_GROUP] > WARPGROUP ? of[KNOB_GROUP] / WARPGROUP : 1;
    m.rows = m.consumers * WARPGROUP_ROWS;
    m.dtype = of[KNOB_MATRIX] == MATRIX_HALVES ? DTYPE_F16 : DTYPE_BF16;
    m.parts = of[KNOB_MATRIX] == MATRIX_PARTS ? PARTS : 1;
    for (size_t i = 0; i < 2; i++)
        m.operands[i] = emit_text(t->e, "%s_%s_%zu", t->call.in[i]->name,
                                  i == 0 ? "rows" : "columns", t->e->number);
    return m;
}

void product_matrix(const struct tile *t)
{
    struct emitter *e = t->e;
    const struct matrix m = matrix_of(t);
    const char *depth = emit_text(e, "%d", m.depth);
    const struct box a = {m.operands[0], {planes(&m, t->rows), depth}, {m.rows, STEPS}},
                     b = {m.operands[1],
                          {planes(&m, t->columns), depth},
                          {m.columns / m.cluster, STEPS}};

    convert(&m, 0);
    convert(&m, 1);
    if (!e->schedule->of[KNOB_WARPGROUP]) {
        product_matrix_warps(&m);
        return;
    }
    kernel_add_arg(&e->kernel, &(struct kernel_arg){"a_map", m.dtype, false, &a});
    kernel_add_arg(&e->kernel, &(struct kernel_arg){"b_map", m.dtype, false, &b});
    emit_args(e, 1U << 0 | 1U << 1);
    product_epilogue_args(&m);
    e->kernel.work_items = (m.consumers + 1) * WARPGROUP;
    writer_head(e->writer, &e->kernel);
    write_start(&m);
    write_producer(&m);
    write_consumer(&m);
    product_epilogue(&m);
    emit_line(e, "%s    %s\n}", close_tiles(&m), end_of_use(&m));
    launch(&m);
}
