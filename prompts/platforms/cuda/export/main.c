/* Builds the kernels, compares them with plain kernels on random data, and times them. */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

/* A program and its memory for outputs and scratch; all programs share inputs and params. */
struct loaded {
    const struct program *program;
    CUmodule module;
    CUdeviceptr *buffers;
};

static void check(CUresult code, const char *what)
{
    const char *why = "CUDA error";

    (void)cuGetErrorString(code, &why);
    if (code != CUDA_SUCCESS)
        fail(what, why);
}

static CUdevice open_device(void)
{
    char name[256] = "";
    CUdevice device;
    CUcontext context;

    check(cuInit(0), "the driver");
    check(cuDeviceGet(&device, 0), "the first device");
    check(cuDeviceGetName(name, sizeof(name), device), "its name");
    check(cuDevicePrimaryCtxRetain(&context, device), "its context");
    check(cuCtxSetCurrent(context), "its context");
    printf("on %s\n", name);
    return device;
}

/* From Hopper on, the suffix "a" enables features that later architectures may lack. */
static void name_architecture(CUdevice device, char option[40])
{
    int major = 0, minor = 0;

    check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "its architecture");
    check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
          "its architecture");
    snprintf(option, 40, "--gpu-architecture=sm_%d%d%s", major, minor, major >= 9 ? "a" : "");
}

enum { MAX_OPTIONS = 64 };

/* The program's options, separated by blanks, after the options of every program. */
static size_t list_options(char *copy, const char **options)
{
    size_t count = 0;

    options[count++] = "--device-as-default-execution-space";
    options[count++] = "--include-path=" CUDA_HEADERS;
    for (char *word = strtok(copy, " "); word && count < MAX_OPTIONS - 1; word = strtok(NULL, " "))
        options[count++] = word;
    return count;
}

static void compile(nvrtcProgram handle, const struct program *program, CUdevice device)
{
    const char *options[MAX_OPTIONS];
    char architecture[40], log[1 << 14] = "", *copy = allocate(strlen(program->options));
    size_t count, size = 0;

    strcpy(copy, program->options);
    count = list_options(copy, options);
    name_architecture(device, architecture);
    options[count++] = architecture;
    if (nvrtcCompileProgram(handle, (int)count, options) != NVRTC_SUCCESS) {
        (void)nvrtcGetProgramLogSize(handle, &size);
        if (size < sizeof(log))
            (void)nvrtcGetProgramLog(handle, log);
        fail(program->file, log);
    }
    free(copy);
}

static CUmodule build(CUdevice device, const struct program *program)
{
    char *text = read_text(program->file), *code;
    nvrtcProgram handle;
    CUmodule module;
    size_t size = 0;

    if (nvrtcCreateProgram(&handle, text, "kernel.cu", 0, NULL, NULL) != NVRTC_SUCCESS)
        fail(program->file, "NVRTC rejects it");
    compile(handle, program, device);
    (void)nvrtcGetCUBINSize(handle, &size);
    code = allocate(size);
    (void)nvrtcGetCUBIN(handle, code);
    check(cuModuleLoadData(&module, code), program->file);
    (void)nvrtcDestroyProgram(&handle);
    free(code);
    free(text);
    return module;
}

static struct loaded load(CUdevice device, const struct program *program,
                          const struct loaded *shares)
{
    struct loaded loaded = {program, build(device, program),
                            allocate(program->buffer_count * sizeof(CUdeviceptr))};

    for (size_t i = 0; i < program->buffer_count; i++) {
        if (shares && i < tensor_count && tensors[i].role != OUTPUT)
            loaded.buffers[i] = shares->buffers[i];
        else
            check(cuMemAlloc(&loaded.buffers[i], program->buffer_bytes[i]), "memory");
    }
    return loaded;
}

static void fill(const struct loaded *loaded)
{
    for (size_t i = 0; i < tensor_count; i++) {
        void *contents = tensors[i].role == OUTPUT ? NULL : make_contents(&tensors[i]);

        if (contents)
            check(cuMemcpyHtoD(loaded->buffers[i], contents, loaded->program->buffer_bytes[i]),
                  tensors[i].name);
        free(contents);
    }
}

