#include "core/model/op/op_attention.h"

#include <math.h>

#include "core/model/op/op_family.h"

struct attention attention_of(const struct op_call *call)
{
    const struct shape *q = &call->in[0]->shape, *k = &call->in[1]->shape;
    const struct shape *v = &call->in[2]->shape;
    const struct attribute *scale = op_attribute(call, "scale");
    struct attention a = {.batch = *q,
                          .queries = q->dims[q->rank - 2],
                          .keys = k->dims[k->rank - 2],
                          .width = q->dims[q->rank - 1],
                          .out_width = v->dims[v->rank - 1],
                          .is_causal = op_attribute(call, "is_causal")->integers[0],
                          .mask = call->in_count > 3 ? call->in[3] : NULL};

    a.batch.rank -= 2;
    a.heads = shape_elements(&a.batch);
    a.group = a.heads * a.keys * a.width / shape_elements(k);
    a.scale = scale->is_given ? scale->number : 1 / sqrt((double)a.width);
    return a;
}

/* The leading axes must equal those of the query. Grouped queries may differ in the heads. */
static bool batches_fit(const struct op_call *call, const struct shape *other)
{
    const struct shape *q = &call->in[0]->shape;
    size_t head = q->rank - 3;
    bool is_grouped = op_attribute(call, "enable_gqa")->integers[0];

    for (size_t i = 0; i + 2 < q->rank; i++)
        if (other->dims[i] != q->dims[i] &&
            !(is_grouped && i == head && q->dims[i] % other->dims[i] == 0))
            return false;
    return true;
}

static enum status check_matrices(const struct op_call *call, const struct json_ref *place,
                                  struct error *err)
{
    const struct shape *q = &call->in[0]->shape, *k = &call->in[1]->shape;
    const struct shape *v = &call->in[2]->shape;

    if (q->rank < 2 || k->rank != q->rank || v->rank != q->rank)
        return op_error(call, place, err,
                        "expected query [..., L, E], key [..., S, E] and value [..., S, F]");
    if (k->dims[k->rank - 1] != q->dims[q->rank - 1] ||
        v->dims[v->rank - 2] != k->dims[k->rank - 2])
        return op_error(call, place, err,
                        "expected query [..., L, E], key [..., S, E] and value [..., S, F]");
    for (size_t i = 0; i + 2 < k->rank; i++)
        if (k->dims[i] != v->dims[i])
            return op_error(call, place, err, "expected the same batches of keys and values");
    if (!batches_fit(call, k))
        return op_error(call, place, err,
                        "expected the same batches of queries and keys; with enable_gqa keys may "
                        "have a divisor of the heads");
    return STATUS_OK;
}

static enum status check_mask(const struct op_call *call, const struct json_ref *place,
                              struct error *err)
{
    const struct value *mask = call->in[3];
    struct shape scores = call->in[0]->shape, both;
    char text[SHAPE_TEXT_SIZE];

    scores.dims[scores.rank - 1] = call->in[1]->shape.dims[scores.rank - 2];
    if (!op_broadcast(&mask->shape, &scores, &both) || !shape_equals(&both, &scores))
        return op_error(call, place, err, "expected a mask that broadcasts to %s",
                        shape_text(&scores, text));
    if (mask->dtype != DTYPE_BOOL && !dtype_is_float(mask->dtype))
        return op_error(call, place, err, "expected a bool or floating mask");
    if (op_attribute(call, "is_causal")->integers[0])
        return op_error(call, place, err, "expected a mask or is_causal, not both");
    return STATUS_OK;
}

static enum status infer_attention(const struct op_call *call, const struct json_ref *place,
                                   struct value *out, struct error *err)
{
    enum status st = check_matrices(call, place, err);

    if (!st && call->in_count > 3)
        st = check_mask(call, place, err);
    if (st)
        return st;
    out->shape = call->in[0]->shape;
    out->shape.dims[out->shape.rank - 1] = call->in[2]->shape.dims[out->shape.rank - 1];
    return op_infer_float(call, 3, place, out, err);
}

/* The number of pairs of a query and a key that it uses. */
static double pairs(const struct attention *a)
{
    double queries = (double)a->queries, keys = (double)a->keys;

    if (!a->is_causal)
        return queries * keys;
    if (queries <= keys)
        return queries * (queries + 1) / 2;
    return keys * (keys + 1) / 2 + (queries - keys) * keys;
}

