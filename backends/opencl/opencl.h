#ifndef BACKENDS_OPENCL_OPENCL_H
#define BACKENDS_OPENCL_OPENCL_H

#include "core/judge/device/backend.h"

/*
 * The back end for OpenCL on every driver that the machine's ICD loader knows: PoCL, NVIDIA, AMD,
 * Intel.  It uses only OpenCL 1.2, which they all support.
 */
extern const struct backend_ops opencl_backend;

#endif
