#ifndef BACKENDS_OPENCL_OPENCL_H
#define BACKENDS_OPENCL_OPENCL_H

#include "core/judge/device/backend.h"

/*
 * OpenCL 1.2 on whatever drivers the machine's ICD loader knows: PoCL,
 * NVIDIA, AMD, Intel.  Only what 1.2 has is used, so that all of them serve.
 */
extern const struct backend_ops opencl_backend;

#endif
