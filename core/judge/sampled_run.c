#include "core/judge/sampled_run.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/system/memory/disk_memory.h"
#include "core/system/parallel.h"

static bool is_output(const struct inspection *in, size_t index)
{
    return in->problem->tensors.items[index].role == TENSOR_OUTPUT;
}

static size_t bytes_of(const struct inspection *in, size_t index)
{
    const struct value *value = &in->shape->graph.values.items[index];

    return (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype);
}

/* Copy to the room for output `index`, which is made if there is none. */
static void copy_output(struct sampled_run *run, const struct inspection *in, size_t index)
{
    size_t bytes = bytes_of(in, index);
    void **room = &run->outputs[index];

    if (!*room)
        *room = run->rests ? disk_memory_take(bytes, 1) : disk_memory_take_awake(bytes, 1);
    disk_memory_write(*room, 0, inspect_output(in, index), bytes);
}

void sampled_run_copy(struct sampled_run *run, const struct inspection *in, uint64_t input_seed)
{
    run->input_seed = input_seed;
    run->count = in->problem->tensors.count;
    if (!run->outputs)
        run->outputs = mem_alloc_zeroed(run->count + 1, sizeof(*run->outputs));
    for (size_t i = 0; i < run->count; i++)
        if (is_output(in, i) && !inspect_is_in_place(in, i))
            copy_output(run, in, i);
    sampled_run_rest(run);
}

void sampled_run_rest(const struct sampled_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        disk_memory_rest(run->outputs[i]);
}

void sampled_run_release(struct sampled_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        disk_memory_give(run->outputs[i]);
    free(run->outputs);
    *run = (struct sampled_run){0};
}

static size_t output_bytes(const struct inspection *in)
{
    size_t sum = 0;

    for (size_t i = 0; i < in->problem->tensors.count; i++)
        sum += is_output(in, i) ? bytes_of(in, i) : 0;
    return sum;
}

struct sampled_runs sampled_runs_make(size_t wanted, const struct inspection *in)
{
    size_t bytes = output_bytes(in);
    size_t most = disk_memory_has_room(bytes) ? SAMPLED_DISK_BYTES_MAX : SAMPLED_BYTES_MAX;
    size_t fitting = most / (bytes + 1);

    fitting = fitting > 0 ? fitting : 1;
    return (struct sampled_runs){.wanted = wanted, .places = fitting < wanted ? fitting : wanted};
}

static bool have_room(const struct sampled_runs *sample)
{
    return sample->places == sample->wanted;
}

/* The n-th run is drawn with probability wanted / n. */
bool sampled_runs_consider(struct sampled_runs *sample, const struct inspection *in,
                           uint64_t input_seed)
{
    size_t place = sample->count;

    sample->seen++;
    if (inspect_any_is_in_place(in))
        return fill_secret_seed() % sample->seen >= sample->wanted;
    if (place == sample->places) {
        place = fill_secret_seed() % sample->seen;
        if (!have_room(sample))
            return place >= sample->wanted;
        if (place >= sample->places)
            return true;
    }
    if (place == sample->count)
        sample->count++;
    sample->runs[place].rests = true;
    sampled_run_copy(&sample->runs[place], in, input_seed);
    return true;
}

void sampled_runs_thin(struct sampled_runs *sample, size_t count)
{
    count -= sample->known / 2 < count ? sample->known / 2 : count;
    while (sample->count > count) {
        size_t dropped = fill_secret_seed() % sample->count;

        sampled_run_release(&sample->runs[dropped]);
        sample->runs[dropped] = sample->runs[--sample->count];
        sample->runs[sample->count] = (struct sampled_run){0};
    }
}

void sampled_runs_release(struct sampled_runs *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        sampled_run_release(&sample->runs[i]);
    *sample = (struct sampled_runs){0};
}
