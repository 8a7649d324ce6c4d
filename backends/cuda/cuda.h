#ifndef BACKENDS_CUDA_CUDA_H
#define BACKENDS_CUDA_CUDA_H

#include "core/judge/device/backend.h"

/*
 * The back end for CUDA C++ on NVIDIA GPUs, through the driver API and NVRTC. Both libraries are
 * opened at run time, so the worker also runs on machines without them.
 */
extern const struct backend_ops cuda_backend;

struct gpu_platform;

/*
 * Open the device that probe() of the platform lists at `index`, and build the internal program
 * that every timed run needs.
 */
enum status cuda_open(const struct gpu_platform *platform, size_t index, struct device **device,
                      struct error *err) MUST_CHECK;
void cuda_close(struct device *device);

#endif
