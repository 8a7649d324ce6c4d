#include "core/agent/builtin/emit/product/product_background.h"

enum {
    WARPGROUP = 128,
    WARP = 32,
    LEAST_COLUMNS = 2560, /* with fewer, tiles would wait for the memory */
    LEAST_DEPTH = 1024,   /* shorter rows cost too many counts */
};

bool product_background_applies(const struct matrix *m)
{
    const struct product *p = &m->t->product;
    struct emitter *e = m->t->e;

    return m->persist && m->parts == 1 && !p->a_transposed && p->k == m->depth &&
           p->k >= LEAST_DEPTH && p->n >= LEAST_COLUMNS && p->m >= 2L * BACKGROUND_FIRST &&
           m->rows == BACKGROUND_TILE && !product_is_converted(m->t) &&
           emit_copies_of(e, m->t->call.in[0]) == e->writer->launches;
}

const char *product_background_counters(const struct matrix *m)
{
    return emit_text(m->t->e, "rounded_rows_%zu", m->t->e->number);
}

void product_background_declare(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    const char *shape[] = {emit_text(e, "1 + ceildiv(%s, %d)", m->t->rows, BACKGROUND_TILE)};

    writer_scratch(e->writer, product_background_counters(m), DTYPE_I32, shape, 1);
}

void product_background_args(const struct matrix *m, struct kernel *kernel)
{
    const char *counters = product_background_counters(m);

    kernel_add_value(kernel, m->t->call.in[0], false);
    kernel_add_arg(kernel, &(struct kernel_arg){m->operands[0], m->dtype, true, NULL});
    kernel_add_arg(kernel, &(struct kernel_arg){counters, DTYPE_I32, true, NULL});
}

void product_background_round(const struct matrix *m)
{
    emit_line(m->t->e, "        if (threadIdx.x %% %d >= %d)", WARPGROUP, WARP);
    emit_line(m->t->e, "            round_lines<%d, %d>(p_%s, p_%s, p_%s, %d, %s);", m->depth,
              m->pitch[0], m->t->call.in[0]->name, m->operands[0], product_background_counters(m),
              BACKGROUND_FIRST, m->t->rows);
}

void product_background_wait(const struct matrix *m)
{
    emit_line(m->t->e, "        if (first_row >= %d && first_row < %s && threadIdx.x %% %d == 0)",
              BACKGROUND_FIRST, m->t->rows, WARPGROUP);
    emit_line(m->t->e, "            wait_for_lines(p_%s, first_row, %s);",
              product_background_counters(m), m->t->rows);
}
