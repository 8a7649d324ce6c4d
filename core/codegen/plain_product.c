#include <stdio.h>

#include "core/codegen/plain_kernel.h"
#include "core/model/op/op_product.h"

/*
 * The element of operand 0 or 1 at the row or column of the result and at index k of the sum.
 * `number` counts the other coordinates.
 */
static const char *operand_of(struct plain *p, size_t operand, bool is_transposed,
                              const char *number)
{
    size_t rank = p->call.in[operand]->shape.rank, out_rank = p->call.out->shape.rank;
    size_t k_axis = rank - ((operand == 1) != is_transposed && rank > 1 ? 2 : 1);
    struct coordinates coords = {0};

    coordinates_axes(&coords, value_axes(p->call.out), number);
    if (rank > 2)
        coords = writer_broadcast(p->writer, p->node->in[operand], p->node->out, &coords);
    for (size_t axis = rank > 1 ? rank - 2 : 0; axis < rank; axis++)
        snprintf(coords.at[axis], sizeof(coords.at[axis]), "i%zu", out_rank - 2 + operand);
    snprintf(coords.at[k_axis], sizeof(coords.at[k_axis]), "k");
    return plain_operand_at(p, operand, &coords);
}

static const char *depth_of(struct plain *p, const struct product *product)
{
    size_t axis = p->call.in[0]->shape.rank - (product->a_transposed ? 2 : 1);

    return plain_size(p, p->node->in[0], axis);
}

static const char *start_of(struct plain *p, const struct product *product)
{
    const char *column = plain_text(p, "i%zu", p->call.out->shape.rank - 1);

    return product->bias ? plain_operand(p, 2, column) : "0";
}

/* A work-item computes one element of the product. */
static void write_elements(struct plain *p, const struct product *product)
{
    plain_head_of_elements(p);
    plain_add(p,
              "    float total = %s;\n"
              "    for (int k = 0; k < %s; k++)\n"
              "        total += %s * %s;\n",
              start_of(p, product), depth_of(p, product),
              operand_of(p, 0, product->a_transposed, "i"),
              operand_of(p, 1, product->b_transposed, "i"));
    plain_store(p, "i", "total", "    ");
    plain_launch_over(p, p->node->out, value_axes(p->call.out));
}

/*
 * A work-group has SIDE * SIDE work-items; each computes `each` rows and columns of a tile. A
 * product of fewer than LEAST_TILES large tiles would leave a GPU idle, so it has small ones.
 */
enum { SIDE = 16, DEPTH = 16, LARGE = 4, LEAST_TILES = 128 };

/* Smaller matrices would leave most of a tile empty. */
enum { LEAST_SIDE = 16 };

struct tiles {
    struct plain *p;
    const struct product *product;
    size_t rows, columns; /* axes of the result */
    int each, size;
};

static int64_t count_tiles(const struct op_call *call, const struct product *product, int64_t size)
{
    int64_t matrices = shape_elements(&call->out->shape) / (product->m * product->n);

    return matrices * ((product->m + size - 1) / size) * ((product->n + size - 1) / size);
}

static bool should_tile(const struct plain *p, const struct product *product)
{
    const struct value *const *in = p->call.in;

    return p->writer->is_gpu && in[0]->shape.rank > 1 && in[1]->shape.rank > 1 &&
           p->call.out->shape.rank > 1 && product->m >= LEAST_SIDE && product->n >= LEAST_SIDE &&
           product->k >= LEAST_SIDE;
}

/* Copy a tile of an operand; adjacent work-items read adjacent elements. */
static void load_tile(const struct tiles *t, size_t operand)
{
    bool is_transposed = operand ? t->product->b_transposed : t->product->a_transposed;
    bool is_along = (operand == 0) != is_transposed;
    size_t axis = operand ? t->columns : t->rows;
    const char *side = operand ? "b" : "a", *size = plain_size(t->p, t->p->node->out, axis);

    plain_add(t->p,
              "        for (int e = lane; e < %d; e += %d) {\n"
              "            const int deep = e %s %d, wide = e %s %d;\n"
              "            const int k = from + deep, i%zu = first%zu + wide;\n"
              "            tile_%s[deep][wide] = k < depth && i%zu < %s ? %s : 0.0f;\n"
              "        }\n",
              t->size * DEPTH, PLAIN_GROUP, is_along ? "%" : "/", is_along ? DEPTH : t->size,
              is_along ? "/" : "%", is_along ? DEPTH : t->size, axis, axis, side, axis, size,
              operand_of(t->p, operand, is_transposed, "batch"));
}

