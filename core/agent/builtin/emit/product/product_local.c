#include "core/agent/builtin/emit/product/product_local.h"

#include "core/agent/builtin/emit/emit_tile.h"
#include "core/agent/builtin/emit/emit_vector.h"

/* A block of an operand: `lines` rows of the first operand, or columns of the second. */
struct block {
    const struct tile *t;
    const char *name, *first, *count; /* `count`: the lines of the operand, as C text */
    size_t operand;
    int lines, depth, items, width;
    bool is_along; /* the steps of the sum are neighbours in memory */
};

/* Vectors that a work-item copies. */
static int parts_of(const struct block *b)
{
    return (b->lines * b->depth / b->width + b->items - 1) / b->items;
}

/* The widest vectors that are contiguous in memory and divide the block. */
static int width_of(const struct block *b)
{
    const struct extents *extents = &b->t->e->writer->extents;
    size_t value = b->t->node->in[b->operand], axis = b->t->call.in[b->operand]->shape.rank - 1;
    int width = b->t->e->schedule->of[KNOB_VEC];

    if (b->operand == 1 && b->t->transposed)
        axis--;
    if (!extents->is_fixed[value][axis])
        return 1;
    while (b->t->call.in[b->operand]->shape.dims[axis] % width != 0 ||
           (b->is_along ? b->depth : b->lines) % width != 0)
        width /= 2;
    return width;
}

static struct block block_of(const struct tile *t, size_t operand)
{
    static const char *const names[] = {"a", "b"}, *const firsts[] = {"first_row", "first_col"};
    int across, down;
    struct block b = {.t = t,
                      .name = names[operand],
                      .first = firsts[operand],
                      .count = operand == 0 ? t->rows : t->columns,
                      .operand = operand,
                      .depth = t->e->schedule->of[KNOB_LOCAL],
                      .is_along = operand == 0 ? !t->product.a_transposed
                                               : t->product.b_transposed && !t->transposed};

    schedule_group_shape(t->e->schedule, &across, &down);
    b.items = across * down * t->slices;
    b.lines = operand == 0 ? down * t->m : t->span;
    b.width = width_of(&b);
    return b;
}

/* The loop over a work-item's parts of the block; declares `step` and `line` of each. */
static void open_parts(const struct block *b)
{
    struct emitter *e = b->t->e;
    int steps = b->depth / b->width, lines = b->lines / b->width;

    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++) {", parts_of(b));
    emit_line(e, "                const int part = item + i * %d;", b->items);
    if (b->is_along)
        emit_line(e, "                const int step = part %% %d * %d, line = part / %d;", steps,
                  b->width, steps);
    else
        emit_line(e, "                const int step = part / %d, line = part %% %d * %d;", lines,
                  lines, b->width);
    if (b->lines * b->depth % (b->items * b->width) != 0)
        emit_line(e, "                if (part >= %d)\n                    continue;",
                  b->lines * b->depth / b->width);
}

/* Load a block from the operand to registers, with zeros outside of the operand. */
static void write_fetch(const struct block *b)
{
    struct emitter *e = b->t->e;
    const char *index = b->is_along
                            ? emit_text(e, "(%s + line) * %s + next + step", b->first, b->t->depth)
                            : emit_text(e, "(next + step) * %s + %s + line", b->count, b->first);
    const char *pointer = emit_text(e, "p_%s%s + %s", b->t->call.in[b->operand]->name,
                                    product_offset(b->t, b->operand), index);

    open_parts(b);
    emit_line(e, "                %s_part[i] = next + step < %s && %s + line < %s", b->name,
              b->t->depth, b->first, b->count);
    emit_line(e, "                                ? %s\n                                : %s;",
              emit_vector_load_aligned(e, b->width, pointer),
              emit_vector_splat(e, "0.0f", b->width));
    emit_line(e, "            }");
}

/* Store a block from registers to local memory. */
static void write_put(const struct block *b)
{
    struct emitter *e = b->t->e;
    const char *part = emit_text(e, "%s_part[i]", b->name);

    open_parts(b);
    if (b->width == 1 || !b->is_along)
        emit_line(e, "                %s;",
                  emit_vector_store_aligned(e, b->width, part,
                                            emit_text(e, "&%s_block[turn][step][line]", b->name)));
    for (int i = 0; b->width > 1 && b->is_along && i < b->width; i++)
        emit_line(e, "                %s_block[turn][step + %d][line] = %s;", b->name, i,
                  emit_vector_component(e, part, i));
    emit_line(e, "            }");
}

