#include "core/agent/builtin/emit/product/product_persistent.h"

enum { WARPGROUP = 128 /* work-items that multiply together */ };

void product_persistent_declare(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    const int down = (%s + %d) / %d;", m->t->rows, m->rows * m->cluster - 1,
              m->rows * m->cluster);
    emit_line(e, "    const int across = (%s + %d) / %d;", m->t->columns, m->columns - 1,
              m->columns);
}

/* Those tiles that run at the same time are in a band of rows (product_sections_tile()). */
void product_persistent_open(const struct matrix *m)
{
    enum { BAND_TILES = 16 };
    struct emitter *e = m->t->e;
    int band = BAND_TILES / m->cluster;

    emit_line(e, "    for (int tile = blockIdx.x / %d; tile < down * across;", m->cluster);
    emit_line(e, "         tile += gridDim.x / %d) {", m->cluster);
    emit_line(e, "        const int band = tile / (%d * across) * %d;", band, band);
    emit_line(e, "        const int height = min(%d, down - band), place = tile - band * across;",
              band);
    emit_line(e,
              "        const int first_row = ((band + place %% height) * %d + blockIdx.x %% %d) * "
              "%d;",
              m->cluster, m->cluster, m->rows);
    emit_line(e, "        const int first_col = place / height * %d;\n", m->columns);
}

struct space product_persistent_space(const struct matrix *m)
{
    struct emitter *e = m->t->e;
    int threads = (m->consumers + 1) * WARPGROUP;
    struct space space = {.rank = 1};

    space.global[0] =
        emit_text(e, "min(%d, ceildiv(%s, %d) * ceildiv(%s, %d) * %d) * %d", m->persist, m->t->rows,
                  m->rows * m->cluster, m->t->columns, m->columns, m->cluster, threads);
    space.local[0] = emit_text(e, "%d", threads);
    if (m->cluster > 1) {
        space.cluster[0] = m->cluster;
        space.cluster[1] = space.cluster[2] = 1;
    }
    return space;
}
