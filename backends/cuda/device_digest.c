#include "backends/cuda/device_digest.h"

#include "backends/cuda/digest.cu.h"
#include "backends/cuda/internal_kernels.h"
#include "backends/cuda/memory.h"

enum { THREADS = 256, BLOCKS_PER_UNIT = 8 };

/* Add up the digest in the device's word of results. */
static CUresult run(struct buffer *buffer, struct digest_key key, uint64_t *digest)
{
    const struct device *device = buffer->device;
    CUdeviceptr words = cuda_buffer_contents(buffer), sum = device->result;
    uint64_t count = buffer->bytes / sizeof(uint32_t);
    void *arguments[] = {&words, &count, &key.first, &key.second, &sum};
    const struct line_of_blocks space = {BLOCKS_PER_UNIT * device->info.compute_units, THREADS};
    CUresult code = device->cuda.cuMemsetD32(sum, 0, sizeof(*digest) / sizeof(uint32_t));

    if (!code)
        code = cuda_internal_launch(device->digest_program, "digest", space, arguments);
    return code ? code : device->cuda.cuMemcpyDtoH(digest, sum, sizeof(*digest));
}

enum status cuda_buffer_digest(struct buffer *buffer, struct digest_key key, uint64_t *digest,
                               struct error *err)
{
    const struct program_source source = {.text = digest_cu, .options = ""};
    struct device *device = buffer->device;
    enum status st = STATUS_OK;

    if (buffer->bytes % sizeof(uint32_t))
        return error_set(err, STATUS_UNAVAILABLE, "the buffer ends within a word");
    if (!device->digest_program)
        st = cuda_internal_build(device, &source, &device->digest_program, err);
    if (st)
        return st;
    return cuda_check(cuda_result(device, run(buffer, key, digest), STATUS_IO), err,
                      "make a digest of %zu bytes", buffer->bytes);
}
