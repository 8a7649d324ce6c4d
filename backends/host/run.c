#include "backends/host/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/host/call.h"
#include "backends/host/checked_build.h"
#include "backends/host/host_calls.h"
#include "backends/host/memory.h"
#include "backends/host/sycl_runtime.h"
#include "backends/host/watch.h"
#include "core/base/mem.h"

/* Describes an argument in messages. */
static const char *given_name(const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return "a buffer";
    case ARG_LOCAL:
        return "local memory, which C does not have: use arrays of the function";
    case ARG_TENSOR_MAP:
        return "a tensor map, which only CUDA has";
    case ARG_INTEGER:
        return dtype_name(DTYPE_I32);
    case ARG_NUMBER:
    default:
        return dtype_name(arg->dtype);
    }
}

static void add_argument(struct call *call, const struct launch_arg *arg,
                         struct buffer *const *buffers)
{
    uint64_t bits = 0;

    if (arg->kind == ARG_BUFFER) {
        call_add_whole(call, (uintptr_t)buffers[arg->buffer]->contents);
    } else if (arg->kind == ARG_INTEGER) {
        call_add_whole(call, (uint64_t)arg->integer);
    } else {
        dtype_from_double(arg->dtype, &arg->number, &bits, 1);
        if (arg->dtype == DTYPE_F32 || arg->dtype == DTYPE_F64)
            call_add_real(call, bits);
        else
            call_add_whole(call, bits);
    }
}

static enum status check_members(const struct launch *launch, struct error *err)
{
    if (launch->rank == 1 && !launch->local[0] && !launch->shared && !launch->cluster[0] &&
        !launch->tensor_map_count && !launch->constants)
        return STATUS_OK;
    return error_set(err, STATUS_INVALID,
                     "cannot call %s: in C a launch is one call, {\"kernel\", \"threads\", "
                     "\"args\"}; there are no groups",
                     launch->kernel);
}

/* `own` arguments come first, which the plan does not name: the queue. */
static enum status check_arguments(const struct kernel *kernel, const struct launch *launch,
                                   size_t own, struct error *err)
{
    const struct signature *signature = &kernel->signature;

    if (signature->is_known && signature->count != launch->arg_count + own)
        return error_set(err, STATUS_INVALID, "%s is given %zu arguments and takes %zu%s",
                         kernel->name, launch->arg_count + own, signature->count,
                         own ? " (the first is the queue, which the plan does not name)" : "");
    for (size_t i = 0; i < launch->arg_count; i++) {
        enum parameter_kind kind =
            signature->is_known ? signature->parameters[i + own] : PARAMETER_ANY;

        if (!parameter_takes(kind, &launch->args[i]))
            return error_set(err, STATUS_INVALID, "argument %zu of %s is %s and is given %s", i + 1,
                             kernel->name, parameter_name(kind), given_name(&launch->args[i]));
    }
    return STATUS_OK;
}

/*
 * Mark the guard zones around the launch's buffers in AddressSanitizer as inaccessible, or as
 * accessible again.
 */
static void mark_guards(const struct launch_list *launches, struct buffer *const *buffers,
                        void (*mark)(const void *bytes, size_t count))
{
    for (size_t i = 0; i < launches->count; i++)
        for (size_t j = 0; j < launches->items[i].arg_count; j++) {
            const struct launch_arg *arg = &launches->items[i].args[j];
            const struct buffer *buffer = arg->kind == ARG_BUFFER ? buffers[arg->buffer] : NULL;

            if (!buffer)
                continue;
            mark(buffer->contents - BUFFER_GUARD_BYTES, BUFFER_GUARD_BYTES);
            mark(buffer->contents + buffer->bytes, BUFFER_GUARD_BYTES);
        }
}

/* A launch with its function and arguments ready. */
struct prepared {
    void *function;
    unsigned threads;
    struct call call;
};

static enum status prepare(const struct program *program, const struct launch *launch,
                           struct buffer *const *buffers, struct prepared *prepared,
                           struct error *err)
{
    unsigned most = program->device->info.compute_units;
    const struct kernel *kernel;
    enum status st = host_program_kernel(program, launch->kernel, &kernel, err);

