#include "backends/hip/hip.h"

#include "backends/cuda/cuda.h"
#include "backends/cuda/operations.h"
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
    GPU_OPERATIONS,
};
