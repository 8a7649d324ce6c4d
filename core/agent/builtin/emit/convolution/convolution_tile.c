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
    STAGES = 2,
    LEAST_TILE = 2,
    MOST_TILE = 16,
    MOST_SUMS = 128,     /* that a work-item keeps in registers */
    ENOUGH_GROUPS = 128, /* so that a GPU with that many units is busy */
    MANY_GROUPS = 264    /* of which some run while others wait */
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

/* The number of work-groups. */
static int64_t groups_of(const struct convolution_kernel *c, const struct convolution_tile *tile)
{
    const struct shape *out = &c->call.out->shape;
    int64_t places = out->dims[0];

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        int64_t phases = convolution_phase_axis(c, axis).phases;

        places *= (out->dims[axis] + phases - 1) / phases;
    }
    return (places + tile->columns - 1) / tile->columns * c->shape.groups * convolution_phases(c) *
           ((c->shape.out_channels + tile->rows - 1) / tile->rows);
}

/*
 * The cycles of a sum in blocks of this depth, for the channels of all taps: a block waits for its
 * operands and a barrier, unless other work-groups run meanwhile.
 */
static int64_t block_cycles(const struct convolution_kernel *c, const struct convolution_tile *tile,
                            int64_t groups)
{
    enum { WAIT = 300, HIDDEN = 60 };
    int64_t blocks = (c->shape.in_channels + tile->depth - 1) / tile->depth;

    return blocks * ((groups < MANY_GROUPS ? WAIT : HIDDEN) +
                     2 * tile->depth * (tile->m * tile->n + tile->m + tile->n));
}

/* The depth of blocks of one tap that takes least time; those of the last channels have zeros. */
static int depth_of_taps(const struct convolution_kernel *c, struct convolution_tile tile,
                         int least, int most)
{
    int64_t groups = groups_of(c, &tile);
    int best = tile.depth = least;

    if (groups < MANY_GROUPS)
        most *= 2;

    for (int depth = least; depth <= most; depth *= 2) {
        struct convolution_tile found = tile;

        tile.depth = depth;
        found.depth = best;
        if (fits(&tile) && block_cycles(c, &tile, groups) < block_cycles(c, &found, groups))
            best = depth;
    }
    return best;
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
    if (tile->is_by_tap)
        tile->depth = depth_of_taps(c, *tile, least, tile->depth);
}

/* The tile if a work-item has at most m rows and n columns. */
static struct convolution_tile fit(const struct convolution_kernel *c, int m, int n)
{
    const int *of = c->e->schedule->of;
    struct convolution_tile tile = {.items = of[KNOB_GROUP] ? of[KNOB_GROUP] : USUAL_ITEMS,
                                    .depth = of[KNOB_LOCAL] ? of[KNOB_LOCAL] : USUAL_DEPTH};

    if (tile.items < LEAST_ITEMS)
        tile.items = LEAST_ITEMS;
    tile.m = fit_rows(m, c->shape.out_channels);
    tile.down = down_of(c->shape.out_channels, tile.m);
    tile.across = tile.items / tile.down;
    tile.n = power_of_two(n < tile.down ? n : tile.down);
    tile.width = of[KNOB_VEC] < tile.n ? of[KNOB_VEC] : tile.n;
    tile.rows = tile.down * tile.m;
    tile.columns = tile.across * tile.n;
    fit_depth(c, &tile);
    return tile;
}

static int limit_of(int knob)
{
    return 2 * knob < MOST_TILE ? 2 * knob : MOST_TILE;
}

struct convolution_tile convolution_tile_fit(const struct convolution_kernel *c)
{
    int m = limit_of(c->e->schedule->of[KNOB_TILE_M]);
    int n = limit_of(c->e->schedule->of[KNOB_TILE_N]);
    struct convolution_tile tile;

    while (m * n > MOST_SUMS)
        n /= 2;
    tile = fit(c, m, n);
    while (groups_of(c, &tile) < ENOUGH_GROUPS && (m > LEAST_TILE || n > LEAST_TILE)) {
        *(m >= n ? &m : &n) /= 2;
        tile = fit(c, m, n);
    }
    return tile;
}
