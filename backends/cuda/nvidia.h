#ifndef BACKENDS_CUDA_NVIDIA_H
#define BACKENDS_CUDA_NVIDIA_H

#include "backends/cuda/platform.h"

/* CUDA as a platform: libcuda and NVRTC. */
extern const struct gpu_platform cuda_platform;

#endif
