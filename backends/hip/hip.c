#include "backends/hip/hip.h"

#include "backends/cuda/cuda.h"
#include "backends/cuda/device_fill.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/resources.h"
#include "backends/cuda/run.h"
#include "backends/hip/platform.h"

static enum status probe(struct device_list *found, struct error *err)
{
    (void)err;
    cuda_probe(&hip_platform, found);
    return STATUS_OK;
}

static enum status open_device(size_t index, struct device **device, struct error *err)
{
    return cuda_open(&hip_platform, index, device, err);
}

const struct backend_ops hip_backend = {
    .name = "hip",
    .probe = probe,
    .open = open_device,
    .close = cuda_close,
    .build = cuda_build,
    .program_free = cuda_program_free,
    .binary = cuda_binary,
    .resources = cuda_resources,
    .buffer_new = cuda_buffer_new,
    .buffer_free = cuda_buffer_free,
    .buffer_poison = cuda_buffer_poison,
    .buffer_fill = cuda_buffer_fill,
    .buffer_holds = cuda_buffer_holds,
    .buffer_write = cuda_buffer_write,
    .buffer_export = cuda_buffer_export,
    .buffer_import = cuda_buffer_import,
    .imports_close = cuda_imports_close,
    .buffer_read = cuda_buffer_read,
    .buffer_read_guards = cuda_buffer_read_guards,
    .run = cuda_run,
    .step = cuda_step,
};
