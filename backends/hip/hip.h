#ifndef BACKENDS_HIP_HIP_H
#define BACKENDS_HIP_HIP_H

#include "core/judge/device/backend.h"

/*
 * The back end for HIP on AMD's GPUs: that of CUDA (backends/cuda) with the libraries of
 * platform.h. It has not run on an AMD GPU yet; tests compile HIP, and a stand-in for the driver
 * (tests/hip) passes each call to CUDA's driver.
 */
extern const struct backend_ops hip_backend;

#endif