/* Declare the place of the tile. */
static void begin_tile(const struct tiles *t)
{
    struct plain *p = t->p;
    size_t out = p->node->out;
    const char *rows = plain_size(p, out, t->rows), *columns = plain_size(p, out, t->columns);
    unsigned batch = (1U << t->rows) - 1;

    plain_add(p,
              "    const int depth = %s, down = (%s + %d) / %d, across = (%s + %d) / %d;\n"
              "    const int first%zu = i / across %% down * %d, first%zu = i %% across * %d;\n",
              depth_of(p, t->product), rows, t->size - 1, t->size, columns, t->size - 1, t->size,
              t->rows, t->size, t->columns, t->size);
    if (batch) {
        plain_add(p, "    const int batch = i / across / down;\n");
        writer_axes(p->writer, out, batch, "batch", "    ");
    }
    plain_add_words(p, plain_text(p,
                                  "    $local float tile_a[%d][%d], tile_b[%d][%d];\n"
                                  "    float total[%d][%d] = {{0}};\n",
                                  DEPTH, t->size + 1, DEPTH, t->size + 1, t->each, t->each));
}

static void add_tile(const struct tiles *t)
{
    struct plain *p = t->p;

    plain_add(p, "    for (int from = 0; from < depth; from += %d) {\n", DEPTH);
    load_tile(t, 0);
    load_tile(t, 1);
    plain_add_words(p, "        $barrier;\n");
    plain_add(p,
              "        for (int k = 0; k < %d; k++)\n"
              "            for (int r = 0; r < %d; r++)\n"
              "                for (int c = 0; c < %d; c++)\n"
              "                    total[r][c] += tile_a[k][lane / %d + %d * r] *\n"
              "                                   tile_b[k][lane %% %d + %d * c];\n",
              DEPTH, t->each, t->each, SIDE, SIDE, SIDE, SIDE);
    plain_add_words(p, "        $barrier;\n    }\n");
}

/* Store the elements of a work-item. */
static void store_tile(const struct tiles *t)
{
    struct plain *p = t->p;
    size_t out = p->node->out;
    struct coordinates coords = {0};

    coordinates_axes(&coords, value_axes(p->call.out), "batch");
    coordinates_set(&coords, t->rows, plain_text(p, "i%zu", t->rows));
    coordinates_set(&coords, t->columns, plain_text(p, "i%zu", t->columns));
    plain_add(p,
              "    for (int e = 0; e < %d; e++) {\n"
              "        const int i%zu = first%zu + lane / %d + e / %d * %d;\n"
              "        const int i%zu = first%zu + lane %% %d + e %% %d * %d;\n"
              "        if (i%zu < %s && i%zu < %s)\n",
              t->each * t->each, t->rows, t->rows, SIDE, t->each, SIDE, t->columns, t->columns,
              SIDE, t->each, SIDE, t->rows, plain_size(p, out, t->rows), t->columns,
              plain_size(p, out, t->columns));
    plain_store(
        p, plain_index(p, out, &coords),
        plain_text(p, "%s + total[e / %d][e %% %d]", start_of(p, t->product), t->each, t->each),
        "            ");
    plain_add(p, "    }\n");
}

static void launch_tiles(const struct tiles *t)
{
    struct plain *p = t->p;
    size_t out = p->node->out;
    struct strbuf batch = {0};

    extents_product(&p->writer->extents, out, (1U << t->rows) - 1, &batch);
    plain_launch_groups(p, plain_text(p, "%s * ceildiv(%s, %d) * ceildiv(%s, %d)",
                                      strbuf_cstr(&batch), plain_size(p, out, t->rows), t->size,
                                      plain_size(p, out, t->columns), t->size));
    strbuf_release(&batch);
}

/* A work-group computes a tile of the product. */
static void write_tiles(struct plain *p, const struct product *product)
{
    size_t rank = p->call.out->shape.rank;
    bool is_large = count_tiles(&p->call, product, (int64_t)LARGE * SIDE) >= LEAST_TILES;
    struct tiles tiles = {p, product, rank - 2, rank - 1, is_large ? LARGE : 1, SIDE};

    tiles.size *= tiles.each;
    plain_head_of_groups(p);
    begin_tile(&tiles);
    add_tile(&tiles);
    store_tile(&tiles);
    launch_tiles(&tiles);
}

bool plain_product(struct plain *p)
{
    struct product product = product_of(&p->call);

    if (should_tile(p, &product))
        write_tiles(p, &product);
    else
        write_elements(p, &product);
    return true;
}
