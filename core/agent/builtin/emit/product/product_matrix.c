#include "core/agent/builtin/emit/product/product_matrix.h"

#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/product/product_background.h"
#include "core/agent/builtin/emit/product/product_convert.h"
#include "core/agent/builtin/emit/product/product_epilogue.h"
#include "core/agent/builtin/emit/product/product_matrix_tile.h"
#include "core/agent/builtin/emit/product/product_persistent.h"
#include "core/agent/builtin/emit/product/product_sections.h"
#include "core/agent/builtin/emit/product/product_warp.h"
#include "core/agent/builtin/plan/time_estimate.h"

enum {
    LINE_STEP = 8,        /* elements in 16 bytes, of which a line consists */
    DESCRIPTOR_UNIT = 16, /* bytes */
    STEPS = 64,           /* steps of the sum in a stage: 128 bytes, the width of the swizzle */
    WARPGROUP = 128,      /* work-items that multiply together */
    WARPGROUP_ROWS = 64,
    WARPS = 4,          /* warps of a warpgroup; they need not run in lockstep */
    FEW_REGISTERS = 40, /* registers of a work-item that copies */
    /* registers of a work-item that multiplies, so that 2 * 128 of these fit */
    MANY_REGISTERS = 232,
};

/*
 * A float is the sum of three parts in bf16. Three of the nine products of the parts of two floats
 * are below the last bit; the others are added in this order, the smallest first. The parts of a
 * step are copied to consecutive stages, the last part first, which is also the first one that is
 * no longer needed. Digit i of a constant is the operand's stage in product i.
 */
enum { PARTS = 3, PART_PRODUCTS = 6, STAGES_OF_ROWS = 0x221120, STAGES_OF_COLUMNS = 0x212102 };

/* Declare the matrix of the result, and the first lines of those of the operands. */
static void write_batch(const struct matrix *m)
{
    const struct tile *t = m->t;
    struct emitter *e = t->e;

    if (m->sections > 1)
        emit_line(e, "    const int section = $group_id2 %% %d;", m->sections);
    if (!product_has_batch(t))
        return;
    product_sections_batch(m, m->sections > 1 ? emit_text(e, " / %d", m->sections) : "");
    for (size_t i = 0; i < 2; i++) {
        const char *index = product_matrix_index(t, i);

        emit_line(e, "    const int %s_line = %s * %s;", i == 0 ? "a" : "b", index ? index : "0",
                  i == 0 ? t->rows : t->columns);
    }
}

/* Declare the number of stages, each of which has one step of one part. */
static void write_steps(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    int stages = (m->depth + STEPS - 1) / STEPS, most = (stages + m->sections - 1) / m->sections;

    if (m->sections == 1)
        emit_line(e, "    const int steps = %d;", stages * m->parts);
    else
        emit_line(e, "    const int begin = section * %d, steps = min(%d, %d - begin)%s;", most,
                  most, stages, m->parts > 1 ? emit_text(e, " * %d", PARTS) : "");
}

