#include "core/agent/builtin/emit/convolution/convolution_tile.h"

#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/emit_tile.h"

enum {
    USUAL_ITEMS = 256,
    LEAST_ITEMS = 64,
    USUAL_DEPTH = 16,
    MOST_DOWN = 16,
    ROW_STEP = 4,          /* weights are copied in vectors of this many rows */
    LEAST_DEPTH = 4,       /* of a block that has one tap */
    MOST_BYTES = 48 << 10, /* of local memory that a kernel may declare */
    STAGES = 2
};

static int down_of(int64_t filters, int m)
{
    int down = 1;

    while (down < MOST_DOWN && (int64_t)down * m < filters)
        down *= 2;
    while (down * m % ROW_STEP != 0)
        down *= 2;
    return down;
}

/* The sum of the rows of all tiles of a group of filters. */
static int64_t all_rows(int64_t filters, int m)
{
    int rows = down_of(filters, m) * m;

    return (filters + rows - 1) / rows * rows;
}

/* The number of rows, from half of the schedule's on, that leaves the fewest rows empty. */
static int fit_rows(int most, int64_t filters)
{
    int best = most;

    for (int m = most; m >= 1 && 2 * m >= most; m--)
        if (all_rows(filters, m) < all_rows(filters, best))
            best = m;
    return best;
}

/* The largest power of two up to `most`. */
static int power_of_two(int most)
{
    int power = 1;

    while (2 * power <= most)
        power *= 2;
    return power;
}

static bool fits(const struct convolution_tile *tile)
{
    int lines = tile->rows + tile->columns + 2 * TILE_PADDING;

    return lines * tile->depth * (int)sizeof(float) * STAGES <= MOST_BYTES;
}

static void fit_depth(const struct convolution_kernel *c, struct convolution_tile *tile)
{
    int least = tile->items / tile->columns;

    if (least < LEAST_DEPTH)
        least = LEAST_DEPTH;
    if (tile->depth < least)
        tile->depth = least;
    while (tile->depth > least && !fits(tile))
        tile->depth /= 2;
    tile->is_by_tap = c->shape.in_channels >= LEAST_DEPTH || convolution_phases(c) > 1;
    while (tile->is_by_tap && tile->depth > least && c->shape.in_channels % tile->depth != 0)
        tile->depth /= 2;
}

struct convolution_tile convolution_tile_fit(const struct convolution_kernel *c)
{
    const int *of = c->e->schedule->of;
    struct convolution_tile tile = {.items = of[KNOB_GROUP] ? of[KNOB_GROUP] : USUAL_ITEMS,
                                    .depth = of[KNOB_LOCAL] ? of[KNOB_LOCAL] : USUAL_DEPTH};

    if (tile.items < LEAST_ITEMS)
        tile.items = LEAST_ITEMS;
    tile.m = fit_rows(of[KNOB_TILE_M], c->shape.out_channels);
    tile.down = down_of(c->shape.out_channels, tile.m);
    tile.across = tile.items / tile.down;
    tile.n = power_of_two(of[KNOB_TILE_N] < tile.down ? of[KNOB_TILE_N] : tile.down);
    tile.width = of[KNOB_VEC] < tile.n ? of[KNOB_VEC] : tile.n;
    tile.rows = tile.down * tile.m;
    tile.columns = tile.across * tile.n;
    fit_depth(c, &tile);
    return tile;
}
