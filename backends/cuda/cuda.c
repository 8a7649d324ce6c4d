#include "backends/cuda/cuda.h"

#include "backends/cuda/device.h"
#include "backends/cuda/internal_kernels.h"
#include "backends/cuda/nvidia.h"
#include "backends/cuda/operations.h"

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
    GPU_OPERATIONS,
    .code = cuda_code,
};
