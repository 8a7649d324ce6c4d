#ifndef BACKENDS_CUDA_DRIVER_H
#define BACKENDS_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/*
 * The part of CUDA's driver API that kforge uses, from libcuda.so.1, which is opened at run time:
 * kforge builds and runs without any file of NVIDIA's.  Types, values and functions are those of
 * the "CUDA Driver API, API Reference Manual", under the same names.  Where a function has several
 * versions, this is the one that cuda.h has selected since CUDA 4.
 */

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
};

enum { CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 };
enum { CU_EVENT_DISABLE_TIMING = 2 };

typedef struct CUipcMemHandle_st {
    char reserved[64];
} CUipcMemHandle;

/* CUfunction_attribute; HIP has the same numbers. */
enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

/* CUlaunchAttributeID; kforge uses only the number of blocks in a cluster along each axis. */
enum { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4 };

typedef struct CUlaunchAttribute_st {
    int id;
    char pad[4];
    union {
        char pad[64];
        struct {
            unsigned x, y, z;
        } clusterDim;
    } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig_st {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

/*
 * A tensor map, which describes a tensor to the bulk copy engine (TMA).  Kernels take it by value.
 */
typedef struct CUtensorMap_st {
    _Alignas(64) uint64_t opaque[16];
} CUtensorMap;

/*
 * X(name, exported name, parameters) for each function; all return CUresult. HIP's driver lacks
 * cuLaunchKernelEx(), cuFuncSetAttribute() and cuTensorMapEncodeTiled(), which are NULL there.
 */
#define CUDA_DRIVER_FUNCTIONS(X)                                                                  \
    X(cuInit, "cuInit", (unsigned flags))                                                         \
    X(cuDriverGetVersion, "cuDriverGetVersion", (int *version))                                   \
    X(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                                         \
    X(cuDeviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                               \
    X(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, CUdevice device))                \
    X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (unsigned char *uuid, CUdevice device))              \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device)) \
    X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, CUdevice device))                 \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                                       \
      (CUcontext * context, CUdevice device))                                                     \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))               \
    X(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext context))                                    \
    X(cuMemGetInfo, "cuMemGetInfo_v2", (size_t * unused, size_t * total))                         \
    X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr * at, size_t bytes))                              \
    X(cuMemFree, "cuMemFree_v2", (CUdeviceptr at))                                                \
    X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (CUdeviceptr to, const void *from, size_t bytes))          \
    X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, CUdeviceptr from, size_t bytes))                \
    X(cuMemHostAlloc, "cuMemHostAlloc", (void **block, size_t bytes, unsigned flags))             \
    X(cuMemFreeHost, "cuMemFreeHost", (void *block))                                              \
    X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                  \
      (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                          \
    X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                                  \
      (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                                \
    X(cuMemcpyDtoD, "cuMemcpyDtoD_v2", (CUdeviceptr to, CUdeviceptr from, size_t bytes))          \
    X(cuMemGetAddressRange, "cuMemGetAddressRange_v2",                                            \
      (CUdeviceptr * base, size_t * bytes, CUdeviceptr at))                                       \
    X(cuIpcGetMemHandle, "cuIpcGetMemHandle", (CUipcMemHandle * handle, CUdeviceptr at))          \
    X(cuIpcOpenMemHandle, "cuIpcOpenMemHandle_v2",                                                \
      (CUdeviceptr * at, CUipcMemHandle handle, unsigned flags))                                  \
    X(cuIpcCloseMemHandle, "cuIpcCloseMemHandle", (CUdeviceptr at))                               \
    X(cuMemsetD8, "cuMemsetD8_v2", (CUdeviceptr at, unsigned char byte, size_t count))            \
    X(cuMemsetD32, "cuMemsetD32_v2", (CUdeviceptr at, unsigned word, size_t count))               \
    X(cuModuleLoadData, "cuModuleLoadData", (CUmodule * module, const void *image))               \
    X(cuModuleUnload, "cuModuleUnload", (CUmodule module))                                        \
    X(cuModuleGetFunction, "cuModuleGetFunction",                                                 \
      (CUfunction * function, CUmodule module, const char *name))                                 \
    X(cuFuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, CUfunction function)) \
    X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction function, int attribute, int value))  \
    X(cuLaunchKernelEx, "cuLaunchKernelEx",                                                       \
      (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))       \
    X(cuEventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                          \
    X(cuEventDestroy, "cuEventDestroy_v2", (CUevent event))                                       \
    X(cuEventRecord, "cuEventRecord", (CUevent event, CUstream stream))                           \
    X(cuEventSynchronize, "cuEventSynchronize", (CUevent event))                                  \
    X(cuEventElapsedTime, "cuEventElapsedTime", (float *ms, CUevent start, CUevent end))          \
    X(cuProfilerStart, "cuProfilerStart", (void))                                                 \
    X(cuProfilerStop, "cuProfilerStop", (void))                                                   \
    X(cuCtxSynchronize, "cuCtxSynchronize", (void))                                               \
    X(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                           \
      (CUtensorMap * map, int type, unsigned rank, void *address, const uint64_t *sizes,          \
       const uint64_t *strides, const unsigned *box, const unsigned *steps, int interleave,       \
       int swizzle, int promotion, int fill))

/* NOLINTNEXTLINE(bugprone-macro-parentheses): these are a name and parameters */
#define CUDA_DRIVER_MEMBER(name, symbol, arguments) CUresult(*name) arguments;

struct gpu_platform;

struct cuda_driver {
    const struct gpu_platform *platform;
    void *library;
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_MEMBER)

    /* Each of these exists on one platform, and is NULL on the other. */
    CUresult (*cuGetErrorName)(CUresult error, const char **name);
    CUresult (*cuGetErrorString)(CUresult error, const char **text);
    const char *(*hipGetErrorName)(CUresult error);
    const char *(*hipGetErrorString)(CUresult error);
    CUresult (*hipGetDeviceProperties)(void *properties, int device);
    CUresult (*hipModuleLaunchKernel)(CUfunction function, unsigned grid_x, unsigned grid_y,
                                      unsigned grid_z, unsigned block_x, unsigned block_y,
                                      unsigned block_z, unsigned shared_bytes, CUstream stream,
                                      void **parameters, void **extra);
};

/*
 * Open the library and initialise the driver.  STATUS_UNAVAILABLE if there is no usable driver; the
 * error names the package to install.
 */
enum status cuda_driver_open(const struct gpu_platform *platform, struct cuda_driver *driver,
                             struct error *err) MUST_CHECK;
void cuda_driver_close(struct cuda_driver *driver);

/* True if the driver's library is on this machine, whether it works or not. */
bool cuda_driver_is_there(const struct gpu_platform *platform);

/* Launch on the null stream. Only CUDA supports launches with attributes. */
CUresult cuda_driver_launch(const struct cuda_driver *driver, const CUlaunchConfig *config,
                            CUfunction function, void **parameters);

/*
 * The name and meaning of a result, such as "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access
 * was encountered)".  Written to `text`, which is returned.
 */
enum { CUDA_ERROR_TEXT = 160 };
const char *cuda_error_text(const struct cuda_driver *driver, CUresult code,
                            char text[CUDA_ERROR_TEXT]);

#endif