static CUtensorMap make_map(const struct tensor_map *map, const CUdeviceptr *buffers)
{
    static const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    CUtensorMap made;

    check(cuTensorMapEncodeTiled(
              &made, (CUtensorMapDataType)map->type, map->rank,
              (void *)(uintptr_t)buffers[map->buffer], (const cuuint64_t *)map->sizes,
              (const cuuint64_t *)map->strides, map->box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
              (CUtensorMapSwizzle)map->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "tensor map");
    return made;
}

/* A launch's arguments in the form that the driver takes. */
struct arguments {
    CUtensorMap maps[8];
    CUdeviceptr buffers[64];
    uint64_t values[64];
    void *pointers[64];
};

static void set_arguments(struct arguments *set, const struct launch *launch,
                          const CUdeviceptr *buffers)
{
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];

        set->values[i] = argument->bits;
        set->pointers[i] = &set->values[i];
        if (argument->kind == BUFFER) {
            set->buffers[i] = buffers[argument->index];
            set->pointers[i] = &set->buffers[i];
        } else if (argument->kind == TENSOR_MAP) {
            set->maps[argument->index] = make_map(&launch->maps[argument->index], buffers);
            set->pointers[i] = &set->maps[argument->index];
        }
    }
}

static unsigned blocks(const struct launch *launch, unsigned axis)
{
    return axis < launch->rank ? (unsigned)(launch->global[axis] / launch->local[axis]) : 1;
}

static unsigned along(const struct launch *launch, unsigned axis, size_t count)
{
    return axis < launch->rank && count ? (unsigned)count : 1;
}

static void start(const struct loaded *loaded, const struct launch *launch)
{
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {.gridDimX = blocks(launch, 0),
                             .gridDimY = blocks(launch, 1),
                             .gridDimZ = blocks(launch, 2),
                             .blockDimX = along(launch, 0, launch->local[0]),
                             .blockDimY = along(launch, 1, launch->local[1]),
                             .blockDimZ = along(launch, 2, launch->local[2]),
                             .sharedMemBytes = (unsigned)launch->shared,
                             .attrs = &cluster,
                             .numAttrs = launch->cluster[0] ? 1 : 0};
    struct arguments arguments;
    CUfunction kernel;

    cluster.value.clusterDim.x = along(launch, 0, launch->cluster[0]);
    cluster.value.clusterDim.y = along(launch, 1, launch->cluster[1]);
    cluster.value.clusterDim.z = along(launch, 2, launch->cluster[2]);
    check(cuModuleGetFunction(&kernel, loaded->module, launch->kernel), launch->kernel);
    check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             (int)launch->shared),
          launch->kernel);
    if (launch->cluster[0])
        check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
              launch->kernel);
    set_arguments(&arguments, launch, loaded->buffers);
    check(cuLaunchKernelEx(&config, kernel, arguments.pointers, NULL), launch->kernel);
}

/* Microseconds from the first start to the last end, with warm caches. */
static double run(const struct loaded *loaded, const struct launches *list)
{
    CUevent first, last;
    float ms = 0;

    check(cuEventCreate(&first, CU_EVENT_DEFAULT), "an event");
    check(cuEventCreate(&last, CU_EVENT_DEFAULT), "an event");
    check(cuEventRecord(first, NULL), "an event");
    for (size_t i = 0; i < list->count; i++)
        start(loaded, &list->items[i]);
    check(cuEventRecord(last, NULL), "an event");
    check(cuEventSynchronize(last), "the kernels");
    check(cuEventElapsedTime(&ms, first, last), "an event");
    check(cuEventDestroy(first), "an event");
    check(cuEventDestroy(last), "an event");
    return 1000 * (double)ms;
}

static void *read_back(const struct loaded *loaded, size_t i)
{
    void *contents = allocate(loaded->program->buffer_bytes[i]);

    check(cuMemcpyDtoH(contents, loaded->buffers[i], loaded->program->buffer_bytes[i]),
          tensors[i].name);
    return contents;
}

static bool verify(CUdevice device, const struct loaded *own)
{
    struct loaded plain = load(device, reference, own);
    bool is_right = true;

    (void)run(&plain, &plain.program->prepare);
    (void)run(&plain, &plain.program->each);
    for (size_t i = 0; i < tensor_count; i++) {
        void *got, *want;

        if (tensors[i].role != OUTPUT)
            continue;
        got = read_back(own, i);
        want = read_back(&plain, i);
        is_right = compare(&tensors[i], got, want) && is_right;
        free(got);
        free(want);
    }
    return is_right;
}

enum { RUNS = 21 };

int main(void)
{
    CUdevice device = open_device();
    struct loaded own = load(device, &candidate, NULL);
    double times[RUNS];
    bool is_right = true;

    fill(&own);
    (void)run(&own, &own.program->prepare);
    for (size_t i = 0; i < RUNS; i++)
        times[i] = run(&own, &own.program->each);
    if (reference)
        is_right = verify(device, &own);
    else
        puts("not checked: there are no plain kernels for this problem");
    printf("%.1f us, the median of %d runs\n", median(times, RUNS), RUNS);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
