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

/* Use `bytes` from `offset` on, which are in `block`. */
typedef void use_block(void *data, size_t offset, const unsigned char *block, size_t bytes);

/* Read block by block; the host uses one while the device fills the other. */
static CUresult visit(const struct cuda_staging *staging, const struct cuda_driver *cuda,
                      const struct cuda_staged *staged, use_block *use, void *data)
{
    size_t count = (staged->bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    CUresult code = begin_read(staging, cuda, staged->from, 0, staged->bytes);

    for (size_t i = 0; !code && i < count; i++) {
        if (i + 1 < count)
            code = begin_read(staging, cuda, staged->from, i + 1, staged->bytes);
        if (!code)
            code = cuda->cuEventSynchronize(staging->done[i % 2]);
        if (!code)
            use(data, i * BLOCK_BYTES, staging->blocks[i % 2], size_of(i, staged->bytes));
    }
    return code;
}

static void copy_block(void *data, size_t offset, const unsigned char *block, size_t bytes)
{
    parallel_copy((unsigned char *)data + offset, block, bytes);
}

CUresult cuda_staging_read(struct cuda_staging *staging, const struct cuda_driver *cuda, void *to,
                           CUdeviceptr from, size_t bytes)
{
    return visit(staging, cuda, &(struct cuda_staged){from, bytes, NULL}, copy_block, to);
}

/* A comparison, and its result so far. */
struct comparison {
    const unsigned char *expected;
    bool same;
};

static void compare_block(void *data, size_t offset, const unsigned char *block, size_t bytes)
{
    struct comparison *comparison = data;

    comparison->same =
        comparison->same && parallel_same(comparison->expected + offset, block, bytes);
}

CUresult cuda_staging_compare(struct cuda_staging *staging, const struct cuda_driver *cuda,
                              const struct cuda_staged *staged, bool *same)
{
    struct comparison comparison = {staged->expected, true};
    CUresult code = visit(staging, cuda, staged, compare_block, &comparison);

    *same = !code && comparison.same;
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
