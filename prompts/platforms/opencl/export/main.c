/* Builds the kernels, compares them with plain kernels on random data, and times them. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "data.h"

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

/* A program and its memory for outputs and scratch; all programs share inputs and params. */
struct loaded {
    const struct program *program;
    cl_program handle;
    cl_mem *buffers;
};

static void check(cl_int code, const char *what)
{
    char why[64];

    snprintf(why, sizeof(why), "OpenCL error %d", code);
    if (code)
        fail(what, why);
}

/* The device with the number in $OPENCL_DEVICE, counted over all platforms; else the first. */
static cl_device_id choose(void)
{
    const char *wanted = getenv("OPENCL_DEVICE");
    unsigned long left = wanted ? strtoul(wanted, NULL, 10) : 0;
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint platform_count = 0, count;

    (void)clGetPlatformIDs(16, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        count = 0;
        (void)clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count);
        if (left < count)
            return devices[left];
        left -= count;
    }
    fail("OpenCL", "no such device: check OPENCL_DEVICE");
}

static struct device open_device(void)
{
    struct device device = {.id = choose()};
    char name[256] = "";
    cl_int code;

    (void)clGetDeviceInfo(device.id, CL_DEVICE_NAME, sizeof(name), name, NULL);
    printf("on %s\n", name);
    device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    check(code, "context");
    device.queue =
        clCreateCommandQueue(device.context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    check(code, "queue");
    return device;
}

static cl_program build(const struct device *device, const struct program *program)
{
    char *text = read_text(program->file), log[1 << 14] = "";
    const char *source = text;
    cl_int code;
    cl_program handle = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);

    check(code, program->file);
    code = clBuildProgram(handle, 1, &device->id, program->options, NULL, NULL);
    if (code) {
        (void)clGetProgramBuildInfo(handle, device->id, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
                                    NULL);
        fail(program->file, log);
    }
    free(text);
    return handle;
}

static struct loaded load(const struct device *device, const struct program *program,
                          const struct loaded *shares)
{
    struct loaded loaded = {program, build(device, program),
                            allocate(program->buffer_count * sizeof(cl_mem))};
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; i < program->buffer_count; i++) {
        if (shares && i < tensor_count && tensors[i].role != OUTPUT)
            loaded.buffers[i] = shares->buffers[i];
        else
            loaded.buffers[i] = clCreateBuffer(device->context, CL_MEM_READ_WRITE,
                                               program->buffer_bytes[i], NULL, &code);
        check(code, "memory");
    }
    return loaded;
}

static void fill(const struct device *device, const struct loaded *loaded)
{
    for (size_t i = 0; i < tensor_count; i++) {
        void *contents = tensors[i].role == OUTPUT ? NULL : make_contents(&tensors[i]);

        if (contents)
            check(clEnqueueWriteBuffer(device->queue, loaded->buffers[i], CL_TRUE, 0,
                                       loaded->program->buffer_bytes[i], contents, 0, NULL, NULL),
                  tensors[i].name);
        free(contents);
    }
}

static void set_argument(cl_kernel kernel, cl_uint i, const struct argument *argument,
                         const cl_mem *buffers, const char *name)
{
    if (argument->kind == BUFFER)
        check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[argument->index]), name);
    else
        check(clSetKernelArg(kernel, i, argument->bytes,
                             argument->kind == VALUE ? &argument->bits : NULL),
              name);
}

static cl_event start(const struct device *device, const struct loaded *loaded,
                      const struct launch *launch)
{
    cl_int code;
    cl_event event;
    cl_kernel kernel = clCreateKernel(loaded->handle, launch->kernel, &code);

    check(code, launch->kernel);
    for (size_t i = 0; i < launch->argument_count; i++)
        set_argument(kernel, (cl_uint)i, &launch->arguments[i], loaded->buffers, launch->kernel);
    check(clEnqueueNDRangeKernel(device->queue, kernel, launch->rank, NULL, launch->global,
                                 launch->local[0] ? launch->local : NULL, 0, NULL, &event),
          launch->kernel);
    check(clReleaseKernel(kernel), launch->kernel);
    return event;
}

static cl_ulong moment(cl_event event, cl_profiling_info which)
{
    cl_ulong ns = 0;

    check(clGetEventProfilingInfo(event, which, sizeof(ns), &ns, NULL), "a time");
    return ns;
}

/* Microseconds from the first start to the last end. */
static double run(const struct device *device, const struct loaded *loaded,
                  const struct launches *list)
{
    cl_ulong first = 0, last = 0;

    for (size_t i = 0; i < list->count; i++) {
        cl_event event = start(device, loaded, &list->items[i]);

        check(clWaitForEvents(1, &event), list->items[i].kernel);
        if (i == 0)
            first = moment(event, CL_PROFILING_COMMAND_START);
        last = moment(event, CL_PROFILING_COMMAND_END);
        check(clReleaseEvent(event), list->items[i].kernel);
    }
    return (double)(last - first) / 1000;
}

static void *read_back(const struct device *device, const struct loaded *loaded, size_t i)
{
    size_t bytes = loaded->program->buffer_bytes[i];
    void *contents = allocate(bytes);

    check(clEnqueueReadBuffer(device->queue, loaded->buffers[i], CL_TRUE, 0, bytes, contents, 0,
                              NULL, NULL),
          tensors[i].name);
    return contents;
}

static bool verify(const struct device *device, const struct loaded *own)
{
    struct loaded plain = load(device, reference, own);
    bool is_right = true;

    (void)run(device, &plain, &plain.program->prepare);
    (void)run(device, &plain, &plain.program->each);
    for (size_t i = 0; i < tensor_count; i++) {
        void *got, *want;

        if (tensors[i].role != OUTPUT)
            continue;
        got = read_back(device, own, i);
        want = read_back(device, &plain, i);
        is_right = compare(&tensors[i], got, want) && is_right;
        free(got);
        free(want);
    }
    return is_right;
}

enum { RUNS = 21 };

int main(void)
{
    struct device device = open_device();
    struct loaded own = load(&device, &candidate, NULL);
    double times[RUNS];
    bool is_right = true;

    fill(&device, &own);
    (void)run(&device, &own, &own.program->prepare);
    for (size_t i = 0; i < RUNS; i++)
        times[i] = run(&device, &own, &own.program->each);
    if (reference)
        is_right = verify(&device, &own);
    else
        puts("not checked: there are no plain kernels for this problem");
    printf("%.1f us, the median of %d runs\n", median(times, RUNS), RUNS);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
