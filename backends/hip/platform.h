#ifndef BACKENDS_HIP_PLATFORM_H
#define BACKENDS_HIP_PLATFORM_H

#include "backends/cuda/platform.h"

/*
 * HIP as a platform of CUDA's back end: libamdhip64 and hiprtc, which are opened at run time. Their
 * functions are those of the "HIP Runtime API Reference", of versions 5 to 7.
 */
extern const struct gpu_platform hip_platform;

/*
 * The architecture of hiprtc's option --gpu-architecture, such as "gfx90a:sramecc+:xnack-", in the
 * properties of a device: a struct whose layout depends on the version, so the text is searched.
 * False if there is none.
 */
bool hip_arch_in(const void *properties, size_t bytes, char *arch, size_t room);

#endif
