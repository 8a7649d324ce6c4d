#include "core/judge/host_library/host_library_family.h"
#include "core/system/parallel.h"

/*
 * Lines whose elements are not adjacent are copied. BLOCK neighbouring lines are copied at a time,
 * TILE elements of each, which share cache lines.
 */
enum { BLOCK = 32, TILE = 16 };

/* Few long lines are reduced one after the other, each by all cores. */
enum { FEW_LINES = 4, LONG_LINE = 1 << 17 };

static bool shares_lines(const struct host_library_step *step)
{
    return step->op.op->kind == OP_REDUCTION && !step->lines.offsets &&
           step->lines.count <= FEW_LINES && step->lines.n >= LONG_LINE;
}

/* At distances that are powers of two, all copies would fall into a few sets of the caches. */
size_t host_library_pitch(const struct walk_lines *lines)
{
    return lines->n + TILE;
}

static void run_line(const struct host_library_step *step, size_t index, const float *x, float *y)
{
    const struct host_library_line line = {
        .x = x,
        .n = step->lines.n,
        .is_shared = shares_lines(step),
        .weight = step->op.in_count > 1 ? step->in[1] : NULL,
        .bias = step->op.in_count > 2 ? step->in[2] : NULL,
        .attributes = step->op.attributes,
    };

    step->rule->line(&line, step->op.op->kind == OP_REDUCTION ? step->out + index : y);
}

static void run_adjacent(void *data, size_t first, size_t last)
{
    const struct host_library_step *step = data;

    for (size_t i = first; i < last; i++)
        run_line(step, i, step->in[0] + i * step->lines.n, step->out + i * step->lines.n);
}

/* Some lines, and room for their copies. */
struct block {
    const struct walk_lines *lines;
    size_t count;
    ptrdiff_t starts[BLOCK];
    float *room;
};

/* Copy back. The inner loop runs over the lines, so that writes go to adjacent elements. */
static void put_lines(const struct block *block, float *to)
{
    const struct walk_lines *lines = block->lines;
    size_t pitch = host_library_pitch(lines);

    for (size_t i = 0; i < lines->n; i++)
        for (size_t k = 0; k < block->count; k++)
            to[block->starts[k] + lines->offsets[i]] = block->room[k * pitch + i];
}

/*
 * Copy TILE elements of each line in turn. Neighbouring lines share cache lines, which stay in the
 * cache until all lines are copied. This matters for reads, because the processor waits for them.
 */
static void take_lines(const struct block *block, const float *from)
{
    const struct walk_lines *lines = block->lines;
    size_t pitch = host_library_pitch(lines);

    for (size_t tile = 0; tile < lines->n; tile += TILE)
        for (size_t k = 0; k < block->count; k++)
            for (size_t i = tile; i < lines->n && i < tile + TILE; i++)
                block->room[k * pitch + i] = from[block->starts[k] + lines->offsets[i]];
}

/* Each call uses the room of its first lines for all of them, so that it stays in the caches. */
static void run_scattered(void *data, size_t first, size_t last)
{
    const struct host_library_step *step = data;
    struct walk walk = step->lines.starts;
    size_t pitch = host_library_pitch(&step->lines);
    struct block block = {.lines = &step->lines, .room = step->room + first * pitch};

    walk_seek(&walk, first);
    for (; first < last; first += block.count) {
        block.count = last - first < BLOCK ? last - first : BLOCK;
        for (size_t k = 0; k < block.count; k++, walk_step(&walk))
            block.starts[k] = walk.offsets[0];
        take_lines(&block, step->in[0]);
        for (size_t k = 0; k < block.count; k++)
            run_line(step, first + k, block.room + k * pitch, block.room + k * pitch);
        if (step->op.op->kind != OP_REDUCTION)
            put_lines(&block, step->out);
    }
}

static void run_across(void *data, size_t first, size_t last)
{
    const struct host_library_step *step = data;
    struct walk walk = step->lines.starts;
    size_t axis = walk.shape.rank - 1;
    struct host_library_sheaf sheaf = {.lines = &step->lines};

    for (; first < last; first += sheaf.count) {
        walk_seek(&walk, first);
        sheaf.x = step->in[0] + walk.offsets[0];
        sheaf.count = (size_t)(walk.shape.dims[axis] - walk.index[axis]);
        sheaf.count = sheaf.count < HOST_LIBRARY_SHEAF ? sheaf.count : HOST_LIBRARY_SHEAF;
        sheaf.count = sheaf.count < last - first ? sheaf.count : last - first;
        step->rule->across(&sheaf, step->out + first);
    }
}

static parallel_fn *choose_work(const struct host_library_step *step)
{
    const struct walk *starts = &step->lines.starts;

    if (!step->lines.offsets)
        return run_adjacent;
    if (step->rule->across && starts->shape.rank > 0 &&
        starts->strides[0][starts->shape.rank - 1] == 1)
        return run_across;
    return run_scattered;
}

void host_library_lines(struct host_library_step *step)
{
    if (shares_lines(step))
        run_adjacent(step, 0, step->lines.count);
    else
        parallel_for(step->lines.count, 1 + (1 << 15) / step->lines.n, choose_work(step), step);
}
