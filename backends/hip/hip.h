#ifndef BACKENDS_HIP_HIP_H
#define BACKENDS_HIP_HIP_H

#include "core/judge/device/backend.h"

/*
 * The back end for HIP on AMD's GPUs: that of CUDA (backends/cuda) with the libraries of
 * platform.h. No AMD GPU has been seen; tests compile HIP, and a stand-in for the driver
 * (tests/hip) hands each call to CUDA's.
 */
extern const struct backend_ops hip_backend;

#endif
