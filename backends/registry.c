#include "core/judge/device/backend.h"

#include "backends/cuda/cuda.h"
#include "backends/opencl/opencl.h"

const struct backend_ops *const backend_list[] = {&opencl_backend, &cuda_backend, NULL};
