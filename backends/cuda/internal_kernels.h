#ifndef BACKENDS_CUDA_INTERNAL_KERNELS_H
#define BACKENDS_CUDA_INTERNAL_KERNELS_H

#include "backends/cuda/program.h"

/*
 * kforge's own kernels on a device: they empty the cache and hold the device up
 * while launches are queued; and how to build and launch others.
 */

/* STATUS_UNAVAILABLE when the compiler rejects the source. */
enum status cuda_internal_build(struct device *device, const struct program_source *source,
                                struct program **program, struct error *err) MUST_CHECK;

/* Blocks in a grid and threads in a block, in one dimension. */
struct line_of_blocks {
    unsigned blocks, threads;
};

/* Queue one of our own kernels, which are in every program; `arguments` as cuLaunchKernel() has
 * them. */
CUresult cuda_internal_launch(const struct program *program, const char *kernel,
                              struct line_of_blocks space, void **arguments);

/* Compile the kernels, and measure device->overhead_us with them. */
enum status cuda_internal_load(struct device *device, struct error *err) MUST_CHECK;
void cuda_internal_unload(struct device *device);

/* Read so much other memory that no tensor is left in the L2 cache, nor anything to write back. */
CUresult cuda_evict_l2(const struct device *device);

/* Keep the device busy for `us`. */
CUresult cuda_keep_busy(const struct device *device, unsigned us);

#endif
