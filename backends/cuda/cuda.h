#ifndef BACKENDS_CUDA_CUDA_H
#define BACKENDS_CUDA_CUDA_H

#include "core/judge/device/backend.h"

/*
 * CUDA C++ on NVIDIA's GPUs, through the driver API and NVRTC.  Both are found
 * at run time, so that the same worker runs on machines without them.
 */
extern const struct backend_ops cuda_backend;

#endif