static void write_start(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    extern __shared__ uchar memory[];");
    emit_line(e, "    __shared__ ulong full[%d], empty[%d];", m->stages, m->stages);
    emit_line(e, "    uchar *const a_tiles = memory + (-shared_address(memory) & 1023);");
    emit_line(e, "    uchar *const b_tiles = a_tiles + %d;", m->stages * m->rows * STEPS * 2);
    if (m->persist)
        product_persistent_declare(m);
    else
        product_sections_tile(m);
    write_batch(m);
    write_steps(m);
    emit_line(e, "    const int warpgroup = threadIdx.x / %d;", WARPGROUP);
    emit_line(e, "    int stage = 0, phase = 0;\n\n    if (threadIdx.x == 0) {");
    emit_line(e, "        for (int i = 0; i < %d; i++) {", m->stages);
    emit_line(e, "            barrier_init(&full[i], 1);\n            barrier_init(&empty[i], %d);",
              m->consumers * WARPS * m->cluster);
    emit_line(e, "        }");
    emit_line(e, "        barriers_visible();\n    }\n    %s;\n",
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

    if (m->persist)
        product_persistent_open(m);
    else if (m->turns == 1)
        emit_line(e, "    const int first_col = tile_column * %d;\n", m->columns);
    else
        emit_line(e,
                  "    for (int first_col = tile_column * %d; first_col < %s; first_col += %d * "
                  "$group_count%d) {",
                  m->columns, m->t->columns, m->columns, product_column_dimension(e));
}

static const char *close_tiles(const struct matrix *m)
{
    return m->turns > 1 || m->persist ? "    }\n" : "";
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
    bool has_batch = product_has_batch(m->t);
    const char *row = has_batch ? "a_line + first_row" : "first_row";
    const char *column = has_batch ? "b_line + first_col" : "first_col";
    const char *begin = m->sections > 1 ? "begin + " : "";

    if (m->parts == 1) {
        emit_line(e, "            const int step = (%sk) * %d, row = %s, column = %s;", begin,
                  STEPS, row, column);
        return;
    }
    emit_line(e, "            const int part = %d - k %% %d, step = (%sk / %d) * %d;", PARTS - 1,
              PARTS, begin, PARTS, STEPS);
    emit_line(e, "            const int row = %s + part * (%s);", row, m->lines[0]);
    emit_line(e, "            const int column = %s + part * (%s);", column, m->lines[1]);
}

/* One work-item of the copying warpgroup starts all copies. */
static void write_producer(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    if (warpgroup == %d) {\n        %s", m->consumers,
              registers(m, "down", FEW_REGISTERS));
    if (m->rounds)
        product_background_round(m);
    open_tiles(m);
    if (m->rounds)
        product_background_wait(m);
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

/* Write a warp's signal that it no longer needs a stage. */
static void write_leave(const struct matrix *m, const char *condition, const char *stage,
                        const char *indent)
{
    emit_line(m->t->e, "%sif (%sthreadIdx.x %% %d == 0)\n%s    barrier_arrive%s(&empty[%s]);",
              indent, condition, WARPGROUP / WARPS, indent, m->cluster > 1 ? "_at_all" : "", stage);
}

/* Write a statement for each sum of a work-item. */
static void write_for_sums(const struct matrix *m, const char *statement)
{
    emit_line(m->t->e, "#pragma unroll\n    for (int i = 0; i < %d; i++)\n        %s",
              m->columns / 2, statement);
}

/* Declare the descriptors of a stage's operands. */
static void write_descriptors(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "        const ulong a = descriptor(a_tiles + stage * %d + warpgroup * %d);",
              m->rows * STEPS * 2, WARPGROUP_ROWS * STEPS * 2);
    emit_line(e, "        const ulong b = descriptor(b_tiles + stage * %d);\n",
              m->columns * STEPS * 2);
}

/*
 * Multiply the stages. A stage is released one step later: after multiply_wait<1>() only the newest
 * multiplications may still read their stage.
 */
static void write_sum(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    write_for_sums(m, "sums[i] = 0;");
    emit_line(e, ONE_COPY "    for (int k = 0; k < steps; k++) {");
    emit_line(e, "        barrier_wait(&full[stage], phase);");
    write_descriptors(m);
    emit_line(e, "        multiply_begin();\n        multiply_%d_line(sums, a, b);", m->columns);
    emit_line(e, "        multiply_end();\n        multiply_wait<1>();");
    write_leave(m, "k > 0 && ", "before", "        ");
    emit_line(e, "        before = stage;");
    write_next_stage(m, "        ");
    emit_line(e, "    }");
    emit_line(e, "    multiply_wait<0>();");
    if (m->turns > 1 || m->persist)
        write_leave(m, "", "before", "    ");
}

/*
 * Multiply the parts of each step. Matrix units truncate the last bits of a sum, which after many
 * steps is a larger error than rounding to f32: so each step's products have a sum of their own. A
 * stage is released when the next product but one begins.
 */
static void write_sum_of_parts(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    write_for_sums(m, "sums[i] = added[i] = 0;");
    emit_line(e, ONE_COPY "    for (int k = 0; k < steps; k += %d) {", PARTS);
    emit_line(e, "        for (int i = 0; i < %d; i++)", PARTS);
    emit_line(e, "            barrier_wait(&full[stage + i], phase);");
    write_descriptors(m);
    emit_line(e, ONE_COPY "        for (int i = 0; i < %d; i++) {", PART_PRODUCTS);
    emit_line(e, "            const ulong rows = a + (%#x >> 4 * i & 15) * %d;", STAGES_OF_ROWS,
              m->rows * STEPS * 2 / DESCRIPTOR_UNIT);
    emit_line(e, "            const ulong columns = b + (%#x >> 4 * i & 15) * %d;",
              STAGES_OF_COLUMNS, m->columns * STEPS * 2 / DESCRIPTOR_UNIT);
    emit_line(e,
              "\n            multiply_begin();\n            multiply_%d_line(added, rows, columns, "
              "i > 0);",
              m->columns);
    emit_line(e, "            multiply_end();\n            multiply_wait<1>();");
    write_leave(m, "i % 3 == 2 && ", "stage + i / 3", "            ");
    emit_line(e, "        }\n        multiply_wait<0>();");
    write_leave(m, "", "stage + 2", "        ");
    write_for_sums(m, "sums[i] += added[i];");
    emit_line(e,
              "        if ((stage += %d) == %d) {\n            stage = 0;\n            phase ^= 1;"
              "\n        }\n    }",
              PARTS, m->stages);
}

static void write_consumer(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    %s", registers(m, "up", MANY_REGISTERS));
    emit_line(e, "    float sums[%d]%s;\n", m->columns / 2,
              m->parts > 1 ? emit_text(e, ", added[%d]", m->columns / 2) : "");
    if (m->parts == 1)
        emit_line(e, "    int before = 0;");
    open_tiles(m);
    (m->parts > 1 ? write_sum_of_parts : write_sum)(m);
}

static void launch(const struct matrix *m, const struct kernel *kernel)
{
    int order = product_column_dimension(m->t->e);
    struct space space = product_sections_space(m, (m->consumers + 1) * WARPGROUP);

    if (m->sections > 1) {
        space.rank = 3;
        space.global[2] = emit_text(m->t->e, "%s * %d", space.global[2], m->sections);
    }
    if (m->cluster > 1) {
        space.cluster[order] = 1;
        space.cluster[!order] = m->cluster;
        space.cluster[2] = 1;
    }
    if (m->persist)
        space = product_persistent_space(m);
    space.shared_bytes = schedule_stage_bytes(m->t->e->schedule);
    writer_launch(m->t->e->writer, m->t->e->writer->launches, kernel, &space);
}

/* The sections of the sum, by the product's sizes at the main dimensions. */
static int sections_of(const struct tile *t)
{
    const struct product *product = &t->product;
    const struct product_shape shape = {.m = (double)product->m,
                                        .n = (double)product->n,
                                        .k = (double)product->k,
                                        .count = (double)shape_elements(&product->batch)};

    return time_estimate_sections(t->e->schedule, &shape);
}

static int up_to(int64_t count, int whole)
{
    return (int)((count + whole - 1) / whole * whole);
}

/*
 * The elements of a converted line. Copies by TMA read it in pieces of 128 bytes, and two lines of
 * the cache for each piece that does not begin at one: lines are whole pieces, or halves or
 * quarters, unless that adds more than an eighth.
 */
static int pitch_of(int64_t steps)
{
    int least = up_to(steps, LINE_STEP);

    for (int piece = STEPS; piece > LINE_STEP; piece /= 2)
        if (up_to(steps, piece) <= least + least / 8)
            return up_to(steps, piece);
    return least;
}

static struct matrix matrix_of(const struct tile *t)
{
    const int *of = t->e->schedule->of;
    struct matrix m = {.t = t,
                       .stages = of[KNOB_STAGES],
                       .columns = of[KNOB_SPAN],
                       .depth = up_to(t->product.k, LINE_STEP),
                       .cluster = of[KNOB_CLUSTER],
                       .sections = sections_of(t),
                       .turns = of[KNOB_TURNS]};

    m.consumers = of[KNOB_GROUP] > WARPGROUP ? of[KNOB_GROUP] / WARPGROUP : 1;
    m.persist =
        product_has_batch(t) || !of[KNOB_WARPGROUP] || m.sections > 1 ? 0 : of[KNOB_PERSIST];
    if (of[KNOB_PERSIST] && !m.persist)
        m.cluster = 1; /* pairs are for large products: others may have an odd tile */
    m.rows = m.consumers * WARPGROUP_ROWS;
    m.dtype = of[KNOB_MATRIX] == MATRIX_HALVES ? DTYPE_F16 : DTYPE_BF16;
    m.parts = of[KNOB_MATRIX] == MATRIX_PARTS ? PARTS : 1;
    for (size_t i = 0; i < 2; i++) {
        m.operands[i] = i == 0
                            ? product_converted_name(t->e, t->node->in[0], t->e->number)
                            : emit_text(t->e, "%s_columns_%zu", t->call.in[i]->name, t->e->number);
        m.lines[i] = i == 0 ? t->rows : t->columns;
        if (product_has_batch(t))
            m.lines[i] = emit_text(t->e, "%s * %s", product_batch_extent(t, i), m.lines[i]);
        m.pitch[i] = i == 0 && product_is_converted(t) ? m.depth : pitch_of(t->product.k);
    }
    m.rounds = product_background_applies(&m);
    return m;
}

/* Write the kernel that computes sections of the sums, and the one that adds them up. */
static void write_sections(const struct matrix *m, struct kernel *kernel)
{
    struct emitter *e = m->t->e;

    product_sections_declare(m, kernel, true);
    writer_head(e->writer, kernel);
    write_start(m);
    write_producer(m);
    write_consumer(m);
    product_sections_store(m);
    emit_line(e, "    %s\n}\n", end_of_use(m));
    launch(m, kernel);
    kernel_release(kernel);
    product_sections_add(m);
}

void product_matrix(const struct tile *t)
{
    struct emitter *e = t->e;
    const struct matrix m = matrix_of(t);
    const struct box a = {m.operands[0],
                          {product_planes(&m, 0), emit_text(e, "%d", m.pitch[0])},
                          {m.rows, STEPS}},
                     b = {m.operands[1],
                          {product_planes(&m, 1), emit_text(e, "%d", m.pitch[1])},
                          {m.columns / m.cluster, STEPS}};

    struct kernel kernel = e->kernel;

    product_convert(&m, 0);
    product_convert(&m, 1);
    if (!e->schedule->of[KNOB_WARPGROUP]) {
        product_matrix_warps(&m);
        return;
    }
    if (m.sections > 1)
        kernel = (struct kernel){.name = emit_text(e, "%s_sums", e->kernel.name)};
    kernel_add_arg(&kernel, &(struct kernel_arg){"a_map", m.dtype, false, &a});
    kernel_add_arg(&kernel, &(struct kernel_arg){"b_map", m.dtype, false, &b});
    kernel.work_items = (m.consumers + 1) * WARPGROUP;
    if (m.sections > 1) {
        write_sections(&m, &kernel);
        return;
    }
    e->kernel = kernel;
    emit_args(e, 1U << 0 | 1U << 1);
    product_epilogue_args(&m);
    if (m.rounds)
        product_background_args(&m, &e->kernel);
    writer_head(e->writer, &e->kernel);
    write_start(&m);
    write_producer(&m);
    write_consumer(&m);
    product_epilogue(&m);
    emit_line(e, "%s    %s\n}", close_tiles(&m), end_of_use(&m));
    launch(&m, &e->kernel);
}
