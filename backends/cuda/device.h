#ifndef BACKENDS_CUDA_DEVICE_H
#define BACKENDS_CUDA_DEVICE_H

#include "backends/cuda/driver.h"
#include "backends/cuda/nvrtc.h"
#include "core/judge/device/backend.h"

/*
 * A CUDA device with its primary context.  Everything is on the null stream,
 * and so in order.  An error that kills the context kills this process' use of
 * the device: it is STATUS_IO, after which the judge starts a new executor.
 */
struct device {
    struct cuda_driver cuda;
    struct nvrtc nvrtc;
    CUdevice id;
    struct device_info info;
    int max_block[LAUNCH_MAX_RANK], max_grid[LAUNCH_MAX_RANK];
    char arch[NVRTC_ARCH_SIZE];
    CUcontext context;
    struct program *timing_program; /* the helper kernels that timing takes (internal_kernels.h) */
    struct program
        *fill_programs[FILL_KIND_COUNT][DTYPE_COUNT]; /* of random contents; NULL: not yet used */
    CUdeviceptr differs;  /* an int: set to 1 when buffer_holds() finds a difference */
    CUdeviceptr eviction; /* what is read so that nothing else is in the L2 cache */
    size_t eviction_bytes;
    double overhead_us; /* what two events around a kernel measure beside it */
};

/* The function of this name in struct backend_ops (core/judge/device/backend.h). */
enum status cuda_probe(struct device_list *found, struct error *err) MUST_CHECK;

/* Open the device without its internal programs, and close it after they have been unloaded. */
enum status cuda_device_open(size_t index, struct device **device, struct error *err) MUST_CHECK;
void cuda_device_close(struct device *device);

/* What came of a call of the driver. */
struct cuda_result {
    const struct device *device;
    CUresult code;
    enum status status; /* of anything but CUDA_SUCCESS */
};

static inline struct cuda_result cuda_result(const struct device *device, CUresult code,
                                             enum status status)
{
    return (struct cuda_result){device, code, status};
}

/* STATUS_OK for CUDA_SUCCESS.  Else the error says what the device "cannot <what>", and why. */
enum status cuda_check(struct cuda_result result, struct error *err, const char *what, ...)
    PRINTF_LIKE(3, 4) MUST_CHECK;

#endif
