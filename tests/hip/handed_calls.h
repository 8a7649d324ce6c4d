#ifndef TESTS_HIP_HANDED_CALLS_H
#define TESTS_HIP_HANDED_CALLS_H

/*
 * The functions of libamdhip64 that only hand their arguments to the function of CUDA's driver with
 * the same meaning: X(HIP's name, CUDA's exported name, parameters, arguments). Handles, device
 * addresses, result codes, and the attributes of functions are the same in both.
 */
#define HANDED_CALLS(X)                                                                           \
    X(hipInit, "cuInit", (unsigned flags), (flags))                                               \
    X(hipGetDeviceCount, "cuDeviceGetCount", (int *count), (count))                               \
    X(hipDeviceGet, "cuDeviceGet", (int *device, int ordinal), (device, ordinal))                 \
    X(hipDeviceGetName, "cuDeviceGetName", (char *name, int size, int device),                    \
      (name, size, device))                                                                       \
    X(hipDeviceGetUuid, "cuDeviceGetUuid_v2", (void *uuid, int device), (uuid, device))           \
    X(hipDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, int device), (bytes, device))    \
    X(hipDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device),        \
      (context, device))                                                                          \
    X(hipDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device), (device))         \
    X(hipCtxSetCurrent, "cuCtxSetCurrent", (void *context), (context))                            \
    X(hipMemGetInfo, "cuMemGetInfo_v2", (size_t * unused, size_t * total), (unused, total))       \
    X(hipMalloc, "cuMemAlloc_v2", (void **at, size_t bytes), (at, bytes))                         \
    X(hipFree, "cuMemFree_v2", (void *at), (at))                                                  \
    X(hipMemcpyHtoD, "cuMemcpyHtoD_v2", (void *to, const void *from, size_t bytes),               \
      (to, from, bytes))                                                                          \
    X(hipMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, const void *from, size_t bytes),               \
      (to, from, bytes))                                                                          \
    X(hipHostMalloc, "cuMemHostAlloc", (void **block, size_t bytes, unsigned flags),              \
      (block, bytes, flags))                                                                      \
    X(hipHostFree, "cuMemFreeHost", (void *block), (block))                                       \
    X(hipMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                 \
      (void *to, const void *from, size_t bytes, void *stream), (to, from, bytes, stream))        \
    X(hipMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                                 \
      (void *to, const void *from, size_t bytes, void *stream), (to, from, bytes, stream))        \
    X(hipMemcpyDtoD, "cuMemcpyDtoD_v2", (void *to, const void *from, size_t bytes),               \
      (to, from, bytes))                                                                          \
    X(hipMemGetAddressRange, "cuMemGetAddressRange_v2", (void **base, size_t *bytes, void *at),   \
      (base, bytes, at))                                                                          \
    X(hipIpcGetMemHandle, "cuIpcGetMemHandle", (struct handed_memory * handle, void *at),         \
      (handle, at))                                                                               \
    X(hipIpcOpenMemHandle, "cuIpcOpenMemHandle_v2",                                               \
      (void **at, struct handed_memory handle, unsigned flags), (at, handle, flags))              \
    X(hipIpcCloseMemHandle, "cuIpcCloseMemHandle", (void *at), (at))                              \
    X(hipMemsetD8, "cuMemsetD8_v2", (void *at, unsigned char byte, size_t count),                 \
      (at, byte, count))                                                                          \
    X(hipMemsetD32, "cuMemsetD32_v2", (void *at, unsigned word, size_t count), (at, word, count)) \
    X(hipModuleUnload, "cuModuleUnload", (void *module), (module))                                \
    X(hipModuleGetFunction, "cuModuleGetFunction",                                                \
      (void **function, void *module, const char *name), (function, module, name))                \
    X(hipFuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, void *function),     \
      (value, attribute, function))                                                               \
    X(hipEventCreateWithFlags, "cuEventCreate", (void **event, unsigned flags), (event, flags))   \
    X(hipEventDestroy, "cuEventDestroy_v2", (void *event), (event))                               \
    X(hipEventRecord, "cuEventRecord", (void *event, void *stream), (event, stream))              \
    X(hipEventSynchronize, "cuEventSynchronize", (void *event), (event))                          \
    X(hipEventElapsedTime, "cuEventElapsedTime", (float *ms, void *start, void *end),             \
      (ms, start, end))                                                                           \
    X(hipProfilerStart, "cuProfilerStart", (void), ())                                            \
    X(hipProfilerStop, "cuProfilerStop", (void), ())                                              \
    X(hipDeviceSynchronize, "cuCtxSynchronize", (void), ())

struct handed_memory {
    char bytes[64];
};

#endif
