#ifndef BACKENDS_CUDA_INTERNAL_KERNELS_H
#define BACKENDS_CUDA_INTERNAL_KERNELS_H

#include "backends/cuda/program.h"

/*
 * kforge's internal kernels: building and launching them, and the two that prepare each timed run
 * (timing.cu).  They share a device with candidates, and are compiled by the same compiler.
 */

/*
 * Build an internal program.  STATUS_UNAVAILABLE if the compiler rejects the source.  The caller
 * frees `*program` with cuda_program_free().
 */
enum status cuda_internal_build(struct device *device, const struct program_source *source,
                                struct program **program, struct error *err) MUST_CHECK;

/* A one-dimensional grid: its blocks, and the threads of each. */
struct line_of_blocks {
    unsigned blocks, threads;
};

/*
 * Queue an internal kernel of `program` without waiting for it; `arguments` as for
 * cuLaunchKernel().
 */
CUresult cuda_internal_launch(const struct program *program, const char *kernel,
                              struct line_of_blocks space, void **arguments);

/* Build the timing program, allocate what it needs, and measure device->overhead_us with it. */
enum status cuda_internal_load(struct device *device, struct error *err) MUST_CHECK;

/* Free all internal programs of the device, and their memory. */
void cuda_internal_unload(struct device *device);

/*
 * Queue a kernel that reads enough other memory to evict all tensors from the L2 cache.  It writes
 * nothing, so no line is left to be written back.
 */
CUresult cuda_evict_l2(const struct device *device);

/* Queue a kernel that runs for `us` microseconds. */
CUresult cuda_keep_busy(const struct device *device, unsigned us);

#endif
