#include "core/judge/sampled_run.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/system/parallel.h"

/* Copy to `room`, or to new memory if that is NULL. */
static void *copy_output(const struct inspection *in, size_t index, void *room)
{
    size_t bytes;
    const unsigned char *allocation =
        executor_allocation(in->executor, in->side, index, &bytes) + BUFFER_GUARD_BYTES;
    void *copy = room ? room : mem_alloc_zeroed(bytes + 1, 1);

    parallel_copy(copy, allocation, bytes);
    return copy;
}

void sampled_run_copy(struct sampled_run *run, const struct inspection *in, uint64_t input_seed)
{
    const struct problem *problem = in->problem;

    run->input_seed = input_seed;
    run->count = problem->tensors.count;
    if (!run->outputs)
        run->outputs = mem_alloc_zeroed(run->count + 1, sizeof(*run->outputs));
    for (size_t i = 0; i < run->count; i++)
        if (problem->tensors.items[i].role == TENSOR_OUTPUT)
            run->outputs[i] = copy_output(in, i, run->outputs[i]);
}

void sampled_run_release(struct sampled_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        free(run->outputs[i]);
    free(run->outputs);
    *run = (struct sampled_run){0};
}

/* The n-th run takes a place in the sample with probability wanted / n. */
void sampled_runs_consider(struct sampled_runs *sample, const struct inspection *in,
                           uint64_t input_seed)
{
    size_t place = sample->count;

    sample->seen++;
    if (sample->count == sample->wanted)
        place = fill_secret_seed() % sample->seen;
    if (place >= sample->wanted)
        return;
    if (place == sample->count)
        sample->count++;
    sampled_run_copy(&sample->runs[place], in, input_seed);
}

void sampled_runs_release(struct sampled_runs *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        sampled_run_release(&sample->runs[i]);
    *sample = (struct sampled_runs){0};
}
