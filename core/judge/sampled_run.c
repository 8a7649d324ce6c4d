#include "core/judge/sampled_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"

static void *copy_output(const struct inspection *in, size_t index)
{
    size_t bytes;
    const unsigned char *allocation =
        executor_allocation(in->executor, in->side, index, &bytes) + BUFFER_GUARD_BYTES;
    void *copy = mem_alloc_zeroed(bytes + 1, 1);

    memcpy(copy, allocation, bytes);
    return copy;
}

static void copy_outputs(struct sampled_run *sampled_run, const struct inspection *in)
{
    const struct problem *problem = in->problem;

    sampled_run->count = problem->tensors.count;
    sampled_run->outputs = mem_alloc_zeroed(sampled_run->count + 1, sizeof(*sampled_run->outputs));
    for (size_t i = 0; i < sampled_run->count; i++)
        if (problem->tensors.items[i].role == TENSOR_OUTPUT)
            sampled_run->outputs[i] = copy_output(in, i);
}

static void drop_outputs(struct sampled_run *sampled_run)
{
    for (size_t i = 0; sampled_run->outputs && i < sampled_run->count; i++)
        free(sampled_run->outputs[i]);
    free(sampled_run->outputs);
    sampled_run->outputs = NULL;
}

/* Reservoir sampling: the n-th run replaces the one that is kept with probability 1 / n. */
void sampled_run_consider(struct sampled_run *sampled_run, const struct inspection *inspection,
                          uint64_t input_seed)
{
    sampled_run->seen++;
    if (fill_secret_seed() % sampled_run->seen != 0)
        return;
    drop_outputs(sampled_run);
    copy_outputs(sampled_run, inspection);
    sampled_run->input_seed = input_seed;
}

void sampled_run_release(struct sampled_run *sampled_run)
{
    drop_outputs(sampled_run);
    *sampled_run = (struct sampled_run){0};
}
