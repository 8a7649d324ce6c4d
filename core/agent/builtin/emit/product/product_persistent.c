#include "core/agent/builtin/emit/product/product_persistent.h"

enum {
    WARPGROUP = 128, /* work-items that multiply together */
    WARP = 32,
    WARPS = WARPGROUP / WARP, /* warps of a warpgroup; they need not run in lockstep */
};

void product_persistent_declare(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    __shared__ ulong may_multiply[2];");
    emit_line(e, "    const int down = (%s + %d) / %d;", m->t->rows, m->rows * m->cluster - 1,
              m->rows * m->cluster);
    emit_line(e, "    const int across = (%s + %d) / %d;", m->t->columns, m->columns - 1,
              m->columns);
}

void product_persistent_init(const struct matrix *m)
{
    emit_line(m->t->e,
              "        barrier_init(&may_multiply[0], %d);\n        "
              "barrier_init(&may_multiply[1], %d);",
              WARPS, WARPS);
}

void product_persistent_begin(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "    int round = 0;\n\n    if (warpgroup == 1 && threadIdx.x %% %d == 0)", WARP);
    emit_line(e, "        barrier_arrive(&may_multiply[0]);");
}

/* Those tiles that run at the same time are in a band of rows (product_sections_tile()). */
void product_persistent_open(const struct matrix *m)
{
    enum { BAND = 16 };
    struct emitter *e = m->t->e;

    emit_line(e, "    for (int tile = blockIdx.x / %d, turn = 0; tile < down * across;",
              m->cluster);
    emit_line(e, "         tile += gridDim.x / %d, turn ^= 1) {", m->cluster);
    emit_line(e, "        const int band = tile / (%d * across) * %d;", BAND, BAND);
    emit_line(e, "        const int height = min(%d, down - band), place = tile - band * across;",
              BAND);
    emit_line(e,
              "        const int first_row = ((band + place %% height) * %d + blockIdx.x %% %d) * "
              "%d;",
              m->cluster, m->cluster, m->rows);
    emit_line(e, "        const int first_col = place / height * %d;\n", m->columns);
}

/*
 * A barrier tells phases apart only by parity, so a warpgroup must not wait for stages that are far
 * ahead.
 */
void product_persistent_wait(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    emit_line(e, "        if (turn != warpgroup) {\n            stage += steps;");
    emit_line(e, "            phase ^= stage / %d & 1;\n            stage %%= %d;", m->stages,
              m->stages);
    emit_line(e, "            continue;\n        }");
    emit_line(e, "        barrier_wait(&may_multiply[warpgroup], round);\n        round ^= 1;\n");
}

void product_persistent_hand_over(const struct matrix *m)
{
    emit_line(m->t->e, "    if (threadIdx.x %% %d == 0)", WARP);
    emit_line(m->t->e, "        barrier_arrive(&may_multiply[1 - warpgroup]);");
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
