#include "backends/opencl/run.h"

#include <stdio.h>
#include <string.h>

#include "backends/opencl/error.h"
#include "backends/opencl/memory.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/thread_work.h"

static enum dtype scalar_dtype(const struct launch_arg *arg)
{
    return arg->kind == ARG_INTEGER ? DTYPE_I32 : arg->dtype;
}

/* A description of the argument, for messages. */
static const char *given_name(const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return "a buffer";
    case ARG_LOCAL:
        return "local memory";
    case ARG_TENSOR_MAP:
        return "a tensor map, which only CUDA has";
    case ARG_INTEGER:
    case ARG_NUMBER:
    default:
        return dtype_name(scalar_dtype(arg));
    }
}

/* A kernel's parameter, as the driver reports it. */
struct parameter {
    cl_kernel_arg_address_qualifier place;
    char type[64]; /* "float", "float*" */
};

static const struct {
    const char *name;
    enum dtype dtype;
} scalars[] = {
    {"float", DTYPE_F32}, {"half", DTYPE_F16}, {"double", DTYPE_F64}, {"int", DTYPE_I32},
    {"uint", DTYPE_I32},  {"long", DTYPE_I64}, {"ulong", DTYPE_I64},
};

/*
 * Types that are not in the table are accepted: the candidate may define names of its own for them.
 */
static bool is_scalar(const char *type, enum dtype dtype)
{
    for (size_t i = 0; i < COUNT(scalars); i++) {
        if (strcmp(scalars[i].name, type) == 0)
            return scalars[i].dtype == dtype;
    }
    return true;
}

static bool takes(const struct parameter *parameter, const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return parameter->place == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
               parameter->place == CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case ARG_LOCAL:
        return parameter->place == CL_KERNEL_ARG_ADDRESS_LOCAL;
    case ARG_TENSOR_MAP:
        return false;
    case ARG_INTEGER:
    case ARG_NUMBER:
    default:
        return parameter->place == CL_KERNEL_ARG_ADDRESS_PRIVATE &&
               is_scalar(parameter->type, scalar_dtype(arg));
    }
}

/*
 * False if the driver has no record of the parameter; only -cl-kernel-arg-info obliges it to keep
 * one. clSetKernelArg() then checks the size.
 */
static bool ask_parameter(cl_kernel kernel, cl_uint index, struct parameter *parameter)
{
    return !clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                               sizeof(parameter->place), &parameter->place, NULL) &&
           !clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(parameter->type),
                               parameter->type, NULL);
}

static cl_int give(cl_kernel kernel, cl_uint index, const struct launch_arg *arg,
                   struct buffer *const *buffers)
{
    cl_int integer = (cl_int)arg->integer;
    uint64_t number;

    switch (arg->kind) {
    case ARG_BUFFER:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &buffers[arg->buffer]->contents);
    case ARG_INTEGER:
        return clSetKernelArg(kernel, index, sizeof(integer), &integer);
    case ARG_LOCAL:
        return clSetKernelArg(kernel, index, (size_t)arg->integer, NULL);
    case ARG_NUMBER:
    case ARG_TENSOR_MAP: /* refused by check_members() in run.c */
    default:
        dtype_from_double(arg->dtype, &arg->number, &number, 1);
        return clSetKernelArg(kernel, index, dtype_bytes(arg->dtype), &number);
    }
}

static enum status set_argument(const struct kernel *kernel, cl_uint index,
                                const struct launch_arg *arg, struct buffer *const *buffers,
                                struct error *err)
{
    struct parameter parameter;
    cl_int code;

    if (ask_parameter(kernel->handle, index, &parameter) && !takes(&parameter, arg))
        return error_set(err, STATUS_INVALID, "argument %u of %s is %s%s and is given %s",
                         index + 1, kernel->name,
                         parameter.place == CL_KERNEL_ARG_ADDRESS_LOCAL ? "local " : "",
                         parameter.type, given_name(arg));
    code = give(kernel->handle, index, arg, buffers);
    if (code)
        return error_set(err, STATUS_INVALID, "argument %u of %s cannot be %s: %s", index + 1,
                         kernel->name, given_name(arg), opencl_error_name(code));
    return STATUS_OK;
}

/*
 * Set the arguments of a launch.  An argument that does not fit is STATUS_INVALID; the error names
 * the kernel and the argument, counted from 1.  OpenCL itself compares only sizes, so that an int
 * passes for a float; programs are built with -cl-kernel-arg-info, which lets this function compare
 * types and address spaces.
 */
static enum status opencl_arguments_set(const struct kernel *kernel, const struct launch *launch,
                                        struct buffer *const *buffers, struct error *err)
{
    enum status st = STATUS_OK;

    if (kernel->arg_count != launch->arg_count)
        return error_set(err, STATUS_INVALID, "%s is given %zu arguments and takes %u",
                         kernel->name, launch->arg_count, kernel->arg_count);
    for (cl_uint i = 0; !st && i < kernel->arg_count; i++)
        st = set_argument(kernel, i, &launch->args[i], buffers, err);
    return st;
}

/*
 * Local memory that the kernel declares counts only on CPUs, where PoCL ends the process if it is
 * too much.  On a GPU the compiler has checked it, and NVIDIA's allows more than
 * CL_DEVICE_LOCAL_MEM_SIZE.
 */
static enum status check_local_memory(const struct kernel *kernel, const struct launch *launch,
                                      const struct device *device, struct error *err)
{
    int64_t bytes = device->info.is_cpu ? kernel->local_bytes : 0;

    for (size_t i = 0; i < launch->arg_count; i++) {
        if (launch->args[i].kind == ARG_LOCAL)
            bytes += launch->args[i].integer;
    }
    if (bytes > device->info.local_bytes)
        return error_set(err, STATUS_INVALID,
                         "cannot launch %s: it needs %lld bytes of local memory, %s has %lld",
                         kernel->name, (long long)bytes, device->info.id,
                         (long long)device->info.local_bytes);
    return STATUS_OK;
}

