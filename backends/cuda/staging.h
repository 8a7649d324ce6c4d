#ifndef BACKENDS_CUDA_STAGING_H
#define BACKENDS_CUDA_STAGING_H

#include <stdbool.h>

#include "backends/cuda/driver.h"

/*
 * Large copies between device and host, by way of two blocks of page-locked memory: while the
 * device fills one, the host's cores empty the other. A copy to ordinary memory is made by one
 * thread of the driver and takes several times as long.
 *
 * The blocks are in the device's address space as well. They hold nothing between two calls.
 */
struct cuda_staging {
    unsigned char *blocks[2];
    CUevent done[2]; /* the last copy from or to the block */
    bool is_refused; /* the driver gives no such memory */
};

/* Bytes on the device, and what they should be. */
struct cuda_staged {
    CUdeviceptr from;
    size_t bytes;
    const void *expected;
};

/* Copies of at least this size are worth it. */
enum { CUDA_STAGING_LEAST_BYTES = 1 << 24 };

/*
 * Make the blocks, unless they exist. False if the driver refuses; the caller then copies without
 * them.
 */
bool cuda_staging_open(struct cuda_staging *staging, const struct cuda_driver *cuda);
void cuda_staging_close(struct cuda_staging *staging, const struct cuda_driver *cuda);

/* Copy and wait until the copy is complete. The calling thread's context is used. */
CUresult cuda_staging_read(struct cuda_staging *staging, const struct cuda_driver *cuda, void *to,
                           CUdeviceptr from, size_t bytes);
/* Read without keeping what is read; `*same` tells whether these bytes are `expected`. */
CUresult cuda_staging_compare(struct cuda_staging *staging, const struct cuda_driver *cuda,
                              const struct cuda_staged *staged, bool *same);
CUresult cuda_staging_write(struct cuda_staging *staging, const struct cuda_driver *cuda,
                            CUdeviceptr to, const void *from, size_t bytes);

#endif
