#include "core/judge/device_oracle/oracle_kernel_tiles.h"

#include "core/judge/device_oracle/tiles.cl.h"

/* As in tiles.cl. */
enum { TILE = 64, SIDE = 16, MOST_SUMS = 3 };

/*
 * The depth of a tile. Matrix units process more than 8 steps during one wait for memory; with
 * three sums there is no local memory for 16 steps.
 */
static const char tile_depth[] = "(HAS_MATRIX_UNITS && SUMS < 3 ? 16 : 8)";

/*
 * Fewer work-groups than LEAST_GROUPS leave parts of a GPU idle; each part of a sum has at least
 * LEAST_DEPTH products.
 */
enum { LEAST_GROUPS = 512, LEAST_DEPTH = 512 };

static int64_t tiles_of(int64_t elements)
{
    return (elements + TILE - 1) / TILE;
}

static int64_t groups_of(const struct oracle_tiles *t)
{
    return t->matrices * tiles_of(t->rows) * tiles_of(t->columns);
}

/* The number of work-groups that share a sum. */
static int64_t parts_of(const struct oracle_tiles *t)
{
    int64_t groups = groups_of(t), most = t->depth / LEAST_DEPTH;
    int64_t parts = (LEAST_GROUPS + groups - 1) / groups;

    parts = parts < most ? parts : most;
    return t->may_divide && parts > 1 ? parts : 1;
}

static int64_t elements_of(const struct oracle_tiles *t)
{
    return t->matrices * t->rows * t->columns;
}

int64_t oracle_tiles_room(const struct oracle_tiles *tiles)
{
    int64_t parts = parts_of(tiles);

    return parts > 1 ? parts * tiles->sums * elements_of(tiles) : 0;
}

static void define(struct oracle_kernel *k, const struct oracle_tiles *t)
{
    oracle_kernel_add(k,
                      "#define TILE %d\n#define TILE_DEPTH %s\n#define SIDE %d\n#define EACH %d\n"
                      "#define SUMS %d\n#define ROWS %lld\n#define COLUMNS %lld\n"
                      "#define A_ALONG %d\n#define B_ALONG %d\n#define A_TERMS %s\n"
                      "#define B_TERMS %s\n#define SKIPS_LAST (%s)\n"
                      "#define ELEMENT (%s)\n"
                      "#define PARTIAL(part, t) state[%lldL + ((long)(part) * SUMS + (t)) * %lld + "
                      "i]\n",
                      TILE, tile_depth, SIDE, TILE / SIDE, t->sums, (long long)t->rows,
                      (long long)t->columns, t->a_along, t->b_along, t->a, t->b,
                      t->skips_last ? t->skips_last : "0",
                      t->element ? t->element : "(matrix * ROWS + row) * COLUMNS + column",
                      (long long)t->room, (long long)elements_of(t));
}

static void undefine(struct oracle_kernel *k)
{
    oracle_kernel_add(k, "#undef TILE\n#undef TILE_DEPTH\n#undef SIDE\n#undef EACH\n"
                         "#undef SUMS\n#undef ROWS\n#undef COLUMNS\n#undef A_ALONG\n"
                         "#undef B_ALONG\n#undef A_TERMS\n#undef B_TERMS\n#undef SKIPS_LAST\n"
                         "#undef ELEMENT\n#undef PARTIAL\n#undef PITCH\n#undef ROW_IN_TILE\n"
                         "#undef COLUMN_IN_TILE\n");
}

/* Open the loops over the elements of a tile, whose sums are complete. */
static void begin_tiles(struct oracle_kernel *k, const struct oracle_tiles *t, int64_t parts)
{
    long long across = tiles_of(t->columns), down = tiles_of(t->rows), depth = t->depth;

    oracle_kernel_begin_groups(k, groups_of(t) * parts, (size_t)SIDE * SIDE);
    oracle_kernel_add(
        k,
        "    const int first_column = group %% %lld * TILE;\n"
        "    const int first_row = group / %lld %% %lld * TILE;\n"
        "    const INDEX part = group / %lld %% %lld, matrix = group / %lld;\n    %s\n",
        across, across, down, across * down, (long long)parts, across * down * (long long)parts,
        t->declare);
    if (t->last)
        oracle_kernel_add(k, "    const int first_k = 0, last_k = %s;\n", t->last);
    else
        oracle_kernel_add(k,
                          "    const int first_k = (int)(part * %lldL / %lld);\n"
                          "    const int last_k = (int)((part + 1) * %lldL / %lld);\n",
                          depth, (long long)parts, depth, (long long)parts);
    oracle_kernel_add(k, "%s", tiles_cl);
}

/* Begin the kernel that adds up the parts of each element. */
static void begin_addition(struct oracle_kernel *k, const struct oracle_tiles *t, int64_t parts)
{
    long long columns = t->columns, rows = t->rows;

    oracle_kernel_begin(k, elements_of(t));
    oracle_kernel_add(k,
                      "    {\n    const INDEX column = i %% %lld, row = i / %lld %% %lld;\n"
                      "    const INDEX matrix = i / (%lld * %lld);\n    {\n    %s\n",
                      columns, columns, rows, rows, columns, t->declare);
    for (int s = 0; s < t->sums; s++)
        oracle_kernel_add(k,
                          "    double sum_%d = 0;\n    for (int part = 0; part < %lld; part++)\n"
                          "        sum_%d += PARTIAL(part, %d);\n",
                          s, (long long)parts, s, s);
}

void oracle_tiles_begin(struct oracle_kernel *kernel, const struct oracle_tiles *tiles)
{
    int64_t parts = parts_of(tiles);

    define(kernel, tiles);
    begin_tiles(kernel, tiles, parts);
    if (parts > 1) {
        oracle_kernel_add(kernel, "            for (int t = 0; t < SUMS; t++)\n"
                                  "                PARTIAL(part, t) = sums[t][r][c];\n        }\n");
        oracle_kernel_end(kernel);
        begin_addition(kernel, tiles, parts);
    } else {
        oracle_kernel_add(kernel, "            {\n");
        for (int s = 0; s < tiles->sums; s++)
            oracle_kernel_add(kernel, "            const double sum_%d = sums[%d][r][c];\n", s, s);
    }
    for (int s = tiles->sums; s < MOST_SUMS; s++)
        oracle_kernel_add(kernel, "            const double sum_%d = 0;\n", s);
}

void oracle_tiles_end(struct oracle_kernel *kernel)
{
    oracle_kernel_add(kernel, "    }\n    }\n");
    oracle_kernel_end(kernel);
    undefine(kernel);
}