enum { REASON_SIZE = 128 };

/* The likely reason why a driver refused the launch, in brackets; empty if its sizes look right. */
static void explain(const struct kernel *kernel, const struct launch *launch,
                    const struct device *device, char reason[REASON_SIZE])
{
    size_t items = 1;

    *reason = '\0';
    for (unsigned i = 0; i < launch->rank; i++) {
        size_t global = launch->global[i], local = launch->local[i];

        items *= local;
        if (local > device->item_sizes[i])
            snprintf(reason, REASON_SIZE, " (local[%u] %zu exceeds the device's %zu)", i, local,
                     device->item_sizes[i]);
        else if (local && global % local)
            snprintf(reason, REASON_SIZE, " (local[%u] %zu does not divide global[%u] %zu)", i,
                     local, i, global);
    }
    if (items > device->info.max_work_group)
        snprintf(reason, REASON_SIZE, " (local %zu exceeds the device's %zu)", items,
                 device->info.max_work_group);
    else if (items > kernel->max_group)
        snprintf(reason, REASON_SIZE, " (local %zu exceeds the kernel's %zu)", items,
                 kernel->max_group);
}

static enum status check_members(const struct launch *launch, struct error *err)
{
    if (!launch->shared && !launch->cluster[0] && !launch->tensor_map_count)
        return STATUS_OK;
    return error_set(err, STATUS_INVALID,
                     "cannot launch %s: \"shared\", \"cluster\" and \"tensor_map\" exist only in "
                     "CUDA; in OpenCL local memory is an argument, {\"local\": bytes}",
                     launch->kernel);
}

static enum status enqueue(struct program *program, const struct launch *launch,
                           struct buffer *const *buffers, cl_event *event, struct error *err)
{
    const struct device *device = program->device;
    const struct kernel *kernel;
    char reason[REASON_SIZE];
    cl_int code;
    enum status st = opencl_program_kernel(program, launch->kernel, &kernel, err);

    if (!st)
        st = check_members(launch, err);
    if (!st)
        st = check_local_memory(kernel, launch, device, err);
    if (!st)
        st = opencl_arguments_set(kernel, launch, buffers, err);
    if (st)
        return st;
    code = clEnqueueNDRangeKernel(device->queue, kernel->handle, launch->rank, NULL, launch->global,
                                  launch->local[0] ? launch->local : NULL, 0, NULL, event);
    if (!code)
        return STATUS_OK;
    explain(kernel, launch, device, reason);
    return error_set(err, STATUS_INVALID, "cannot launch %s: %s%s", kernel->name,
                     opencl_error_name(code), reason);
}

static enum status enqueue_all(struct program *program, const struct launch_list *launches,
                               struct buffer *const *buffers, cl_event *events, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < launches->count; i++)
        st = enqueue(program, &launches->items[i], buffers, &events[i], err);
    return st;
}

/*
 * The end of a launch, including the kernels that it enqueued itself on the device.  OpenCL 2.0 has
 * a time for that; before 2.0 a kernel cannot enqueue others.
 */
static cl_int read_end(cl_event event, cl_ulong *end)
{
    enum { COMMAND_COMPLETE = 0x1284 /* CL_PROFILING_COMMAND_COMPLETE of OpenCL 2.0 */ };
    cl_int code = clGetEventProfilingInfo(event, COMMAND_COMPLETE, sizeof(*end), end, NULL);

    return code ? clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(*end), end, NULL)
                : CL_SUCCESS;
}

/*
 * The duration of each launch and of all, from the driver's nanoseconds.  A launch that failed has
 * no time.
 */
static enum status read_times(const struct launch_list *launches, const cl_event *events,
                              struct run_times *times, struct error *err)
{
    cl_ulong first = 0, start = 0, end = 0;

    for (size_t i = 0; i < launches->count; i++) {
        cl_int code = clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof(start),
                                              &start, NULL);

        if (!code)
            code = read_end(events[i], &end);
        if (code)
            return error_set(err, STATUS_IO, "%s failed: %s", launches->items[i].kernel,
                             opencl_error_name(code));
        if (i == 0)
            first = start;
        if (times->each_us)
            times->each_us[i] = (double)(end - start) / 1000;
    }
    times->span_us = (double)(end - first) / 1000;
    return STATUS_OK;
}

enum status opencl_run(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times, struct error *err)
{
    cl_event *events = mem_alloc_zeroed(launches->count + 1, sizeof(cl_event));
    double began_us = thread_work_own_us();
    enum status st = enqueue_all(program, launches, buffers, events, err);
    cl_int code;

    times->aside_us = thread_work_own_us() - began_us;
    code = clFinish(program->device->queue);
    if (!st)
        st = read_times(launches, events, times, err);
    if (!st && code)
        st = error_set(err, STATUS_IO, "%s cannot finish the launches: %s",
                       program->device->info.id, opencl_error_name(code));
    for (size_t i = 0; i < launches->count; i++) {
        if (events[i])
            clReleaseEvent(events[i]);
    }
    free(events);
    return st;
}

enum status opencl_step(struct program *program, const struct launch_list *launches,
                        struct buffer *const *buffers, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < launches->count; i++) {
        cl_int code;

        st = enqueue(program, &launches->items[i], buffers, NULL, err);
        code = clFinish(program->device->queue);
        if (!st && code)
            st = error_set(err, STATUS_IO, "%s cannot finish %s, launch %zu of %zu: %s",
                           program->device->info.id, launches->items[i].kernel, i + 1,
                           launches->count, opencl_error_name(code));
    }
    return st;
}
