#include "core/judge/spot.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static void *copy_output(const struct inspection *in, size_t index)
{
    size_t bytes;
    const unsigned char *allocation =
        executor_allocation(in->executor, in->side, index, &bytes) + BUFFER_GUARD_BYTES;
    void *copy = mem_alloc_zeroed(bytes + 1, 1);

    memcpy(copy, allocation, bytes);
    return copy;
}

static void copy_outputs(struct spot *spot, const struct inspection *in)
{
    const struct problem *problem = in->problem;

    spot->count = problem->tensors.count;
    spot->outputs = mem_alloc_zeroed(spot->count + 1, sizeof(*spot->outputs));
    for (size_t i = 0; i < spot->count; i++)
        if (problem->tensors.items[i].role == TENSOR_OUTPUT)
            spot->outputs[i] = copy_output(in, i);
}

static void drop_outputs(struct spot *spot)
{
    for (size_t i = 0; spot->outputs && i < spot->count; i++)
        free(spot->outputs[i]);
    free(spot->outputs);
    spot->outputs = NULL;
}

/* The n-th takes the place of what is kept once in n times. */
void spot_consider(struct spot *spot, const struct inspection *inspection, uint64_t input_seed)
{
    spot->seen++;
    if (pool_fresh_seed() % spot->seen != 0)
        return;
    drop_outputs(spot);
    copy_outputs(spot, inspection);
    spot->input_seed = input_seed;
}

void spot_release(struct spot *spot)
{
    drop_outputs(spot);
    *spot = (struct spot){0};
}