    if (!st)
        st = check_members(launch, err);
    if (!st)
        st = check_arguments(kernel, launch, program->has_runtime, err);
    if (!st && program->has_runtime && !program->device->runtime)
        st = error_set(err, STATUS_INVALID, "%s: SYCL is not loaded", launch->kernel);
    if (st)
        return st;
    *prepared =
        (struct prepared){.function = kernel->function,
                          .threads = launch->global[0] < most ? (unsigned)launch->global[0] : most};
    if (program->has_runtime)
        call_add_whole(&prepared->call, (uintptr_t)sycl_runtime_queue(program->device->runtime));
    for (size_t i = 0; i < launch->arg_count; i++)
        add_argument(&prepared->call, &launch->args[i], buffers);
    return STATUS_OK;
}

/* The work that thread 0 gets. */
struct work {
    struct program *program;
    struct prepared *prepared;
    size_t count;
    struct run_times *times; /* NULL if times are not wanted */
    bool has_thrown;         /* an exception left a kernel */
};

static double now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void make_call(void *data)
{
    const struct prepared *prepared = data;

    call_make(&prepared->call, prepared->function);
}

/* Make a call; false if an exception left it. */
static bool call(const struct program *program, struct prepared *prepared)
{
    if (program->has_runtime)
        return sycl_runtime_call(program->device->runtime, make_call, prepared);
    make_call(prepared);
    return true;
}

/* Outside of regions one thread works; a runtime may have others, which are unknown. */
static unsigned threads_of(const struct program *program)
{
    unsigned widest = host_calls_widest();

    return widest || program->has_runtime ? widest : 1;
}

/*
 * Make the calls. All threads are woken before the first call, as they are awake in a program that
 * calls often.
 */
static void make_calls(void *data, unsigned number)
{
    struct work *work = data;
    struct team *team = work->program->device->team;
    struct host_calls *calls = work->program->calls;
    bool is_watched = work->times && work->times->is_watched && !work->program->has_runtime;
    double first, start, end;

    (void)number;
    host_calls_begin(team);
    team_spread(team, is_watched);
    if (is_watched)
        watch_begin();
    first = end = now_us();
    for (size_t i = 0; i < work->count && !work->has_thrown; i++) {
        if (calls)
            calls->limit = work->prepared[i].threads;
        start = end;
        work->has_thrown = !call(work->program, &work->prepared[i]);
        end = now_us();
        if (work->times && work->times->each_us)
            work->times->each_us[i] = end - start;
    }
    if (is_watched)
        work->times->work = watch_end();
    if (!work->times)
        return;
    work->times->span_us = end - first;
    work->times->threads = threads_of(work->program);
}

enum { LATE_US = 500, LATE_POINTS = 4, LATE_MOST = 12 };

/*
 * Refuse a program whose work often goes on after a call has ended. Between calls the threads of
 * the runtime only release what the last call used: 150 us at most in 204 calls at load 10. A late
 * call counts four points, any other takes one back, so that a single one does no harm.
 */
static enum status check_late(struct program *program, struct error *err)
{
    const struct device *device = program->device;
    double late_us;

    if (!program->has_runtime || !device->runtime || device->last != program)
        return STATUS_OK;
    late_us = sycl_runtime_late_us(device->runtime);
    if (late_us >= LATE_US)
        program->late_points += LATE_POINTS;
    else
        program->late_points -= program->late_points > 0;
    if (program->late_points < LATE_MOST)
        return STATUS_OK;
    return error_set(err, STATUS_INVALID,
                     "work of the kernel went on for %.1f ms after its call had ended",
                     late_us / 1000);
}

static enum status run(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times, struct error *err)
{
    struct prepared *prepared = mem_alloc_zeroed(launches->count + 1, sizeof(*prepared));
    struct work work = {program, prepared, launches->count, times, false};
    enum status st = host_start(program->device, err);

    if (!st)
        st = check_late(program, err);
    for (size_t i = 0; !st && i < launches->count; i++)
        st = prepare(program, &launches->items[i], buffers, &prepared[i], err);
    if (!st && launches->count > 0) {
        mark_guards(launches, buffers, checked_build_close);
        team_call(program->device->team, make_calls, &work);
        mark_guards(launches, buffers, checked_build_open);
    } else if (times) {
        times->span_us = 0;
    }
    if (work.has_thrown)
        st = error_set(err, STATUS_INVALID, "an exception left the kernel: %s",
                       sycl_runtime_thrown(program->device->runtime));
    program->device->last = program;
    free(prepared);
    return st;
}

enum status host_run(struct program *program, const struct launch_list *launches,
                     struct buffer *const *buffers, struct run_times *times, struct error *err)
{
    return run(program, launches, buffers, times, err);
}

enum status host_step(struct program *program, const struct launch_list *launches,
                      struct buffer *const *buffers, struct error *err)
{
    return run(program, launches, buffers, NULL, err);
}
