#include "backends/cuda/cuda.h"

#include "backends/cuda/device.h"
#include "backends/cuda/device_fill.h"
#include "backends/cuda/internal_kernels.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/nvidia.h"
#include "backends/cuda/program.h"
#include "backends/cuda/resources.h"
#include "backends/cuda/run.h"

void cuda_close(struct device *device)
{
    cuda_imports_close(device);
    cuda_internal_unload(device);
    cuda_device_close(device);
}

enum status cuda_open(const struct gpu_platform *platform, size_t index, struct device **device,
                      struct error *err)
{
    struct device *opened = NULL;
    enum status st = cuda_device_open(platform, index, &opened, err);

    if (st)
        return st;
    st = cuda_internal_load(opened, err);
    if (st)
        cuda_close(opened);
    else
        *device = opened;
    return st;
}

static enum status probe(struct device_list *found, struct error *err)
{
    (void)err;
    cuda_probe(&cuda_platform, found);
    return STATUS_OK;
}

static enum status open_device(size_t index, struct device **device, struct error *err)
{
    return cuda_open(&cuda_platform, index, device, err);
}

const struct backend_ops cuda_backend = {
    .name = "cuda",
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
    .code = cuda_code,
};
