#include "core/judge/backend.h"

#include "backends/opencl/opencl.h"

const struct backend_ops *const backend_list[] = {&opencl_backend, NULL};
