#include "backends/cuda/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/internal_kernels.h"
#include "backends/cuda/memory.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/model/profile.h"
#include "core/system/clock.h"

/* The arguments of one launch in the form that cuLaunchKernelEx() takes. */
struct arguments {
    union argument {
        uint64_t number; /* of any width, or a device address; hosts are little-endian */
        CUtensorMap map;
    } values[LAUNCH_MAX_ARGS];
    void *pointers[LAUNCH_MAX_ARGS];
};

static bool has_form(const struct ptx_parameter *parameter, struct parameter_form form)
{
    return strcmp(parameter->type, form.type) == 0 && parameter->length == form.length;
}

static bool takes(const struct gpu_platform *platform, const struct ptx_parameter *parameter,
                  const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return has_form(parameter, platform->pointer);
    case ARG_INTEGER:
        return has_form(parameter, platform->numbers[DTYPE_I32]);
    case ARG_NUMBER:
        return has_form(parameter, platform->numbers[arg->dtype]);
    case ARG_TENSOR_MAP:
        return strcmp(parameter->type, "b8") == 0 && parameter->length == sizeof(CUtensorMap);
    case ARG_LOCAL:
    default:
        return false;
    }
}

/* A description of the argument, for messages. */
static const char *given_name(const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return "a buffer";
    case ARG_LOCAL:
        return "local memory, which is declared as extern __shared__ and planned as \"shared\"";
    case ARG_TENSOR_MAP:
        return "a tensor map (const __grid_constant__ CUtensorMap)";
    case ARG_INTEGER:
        return dtype_name(DTYPE_I32);
    case ARG_NUMBER:
    default:
        return dtype_name(arg->dtype);
    }
}

enum { PROMOTE_TO_256_BYTES = 3 }; /* CUtensorMapL2promotion of cuda.h */

/* The driver counts axes from the contiguous one, a plan from the outermost. */
static CUresult encode_map(const struct tensor_map *map, const struct buffer *buffer,
                           CUtensorMap *encoded)
{
    uint64_t sizes[TENSOR_MAP_MAX_RANK], strides[TENSOR_MAP_MAX_RANK];
    unsigned box[TENSOR_MAP_MAX_RANK], steps[TENSOR_MAP_MAX_RANK];
    uint64_t stride = dtype_bytes(map->dtype);

    for (size_t i = 0; i < map->rank; i++) {
        sizes[i] = (uint64_t)map->shape[map->rank - 1 - i];
        box[i] = (unsigned)map->box[map->rank - 1 - i];
        steps[i] = 1;
        strides[i] = stride *= sizes[i];
    }
    return buffer->device->cuda.cuTensorMapEncodeTiled(
        encoded, tensor_map_type(map->dtype), (unsigned)map->rank,
        (void *)(uintptr_t)cuda_buffer_contents(buffer), sizes, strides, box, steps, 0,
        tensor_map_swizzle(map->swizzle), PROMOTE_TO_256_BYTES, 0);
}

static enum status set_map(const struct launch *launch, size_t arg, struct buffer *const *buffers,
                           CUtensorMap *encoded, struct error *err)
{
    const struct tensor_map *map = &launch->tensor_maps[launch->args[arg].integer];
    const struct buffer *buffer = buffers[map->buffer];

    if (!buffer->device->cuda.cuTensorMapEncodeTiled)
        return error_set(err, STATUS_INVALID, "argument %zu of %s: %s has no tensor maps", arg + 1,
                         launch->kernel, buffer->device->platform->title);

    return cuda_check(
        cuda_result(buffer->device, encode_map(map, buffer, encoded), STATUS_INVALID), err,
        "encode the tensor map that is argument %zu of %s: its box must fit the swizzle, and "
        "its rows must be multiples of 16 bytes",
        arg + 1, launch->kernel);
}

static uint64_t number_of(const struct launch_arg *arg, struct buffer *const *buffers)
{
    uint64_t number = 0;

    if (arg->kind == ARG_BUFFER)
        return cuda_buffer_contents(buffers[arg->buffer]);
    if (arg->kind == ARG_INTEGER)
        return (uint32_t)arg->integer;
    dtype_from_double(arg->dtype, &arg->number, &number, 1);
    return number;
}

