#include "core/judge/oracle/elementwise/strip.h"

#include <string.h>

struct strip_source strip_source_of(const struct op_call *call)
{
    struct strip_source source = {.walk = {.shape = call->out->shape}, .arrays = call->in_count};

    source.is_in_step = walk_find_steps(call, source.steps);
    for (size_t k = 0; k < call->in_count; k++)
        walk_add_broadcast(&source.walk, &call->in[k]->shape);
    return source;
}

static void repeat(double x, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x;
}

static void take_stepping(const double *in, size_t step, size_t n, double *out)
{
    if (step == 0)
        repeat(*in, n, out);
    else if (step == 1)
        memcpy(out, in, n * sizeof(*out));
    else
        for (size_t i = 0; i < n; i++)
            out[i] = in[i * step];
}

/* Take the elements of operands that are broadcast, one row of the last axis after another. */
static void take_walking(const struct strip_source *source, const double *const *in, size_t first,
                         size_t n, struct strip *strip)
{
    struct walk walk = source->walk;
    size_t last = walk.shape.rank - 1, run;

    walk_seek(&walk, first);
    for (size_t i = 0; i < n; i += run) {
        size_t left = (size_t)(walk.shape.dims[last] - walk.index[last]);

        run = n - i < left ? n - i : left;
        for (size_t k = 0; k < source->arrays; k++)
            if (in[k])
                take_stepping(in[k] + walk.offsets[k], (size_t)walk.strides[k][last], run,
                              strip->room[k] + i);
        walk_skip(&walk, (int64_t)run);
    }
}

/* Repeat the first element of a strip behind its last one. */
static void fill_up(size_t n, double *room)
{
    repeat(room[0], STRIP_ELEMENTS - n, room + n);
}

void strip_take(const struct strip_source *source, const double *const *in, size_t first, size_t n,
                struct strip *strip)
{
    if (!source->is_in_step)
        take_walking(source, in, first, n, strip);
    for (size_t k = 0; k < STRIP_OPERANDS; k++) {
        const double *from = k < source->arrays ? in[k] : NULL;
        bool is_there = from && source->is_in_step && source->steps[k] && n == STRIP_ELEMENTS;

        strip->x[k] = is_there ? from + first : strip->room[k];
        if (is_there)
            continue;
        if (!from)
            repeat(0, n, strip->room[k]);
        else if (source->is_in_step)
            take_stepping(from + first * source->steps[k], source->steps[k], n, strip->room[k]);
        fill_up(n, strip->room[k]);
    }
}
