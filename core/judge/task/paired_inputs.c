#include "core/judge/task/paired_inputs.h"

#include "core/judge/oracle/variation.h"

/* True if the elements of `index` can be places in a row of `value`. */
static bool names_elements(const struct value *index, const struct value *value)
{
    const struct shape *shape = &value->shape;
    int64_t count = shape->rank ? shape->dims[shape->rank - 1] : 0;

    return index->role == TENSOR_INPUT && index->fill.kind == FILL_INTEGERS &&
           value->role == TENSOR_INPUT && dtype_is_float(value->dtype) && count > 1 &&
           index->fill.b - index->fill.a == (double)count - 1 &&
           shape_elements(&index->shape) == shape_elements(shape) / count;
}

bool paired_inputs_are_indices(const struct graph *graph)
{
    for (size_t i = 0; i < graph->values.count; i++)
        for (size_t v = 0; v < graph->values.count; v++)
            if (names_elements(&graph->values.items[i], &graph->values.items[v]))
                return true;
    return false;
}

bool paired_inputs_are_alike(const struct graph *graph)
{
    const struct value *first = NULL;
    bool are = false;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role != TENSOR_INPUT || !variation_applies(VARIATION_NEAR, value))
            continue;
        are |= first && shape_equals(&first->shape, &value->shape);
        first = value;
    }
    return are;
}