/* The cost per pair is that of the two products and of a softmax, counted as in op_rowwise.c. */
static double flops_attention(const struct op_call *call)
{
    struct attention a = attention_of(call);
    bool adds = a.mask && a.mask->dtype != DTYPE_BOOL;

    return (double)a.heads * pairs(&a) *
           (2 * (double)a.width + 2 * (double)a.out_width + 5 + (adds ? 1 : 0));
}

static enum status infer_rope(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    const struct shape *x = &call->in[0]->shape;
    struct shape half = *x, both;
    char text[SHAPE_TEXT_SIZE];

    if (x->rank < 1 || x->dims[x->rank - 1] % 2 != 0)
        return op_error(call, place, err, "expected rows of even length");
    half.dims[half.rank - 1] /= 2;
    for (size_t i = 1; i < 3; i++)
        if (!op_broadcast(&call->in[i]->shape, &half, &both) || !shape_equals(&both, &half))
            return op_error(call, place, err, "expected cosines and sines that broadcast to %s",
                            shape_text(&half, text));
    out->shape = *x;
    return op_infer_float(call, 3, place, out, err);
}

static bool has_zero_scores(const struct attention *a, unsigned nonzero)
{
    return a->mask && !(nonzero >> 3 & 1 && a->mask->dtype != DTYPE_BOOL);
}

/*
 * The first query of a causal attention has a single key. Its result is that key's value, whatever
 * query and key contain, so it is left out.
 */
static void needs_queries(const struct op_demand *demand, const struct attention *a,
                          struct region *region)
{
    struct region_axis *rows = &region->axes[region->rank - 2];

    *rows = demand->wanted->axes[region->rank - 2];
    if (a->is_causal && rows->first == 0) {
        rows->first += rows->step;
        rows->count--;
    }
}

/*
 * Keys and values are needed only if the whole result is wanted, because groups of queries may
 * share keys.
 */
static void needs_attention(const struct op_call *call, const struct op_demand *demand,
                            struct region_list *needed)
{
    struct attention a = attention_of(call);
    struct region region = region_whole(&call->in[demand->operand]->shape);
    int64_t seen = a.is_causal && a.queries < a.keys ? a.queries : a.keys;

    if (demand->operand == 3) {
        if (region_is_whole(demand->wanted, &call->out->shape) && a.keys > 1)
            region_list_add(needed, &region);
        return;
    }
    if (has_zero_scores(&a, demand->nonzero) || (seen == 1 && demand->operand < 2) ||
        !region_is_whole(demand->wanted, &call->out->shape))
        return;
    if (demand->operand == 0)
        needs_queries(demand, &a, &region);
    else
        region.axes[region.rank - 2].count = seen;
    region_list_add(needed, &region);
}

/*
 * Elements need only their own places, because one of the two cosines and sines may be 0. All
 * cosines and sines are needed if no element of x is 0.
 */
static void needs_rotation(const struct op_call *call, const struct op_demand *demand,
                           struct region_list *needed)
{
    struct region region = region_whole(&call->in[demand->operand]->shape);

    if (demand->operand == 0)
        op_needs_each(call, demand, needed);
    else if (demand->nonzero & 1 && region_is_whole(demand->wanted, &call->out->shape))
        region_list_add(needed, &region);
}

static const struct attribute_spec attention[] = {{.name = "scale", .absent = "1 / sqrt(E)"},
                                                  {.name = "is_causal", .kind = ATTRIBUTE_FLAG},
                                                  {.name = "enable_gqa", .kind = ATTRIBUTE_FLAG},
                                                  {0}};
static const struct attribute_spec rope[] = {{.name = "interleaved", .kind = ATTRIBUTE_FLAG}, {0}};

const struct op op_attention[] = {
    {"scaled_dot_product_attention", OP_ATTENTION, 3, 4, attention, infer_attention,
     .flops = flops_attention, .operands = "query, key, value[, mask]",
     .types = "floats, and a mask of floats or bool; the common type of query, key and value",
     .needs = needs_attention},
    {"rope", OP_ATTENTION, 3, 3, rope, infer_rope, .cost = 3, .operands = "x, cos, sin",
     .types = "floats; their common type", .needs = needs_rotation},
    {0},
};
