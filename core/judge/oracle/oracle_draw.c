#include "core/judge/oracle/oracle_values.h"

#include "core/judge/oracle/fill.h"
#include "core/system/parallel.h"

/* Elements in their own type, to be stored as doubles. */
struct widening {
    enum dtype dtype;
    const unsigned char *from;
    double *to;
};

static void widen(void *data, size_t first, size_t last)
{
    const struct widening *w = data;

    dtype_to_double(w->dtype, w->from + first * dtype_bytes(w->dtype), w->to + first, last - first);
}

void oracle_draw(const struct graph *graph, size_t index, uint64_t seed,
                 struct oracle_values *values)
{
    const struct value *value = &graph->values.items[index];
    size_t count = (size_t)shape_elements(&value->shape);
    void *stored = block_pool_take(values->blocks, count, dtype_bytes(value->dtype));
    double *elements = block_pool_take(values->blocks, count, sizeof(*elements));
    struct widening widening = {value->dtype, stored, elements};

    if (values->first && count > 1)
        fill_make_part(value, seed, (uint32_t)index, values->first, stored);
    else
        fill_make(value, seed, (uint32_t)index, stored);
    parallel_for(count, 1 << 16, widen, &widening);
    block_pool_give(values->blocks, stored);
    block_pool_give(values->blocks, values->items[index]);
    block_pool_give(values->blocks, values->variances[index]);
    values->items[index] = elements;
    values->variances[index] = NULL;
}
