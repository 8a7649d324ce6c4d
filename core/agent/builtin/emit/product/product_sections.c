#include "core/agent/builtin/emit/product/product_sections.h"

#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/product/product_epilogue.h"

enum { WARPGROUP = 128 };

/*
 * If consecutive work-groups share columns, those that run at the same time should also share rows,
 * and find both in the L2 cache: the tiles are numbered in bands of rows.
 */
void product_sections_tile(const struct matrix *m)
{
    enum { BAND = 16 };
    struct emitter *e = m->t->e;

    if (!product_column_dimension(e)) {
        emit_line(e, "    const int first_row = $group_id1 * %d, tile_column = $group_id0;",
                  m->rows);
        return;
    }
    emit_line(e, "    const int down = $group_count0, across = $group_count1;");
    emit_line(e, "    const int tile = $group_id1 * down + $group_id0;");
    emit_line(e, "    const int band = tile / (%d * across) * %d;", BAND, BAND);
    emit_line(e, "    const int height = min(%d, down - band), place = tile - band * across;",
              BAND);
    emit_line(e, "    const int first_row = (band + place %% height) * %d;", m->rows);
    emit_line(e, "    const int tile_column = place / height;");
}

void product_sections_batch(const struct matrix *m, const char *divisor)
{
    const struct tile *t = m->t;

    emit_line(t->e, "    const int batch = $group_id2%s;", divisor);
    writer_axes(t->e->writer, t->node->out, (1U << t->product.batch.rank) - 1, "batch", "    ");
}

struct space product_sections_space(const struct matrix *m, int threads)
{
    struct emitter *e = m->t->e;
    int order = product_column_dimension(e);
    struct space space = {.rank = product_has_batch(m->t) ? 3 : 2};
    const char *global[2];

    global[order] = emit_text(e, "ceildiv(%s, %d)", m->t->columns, m->columns * m->turns);
    global[!order] = emit_text(e, "align(ceildiv(%s, %d), %d)", m->t->rows, m->rows, m->cluster);
    space.global[0] = emit_text(e, "%s * %d", global[0], threads);
    space.global[1] = global[1];
    space.global[2] = product_has_batch(m->t) ? product_batch_extent(m->t, RESULT) : "1";
    space.local[0] = emit_text(e, "%d", threads);
    space.local[1] = space.local[2] = "1";
    return space;
}

static const char *buffer(const struct matrix *m)
{
    return emit_text(m->t->e, "sums_%zu", m->t->e->number);
}

void product_sections_declare(const struct matrix *m, struct kernel *kernel, bool is_written)
{
    struct emitter *e = m->t->e;
    const struct space space = product_sections_space(m, m->rows * m->columns);
    const char *shape[] = {
        emit_text(e, "%s * %d", space.global[2], m->sections),
        emit_text(e, "%s * (%s)", space.global[1], space.global[0]),
    };

    if (is_written)
        writer_scratch(e->writer, buffer(m), DTYPE_F32, shape, 2);
    kernel_add_arg(kernel, &(struct kernel_arg){buffer(m), DTYPE_F32, is_written, NULL});
}

/*
 * Declare the first sum of a work-item in section `section` of matrix `batch`. The sums of the
 * work-items of a work-group are neighbours.
 */
static void write_place(const struct matrix *m, const char *section, const char *indent)
{
    struct emitter *e = m->t->e;
    const char *matrix =
        product_has_batch(m->t) ? emit_text(e, "batch * %d + %s", m->sections, section) : section;

    emit_line(e, "%sconst size_t tile_sums = ((%s) * $group_count1 + $group_id1) * $group_count0 +",
              indent, matrix);
    emit_line(e, "%s                         $group_id0;", indent);
}

/* The index of sum `i`, as C text. */
static const char *sum_index(const struct matrix *m)
{
    return emit_text(m->t->e, "(tile_sums * %d + i) * %d + threadIdx.x", m->columns / 2,
                     m->consumers * WARPGROUP);
}

void product_sections_store(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    write_place(m, "section", "    ");
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", m->columns / 2);
    emit_line(e, "        p_%s[%s] = sums[i];", buffer(m), sum_index(m));
}

void product_sections_add(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    const struct space space = product_sections_space(m, m->consumers * WARPGROUP);

    product_sections_declare(m, &e->kernel, false);
    emit_args(e, 1U << 0 | 1U << 1);
    product_epilogue_args(m);
    e->kernel.work_items = m->consumers * WARPGROUP;
    writer_head(e->writer, &e->kernel);
    product_sections_tile(m);
    if (product_has_batch(m->t))
        product_sections_batch(m, "");
    emit_line(e, "    const int first_col = tile_column * %d;\n    float sums[%d];\n", m->columns,
              m->columns / 2);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)\n        sums[i] = 0;",
              m->columns / 2);
    /* warps whose rows are all behind the last one add nothing */
    emit_line(e, "    if (first_row + (int)threadIdx.x / 32 * 16 < %s)", m->t->rows);
    emit_line(e, "    for (int section = 0; section < %d; section++) {", m->sections);
    write_place(m, "section", "        ");
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++)", m->columns / 2);
    emit_line(e, "            sums[i] += p_%s[%s];\n    }", buffer(m), sum_index(m));
    product_epilogue(m);
    emit_line(e, "}");
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}