/* Copy block `to` asynchronously; its steps begin at `next`. */
static void write_copy(const struct block *b)
{
    struct emitter *e = b->t->e;
    int width = b->is_along || b->width != 4 ? 1 : b->width;
    const struct block narrow = {b->t,     b->name,  b->first, b->count, b->operand,
                                 b->lines, b->depth, b->items, width,    b->is_along};
    const char *index = b->is_along
                            ? emit_text(e, "(%s + line) * %s + next + step", b->first, b->t->depth)
                            : emit_text(e, "(next + step) * %s + %s + line", b->count, b->first);

    open_parts(&narrow);
    emit_line(e, "                const bool is_there = next + step < %s && %s + line < %s;",
              b->t->depth, b->first, b->count);
    emit_line(e, "                copy_later<%d>(&%s_block[to][step][line],", width * 4, b->name);
    emit_line(e, "                              p_%s + (is_there ? %s%s : 0), is_there);",
              b->operand == 1 && b->t->transposed ? b->t->transposed
                                                  : b->t->call.in[b->operand]->name,
              index, product_offset(b->t, b->operand));
    emit_line(e, "            }");
}

struct blocks {
    const struct block *a, *b;
};

static void write_copies(const void *data)
{
    const struct blocks *blocks = data;

    write_copy(blocks->a);
    write_copy(blocks->b);
}

static struct tile_stages stages_of(const struct tile *t)
{
    int across, down;

    schedule_group_shape(t->e->schedule, &across, &down);
    return (struct tile_stages){.rows = down * t->m,
                                .columns = t->span,
                                .depth = t->e->schedule->of[KNOB_LOCAL],
                                .items = across * down,
                                .slices = t->slices,
                                .stride = t->stride,
                                .steps = t->depth,
                                .write_copies = write_copies};
}

static void write_staged_sum(const struct tile *t, const struct block *a, const struct block *b)
{
    const struct blocks blocks = {a, b};
    struct tile_stages stages = stages_of(t);

    stages.data = &blocks;
    emit_tile_staged_sum(t->e, &stages);
}

int product_slices(const struct tile *t)
{
    const struct tile_stages stages = stages_of(t);

    return t->e->schedule->of[KNOB_LOCAL] && t->e->writer->dialect->copies
               ? emit_tile_slices(t->e, &stages)
               : 1;
}

/* Load a block to registers while another one is used, and then store it to local memory. */
static void write_fetched_sum(const struct tile *t, const struct block *a, const struct block *b)
{
    struct emitter *e = t->e;

    emit_line(e, "    $local float a_block[2][%d][%d], b_block[2][%d][%d];", a->depth,
              a->lines + TILE_PADDING, b->depth, b->lines + TILE_PADDING);
    emit_line(e, "    %s a_part[%d];\n    %s b_part[%d];", emit_vector_type(e, "float", a->width),
              parts_of(a), emit_vector_type(e, "float", b->width), parts_of(b));
    emit_line(e, "\n    for (int next = 0; next < %s + %d; next += %d) {", t->depth, a->depth,
              a->depth);
    emit_line(e, "        const int turn = next / %d %% 2;\n", a->depth);
    emit_line(e, "        if (next < %s) {", t->depth);
    write_fetch(a);
    write_fetch(b);
    emit_line(e, "        }");
    emit_line(e, "        if (next > 0) {");
    emit_tile_unroll(e);
    emit_line(e, "        for (int k = 0; k < %d; k++) {", a->depth);
    emit_tile_step(e, &(struct tile_step){
                          .indent = "            ",
                          .a = "a_block[1 - turn][k][tile_row - first_row + i]",
                          .b = "b_block[1 - turn][k] + col - first_col",
                          .stride = t->stride,
                          .is_aligned = true,
                      });
    emit_line(e, "        }\n        }\n        if (next < %s) {", t->depth);
    write_put(a);
    write_put(b);
    emit_line(e, "        }\n        $barrier;\n    }\n");
}

void product_local_sum(const struct tile *t)
{
    struct emitter *e = t->e;
    const struct block a = block_of(t, 0), b = block_of(t, 1);
    int dimension = product_column_dimension(e);

    emit_line(e, "    const int item = $local_id1 * $local_size0 + $local_id0;");
    emit_line(e, "    const int first_col = $group_id%d * %d, first_row = $group_id%d * %d;",
              dimension, b.lines, !dimension, a.lines);
    (e->writer->dialect->copies ? write_staged_sum : write_fetched_sum)(t, &a, &b);
}
