#ifndef BACKENDS_CUDA_DEVICE_H
#define BACKENDS_CUDA_DEVICE_H

#include "backends/cuda/compile_parts.h"
#include "backends/cuda/driver.h"
#include "backends/cuda/nvrtc.h"
#include "backends/cuda/platform.h"
#include "backends/cuda/staging.h"
#include "core/judge/device/backend.h"
#include "core/model/tensor.h"

/*
 * The maximum number of another process's buffers that are open at the same time: a candidate's
 * outputs.
 */
enum { CUDA_IMPORTS = 8 };

/* A buffer of another process: its name, and the address at which its allocation is mapped. */
struct cuda_import {
    struct buffer_handle source;
    CUdeviceptr mapped;
};

/*
 * A device of CUDA or HIP with its primary context.  All work goes to the null stream, so it runs
 * in order. An error that destroys the context (a launch that reads out of bounds, for example)
 * makes the device unusable for this process: calls then return STATUS_IO, and the judge starts a
 * new executor.
 *
 * The internal programs (internal_kernels.h) belong to the device, but are built and unloaded by
 * cuda.c: programs include this header, not the reverse.
 */
struct device {
    const struct gpu_platform *platform;
    struct cuda_driver cuda;
    struct nvrtc nvrtc;
    CUdevice id;
    struct device_info info;
    int max_block[LAUNCH_MAX_RANK], max_grid[LAUNCH_MAX_RANK];
    char arch[NVRTC_ARCH_SIZE];
    CUcontext context;
    struct program *timing_program; /* the kernels of timing.cu */
    /*
     * Programs that fill buffers with random contents, by kind and element type; NULL until first
     * used.
     */
    struct program *fill_programs[FILL_KIND_COUNT][DTYPE_COUNT];
    struct program *digest_program; /* NULL until first used */
    struct kept_kernels kept;
    CUdeviceptr result;   /* a word of 64 bits, for the result of an internal kernel */
    CUdeviceptr eviction; /* zeros, read to evict everything else from the L2 cache */
    size_t eviction_bytes;
    double overhead_us; /* time between two events with no work between them */
    struct cuda_staging staging;
    struct cuda_import imports[CUDA_IMPORTS];
    size_t import_count;
};

/* Append the platform's devices; a machine without its driver has none. */
void cuda_probe(const struct gpu_platform *platform, struct device_list *found);

/* An attribute of the device; 0 if the driver does not know it. */
int cuda_attribute(const struct device *device, enum gpu_attribute attribute);

/* CUDA's compute capability, 10 * major + minor. */
int cuda_capability(const struct device *device);

/*
 * Open the device that probe() lists at `index`, without its internal programs.  The caller unloads
 * those before cuda_device_close().
 */
enum status cuda_device_open(const struct gpu_platform *platform, size_t index,
                             struct device **device, struct error *err) MUST_CHECK;
void cuda_device_close(struct device *device);

/* The result of a driver call, for cuda_check(). */
struct cuda_result {
    const struct device *device;
    CUresult code;
    enum status status; /* to return for other codes than those that cuda_check() names */
};

static inline struct cuda_result cuda_result(const struct device *device, CUresult code,
                                             enum status status)
{
    return (struct cuda_result){device, code, status};
}

/*
 * STATUS_OK for CUDA_SUCCESS, and STATUS_UNAVAILABLE if memory ran out, which is no fault of a
 * candidate's and leaves the device usable. Otherwise `result.status`. The error is "DEVICE cannot
 * WHAT: CODE (meaning)"; `what` is a printf format for the verb and its object.
 */
enum status cuda_check(struct cuda_result result, struct error *err, const char *what, ...)
    PRINTF_LIKE(3, 4) MUST_CHECK;

#endif
