#include "backends/hip/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/device.h"
#include "backends/hip/code_object.h"
#include "backends/hip/timing.hip.h"
#include "core/base/mem.h"

#define DRIVER(member, name)                       \
    {                                              \
        name, offsetof(struct cuda_driver, member) \
    }

static const struct symbol driver_symbols[] = {
    DRIVER(cuInit, "hipInit"),
    DRIVER(cuDriverGetVersion, "hipDriverGetVersion"),
    DRIVER(cuDeviceGetCount, "hipGetDeviceCount"),
    DRIVER(cuDeviceGet, "hipDeviceGet"),
    DRIVER(cuDeviceGetName, "hipDeviceGetName"),
    DRIVER(cuDeviceGetUuid, "hipDeviceGetUuid"),
    DRIVER(cuDeviceGetAttribute, "hipDeviceGetAttribute"),
    DRIVER(cuDeviceTotalMem, "hipDeviceTotalMem"),
    DRIVER(cuDevicePrimaryCtxRetain, "hipDevicePrimaryCtxRetain"),
    DRIVER(cuDevicePrimaryCtxRelease, "hipDevicePrimaryCtxRelease"),
    DRIVER(cuCtxSetCurrent, "hipCtxSetCurrent"),
    DRIVER(cuMemGetInfo, "hipMemGetInfo"),
    DRIVER(cuMemAlloc, "hipMalloc"),
    DRIVER(cuMemFree, "hipFree"),
    DRIVER(cuMemcpyHtoD, "hipMemcpyHtoD"),
    DRIVER(cuMemcpyDtoH, "hipMemcpyDtoH"),
    DRIVER(cuMemHostAlloc, "hipHostMalloc"),
    DRIVER(cuMemFreeHost, "hipHostFree"),
    DRIVER(cuMemcpyHtoDAsync, "hipMemcpyHtoDAsync"),
    DRIVER(cuMemcpyDtoHAsync, "hipMemcpyDtoHAsync"),
    DRIVER(cuMemcpyDtoD, "hipMemcpyDtoD"),
    DRIVER(cuMemGetAddressRange, "hipMemGetAddressRange"),
    DRIVER(cuIpcGetMemHandle, "hipIpcGetMemHandle"),
    DRIVER(cuIpcOpenMemHandle, "hipIpcOpenMemHandle"),
    DRIVER(cuIpcCloseMemHandle, "hipIpcCloseMemHandle"),
    DRIVER(cuMemsetD8, "hipMemsetD8"),
    DRIVER(cuMemsetD32, "hipMemsetD32"),
    DRIVER(cuModuleLoadData, "hipModuleLoadData"),
    DRIVER(cuModuleUnload, "hipModuleUnload"),
    DRIVER(cuModuleGetFunction, "hipModuleGetFunction"),
    DRIVER(cuFuncGetAttribute, "hipFuncGetAttribute"),
    DRIVER(hipModuleLaunchKernel, "hipModuleLaunchKernel"),
    DRIVER(cuEventCreate, "hipEventCreateWithFlags"),
    DRIVER(cuEventDestroy, "hipEventDestroy"),
    DRIVER(cuEventRecord, "hipEventRecord"),
    DRIVER(cuEventSynchronize, "hipEventSynchronize"),
    DRIVER(cuEventElapsedTime, "hipEventElapsedTime"),
    DRIVER(cuProfilerStart, "hipProfilerStart"),
    DRIVER(cuProfilerStop, "hipProfilerStop"),
    DRIVER(cuCtxSynchronize, "hipDeviceSynchronize"),
    DRIVER(hipGetErrorName, "hipGetErrorName"),
    DRIVER(hipGetErrorString, "hipGetErrorString"),
    DRIVER(hipGetDeviceProperties, "hipGetDeviceProperties"),
    {0},
};

#define COMPILER(member, name)               \
    {                                        \
        name, offsetof(struct nvrtc, member) \
    }

static const struct symbol compiler_symbols[] = {
    COMPILER(nvrtcVersion, "hiprtcVersion"),
    COMPILER(nvrtcCreateProgram, "hiprtcCreateProgram"),
    COMPILER(nvrtcDestroyProgram, "hiprtcDestroyProgram"),
    COMPILER(nvrtcCompileProgram, "hiprtcCompileProgram"),
    COMPILER(nvrtcGetProgramLogSize, "hiprtcGetProgramLogSize"),
    COMPILER(nvrtcGetProgramLog, "hiprtcGetProgramLog"),
    COMPILER(nvrtcGetCUBINSize, "hiprtcGetCodeSize"),
    COMPILER(nvrtcGetCUBIN, "hiprtcGetCode"),
    COMPILER(nvrtcGetErrorString, "hiprtcGetErrorString"),
    {0},
};