static enum status set_argument(const struct launch *launch, size_t index,
                                struct buffer *const *buffers, union argument *value,
                                struct error *err)
{
    if (launch->args[index].kind == ARG_TENSOR_MAP)
        return set_map(launch, index, buffers, &value->map, err);
    value->number = number_of(&launch->args[index], buffers);
    return STATUS_OK;
}

/*
 * Set `arguments` from the launch. `arguments->pointers` points into `arguments`, so the struct
 * must not be copied.
 *
 * An argument that does not fit the kernel's parameter is STATUS_INVALID; the error names the
 * kernel and the argument, counted from 1. PTX gives the size of a parameter and distinguishes
 * floats from integers, but it does not distinguish a pointer from a 64-bit integer.
 */
static enum status cuda_arguments_set(const struct kernel *kernel, const struct launch *launch,
                                      struct buffer *const *buffers, struct arguments *arguments,
                                      struct error *err)
{
    const struct ptx_entry *entry = kernel->entry;
    enum status st = STATUS_OK;

    if (entry->parameters.count != launch->arg_count)
        return error_set(err, STATUS_INVALID, "%s is given %zu arguments and takes %zu",
                         entry->name, launch->arg_count, entry->parameters.count);
    for (size_t i = 0; !st && i < launch->arg_count; i++) {
        const struct ptx_parameter *parameter = &entry->parameters.items[i];

        if (!takes(kernel->platform, parameter, &launch->args[i]))
            return error_set(err, STATUS_INVALID, "argument %zu of %s is %s and is given %s", i + 1,
                             entry->name, parameter->type, given_name(&launch->args[i]));
        st = set_argument(launch, i, buffers, &arguments->values[i], err);
        arguments->pointers[i] = &arguments->values[i];
    }
    return st;
}

/* The configuration of a launch; `call` points to `cluster`. */
struct config {
    CUlaunchConfig call;
    CUlaunchAttribute cluster;
};

static enum status check_axis(const struct device *device, const struct launch *launch,
                              unsigned axis, size_t block, struct error *err)
{
    size_t items = launch->global[axis];

    if (items % block)
        return error_set(err, STATUS_INVALID,
                         "cannot launch %s: local[%u] %zu does not divide global[%u] %zu",
                         launch->kernel, axis, block, axis, items);
    if (block > (size_t)device->max_block[axis])
        return error_set(err, STATUS_INVALID,
                         "cannot launch %s: block[%u] %zu exceeds the device's %d", launch->kernel,
                         axis, block, device->max_block[axis]);
    if (items / block > (size_t)device->max_grid[axis])
        return error_set(err, STATUS_INVALID,
                         "cannot launch %s: grid[%u] %zu exceeds the device's %d", launch->kernel,
                         axis, items / block, device->max_grid[axis]);
    return STATUS_OK;
}

static enum status set_space(const struct device *device, const struct launch *launch,
                             CUlaunchConfig *call, struct error *err)
{
    unsigned blocks[LAUNCH_MAX_RANK] = {1, 1, 1}, threads[LAUNCH_MAX_RANK] = {1, 1, 1};
    size_t group[LAUNCH_MAX_RANK];
    enum status st = STATUS_OK;

    launch_group(launch, group);
    for (unsigned axis = 0; !st && axis < launch->rank; axis++) {
        st = check_axis(device, launch, axis, group[axis], err);
        threads[axis] = (unsigned)group[axis];
        blocks[axis] = (unsigned)(launch->global[axis] / group[axis]);
    }
    *call = (CUlaunchConfig){.gridDimX = blocks[0],
                             .gridDimY = blocks[1],
                             .gridDimZ = blocks[2],
                             .blockDimX = threads[0],
                             .blockDimY = threads[1],
                             .blockDimZ = threads[2]};
    return st;
}

static enum status check_block(const struct device *device, const struct kernel *kernel,
                               const CUlaunchConfig *call, struct error *err)
{
    size_t threads = (size_t)call->blockDimX * call->blockDimY * call->blockDimZ;
    int most = 0;

    (void)device->cuda.cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                          kernel->handle);
    if (threads > (size_t)most)
        return error_set(err, STATUS_INVALID,
                         "cannot launch %s: a block of %zu threads exceeds the kernel's %d",
                         kernel->entry->name, threads, most);
    return STATUS_OK;
}

