#include "backends/executor_run.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/executor_answers.h"
#include "core/base/mem.h"

static double *times_new(const struct loaded *slot)
{
    return mem_alloc_zeroed(slot->dispatch.launches.count + 1, sizeof(double));
}

/* Make the data of a run. Afterwards no seed is left in memory. */
static enum status renew_inputs(struct bench *bench, const struct loaded *slot,
                                struct wire_run *run, struct error *err)
{
    enum status st = bench_renew_inputs(bench, slot, run->input_seed, run->poison, err);

    explicit_bzero(&run->input_seed, sizeof(run->input_seed));
    return st;
}

static enum status prepare(struct bench *bench, struct loaded *slot, struct wire_run *run,
                           double *span_us, struct error *err)
{
    enum status st = bench_renew_params(bench, slot, run->param_seed, run->poison, err);

    explicit_bzero(&run->param_seed, sizeof(run->param_seed));
    return st ? st : bench_prepare(bench, slot, span_us, err);
}

enum status executor_serve_run(struct bench *bench, struct loaded *slot, struct wire_run *request,
                               struct json *answer, struct error *err)
{
    static const struct launch_list none = {0};
    const struct launch_list *launches =
        request->without_launches ? &none : &slot->dispatch.launches;
    struct run_times times = {.each_us = request->times_each ? times_new(slot) : NULL,
                              .is_watched = request->is_watched};
    double prepare_us = 0;
    enum status st = STATUS_OK;

    if (request->with_prepare)
        st = prepare(bench, slot, request, &prepare_us, err);
    if (!st && !request->keeps_data)
        st = renew_inputs(bench, slot, request, err);
    if (!st)
        st = bench_run(bench, slot, launches, &times, err);
    json_put_number(answer, "span_us", times.span_us);
    if (times.each_us)
        executor_put_numbers(answer, "each_us", times.each_us, launches->count);
    json_put_number(answer, "prepare_us", prepare_us);
    json_put_number(answer, "compile_us", slot->compile_us);
    json_put(answer, "work", wire_encode_work(&times.work));
    if (bench->leaves_memory && bench->ops->free_bytes)
        json_put_number(answer, "free_bytes", bench->ops->free_bytes(bench->device));
    slot->compile_us = 0;
    free(times.each_us);
    return st;
}

struct executor_repeats executor_repeats_of(struct loaded *slot, const struct json *request)
{
    return (struct executor_repeats){.slot = slot,
                                     .poison = (uint32_t)json_get_number(request, "poison", 0)};
}

enum status executor_put_repeats(const struct executor_repeats *repeats, struct json *answer,
                                 struct error *err)
{
    wire_put_repeats(answer, &repeats->times);
    if (repeats->failed)
        *err = repeats->why;
    return repeats->failed;
}

static void repeat(struct bench *bench, struct executor_repeats *repeats)
{
    struct loaded *slot = repeats->slot;
    struct run_times times = {.is_watched = true};

    repeats->failed = bench_renew_outputs(bench, slot, repeats->poison, &repeats->why);
    if (!repeats->failed)
        repeats->failed = bench_run(bench, slot, &slot->dispatch.launches, &times, &repeats->why);
    if (!repeats->failed)
        repeats->times.items[repeats->times.count++] =
            (struct repeat_time){times.span_us, times.work};
}

static bool has_input(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&input, 1, 0) != 0;
}

enum status executor_await_line(struct bench *bench, struct executor_repeats *repeats,
                                struct lines *lines)
{
    bool may_repeat = repeats->slot && !repeats->failed && repeats->times.count < REPEATS_MAX;

    if (!may_repeat || has_input())
        return lines_fill(lines, STDIN_FILENO, NULL);
    repeat(bench, repeats);
    return STATUS_OK;
}
