#include "core/agent/builtin/emit/product/product_warp.h"

#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/product/product_epilogue.h"

enum {
    STEPS = 32, /* steps of the sum in a stage */
    PITCH =
        40, /* 16-bit elements from one line to the next; eight lines then lie in different banks */
    CHUNK = 8, /* elements that are copied at once, 16 bytes */
    WARP = 32,
    WARP_ROWS = 16,
    LEAST_STAGES = 2,
    MOST_BYTES = 96 << 10 /* bytes of shared memory, which all of these GPUs have */
};

struct warps {
    const struct matrix *m;
    struct emitter *e;
    int work_items, stages;
};

static int stage_bytes(const struct matrix *m)
{
    return (m->rows + m->columns) * PITCH * 2;
}

static struct warps warps_of(const struct matrix *m)
{
    int most = MOST_BYTES / stage_bytes(m);
    struct warps w = {m, m->t->e, m->rows / WARP_ROWS * WARP, m->stages};

    if (w.stages > most)
        w.stages = most;
    if (w.stages < LEAST_STAGES)
        w.stages = LEAST_STAGES;
    return w;
}

static void write_start(const struct warps *w)
{
    struct emitter *e = w->e;
    const struct matrix *m = w->m;
    int order = product_column_dimension(e);

    emit_line(e, "    extern __shared__ __align__(16) ushort memory[];");
    emit_line(e, "    ushort *const a_tiles = memory, *const b_tiles = memory + %d;",
              w->stages * m->rows * PITCH);
    emit_line(e, "    const int first_row = $group_id%d * %d, first_col = $group_id%d * %d;",
              !order, m->rows, order, m->columns);
    emit_line(e, "    const int lane = threadIdx.x %% %d, warp = threadIdx.x / %d;", WARP, WARP);
    emit_line(e, "    float sums[%d];\n    int to = 0, from = 0;\n", m->columns / 2);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)\n        sums[i] = 0;",
              m->columns / 2);
}

/* Copy a stage of an operand's tile, with zeros outside of the operand. */
static void write_copy(const struct warps *w, size_t operand)
{
    struct emitter *e = w->e;
    const struct matrix *m = w->m;
    int lines = operand == 0 ? m->rows : m->columns, chunks = lines * STEPS / CHUNK;

    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++) {",
              (chunks + w->work_items - 1) / w->work_items);
    emit_line(e, "                const int part = i * %d + threadIdx.x;", w->work_items);
    emit_line(e, "                const int line = part / %d, step = part %% %d * %d;",
              STEPS / CHUNK, STEPS / CHUNK, CHUNK);
    emit_line(e, "                const bool is_there = %s + line < %s && next + step < %d;\n",
              operand == 0 ? "first_row" : "first_col", operand == 0 ? m->t->rows : m->t->columns,
              m->depth);
    if (chunks % w->work_items != 0)
        emit_line(e, "                if (part >= %d)\n                    break;", chunks);
    emit_line(e,
              "                copy_later<16>((float *)(%s_tiles + (to * %d + line) * %d + step),",
              operand == 0 ? "a" : "b", lines, PITCH);
    emit_line(
        e,
        "                               (const float *)(p_%s + (is_there ? (%s + line) * %d + "
        "next + step : 0)),\n                               is_there);\n            }",
        m->operands[operand], operand == 0 ? "first_row" : "first_col", m->pitch[operand]);
}

/* Multiply a stage: the rows of a warp with 16 columns at a time. */
static void write_products(const struct warps *w)
{
    struct emitter *e = w->e;

    emit_line(e, "#pragma unroll\n        for (int step = 0; step < %d; step += 16) {", STEPS);
    emit_line(e, "            uint a[4], b[4];\n");
    emit_line(
        e,
        "            load_squares(a, a_tiles + (from * %d + warp * %d + lane %% 16) * %d + step "
        "+ lane / 16 * 8);",
        w->m->rows, WARP_ROWS, PITCH);
    emit_line(e, "#pragma unroll\n            for (int j = 0; j < %d; j++) {", w->m->columns / 16);
    emit_line(
        e,
        "                load_squares(b, b_tiles + (from * %d + j * 16 + lane / 16 * 8 + lane "
        "%% 8) * %d + step + lane / 8 %% 2 * 8);",
        w->m->columns, PITCH);
    emit_line(e, "                multiply_8(sums + 8 * j, a, b[0], b[1]);\n"
                 "                multiply_8(sums + 8 * j + 4, a, b[2], b[3]);\n"
                 "            }\n        }");
}

/* The loop over the sum: while one stage is used, the others are being copied. */
static void write_sum(const struct warps *w)
{
    struct emitter *e = w->e;
    int ahead = (w->stages - 1) * STEPS;

    emit_line(e, "    for (int next = 0; next < %d + %d; next += %d) {", w->m->depth, ahead, STEPS);
    emit_line(e, "        if (next >= %d) {\n            copies_wait<%d>();\n            $barrier;",
              ahead, w->stages - 2);
    emit_line(e, "        }\n        if (next < %d) {", w->m->depth);
    write_copy(w, 0);
    write_copy(w, 1);
    emit_line(e, "        }\n        copies_end();\n        to = to + 1 == %d ? 0 : to + 1;",
              w->stages);
    emit_line(e, "        if (next < %d)\n            continue;", ahead);
    write_products(w);
    emit_line(e, "        from = from + 1 == %d ? 0 : from + 1;\n    }", w->stages);
}

static void launch(const struct warps *w)
{
    struct emitter *e = w->e;
    const struct matrix *m = w->m;
    int order = product_column_dimension(e);
    const char *global[2];
    struct space space = {.rank = 2};

    global[order] = emit_text(e, "ceildiv(%s, %d)", m->t->columns, m->columns);
    global[!order] = emit_text(e, "ceildiv(%s, %d)", m->t->rows, m->rows);
    space.global[0] = emit_text(e, "%s * %d", global[0], w->work_items);
    space.global[1] = global[1];
    space.local[0] = emit_text(e, "%d", w->work_items);
    space.local[1] = "1";
    space.shared_bytes = w->stages * stage_bytes(m);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void product_matrix_warps(const struct matrix *m)
{
    const struct warps w = warps_of(m);
    struct emitter *e = w.e;

    for (size_t i = 0; i < 2; i++)
        kernel_add_arg(&e->kernel, &(struct kernel_arg){m->operands[i], m->dtype, false, NULL});
    emit_args(e, 1U << 0 | 1U << 1);
    product_epilogue_args(m);
    e->kernel.work_items = w.work_items;
    writer_head(e->writer, &e->kernel);
    write_start(&w);
    write_sum(&w);
    product_epilogue(m);
    emit_line(e, "}");
    launch(&w);
}