/* A kernel gets more than 48 KB of dynamic shared memory only after this attribute is set. */
static enum status set_shared(const struct device *device, const struct kernel *kernel,
                              const struct launch *launch, CUlaunchConfig *call, struct error *err)
{
    int declared = 0;
    int64_t needed;

    (void)device->cuda.cuFuncGetAttribute(&declared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                          kernel->handle);
    needed = declared + launch->shared;
    if (needed > device->info.local_bytes)
        return error_set(err, STATUS_INVALID,
                         "cannot launch %s: it needs %lld bytes of shared memory, %s has %lld",
                         launch->kernel, (long long)needed, device->info.id,
                         (long long)device->info.local_bytes);
    call->sharedMemBytes = (unsigned)launch->shared;
    if (!device->cuda.cuFuncSetAttribute)
        return STATUS_OK;
    return cuda_check(
        cuda_result(device,
                    device->cuda.cuFuncSetAttribute(kernel->handle,
                                                    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    (int)launch->shared),
                    STATUS_INVALID),
        err, "give %s %lld bytes of shared memory", launch->kernel, (long long)launch->shared);
}

/* Blocks of a cluster along an axis. */
static unsigned blocks_along(const struct launch *launch, unsigned axis)
{
    return axis < launch->rank ? (unsigned)launch->cluster[axis] : 1;
}

static enum status set_cluster(const struct device *device, const struct kernel *kernel,
                               const struct launch *launch, struct config *config,
                               struct error *err)
{
    if (launch->cluster[0] == 0)
        return STATUS_OK;
    if (!device->cuda.cuLaunchKernelEx)
        return error_set(err, STATUS_INVALID, "cannot launch %s: %s has no clusters",
                         launch->kernel, device->platform->title);
    (void)device->cuda.cuFuncSetAttribute(kernel->handle,
                                          CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    config->cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    config->cluster.value.clusterDim.x = blocks_along(launch, 0);
    config->cluster.value.clusterDim.y = blocks_along(launch, 1);
    config->cluster.value.clusterDim.z = blocks_along(launch, 2);
    config->call.attrs = &config->cluster;
    config->call.numAttrs = 1;
    return STATUS_OK;
}

static enum status enqueue(const struct program *program, const struct launch *launch,
                           struct buffer *const *buffers, struct error *err)
{
    const struct device *device = program->device;
    struct config config = {0};
    struct arguments arguments;
    struct kernel kernel;
    enum status st = cuda_program_kernel(program, launch->kernel, &kernel, err);

    if (!st)
        st = set_space(device, launch, &config.call, err);
    if (!st)
        st = check_block(device, &kernel, &config.call, err);
    if (!st)
        st = set_shared(device, &kernel, launch, &config.call, err);
    if (!st)
        st = cuda_arguments_set(&kernel, launch, buffers, &arguments, err);
    if (!st)
        st = set_cluster(device, &kernel, launch, &config, err);
    if (st)
        return st;
    return cuda_check(cuda_result(device,
                                  cuda_driver_launch(&device->cuda, &config.call, kernel.handle,
                                                     arguments.pointers),
                                  STATUS_INVALID),
                      err, "launch %s in %ux%ux%u blocks of %ux%ux%u threads", launch->kernel,
                      config.call.gridDimX, config.call.gridDimY, config.call.gridDimZ,
                      config.call.blockDimX, config.call.blockDimY, config.call.blockDimZ);
}

/*
 * Make an event before the first launch and one after the last, and if each launch is timed, one
 * after each.
 */
static enum status make_events(const struct device *device, CUevent *events, size_t launches,
                               bool times_each, struct error *err)
{
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; !code && i <= launches; i++)
        if (times_each || i == 0 || i == launches)
            code = device->cuda.cuEventCreate(&events[i], 0);
    return cuda_check(cuda_result(device, code, STATUS_UNAVAILABLE), err, "make events");
}

static void events_free(const struct device *device, CUevent *events, size_t launches)
{
    for (size_t i = 0; i <= launches; i++)
        if (events[i])
            (void)device->cuda.cuEventDestroy(events[i]);
    free(events);
}

/*
 * How long the device is kept busy, because queueing a launch and its event takes the host some
 * microseconds: by what the first launches took in the last run, which on a busy host is longer.
 * The queue is full with about a thousand launches; the host then waits for the device.
 */
enum { BUSY_US = 20, BUSY_PER_LAUNCH_US = 10, MOST_PER_LAUNCH_US = 60, FIRST_LAUNCHES = 256 };

