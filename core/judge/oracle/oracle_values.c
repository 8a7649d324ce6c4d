#include "core/judge/oracle/oracle_values.h"

#include <stdlib.h>

#include "core/base/mem.h"

struct oracle_values oracle_values_make(const struct graph *graph)
{
    return (struct oracle_values){
        .items = mem_alloc_zeroed(graph->values.count + 1, sizeof(double *)),
        .count = graph->values.count,
        .variances = mem_alloc_zeroed(graph->values.count + 1, sizeof(double *)),
    };
}

void oracle_values_release(struct oracle_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        block_pool_give(values->blocks, values->items[i]);
        block_pool_give(values->blocks, values->variances[i]);
    }
    free(values->items);
    free(values->variances);
    *values = (struct oracle_values){0};
}
