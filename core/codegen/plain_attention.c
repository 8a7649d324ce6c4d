#include <string.h>

#include "core/codegen/plain_kernel.h"
#include "core/model/op/op_attention.h"

/*
 * The coordinates of row `j` and column `e` in the keys or values that belong to the query's head.
 */
static struct coordinates shared_coordinates(struct plain *p, size_t operand)
{
    size_t rank = p->call.out->shape.rank, head = rank - 3;
    struct coordinates coords = plain_coordinates(p);

    if (attention_of(&p->call).group > 1)
        coordinates_set(&coords, head,
                        plain_text(p, "i%zu / (%s / %s)", head, plain_size(p, p->node->in[0], head),
                                   plain_size(p, p->node->in[operand], head)));
    coordinates_set(&coords, rank - 2, "j");
    coordinates_set(&coords, rank - 1, "e");
    return coords;
}

/* Apply the mask to `score` of key j. */
static void add_mask(struct plain *p)
{
    size_t rank = p->call.out->shape.rank, mask_rank = p->call.in[3]->shape.rank;
    struct coordinates coords = plain_coordinates(p), own = {0};
    const char *mask;

    coordinates_set(&coords, rank - 1, "j");
    own = writer_broadcast(p->writer, p->node->in[3], p->node->out, &coords);
    if (mask_rank > 0 && p->call.in[3]->shape.dims[mask_rank - 1] > 1)
        coordinates_set(&own, mask_rank - 1, "j");
    mask = plain_operand_at(p, 3, &own);
    if (p->call.in[3]->dtype == DTYPE_BOOL)
        plain_add(p, "        if (!%s)\n            continue;\n", mask);
    else
        plain_add(p, "        score += %s;\n", mask);
}

static void add_score(struct plain *p, const struct attention *a)
{
    size_t rank = p->call.out->shape.rank;
    struct coordinates q = plain_coordinates(p), k = shared_coordinates(p, 1);
    char scale[32];

    formula_number(DTYPE_F32, a->scale, scale);
    coordinates_set(&q, rank - 1, "e");
    plain_add(p,
              "        float score = 0;\n"
              "        for (int e = 0; e < %s; e++)\n"
              "            score += %s * %s;\n"
              "        score *= %s;\n",
              plain_size(p, p->node->in[0], rank - 1), plain_operand_at(p, 0, &q),
              plain_operand_at(p, 1, &k), scale);
    if (a->mask)
        add_mask(p);
}

/*
 * A work-item computes one query with an online softmax, which scales the sums when a larger score
 * comes (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). The sums are a
 * private array, so their number must be fixed.
 */
static bool write_attention(struct plain *p)
{
    struct attention a = attention_of(&p->call);
    size_t rank = p->call.out->shape.rank;
    const char *width = plain_size(p, p->node->out, rank - 1);
    const char *keys = plain_size(p, p->node->in[1], rank - 2);
    unsigned rows = value_axes(p->call.out) & ~(1U << (rank - 1));
    struct coordinates v = shared_coordinates(p, 2);

    if (!writer_is_fixed(p->writer, width))
        return false;
    plain_head(p);
    writer_axes(p->writer, p->node->out, rows, "i", "    ");
    plain_add(p, "    float most = -INFINITY, total = 0, sums[%lld] = {0};\n",
              (long long)a.out_width);
    plain_add(p, "    for (int j = 0; j < %s; j++) {\n",
              a.is_causal ? plain_text(p, "min(%s, i%zu + 1)", keys, rank - 2) : keys);
    add_score(p, &a);
    plain_add(p,
              "        if (score == -INFINITY)\n"
              "            continue;\n"
              "        const float before = exp(most - larger(most, score));\n"
              "        const float weight = exp(score - larger(most, score));\n"
              "        most = larger(most, score);\n"
              "        total = total * before + weight;\n"
              "        for (int e = 0; e < %s; e++)\n"
              "            sums[e] = sums[e] * before + weight * %s;\n"
              "    }\n"
              "    for (int e = 0; e < %s; e++)\n",
              width, plain_operand_at(p, 2, &v), width);
    plain_store(p, plain_text(p, "i * %s + e", width), "total == 0 ? 0 : sums[e] / total",
                "        ");
    plain_launch_over(p, p->node->out, rows);
    return true;
}

/* The cosine or sine for the element's pair. */
static const char *angle(struct plain *p, size_t operand)
{
    const struct shape *shape = &p->call.in[operand]->shape;
    struct coordinates coords = plain_coordinates(p);

    coords = writer_broadcast(p->writer, p->node->in[operand], p->node->out, &coords);
    if (shape->rank > 0)
        coordinates_set(&coords, shape->rank - 1, shape->dims[shape->rank - 1] > 1 ? "pair" : "0");
    return plain_operand_at(p, operand, &coords);
}

/* Rotary position embedding: a work-item rotates one element with the other element of its pair. */
static bool write_rope(struct plain *p)
{
    size_t last = p->call.out->shape.rank - 1;
    const char *half = plain_text(p, "(%s / 2)", plain_size(p, p->node->out, last));
    bool is_interleaved = op_attribute(&p->call, "interleaved")->integers[0];
    const char *distance = is_interleaved ? "1" : half;

    plain_head_of_elements(p);
    if (is_interleaved)
        plain_add(p, "    const int pair = i%zu / 2, is_second = i%zu %% 2;\n", last, last);
    else
        plain_add(p, "    const int pair = i%zu %% %s, is_second = i%zu / %s;\n", last, half, last,
                  half);
    plain_add(p, "    const float other = is_second ? %s : -%s;\n",
              plain_operand(p, 0, plain_text(p, "i - %s", distance)),
              plain_operand(p, 0, plain_text(p, "i + %s", distance)));
    plain_store(
        p, "i",
        plain_text(p, "%s * %s + other * %s", plain_operand(p, 0, "i"), angle(p, 1), angle(p, 2)),
        "    ");
    plain_launch_over(p, p->node->out, value_axes(p->call.out));
    return true;
}

bool plain_attention(struct plain *p)
{
    return strcmp(p->call.op->name, "rope") == 0 ? write_rope(p) : write_attention(p);
}
