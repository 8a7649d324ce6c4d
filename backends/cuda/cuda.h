#ifndef BACKENDS_CUDA_CUDA_H
#define BACKENDS_CUDA_CUDA_H

#include "core/judge/device/backend.h"

/*
 * The back end for CUDA C++ on NVIDIA GPUs, through the driver API and NVRTC. Both libraries are
 * opened at run time, so the worker also runs on machines without them.
 */
extern const struct backend_ops cuda_backend;

#endif