static unsigned busy_us(const struct program *program, size_t launches)
{
    double each = fmin(fmax(1.5 * program->queue_us, BUSY_PER_LAUNCH_US), MOST_PER_LAUNCH_US);

    return BUSY_US + (unsigned)(each * (double)launches);
}

static enum status enqueue_all(struct program *program, const struct launch_list *launches,
                               struct buffer *const *buffers, const CUevent *events,
                               struct error *err)
{
    const struct device *device = program->device;
    CUresult code = cuda_evict_l2(device);
    int64_t began_us;
    enum status st;

    if (!code)
        code = cuda_keep_busy(device, busy_us(program, launches->count));
    if (!code)
        code = device->cuda.cuEventRecord(events[0], NULL);
    st = cuda_check(cuda_result(device, code, STATUS_IO), err, "prepare a timed run");
    began_us = clock_now_us();
    for (size_t i = 0; !st && i < launches->count; i++) {
        st = enqueue(program, &launches->items[i], buffers, err);
        if (!st && events[i + 1])
            st = cuda_check(
                cuda_result(device, device->cuda.cuEventRecord(events[i + 1], NULL), STATUS_IO),
                err, "mark the end of %s", launches->items[i].kernel);
        if (i < FIRST_LAUNCHES)
            program->queue_us = (double)(clock_now_us() - began_us) / (double)(i + 1);
    }
    return st;
}

static double elapsed_us(const struct device *device, CUevent start, CUevent end)
{
    float ms = 0;

    (void)device->cuda.cuEventElapsedTime(&ms, start, end);
    return 1000 * (double)ms - device->overhead_us;
}

/* The driver does not say which launch failed, so the message names the first one. */
static enum status explain(const struct device *device, const struct launch_list *launches,
                           CUresult code, struct error *err)
{
    return cuda_check(cuda_result(device, code, STATUS_IO), err, "finish %s%s",
                      launches->items[0].kernel,
                      launches->count > 1 ? " and the launches after it" : "");
}

enum status cuda_run(struct program *program, const struct launch_list *launches,
                     struct buffer *const *buffers, struct run_times *times, struct error *err)
{
    const struct device *device = program->device;
    size_t count = launches->count;
    CUevent *events;
    CUresult code;
    enum status st;

    times->span_us = 0;
    if (count == 0)
        return cuda_check(cuda_result(device, device->cuda.cuCtxSynchronize(), STATUS_IO), err,
                          "finish earlier work");
    events = mem_alloc_zeroed(count + 1, sizeof(*events));
    st = make_events(device, events, count, times->each_us != NULL, err);
    if (!st)
        st = enqueue_all(program, launches, buffers, events, err);
    code = device->cuda.cuCtxSynchronize();
    if (!st && code)
        st = explain(device, launches, code, err);
    for (size_t i = 0; !st && times->each_us && i < count; i++)
        times->each_us[i] = elapsed_us(device, events[i], events[i + 1]);
    if (!st)
        times->span_us = elapsed_us(device, events[0], events[count]);
    events_free(device, events, count);
    return st;
}

enum status cuda_step(struct program *program, const struct launch_list *launches,
                      struct buffer *const *buffers, struct error *err)
{
    const struct device *device = program->device;
    enum status st = cuda_check(cuda_result(device, device->cuda.cuCtxSynchronize(), STATUS_IO),
                                err, "finish earlier work");

    (void)device->cuda.cuProfilerStart();
    for (size_t i = 0; !st && i < launches->count; i++) {
        st = enqueue(program, &launches->items[i], buffers, err);
        if (!st)
            st = cuda_check(cuda_result(device, device->cuda.cuCtxSynchronize(), STATUS_IO), err,
                            "finish %s, launch %zu of %zu", launches->items[i].kernel, i + 1,
                            launches->count);
    }
    (void)device->cuda.cuProfilerStop();
    return st;
}

void cuda_warm_profiler(struct device *device)
{
    const struct cuda_driver *cuda = &device->cuda;

    (void)cuda->cuProfilerStart();
    (void)cuda_internal_launch(device->timing_program, PROFILE_WARM_UP,
                               (struct line_of_blocks){1, 1}, NULL);
    (void)cuda->cuCtxSynchronize();
    (void)cuda->cuProfilerStop();
}