static const char *const options[] = {"-std=c++17", "-Wno-unused-command-line-argument", NULL};

#define ARCH_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789:+-"

/*
 * Take the last text that begins with "gfx": the device's name, which comes first, may also begin
 * with it.
 */
bool hip_arch_in(const void *properties, size_t bytes, char *arch, size_t room)
{
    const char *from = properties, *found = NULL, *end = from + bytes;

    for (const char *at = from; (at = memmem(at, (size_t)(end - at), "gfx", 3)); at += 3)
        found = at;
    if (!found || !memchr(found, '\0', (size_t)(end - found)))
        return false;
    snprintf(arch, room, "%.*s", (int)strspn(found, ARCH_CHARACTERS), found);
    return true;
}

/* Versions 5 to 7 have structs of 792 to 1,472 bytes. */
enum { PROPERTIES_BYTES = 1 << 14 };

static void find_arch(const struct device *device, char *arch)
{
    char *properties = mem_alloc_zeroed(PROPERTIES_BYTES, 1);

    *arch = '\0';
    if (!device->cuda.hipGetDeviceProperties(properties, device->id))
        (void)hip_arch_in(properties, PROPERTIES_BYTES, arch, NVRTC_ARCH_SIZE);
    free(properties);
}

/* The compiler names a temporary file, "/tmp/comgr-4b4d6a/input/CompileSource:3:12: error: ...". */
static char *name_source(const char *log)
{
    struct strbuf named = {0};
    const char *mark;

    while ((mark = strstr(log, "/comgr-"))) {
        const char *begin = mark;

        while (begin > log && !strchr(" \n'\"", begin[-1]))
            begin--;
        strbuf_add(&named, log, (size_t)(begin - log));
        strbuf_adds(&named, "kernel.hip");
        log = mark + strcspn(mark, ": \n'\"");
    }
    strbuf_adds(&named, log);
    return strbuf_take(&named);
}

static void read_entries(const struct strbuf *machine, const char *ptx, struct ptx_entries *found)
{
    (void)ptx;
    code_object_read(machine, found);
}

const struct gpu_platform hip_platform = {
    .name = "hip",
    .title = "AMD HIP",
    .compiler = "HIPRTC",
    .source_file = "kernel.hip",
    .driver_place = {.names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"},
                     .folders = {"$ROCM_PATH", "$HIP_PATH", "/opt/rocm"},
                     .below = "lib"},
    /* Up to version 5 hiprtc may be part of the driver's library. */
    .compiler_place = {.names = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                 "libamdhip64.so.5"},
                       .folders = {"$ROCM_PATH", "$HIP_PATH", "/opt/rocm"},
                       .below = "lib"},
    .driver_symbols = driver_symbols,
    .compiler_symbols = compiler_symbols,
    .no_driver = "no libamdhip64.so.7, .6 or .5: install ROCm (Debian: libamdhip64-5), or set "
                 "ROCM_PATH to its folder",
    .old_driver = "libamdhip64 is too old, install ROCm 5.1 or newer",
    .driver_refuses = "AMD's driver does not start",
    .no_device = "AMD's driver has no device",
    .no_compiler = "no libhiprtc: install ROCm (Debian: libamdhip64-5 and libhiprtc-builtins5)",
    .old_compiler = "libhiprtc is too old, install ROCm 5 or newer",
    .version_major = 10000000,
    .version_minor = 100000,
    /* hipDeviceAttribute_t of hip_runtime_api.h */
    .attributes = {[GPU_THREADS_PER_BLOCK] = 56,
                   [GPU_BLOCK_X] = 26,
                   [GPU_BLOCK_Y] = 27,
                   [GPU_BLOCK_Z] = 28,
                   [GPU_GRID_X] = 29,
                   [GPU_GRID_Y] = 30,
                   [GPU_GRID_Z] = 31,
                   [GPU_WARP] = 87,
                   [GPU_UNITS] = 63,
                   [GPU_L2_BYTES] = 19,
                   [GPU_SHARED_BYTES] = 74},
    .options = options,
    .has_headers = true,
    /* A code object gives the size of a number, but does not distinguish floats from integers. */
    .numbers = {[DTYPE_F32] = {"a number", 4},
                [DTYPE_F64] = {"a number", 8},
                [DTYPE_I32] = {"a number", 4},
                [DTYPE_I64] = {"a number", 8},
                [DTYPE_F16] = {"a number", 2},
                [DTYPE_BF16] = {"a number", 2},
                [DTYPE_BOOL] = {"a number", 1}},
    .pointer = {"a pointer", 8},
    .timing_source = timing_hip,
    .find_arch = find_arch,
    .name_source = name_source,
    .read_entries = read_entries,
};
