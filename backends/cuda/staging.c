#include "backends/cuda/staging.h"

#include "core/system/parallel.h"

enum { BLOCK_BYTES = 1 << 25 };

static bool open_block(struct cuda_staging *staging, const struct cuda_driver *cuda, size_t index)
{
    void *block = NULL;

    if (cuda->cuMemHostAlloc(&block, BLOCK_BYTES, 0))
        return false;
    staging->blocks[index] = block;
    return !cuda->cuEventCreate(&staging->done[index], CU_EVENT_DISABLE_TIMING);
}

bool cuda_staging_open(struct cuda_staging *staging, const struct cuda_driver *cuda)
{
    if (staging->blocks[0] || staging->is_refused)
        return !staging->is_refused;
    if (open_block(staging, cuda, 0) && open_block(staging, cuda, 1))
        return true;
    cuda_staging_close(staging, cuda);
    staging->is_refused = true;
    return false;
}

void cuda_staging_close(struct cuda_staging *staging, const struct cuda_driver *cuda)
{
    for (size_t i = 0; i < 2; i++) {
        if (staging->done[i])
            (void)cuda->cuEventDestroy(staging->done[i]);
        if (staging->blocks[i])
            (void)cuda->cuMemFreeHost(staging->blocks[i]);
    }
    *staging = (struct cuda_staging){0};
}

/* Bytes of block number `index` of a copy. */
static size_t size_of(size_t index, size_t bytes)
{
    size_t left = bytes - index * BLOCK_BYTES;

    return left < BLOCK_BYTES ? left : BLOCK_BYTES;
}

/* Begin to copy block number `index` from the device. */
static CUresult begin_read(const struct cuda_staging *staging, const struct cuda_driver *cuda,
                           CUdeviceptr from, size_t index, size_t bytes)
{
    CUresult code = cuda->cuMemcpyDtoHAsync(staging->blocks[index % 2], from + index * BLOCK_BYTES,
                                            size_of(index, bytes), NULL);

    return code ? code : cuda->cuEventRecord(staging->done[index % 2], NULL);
}

CUresult cuda_staging_read(struct cuda_staging *staging, const struct cuda_driver *cuda, void *to,
                           CUdeviceptr from, size_t bytes)
{
    size_t count = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    CUresult code = begin_read(staging, cuda, from, 0, bytes);

    for (size_t i = 0; !code && i < count; i++) {
        if (i + 1 < count)
            code = begin_read(staging, cuda, from, i + 1, bytes);
        if (!code)
            code = cuda->cuEventSynchronize(staging->done[i % 2]);
        if (!code)
            parallel_copy((unsigned char *)to + i * BLOCK_BYTES, staging->blocks[i % 2],
                          size_of(i, bytes));
    }
    return code;
}

CUresult cuda_staging_write(struct cuda_staging *staging, const struct cuda_driver *cuda,
                            CUdeviceptr to, const void *from, size_t bytes)
{
    size_t count = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; !code && i < count; i++) {
        size_t size = size_of(i, bytes);

        if (i >= 2)
            code = cuda->cuEventSynchronize(staging->done[i % 2]);
        if (code)
            break;
        parallel_copy(staging->blocks[i % 2], (const unsigned char *)from + i * BLOCK_BYTES, size);
        code = cuda->cuMemcpyHtoDAsync(to + i * BLOCK_BYTES, staging->blocks[i % 2], size, NULL);
        if (!code)
            code = cuda->cuEventRecord(staging->done[i % 2], NULL);
    }
    return code ? code : cuda->cuCtxSynchronize();
}
